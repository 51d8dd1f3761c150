"""Everything stored in Redis, and how it is encoded.

``store``         opens the store and holds its parts; ``layout``: the format and number of its partitions
``games``         reads, lists and commits games (commit.lua); ``idle_games``: games without recent changes
``journal``       the changes of a game; ``history``: past versions
``versions_for_viewers``  a game at one version, encoded once for each viewer and language
``idempotency``   responses to requests that may be repeated; ``tokens``: identification of clients
``tasks``         hints, reviews and arenas, from the request to the result
``queue``         jobs for workers; ``fair_queues``: shared evenly by clients; ``due_games``: the sweeper's schedule
``rate_limits``   requests per client and minute; ``keys``: the Redis keys; ``commands``: runs commands
"""
