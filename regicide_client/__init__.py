"""A client of a Regicide server for Python programs: typed responses, retries, live streams, bots.

It needs httpx, and no module of the server. ``RegicideClient`` stands for a server, ``Player`` for a seat, a host or a
spectator of one game::

    from regicide_client import RegicideClient

    with RegicideClient("http://127.0.0.1:8000") as server:
        game = server.create("regicide", [{"kind": "human", "name": "Ana"}, {"kind": "ai", "level": "adept"}])
        ana = game.players[0]
        while ana.wait_for_turn(timeout=30)["status"] == "active":
            ana.act(ana.actions()[0]["text"])

All errors are ``RegicideError``: ``ServerUnreachable`` if the server can't be reached, ``ProblemError`` if it refuses,
``WaitTimeout`` if a wait times out, ``CommitmentMismatch`` if a game has another seed than the committed one.
"""

from regicide_client.client import Created, JobHandle, Player, RegicideClient
from regicide_client.errors import CommitmentMismatch, ProblemError, RegicideError, ServerUnreachable, WaitTimeout

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
