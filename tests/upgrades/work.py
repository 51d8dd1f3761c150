"""What goes on across a version change besides games: an arena, and a request that is sent once more."""

from typing import Final
from uuid import UUID

import httpx

from engines.types import Json
from regicide_client import Server
from regicide_client.errors import RegicideError

GAMES: Final = 60
DONE_SECONDS: Final = 180.0
REQUEST: Final[Json] = {"ruleset": "regicide", "seats": [{"kind": "human", "name": "Ana"}, {"kind": "open"}]}


class Errand:
    """An arena and a new game, asked for at a server before it is upgraded."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._server = Server(url, retry_seconds=DONE_SECONDS)
        self._arena = self._server.arena("regicide", ["adept", "adept"], GAMES)
        self._answer = self._ask()

    def complaints(self) -> list[str]:
        """Return what wasn't done once, in words."""
        found = []
        try:
            job = self._arena.wait(within=DONE_SECONDS)
            if job["result"] is None or job["result"]["games"] != GAMES:
                found.append(f"the arena came to {job}")
        except RegicideError as error:
            found.append(f"the arena of {self._url}: {error}")
        if self._ask() != self._answer:
            found.append("the same Idempotency-Key had another answer")
        self._server.close()
        return found

    def _ask(self) -> Json:
        answer = httpx.post(
            f"{self._url}/v1/games", json=REQUEST, headers={"Idempotency-Key": str(UUID(int=32))}, timeout=30
        )
        answer.raise_for_status()
        said: Json = answer.json()
        return said
