"""The client's API: create, join, watch and play games on a server.

GET requests and requests with an idempotency key can be repeated safely. They are retried for *retry_seconds* while the
server or its store is unreachable or overloaded.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final, Self, cast
from urllib.parse import quote
from uuid import uuid4

import httpx

from regicide_client.errors import CommitmentMismatch, ProblemError, WaitTimeout
from regicide_client.retry import Backoff, Clock, RetryingClient, authorized, translate_errors
from regicide_client.stream import ENDED_GAME_STATUSES, follow
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
    Puzzle,
    PuzzleAnswer,
    Rehearsed,
    Ruleset,
    Turn,
)

REQUEST_TIMEOUT_SECONDS: Final = 10.0
MAX_WAIT_SECONDS: Final = 25
"""Maximum number of seconds for which the server lets a request wait for a change."""
TOO_MANY_STREAMS_CODE: Final = "too_many_streams"
"""Code of the problem that the server has no free slot for a stream or a waiting request."""
ENDED_JOB_STATUSES: Final = ("finished", "failed", "cancelled")


@dataclass(frozen=True)
class Created:
    """A new game with its tokens, which the server sends only once.

    The tokens are held by ``host`` and by ``players``, which has a player for each seat number that got a token.
    ``invite`` is the token with which others may join a private game, or None.
    """

    game: Game
    host: "Player"
    players: Mapping[int, "Player"]
    invite: str | None


class RegicideClient:
    """A client of one server. Call ``close`` at the end, or use ``with``. Several threads may share a client.

    The methods of this class and of the objects that it returns raise ``ProblemError`` if the server refuses, and
    ``ServerUnreachable`` if the server can't be reached within *retry_seconds*.
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
        """Close the connections."""
        self.client.close()

    def rulesets(self) -> list[Ruleset]:
        """Return all rulesets."""
        return cast(list[Ruleset], self.ask("GET", "/v1/rulesets", field="rulesets")["rulesets"])

    def ruleset(self, name: str) -> Ruleset:
        """Return one ruleset."""
        return cast(Ruleset, self.ask("GET", f"/v1/rulesets/{name}"))

    def rules(self, name: str, language: str = "en") -> str:
        """Return the rules and rulings in Markdown."""
        headers = {"Accept-Language": language}
        return self.client.send("GET", f"/v1/rulesets/{name}/rules", repeatable=True, headers=headers).text

    def games(self, **filters: str | int) -> Games:
        """Return a page of public games, selected by ``status``, ``ruleset``, ``limit`` and ``cursor``."""
        return cast(Games, self.ask("GET", "/v1/games", params=filters))

    def puzzle(self, puzzle_id: str) -> Puzzle:
        """Return a puzzle without its answer."""
        return cast(Puzzle, self.ask("GET", f"/v1/puzzles/{quote(puzzle_id, safe='')}", field="goal_text"))

    def puzzle_of_the_day(self, ruleset: str | None = None) -> Puzzle:
        """Return today's puzzle. With *ruleset* return the puzzle of that ruleset."""
        params = {} if ruleset is None else {"ruleset": ruleset}
        return cast(Puzzle, self.ask("GET", "/v1/puzzles/today", params=params, field="goal_text"))

    def judge(self, puzzle_id: str, actions: Sequence[str]) -> PuzzleAnswer:
        """Let the server judge all *actions* that a solver has chosen so far. If empty, give up: get the solution."""
        body = {"actions": list(actions)} if actions else {"give_up": True}
        return cast(PuzzleAnswer, self.ask("POST", f"/v1/puzzles/{puzzle_id}/answers", body=body, field="line"))

    def commit(self) -> Commitment:
        """Let the server commit to the secret seed of a game before ``create`` sends a client seed."""
        return cast(Commitment, self.ask("POST", "/v1/commitments", field="commitment"))

    def create(
        self,
        ruleset: str,
        seats: Sequence[Mapping[str, object]],
        *,
        commitment: Commitment | None = None,
        **fields: object,
    ) -> Created:
        """Create a game, with the secret seed of *commitment* if given. Retries don't create a second game.

        *fields* are further fields of the request. Raises ``CommitmentMismatch`` if the game has another seed. To prove
        that the server didn't choose the cards, a seat also needs a random ``client_seed``.
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
        """Take an open seat. ``seat``, ``client_seed``, ``invite`` are optional. Retries don't take a second seat."""
        body, key = {"name": name, **fields}, str(uuid4())
        joined = self.ask("POST", f"/v1/games/{game_id}/join", body=body, key=key, field="token")
        return Player(self, game_id, joined["token"])

    def spectator(self, game_id: str) -> "Player":
        """Return a player without a token, who can only watch."""
        return Player(self, game_id, None)

    def arena(self, ruleset: str, seats: Sequence[str], games: int, **fields: object) -> "JobHandle":
        """Let AIs play *games* games. *seats* has the level of each seat's AI. ``options``, ``seed`` are optional."""
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
        """Send a request and return the JSON body of the response, or ``{}`` for the status 304.

        *key* is the idempotency key. *field* is a field that the body must have: a body without it isn't from a
        Regicide server. Raises ``ProblemError``, also for such a body, and ``ServerUnreachable``.
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
    """A job of the client: a hint, a review or an arena."""

    server: RegicideClient
    id: str
    token: str | None

    def fetch(self) -> Job:
        """Return the job's present state."""
        return cast(Job, self.server.ask("GET", f"/v1/jobs/{self.id}", token=self.token))

    def cancel(self) -> Job:
        """Cancel the job. A job that has already ended is left unchanged."""
        return cast(Job, self.server.ask("DELETE", f"/v1/jobs/{self.id}", token=self.token))

    def wait(self, timeout: float) -> Job:
        """Wait until the job has ended and return it. Raises ``WaitTimeout``."""
        clock = self.server.client.clock
        backoff = Backoff(timeout, clock)
        while (job := self.fetch())["status"] not in ENDED_JOB_STATUSES:
            if not backoff.pause():
                raise WaitTimeout(f"The job was still {job['status']} after {timeout:.1f} s.")
        return job


