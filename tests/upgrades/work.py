"""What goes on across a change of versions or clocks besides games: an arena, a review, requests sent again."""

from typing import Final
from uuid import UUID

import httpx

from engines.core.types import Json
from regicide_client import JobHandle, RegicideClient
from regicide_client.errors import RegicideError
from tests.waiting import AGES, allowed

DONE_SECONDS: Final = 180.0
REQUEST: Final[Json] = {
    "ruleset": "regicide",
    "seats": [{"kind": "human", "name": "Ana"}, {"kind": "human", "name": "Ben"}],
}
KEY: Final = {"Idempotency-Key": str(UUID(int=32))}


class Errand:
    """An arena of so many *games*, a review by a *level*, a new game and a move there, asked for before a change."""

    def __init__(self, url: str, games: int = 60, level: str = "master") -> None:
        self._url, self._games = url, games
        self._server = RegicideClient(url, retry_seconds=DONE_SECONDS)
        self._ended = self._server.create("regicide", [{"kind": "ai", "level": "novice"}] * 2).host
        self._ended.wait_for_turn(timeout=DONE_SECONDS)
        self._arena = self._server.arena("regicide", ["adept", "adept"], games)
        self._review = self._ended.review(0, level)
        self._answers = self._ask()

    def complaints(self) -> list[str]:
        """Return what wasn't done once, in words."""
        found: list[str] = []
        arena, review = self._done(self._arena, found), self._done(self._review, found)
        if arena is not None and arena["games"] != self._games:
            found.append(f"the arena came to {arena}")
        versions = [] if review is None else [one["version"] for one in review["decisions"]]
        if len(versions) != len(set(versions)) or not versions:
            found.append(f"the review has decisions of {versions}")
        if self._ask() != self._answers:
            found.append("the same Idempotency-Key had another answer")
        self._server.close()
        return found

    def _done(self, job: JobHandle, found: list[str]) -> Json | None:
        """Wait for a job to end, and return its result; what went wrong is added to *found*."""
        try:
            ended = job.wait(timeout=DONE_SECONDS)
        except RegicideError as error:
            found.append(f"a job at {self._url}: {error}")
            return None
        if ended["result"] is None:
            found.append(f"a job came to {ended}")
        return ended["result"]

    def _ask(self) -> list[Json]:
        """Set up a game and act there, both by the same key as before; sentences are of the version that answers."""
        made = self._post("/v1/games", REQUEST)
        seat = {"Authorization": f"Bearer {made['tokens']['0']}"}
        moved = self._post(f"/v1/games/{made['id']}/actions", {"text": "yield"}, seat)
        events = [{key: value for key, value in event.items() if key != "text"} for event in moved["events"]]
        return [made, {**moved, "events": events}]

    def _post(self, path: str, body: Json, headers: dict[str, str] | None = None) -> Json:
        answer = httpx.post(f"{self._url}{path}", json=body, headers={**KEY, **(headers or {})}, timeout=allowed(AGES))
        answer.raise_for_status()
        said: Json = answer.json()
        return said
