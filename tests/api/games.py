"""Games and their players in the tests: they speak HTTP through Flask's client."""

from dataclasses import dataclass
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.api.puzzles import Json

ANA, BEN, CLEO = ({"kind": "human", "name": name} for name in ("Ana", "Ben", "Cleo"))
OPEN = {"kind": "open"}
ADEPT = {"kind": "ai", "level": "adept"}


@dataclass
class Game:
    """A game over HTTP, with all the tokens that its creator was given."""

    http: FlaskClient
    created: Json

    @property
    def id(self) -> str:
        return str(self.created["id"])

    def token(self, holder: int | str) -> str:
        """Return the token of a seat, or of the ``host``."""
        return str(self.created["host_token"] if holder == "host" else self.created["tokens"][str(holder)])

    def ask(self, method: str, path: str = "", holder: int | str | None = None, **how: Any) -> TestResponse:
        """Send a request as a seat, as the host, or as nobody; *at* another game, if wished."""
        headers, at = dict(how.pop("headers", {})), how.pop("at", self.id)
        if holder is not None:
            headers["Authorization"] = f"Bearer {self.token(holder)}"
        return self.http.open(f"/v1/games/{at}{path}", method=method, headers=headers, **how)

    def act(self, seat: int | str | None, text: str, **headers: str) -> TestResponse:
        """Act; ``if_match`` and ``idempotency_key`` are sent as headers."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.ask("POST", "/actions", seat, json={"text": text}, headers=sent)

    def look(self, holder: int | str | None = None) -> Json:
        """Return the game as a seat, the host or a spectator sees it."""
        return plain(self.ask("GET", "", holder))

    def events(self, holder: int | str | None = None, **query: int) -> list[Json]:
        """Return what happened, as a seat, the host or a spectator may know it."""
        events: list[Json] = plain(self.ask("GET", "/events", holder, query_string=query))["events"]
        return events


def plain(response: TestResponse) -> Json:
    """Return the JSON of an answer that must be a good one."""
    assert response.status_code in (200, 201), response.text
    body: Json = response.get_json()
    return body


def new_game(http: FlaskClient, *seats: Json, **wishes: object) -> Game:
    """Set up a game; without seats, for Ana and Ben at one screen."""
    body = {"ruleset": "regicide", "seats": list(seats or (ANA, BEN)), **wishes}
    return Game(http, plain(http.post("/v1/games", json=body)))
