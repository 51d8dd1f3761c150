"""A session with a server: create or join a game, and play it as one of its seats.

What may safely be asked twice is: reading, and what carries an idempotency key. It is asked again while the server or
its storage is away, or when there is too much to do, for as long as the ``RegicideClient`` was given: *retry_seconds*.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final, Self, cast
from uuid import uuid4

import httpx

from regicide_client.errors import CommitmentMismatch, ProblemError, WaitTimeout
from regicide_client.retry import Backoff, Clock, RetryingClient, authorized, translate_errors
from regicide_client.stream import ENDED, follow
from regicide_client.types import (
    Actions,
    Commitment,
    Game,
    GameRecord,
    Games,
    Job,
    Json,
    Legal,
    Message,
    PastView,
    Rehearsed,
    Ruleset,
    Turn,
)

REQUEST_TIMEOUT_SECONDS: Final = 10.0
MAX_WAIT_SECONDS: Final = 25
"""Seconds that the server lets a request wait for a change."""
TOO_MANY_STREAMS: Final = "too_many_streams"
"""Every place of those who wait for a change is taken."""
ENDED_STATUSES: Final = ("finished", "failed", "cancelled")


@dataclass(frozen=True)
class Created:
    """A game that was just set up: the only time that its tokens are seen."""

    game: Game
    host: "Player"
    players: Mapping[int, "Player"]
    invite: str | None


class RegicideClient:
    """A server of games; close it, or use it in a ``with``. Several threads may share one.

    Its methods, and those of what they return, raise ``Problem`` if the server refuses, and ``Unreachable`` if nobody
    answers at *url*, or the connection breaks, and that doesn't change within *retry_seconds*.
    """

    def __init__(
        self, url: str, *, retry_seconds: float = 10.0, http: httpx.Client | None = None, clock: Clock | None = None
    ) -> None:
        with translate_errors(url):
            http = http or httpx.Client(base_url=url, timeout=REQUEST_TIMEOUT_SECONDS, trust_env=False)
        self.client = RetryingClient(http, url or http.base_url, retry_seconds, clock or Clock())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections."""
        self.client.close()

    def rulesets(self) -> list[Ruleset]:
        """Return what can be played."""
        return cast(list[Ruleset], self.ask("GET", "/v1/rulesets", field="rulesets")["rulesets"])

    def ruleset(self, name: str) -> Ruleset:
        """Return one of the games that can be played."""
        return cast(Ruleset, self.ask("GET", f"/v1/rulesets/{name}"))

    def rules(self, name: str, language: str = "en") -> str:
        """Return the rules and our rulings as Markdown."""
        headers = {"Accept-Language": language}
        return self.client.send("GET", f"/v1/rulesets/{name}/rules", repeatable=True, headers=headers).text

    def games(self, **filters: str | int) -> Games:
        """Return a page of public games: ``status``, ``ruleset``, ``limit`` and ``cursor`` choose which."""
        return cast(Games, self.ask("GET", "/v1/games", params=filters))

    def commit(self) -> Commitment:
        """Have the secret seed of a game promised, before ``create`` sends your own."""
        return cast(Commitment, self.ask("POST", "/v1/commitments", field="commitment"))

    def create(
        self,
        ruleset: str,
        seats: Sequence[Mapping[str, object]],
        *,
        commitment: Commitment | None = None,
        **fields: object,
    ) -> Created:
        """Set up a game: once, even if it must be asked twice; dealt by the seed of the *commitment*, if given.

        Raises ``CommitmentMismatch`` if it isn't. The commitment alone proves little: give a random ``client_seed``
        too.
        """
        promised = {} if commitment is None else {"commitment": commitment["id"]}
        body = {"ruleset": ruleset, "seats": list(seats), **promised, **fields}
        game = self.ask("POST", "/v1/games", body=body, key=str(uuid4()), field="tokens")
        if commitment is not None and game["commitment"] != commitment["commitment"]:
            raise CommitmentMismatch(f"Game {game['id']} has another secret seed than the one that was promised.")
        tokens, host, invite = game.pop("tokens"), game.pop("host_token"), game.pop("invite", None)
        players = {int(seat): Player(self, game["id"], token) for seat, token in tokens.items()}
        return Created(cast(Game, game), Player(self, game["id"], host), players, invite)

    def join(self, game_id: str, name: str, **fields: object) -> "Player":
        """Take an open seat, once, even if asked twice: ``seat``, ``client_seed`` and ``invite`` may be given."""
        body, key = {"name": name, **fields}, str(uuid4())
        joined = self.ask("POST", f"/v1/games/{game_id}/join", body=body, key=key, field="token")
        return Player(self, game_id, joined["token"])

    def spectator(self, game_id: str) -> "Player":
        """Return somebody who may only watch."""
        return Player(self, game_id, None)

    def arena(self, ruleset: str, seats: Sequence[str], games: int, **fields: object) -> "JobHandle":
        """Let AIs of these levels play each other; ``options`` and ``seed`` may be given."""
        body = {"ruleset": ruleset, "seats": list(seats), "games": games, **fields}
        job = self.ask("POST", "/v1/arenas", body=body, field="job_token")
        return JobHandle(self, job["id"], job["job_token"])

    def ask(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        body: object = None,
        key: str | None = None,
        field: str | None = None,
        **kwargs: Any,
    ) -> Json:
        """Send a request and return the answer's JSON, ``{}`` for a 304; an answer without *field* isn't a server's.

        Raises ``Problem``, ``Unreachable``.
        """
        headers = {**authorized(token), **kwargs.pop("headers", {})}
        if key is not None:
            headers["Idempotency-Key"] = key
        if body is not None:
            kwargs["json"] = body
        repeatable = method == "GET" or key is not None
        response = self.client.send(method, path, repeatable=repeatable, headers=headers, **kwargs)
        if response.status_code == httpx.codes.NOT_MODIFIED:
            return {}
        return _json(response, field)


