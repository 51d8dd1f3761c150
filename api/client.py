"""A small client: create or join a game, and play it as one of its seats.

``Server`` is the house, ``Player`` one token at one game::

    with Server("http://127.0.0.1:8000") as server:
        game = server.create("regicide", [{"kind": "human", "name": "Ana"}, {"kind": "ai", "level": "adept"}])
        ana = game.players[0]
        while ana.wait_for_turn(within=30)["status"] == "active":
            ana.act(ana.actions()[0]["text"])

What may safely be asked twice is: reading, and what carries an idempotency key. It is tried again while the server or
its storage is away, for as long as the server was given *patience*.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NotRequired, Self, TypedDict, cast
from uuid import uuid4

import httpx

Json = dict[str, Any]

UNAVAILABLE: Final = 503
NOT_MODIFIED: Final = 304
FIRST_PAUSE: Final = 0.05
LONGEST_PAUSE: Final = 0.5
BROKEN: Final = (httpx.NetworkError, httpx.TimeoutException, httpx.RemoteProtocolError)
UNSENT: Final = (httpx.ConnectError, httpx.ConnectTimeout)


class SeatShown(TypedDict):
    """A seat of a game, as everybody may know it."""

    seat: int
    kind: str
    name: NotRequired[str]
    level: NotRequired[str]


class Game(TypedDict):
    """The game resource, as its reader may know it."""

    id: str
    ruleset: str
    status: str
    version: int
    seats: list[SeatShown]
    to_act: list[int]
    may_act: list[int]
    deadline: str | None
    commitment: str
    created: str
    updated: str
    you: int | None
    view: Json | None
    outcome: Json | None


class Turn(TypedDict):
    """The answer to a move."""

    version: int
    events: list[Json]
    view: Json
    to_act: list[int]


class Legal(TypedDict):
    """One thing that a seat may do, in both spellings."""

    action: Json
    text: str


class Actions(TypedDict):
    """Everything that a seat may do at a version."""

    version: int
    actions: list[Legal]


class Problem(Exception):
    """The server said no; nothing has changed."""

    def __init__(self, body: Json) -> None:
        super().__init__(body["detail"])
        self.status: int = body["status"]
        self.code: str = body["code"]
        self.detail: str = body["detail"]
        self.body = body


class TookTooLong(Exception):
    """What was waited for didn't happen in time."""


@dataclass(frozen=True)
class Created:
    """A game that was just set up: the only time that its tokens are seen."""

    game: Game
    host: "Player"
    players: Mapping[int, "Player"]
    invite: str | None


class Server:
    """A server of games; close it, or use it in a ``with``."""

    def __init__(self, url: str, *, patience: float = 10.0, http: httpx.Client | None = None) -> None:
        self.patience = patience
        self._http = http or httpx.Client(base_url=url, timeout=10.0, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def rulesets(self) -> list[Json]:
        """Return what can be played."""
        return cast(list[Json], self.ask("GET", "/v1/rulesets")["rulesets"])

    def create(self, ruleset: str, seats: Sequence[Mapping[str, object]], **wishes: object) -> Created:
        """Set up a game: once, even if it must be asked twice."""
        body = {"ruleset": ruleset, "seats": list(seats), **wishes}
        game = self.ask("POST", "/v1/games", body=body, key=str(uuid4()))
        tokens, host, invite = game.pop("tokens"), game.pop("host_token"), game.pop("invite", None)
        players = {int(seat): Player(self, game["id"], token) for seat, token in tokens.items()}
        return Created(cast(Game, game), Player(self, game["id"], host), players, invite)

    def join(self, game_id: str, name: str, **wishes: object) -> "Player":
        """Take an open seat: ``seat``, ``client_seed`` and ``invite`` may be given."""
        joined = self.ask("POST", f"/v1/games/{game_id}/join", body={"name": name, **wishes})
        return Player(self, game_id, joined["token"])

    def spectator(self, game_id: str) -> "Player":
        """Return somebody who may only watch."""
        return Player(self, game_id, None)

    def ask(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        body: object = None,
        key: str | None = None,
        **how: Any,
    ) -> Json:
        """Send a request and return the answer's JSON, ``{}`` for a 304.

        Raises ``Problem``, or ``httpx.TransportError`` when patience has run out.
        """
        headers = {**how.pop("headers", {})}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if key is not None:
            headers["Idempotency-Key"] = key
        if body is not None:
            how["json"] = body
        response = self._persist(method, path, repeatable=method == "GET" or key is not None, headers=headers, **how)
        if response.status_code == NOT_MODIFIED:
            return {}
        answer: Json = response.json()
        if response.is_error:
            raise Problem(answer)
        return answer

    def _persist(self, method: str, path: str, *, repeatable: bool, **how: Any) -> httpx.Response:
        """Send, and again while the server is away; what can't be repeated only if it has never been sent."""
        until, pause = time.monotonic() + self.patience, FIRST_PAUSE
        while True:
            late = time.monotonic() + pause > until
            try:
                response = self._http.request(method, path, **how)
                if late or not repeatable or not _is_passing(response):
                    return response
            except BROKEN as error:
                if late or not (repeatable or isinstance(error, UNSENT)):
                    raise
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)


