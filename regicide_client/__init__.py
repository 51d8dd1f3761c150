"""A client of a Regicide server, for Python programs: typed answers, retries, live streams, bots.

It needs httpx, and no module of the server. ``Server`` is the server, ``Player`` one token at one game::

    from regicide_client import Server

    with Server("http://127.0.0.1:8000") as server:
        game = server.create("regicide", [{"kind": "human", "name": "Ana"}, {"kind": "ai", "level": "adept"}])
        ana = game.players[0]
        while ana.wait_for_turn(within=30)["status"] == "active":
            ana.act(ana.actions()[0]["text"])

Every error that it raises is a ``RegicideError``: ``Unreachable`` if nobody answers at the address, ``Problem`` if the
server refuses, ``TookTooLong`` if what was waited for didn't happen in time, ``BrokenPromise`` if a game isn't dealt
by the seed that was promised.
"""

from regicide_client.errors import BrokenPromise, Problem, RegicideError, TookTooLong, Unreachable
from regicide_client.session import Created, JobHandle, Player, Server

__all__ = [
    "BrokenPromise",
    "Created",
    "JobHandle",
    "Player",
    "Problem",
    "RegicideError",
    "Server",
    "TookTooLong",
    "Unreachable",
]
