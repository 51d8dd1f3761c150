"""Everything stored in Redis, and how it is encoded.

``store``        opens the store and holds its parts ``games``        reads, lists and commits games (commit.lua);
``history``: past versions; ``health``: checks while it serves ``journal``      the changes of a game, from which it is
replayed; ``snapshots``: a game at one version ``idempotency``  responses to requests that may be repeated ``tasks``
hints, reviews and arenas, from the request to the result ``idle``         games without recent changes, and the
deletion of games ``queue``        jobs for workers; ``fair_queues``: those that take turns; ``due_games``: the
sweeper's schedule ``rate_limits``  requests per client and minute ``keys``         the key of everything stored, by
partition; ``layout``: checks the format and number of partitions ``tokens``       who sends a request; ``connection``:
runs commands; ``errors``: refusals
"""
