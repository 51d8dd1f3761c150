"""Everything stored in Redis, and how it is encoded.

The main modules:

``store``                 opens the store and holds its parts
``layout``                the format of the stored data, and the number of partitions (sets of keys) of the store
``keys``                  the names of the Redis keys
``commands``              runs Redis commands
``games``                 reads, lists and commits games (commit.lua)
``journal``               the changes of a game
``history``               past versions of a game
``versions_for_viewers``  a game at one version, encoded once for each viewer and language
``idle_games``            games without recent changes
``idempotency``           responses to requests that may be repeated
``tokens``                identification of clients
``tasks``                 hints, reviews and arenas, from the request to the result
``queue``                 jobs for workers
``fair_queues``           queues of jobs from which clients are served in turn
``due_games``             when the sweeper, which enqueues lost jobs again, must check a game
``rate_limits``           requests per client and minute
"""
