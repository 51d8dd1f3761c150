"""Everything about games outside a web request: changes, storage, background jobs and the processes that run them.

``turns`` changes a game, ``feed`` publishes changes to watchers, ``metrics`` counts and ``metrics_store`` sums over all
processes; ``settings`` are read from the environment; ``local_arena`` plays an arena without a server.

``storage``     what is in Redis: games, tasks, idempotency keys, rate limits, job queues
``background``  worker processes and their jobs (AI turns, hints, reviews, arenas), and the sweeper, which requeues lost
                jobs
``processes``   the embedded Redis server, supervision of child processes, logs
"""
