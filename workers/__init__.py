"""What happens to a game outside a request, and whatever is stored of it.

``turns`` changes a game, ``feed`` tells everybody who watches it, ``metrics`` are counted and ``ledger`` sums them over
all processes; ``settings`` come from the environment; ``tournament`` plays an arena on one machine, without a server.

``storage``     what is in Redis: games, tasks, idempotency keys, rate limits, the queues of jobs
``background``  the worker processes and their jobs: AIs' turns, hints, arenas; and the sweeper, which repeats lost jobs
``processes``   the Redis server that we start, supervision of child processes, logs
"""