@dataclass(frozen=True)
class Player:
    """The holder of a token of a game, or a spectator without a token."""

    server: RegicideClient
    game_id: str
    token: str | None

    def fetch(self) -> Game:
        """Return the game as this player may see it."""
        return cast(Game, self._ask("GET", "", field="version"))

    def fetch_if_changed(self, version: int, wait: int = 0) -> Game | None:
        """Wait up to *wait* seconds for another version than *version*. Return the game, or None if unchanged."""
        headers, params = {"If-None-Match": f'"{version}"'}, {"wait": wait} if wait else {}
        game = self._ask("GET", "", headers=headers, params=params, timeout=REQUEST_TIMEOUT_SECONDS + wait)
        return cast(Game, game) if game else None

    def past(self, version: int) -> PastView:
        """Return this player's view of the game at the earlier version *version*."""
        return cast(PastView, self._ask("GET", f"/views/{version}"))

    def actions(self) -> list[Legal]:
        """Return the legal actions of this seat."""
        return self.legal()["actions"]

    def legal(self) -> Actions:
        """Return the legal actions of this seat, with the version at which they are legal."""
        return cast(Actions, self._ask("GET", "/actions"))

    def act(self, action: str | Mapping[str, object], *, expected: int | None = None, key: str | None = None) -> Turn:
        """Take an action. Retries don't repeat it. It is refused if the game isn't at version *expected*, if given."""
        headers = {} if expected is None else {"If-Match": f'"{expected}"'}
        answer = self._ask("POST", "/actions", body=_action(action), key=key or str(uuid4()), headers=headers)
        return cast(Turn, answer)

    def dry_run(self, action: str | Mapping[str, object]) -> Rehearsed:
        """Return the events that an action would certainly cause, from what this seat knows. The action isn't taken.

        Raises the ``ProblemError`` that taking the action would raise.
        """
        return cast(Rehearsed, self._ask("POST", "/actions", body=_action(action), params={"dry_run": "true"}))

    def events(self, after: int = -1, limit: int | None = None) -> list[Json]:
        """Return at most *limit* events after version *after*, as this player may know them."""
        params = {"after": after} if limit is None else {"after": after, "limit": limit}
        return cast(list[Json], self._ask("GET", "/events", params=params)["events"])

    def stream(self, after: int | None = None) -> Iterator[Game | Message]:
        """Yield the game, then each version once until the last. With *after*, yield only the versions after it.

        A broken connection is resumed. Raises ``ProblemError``, ``ServerUnreachable``.
        """
        path, headers = f"/v1/games/{self.game_id}/stream", authorized(self.token)
        return cast(Iterator[Game | Message], follow(self.server.client, path, headers, after, self._ended_at))

    def signal(self, signal: str) -> Game:
        """Give a signal of the game's ruleset."""
        return cast(Game, self._ask("POST", "/signals", body={"signal": signal}))

    def hint(self, level: str | None = None, version: int | None = None) -> JobHandle:
        """Request a hint for this seat by an AI of *level*. With None the server chooses the level.

        With *version*, request an explanation of an AI's decision at that version, in a game that has ended.
        """
        job = self._ask("POST", "/hints", body=_without_none(level=level, version=version))
        return JobHandle(self.server, job["id"], self.token)

    def review(self, seat: int | None = None, level: str | None = None) -> JobHandle:
        """Request a review of this seat's decisions in an ended game. The job's ``result`` is a ``Review``.

        A client without a seat, such as a spectator, must name a *seat*. The job then gets a separate token.
        """
        job = self._ask("POST", "/reviews", body=_without_none(seat=seat, level=level), field="id")
        return JobHandle(self.server, job["id"], job.get("job_token", self.token))

    def start(self, level: str) -> Game:
        """As the host, give the open seats to AIs of *level*."""
        return cast(Game, self._ask("POST", "/start", body={"level": level}))

    def hand_over(self, seat: int, level: str) -> Game:
        """Hand a seat over to an AI of *level*."""
        return cast(Game, self._ask("POST", f"/seats/{seat}/handover", body={"level": level}))

    def abandon(self) -> Game:
        """As the host, end the game."""
        return cast(Game, self._ask("DELETE", ""))

    def next_game(self, *, commitment: Commitment | None = None, client_seed: str | None = None) -> "Player":
        """Ask for a rematch and return this player in it. Cards are dealt when all people have asked.

        The first player to ask creates the rematch, with the secret seed of *commitment* if given. Another seed raises
        ``CommitmentMismatch`` if no other person plays, who might have created the rematch.
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
        """Wait until this seat must act or the game has ended, and return the game. Raises ``WaitTimeout``."""
        clock = self.server.client.clock
        deadline = clock.now() + timeout
        game = self.fetch()
        while not _needs_action(game):
            game = self.wait_for_change(game["version"], max(0.0, deadline - clock.now()))
        return game

    def wait_for_change(self, version: int, timeout: float) -> Game:
        """Wait until the game isn't at *version*, and return the game. Raises ``WaitTimeout``, up to a second late."""
        clock = self.server.client.clock
        deadline = clock.now() + timeout
        while True:
            remaining = max(0.0, deadline - clock.now())
            try:
                game = self.fetch_if_changed(version, wait=ceil(min(remaining, MAX_WAIT_SECONDS)))
            except ProblemError as problem:
                if problem.code != TOO_MANY_STREAMS_CODE or not remaining:
                    raise
                continue
            if game is not None:
                return game
            if not remaining:
                raise WaitTimeout(f"Version {version} of the game was still there after {timeout:.1f} s.")

    def _ended_at(self, version: int) -> bool:
        game = self.fetch()
        return game["status"] in ENDED_GAME_STATUSES and game["version"] <= version

    def _ask(self, method: str, path: str, **kwargs: Any) -> Json:
        return self.server.ask(method, f"/v1/games/{self.game_id}{path}", token=self.token, **kwargs)


def _json(response: httpx.Response, field: str | None) -> Json:
    """Return the body, a JSON object with *field*. Raises ``ProblemError``."""
    try:
        answer: object = response.json()
    except ValueError:
        answer = None
    if isinstance(answer, dict) and (field is None or field in answer):
        return answer
    raise ProblemError.of(response)


def _without_none(**values: object) -> Json:
    return {name: value for name, value in values.items() if value is not None}


def _needs_action(game: Game) -> bool:
    return game["you"] in game["to_act"] or game["status"] in ENDED_GAME_STATUSES


def _action(action: str | Mapping[str, object]) -> Mapping[str, object]:
    return {"text": action} if isinstance(action, str) else action
