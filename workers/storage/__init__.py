"""What is stored in Redis, and how.

``store``        the games: read, listed, and changed by ``commit`` (commit.lua), whole or not at all
``journal``      what was done in a game, by which it is played again; ``snapshots``: a game as it was at a version
``idempotency``  answers to requests that may be sent again
``tasks``        hints and arenas, from the request to the result
``idle``         games that nothing happens in any more, and how one is deleted
``queue``        the jobs that wait for a worker; ``outbox``: when the sweeper is to look after a game
``budgets``      rate limits
``keys``         the key of everything that is stored, by partitions; ``layout``: whether a store has as many
``tokens``       who is known; ``connection``: how Redis is called; ``errors``: its refusals
"""