def _is_passing(response: httpx.Response) -> bool:
    """The same request may succeed soon: the storage is away, or its first copy is still being worked on."""
    return "Retry-After" in response.headers and (
        response.status_code == UNAVAILABLE or response.json().get("code") == "in_progress"
    )


@dataclass(frozen=True)
class Player:
    """Whoever holds a token of a game, or, without one, watches it."""

    server: Server
    game_id: str
    token: str | None

    def look(self) -> Game:
        """Return the game as this token may see it."""
        return cast(Game, self._ask("GET", ""))

    def look_since(self, version: int) -> Game | None:
        """Return the game if it isn't at *version* any more."""
        game = self._ask("GET", "", headers={"If-None-Match": f'"{version}"'})
        return cast(Game, game) if game else None

    def actions(self) -> list[Legal]:
        """Return everything that this seat may do now."""
        return self.legal()["actions"]

    def legal(self) -> Actions:
        """Return everything that this seat may do, and the version at which it may."""
        return cast(Actions, self._ask("GET", "/actions"))

    def act(self, action: str | Mapping[str, object], *, expected: int | None = None, key: str | None = None) -> Turn:
        """Take a turn, once, even if it must be asked twice; at version *expected*, if given."""
        headers = {} if expected is None else {"If-Match": f'"{expected}"'}
        answer = self._ask("POST", "/actions", body=_action(action), key=key or str(uuid4()), headers=headers)
        return cast(Turn, answer)

    def rehearse(self, action: str | Mapping[str, object]) -> None:
        """Ask whether the action is legal. Raises the ``Problem`` that it would get."""
        self._ask("POST", "/actions", body=_action(action), params={"dry_run": "true"})

    def events(self, after: int = -1, limit: int | None = None) -> list[Json]:
        """Return what has happened since version *after*, as this token may know it."""
        params = {"after": after} if limit is None else {"after": after, "limit": limit}
        return cast(list[Json], self._ask("GET", "/events", params=params)["events"])

    def signal(self, signal: str) -> Game:
        """Say ``eager`` or ``reluctant`` (R22)."""
        return cast(Game, self._ask("POST", "/signals", body={"signal": signal}))

    def start(self, level: str) -> Game:
        """As the host: give the open seats to AIs."""
        return cast(Game, self._ask("POST", "/start", body={"level": level}))

    def hand_over(self, seat: int, level: str) -> Game:
        """Let an AI play on at *seat*."""
        return cast(Game, self._ask("POST", f"/seats/{seat}/handover", body={"level": level}))

    def abandon(self) -> Game:
        """As the host: end the game."""
        return cast(Game, self._ask("DELETE", ""))

    def record(self) -> Json:
        """Return the record of an ended game."""
        return self._ask("GET", "/record")

    def wait_for_turn(self, within: float) -> Game:
        """Return the game once this seat must act or the game has ended. Raises ``TookTooLong``."""
        until = time.monotonic() + within
        game = self.look()
        while not _concerns(game):
            game = self.wait_for_change(game["version"], max(0.0, until - time.monotonic()))
        return game

    def wait_for_change(self, version: int, within: float) -> Game:
        """Return the game once it isn't at *version* any more. Raises ``TookTooLong``."""
        until, pause = time.monotonic() + within, FIRST_PAUSE
        while True:
            game = self.look_since(version)
            if game is not None:
                return game
            if time.monotonic() + pause > until:
                raise TookTooLong(f"Version {version} of the game was still there after {within:.1f} s.")
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _ask(self, method: str, path: str, **how: Any) -> Json:
        return self.server.ask(method, f"/v1/games/{self.game_id}{path}", token=self.token, **how)


def _concerns(game: Game) -> bool:
    return game["you"] in game["to_act"] or game["status"] in ("finished", "abandoned")


def _action(action: str | Mapping[str, object]) -> Mapping[str, object]:
    return {"text": action} if isinstance(action, str) else action
