"""A client of a Regicide server, for Python programs: typed answers, retries, live streams, bots.

It needs httpx, and no module of the server. ``RegicideClient`` is the server, ``Player`` one token at one game::

    from regicide_client import RegicideClient

    with RegicideClient("http://127.0.0.1:8000") as server:
        game = server.create("regicide", [{"kind": "human", "name": "Ana"}, {"kind": "ai", "level": "adept"}])
        ana = game.players[0]
        while ana.wait_for_turn(timeout=30)["status"] == "active":
            ana.act(ana.actions()[0]["text"])

Every error that it raises is a ``RegicideError``: ``ServerUnreachable`` if nobody answers at the address, ``Problem``
if the server refuses, ``WaitTimeout`` if what was waited for didn't happen in time, ``CommitmentMismatch`` if a game
isn't dealt by the seed that was promised.
"""

from regicide_client.errors import CommitmentMismatch, ProblemError, RegicideError, ServerUnreachable, WaitTimeout
from regicide_client.session import Created, JobHandle, Player, RegicideClient

__all__ = [
    "CommitmentMismatch",
    "Created",
    "JobHandle",
    "Player",
    "ProblemError",
    "RegicideClient",
    "RegicideError",
    "ServerUnreachable",
    "WaitTimeout",
]
