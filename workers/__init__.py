"""Everything about games outside a web request: changes, storage, background jobs and the processes that run them.

``game_commands`` changes a game and ``feed`` publishes its changes to subscribers. ``metrics`` counts for one process
and ``metrics_store`` sums over all processes. ``settings`` reads the environment. ``local_arena`` plays an arena
without a server. The packages are:

``storage``     what is in Redis: games, tasks, idempotency keys, rate limits, job queues
``background``  worker processes and their jobs (AI turns, hints, reviews, arenas), and the sweeper
``processes``   the embedded Redis server, supervision of child processes, logs
"""