@dataclass(frozen=True)
class JobHandle:
    """A job, as whoever asked for it may look at it: a hint, a review or an arena."""

    server: RegicideClient
    id: str
    token: str | None

    def fetch(self) -> Job:
        """Return how far it is."""
        return cast(Job, self.server.ask("GET", f"/v1/jobs/{self.id}", token=self.token))

    def cancel(self) -> Job:
        """Let it be; what has ended stays as it is."""
        return cast(Job, self.server.ask("DELETE", f"/v1/jobs/{self.id}", token=self.token))

    def wait(self, timeout: float) -> Job:
        """Return the job once it has ended, however it did. Raises ``WaitTimeout``."""
        clock = self.server.client.clock
        backoff = Backoff(timeout, clock)
        while (job := self.fetch())["status"] not in ENDED_STATUSES:
            if not backoff.pause():
                raise WaitTimeout(f"The job was still {job['status']} after {timeout:.1f} s.")
        return job


@dataclass(frozen=True)
class Player:
    """Whoever holds a token of a game, or, without one, watches it."""

    server: RegicideClient
    game_id: str
    token: str | None

    def fetch(self) -> Game:
        """Return the game as this token may see it."""
        return cast(Game, self._ask("GET", "", field="version"))

    def fetch_if_changed(self, version: int, wait: int = 0) -> Game | None:
        """Return the game if it isn't at *version* any more, or as soon as that is so within *wait* seconds."""
        headers, params = {"If-None-Match": f'"{version}"'}, {"wait": wait} if wait else {}
        game = self._ask("GET", "", headers=headers, params=params, timeout=REQUEST_TIMEOUT_SECONDS + wait)
        return cast(Game, game) if game else None

    def past(self, version: int) -> PastView:
        """Return the game as this token knew it at *version*."""
        return cast(PastView, self._ask("GET", f"/views/{version}"))

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

    def dry_run(self, action: str | Mapping[str, object]) -> Rehearsed:
        """Return what would follow for sure from the action. Raises the ``Problem`` that it would get."""
        return cast(Rehearsed, self._ask("POST", "/actions", body=_action(action), params={"dry_run": "true"}))

    def events(self, after: int = -1, limit: int | None = None) -> list[Json]:
        """Return what has happened since version *after*, as this token may know it."""
        params = {"after": after} if limit is None else {"after": after, "limit": limit}
        return cast(list[Json], self._ask("GET", "/events", params=params)["events"])

    def stream(self, after: int | None = None) -> Iterator[Game | Message]:
        """Yield the game as it is, then each version once, until the one that ends it; with *after*, those after it.

        When the connection breaks it goes on where it was. Raises ``Problem``, ``Unreachable``.
        """
        path, headers = f"/v1/games/{self.game_id}/stream", authorized(self.token)
        return cast(Iterator[Game | Message], follow(self.server.client, path, headers, after, self._ended_at))

    def signal(self, signal: str) -> Game:
        """Give a signal, one of the words of the game's ruleset."""
        return cast(Game, self._ask("POST", "/signals", body={"signal": signal}))

    def hint(self, level: str | None = None, version: int | None = None) -> JobHandle:
        """Ask what an AI would do with what this seat knows: one of *level*, or of the server's choice.

        With a *version* ask why an AI did what it did there, in a game that has ended.
        """
        job = self._ask("POST", "/hints", body=_without_none(level=level, version=version))
        return JobHandle(self.server, job["id"], self.token)

    def review(self, seat: int | None = None, level: str | None = None) -> JobHandle:
        """Ask how well this seat has decided in the game, which has ended; its ``result`` is a ``Review``.

        Who has no seat says which *seat*. A spectator's job is looked at with a token of its own.
        """
        job = self._ask("POST", "/reviews", body=_without_none(seat=seat, level=level), field="id")
        return JobHandle(self.server, job["id"], job.get("job_token", self.token))

    def start(self, level: str) -> Game:
        """As the host: give the open seats to AIs."""
        return cast(Game, self._ask("POST", "/start", body={"level": level}))

    def hand_over(self, seat: int, level: str) -> Game:
        """Let an AI play on at *seat*."""
        return cast(Game, self._ask("POST", f"/seats/{seat}/handover", body={"level": level}))

    def abandon(self) -> Game:
        """As the host: end the game."""
        return cast(Game, self._ask("DELETE", ""))

    def next_game(self, *, commitment: Commitment | None = None, client_seed: str | None = None) -> "Player":
        """Return this seat in the game that the same seats play next; it is dealt when all people have asked.

        Who asks first sets it up: by the seed of their *commitment*, if they give one. Raises ``CommitmentMismatch`` if
        it has another seed although nobody else sits there yet who could have set it up.
        """
        body = _without_none(commitment=commitment and commitment["id"], client_seed=client_seed)
        game = self._ask("POST", "/next", body=body, field="tokens")
        alone = sum(seat["kind"] == "human" for seat in game["seats"]) == 1
        if commitment is not None and alone and game["commitment"] != commitment["commitment"]:
            raise CommitmentMismatch(f"Game {game['id']} has another secret seed than the one that was promised.")
        return Player(self.server, game["id"], next(iter(game["tokens"].values())))

    def record(self) -> GameRecord:
        """Return the record of an ended game."""
        return cast(GameRecord, self._ask("GET", "/record"))

    def wait_for_turn(self, timeout: float) -> Game:
        """Return the game once this seat must act or the game has ended. Raises ``WaitTimeout``."""
        clock = self.server.client.clock
        deadline = clock.now() + timeout
        game = self.fetch()
        while not _needs_action(game):
            game = self.wait_for_change(game["version"], max(0.0, deadline - clock.now()))
        return game

    def wait_for_change(self, version: int, timeout: float) -> Game:
        """Return the game once it isn't at *version* any more. Raises ``WaitTimeout``, up to a second late."""
        clock = self.server.client.clock
        deadline = clock.now() + timeout
        while True:
            remaining = max(0.0, deadline - clock.now())
            try:
                game = self.fetch_if_changed(version, wait=ceil(min(remaining, MAX_WAIT_SECONDS)))
            except ProblemError as problem:
                if problem.code != TOO_MANY_STREAMS or not remaining:
                    raise
                continue
            if game is not None:
                return game
            if not remaining:
                raise WaitTimeout(f"Version {version} of the game was still there after {timeout:.1f} s.")

    def _ended_at(self, version: int) -> bool:
        game = self.fetch()
        return game["status"] in ENDED and game["version"] <= version

    def _ask(self, method: str, path: str, **kwargs: Any) -> Json:
        return self.server.ask(method, f"/v1/games/{self.game_id}{path}", token=self.token, **kwargs)


def _json(response: httpx.Response, field: str | None) -> Json:
    """Return the object that an answer holds. Raises ``Problem`` if it holds none, or one without *field*."""
    try:
        answer: object = response.json()
    except ValueError:
        answer = None
    if isinstance(answer, dict) and (field is None or field in answer):
        return answer
    raise ProblemError.of(response)


def _without_none(**values: object) -> Json:
    """Return a body of what was asked for, without what was left to the server."""
    return {name: value for name, value in values.items() if value is not None}


def _needs_action(game: Game) -> bool:
    return game["you"] in game["to_act"] or game["status"] in ENDED


def _action(action: str | Mapping[str, object]) -> Mapping[str, object]:
    return {"text": action} if isinstance(action, str) else action
