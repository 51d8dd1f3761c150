"""Measure an evening: 60 people at 50 tables with experts, and a ``kill -9`` in the middle.

``python -m benchmarks evening --minutes 10`` starts a server under a supervisor. Each person has an open stream, and
every few seconds clicks a random legal action, over persistent connections. In the middle all processes of the server
are killed, and the supervisor starts them again. A click lasts from the request of a move to its confirmation,
including repeated requests. Afterwards each confirmed move is searched for in its game.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic, perf_counter
from typing import Any, Final
from uuid import uuid4

import httpx
import orjson

from benchmarks.measured_server import CLOCK_TICKS_PER_SECOND, UNLIMITED_SETTINGS
from benchmarks.results import Found, Plan, Row, quantile
from benchmarks.subjects import RULESETS_WITH_PLAYER_COUNTS
from engines.core.types import Json
from tests.servers.service import Service, kill
from tests.waiting import comes_true

TWO_PERSON_TABLES: Final = 10
"""Number of tables with two people; the other tables have one person."""
EXPERT_SEAT: Final = {"kind": "ai", "level": "expert"}
CLICK_PAUSE_RANGE_SECONDS: Final = (2.0, 6.0)
"""Minimum and maximum of the seconds between a person's clicks."""
OVERTAKEN_CODES: Final = {"stale_version", "not_your_turn", "illegal_action", "game_over"}
"""Codes of refusals that mean that another player has acted first."""
SERVER_AWAY_STATUSES: Final = {502, 503}
IN_PROGRESS: Final = "in_progress"
ENDED: Final = ("finished", "abandoned")
RETRY_SECONDS: Final = 0.05
PATIENCE_SECONDS: Final = 60.0
STREAM_READ_TIMEOUT_SECONDS: Final = 25.0
"""Maximum time without data on a stream; the server sends a keep-alive every ten seconds."""
GRACE_SECONDS: Final = 1.0
"""Time after the server's recovery during which errors may still come from connections to the killed server."""
CORES: Final = 2


@dataclass
class Evening:
    """The measurements of an evening, and the data that all people share."""

    url: str
    until: float
    """End of the evening, by the monotonic clock."""
    clicks: list[float] = field(default_factory=list)
    """Seconds from the request of each move to its confirmation."""
    confirmed: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    """Events of each confirmed move by game and version, as sent to its player."""
    viewers: dict[str, str] = field(default_factory=dict)
    """The token of one player of each game, by game."""
    errors: list[str] = field(default_factory=list)
    """Failures while the server was running."""
    missed: int = 0
    """Number of times that a stream left out versions or sent them out of order."""
    killed: float | None = None
    """Time when the server was killed, by the monotonic clock; None before."""
    back: float | None = None
    """Time when the server was ready again, by the monotonic clock; None before."""

    def fail(self, what: str) -> None:
        """Record a failure, unless it is between the server's kill and ``GRACE_SECONDS`` after its recovery."""
        is_away = self.killed is not None and (self.back is None or monotonic() < self.back + GRACE_SECONDS)
        if not is_away:
            self.errors.append(what)

    def figures(self, cpu: float, seconds: float, lost: int) -> dict[str, float]:
        """Return the figures of the evening's row, from the server's CPU seconds, the duration, and the lost moves.

        The times of clicks are left out if nobody has clicked.
        """
        back = 0.0 if self.killed is None or self.back is None else self.back - self.killed
        shares = {f"click p{share} ms": 1000 * quantile(self.clicks, share / 100) for share in (50, 95) if self.clicks}
        counts = {"errors": len(self.errors), "missed": self.missed, "lost moves": lost}
        load = {"cpu s": cpu, "% of 2 cores": 100 * cpu / (CORES * seconds)}
        return {"clicks": len(self.clicks), "games": len(self.viewers), **shares, **load, "back s": back, **counts}


# People


class Person:
    """A person at a table, who watches the game over a stream and clicks actions."""

    def __init__(self, evening: Evening, http: httpx.AsyncClient, game: Json, seat: int, token: str) -> None:
        self._evening = evening
        self._http = http
        self._path = f"/v1/games/{game['id']}"
        self._game: str = game["id"]
        self._seat = seat
        self._bearer = {"Authorization": f"Bearer {token}"}
        self._rng = Random(token)
        self._version = -1
        self._to_act: Sequence[int] = ()
        self._is_over = False

    async def play(self) -> None:
        """Watch, and click every few seconds, until the game or the evening ends."""
        watching = asyncio.create_task(self._watch())
        try:
            while not self._is_over and monotonic() < self._evening.until:
                await asyncio.sleep(self._rng.uniform(*CLICK_PAUSE_RANGE_SECONDS))
                if self._seat in self._to_act and not self._is_over:
                    await self._click()
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    async def _click(self) -> None:
        legal = (await ask(self._evening, self._http, "GET", f"{self._path}/actions", self._bearer)).json()
        if not legal.get("actions"):
            return
        version = legal["version"]
        headers = {**self._bearer, "If-Match": f'"{version}"', "Idempotency-Key": uuid4().hex}
        action, began = self._rng.choice(legal["actions"])["action"], perf_counter()
        answer = await ask(self._evening, self._http, "POST", f"{self._path}/actions", headers, action)
        read = answer.json()
        if answer.is_success:
            self._evening.clicks.append(perf_counter() - began)
            self._evening.confirmed[self._game, read["version"]] = kinds(read["events"])
        elif read.get("code") not in OVERTAKEN_CODES:
            self._evening.fail(f"{answer.status_code} {read.get('code')}")

    async def _watch(self) -> None:
        """Follow the game until it ends; resume the stream if it breaks.

        The stream has a client of its own, because a cancelled stream might not give its connection back to the pool.
        """
        timeout = httpx.Timeout(STREAM_READ_TIMEOUT_SECONDS)
        async with httpx.AsyncClient(base_url=self._evening.url, trust_env=False, timeout=timeout) as http:
            await self._follow(http)

    async def _follow(self, http: httpx.AsyncClient) -> None:
        while not self._is_over:
            headers = {**self._bearer, "Accept": "application/x-ndjson"}
            if self._version >= 0:
                headers["Last-Event-ID"] = str(self._version)
            try:
                async with http.stream("GET", f"{self._path}/stream", headers=headers) as lines:
                    if lines.is_success:
                        async for line in lines.aiter_lines():
                            self._hear(line)
                    elif lines.status_code not in SERVER_AWAY_STATUSES:
                        self._evening.fail(f"{lines.status_code} of a stream")
            except httpx.TransportError as error:
                self._evening.fail(f"{type(error).__name__} of a stream")
            await asyncio.sleep(RETRY_SECONDS)

    def _hear(self, line: str) -> None:
        told = orjson.loads(line) if line else {}
        if "version" not in told:
            return
        self._evening.missed += self._version >= 0 and told["version"] != self._version + 1
        self._version, self._to_act = told["version"], told["to_act"]
        self._is_over = told.get("status", "active") in ENDED


async def ask(
    evening: Evening, http: httpx.AsyncClient, verb: str, path: str, headers: dict[str, str], body: object = None
) -> httpx.Response:
    """Send a request; repeat it while the server is away. Raises ``TimeoutError``."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                answer = await http.request(verb, path, headers=headers, json=body)
            except httpx.TransportError as error:
                evening.fail(f"{type(error).__name__} of {verb}")
            else:
                if answer.status_code in SERVER_AWAY_STATUSES:
                    evening.fail(f"{answer.status_code} of {verb}")
                elif not (answer.is_error and answer.json().get("code") == IN_PROGRESS):
                    return answer
            await asyncio.sleep(RETRY_SECONDS)


def kinds(events: Sequence[Json]) -> list[str]:
    """Return type and seat of each event as text. Every viewer of a game sees the same types and seats."""
    return [f"{event['type']} {event.get('seat')}" for event in events]


# Tables


async def sit(evening: Evening, number: int, seating: tuple[str, int]) -> None:
    """Play at one table, game after game, until the evening ends."""
    ruleset, players = seating
    people = 2 if number < TWO_PERSON_TABLES else 1
    seats = [{"kind": "human", "name": f"{number}.{seat}"} for seat in range(people)]
    seats += [EXPERT_SEAT] * (players - people)
    limits = httpx.Limits(max_connections=people + 1)
    timeout = httpx.Timeout(STREAM_READ_TIMEOUT_SECONDS)
    async with httpx.AsyncClient(base_url=evening.url, trust_env=False, limits=limits, timeout=timeout) as http:
        while monotonic() < evening.until:
            made = await ask(evening, http, "POST", "/v1/games", {}, {"ruleset": ruleset, "seats": seats})
            game = made.raise_for_status().json()
            evening.viewers[game["id"]] = game["tokens"]["0"]
            seated = [Person(evening, http, game, int(seat), token) for seat, token in game["tokens"].items()]
            await asyncio.gather(*(person.play() for person in seated))


def seatings(tables: int) -> list[tuple[str, int]]:
    """Return ruleset and number of seats of each table.

    The first ``TWO_PERSON_TABLES`` have room for two people and an expert.
    """
    shared = [table for table in RULESETS_WITH_PLAYER_COUNTS if table[1] > 2]
    return [
        *islice(cycle(shared), min(TWO_PERSON_TABLES, tables)),
        *islice(cycle(RULESETS_WITH_PLAYER_COUNTS), max(0, tables - TWO_PERSON_TABLES)),
    ]


async def take_place(service: Service, plan: Plan) -> tuple[Evening, float, float]:
    """Run the evening; return its measurements, the processor seconds of the server, and the duration in seconds."""
    seconds = 60 * plan.minutes
    began, spent = monotonic(), processor_seconds(service)
    evening = Evening(service.url, began + seconds)
    killing = asyncio.create_task(_kill_in_the_middle(evening, service, seconds / 2))
    await asyncio.gather(*(sit(evening, *place) for place in enumerate(seatings(plan.games))))
    before_kill = await killing
    return evening, before_kill - spent + processor_seconds(service), monotonic() - began


async def _kill_in_the_middle(evening: Evening, service: Service, after: float) -> float:
    """Kill all processes of the server after *after* seconds; return the processor seconds that they had used."""
    await asyncio.sleep(after)
    spent = processor_seconds(service)
    evening.killed = monotonic()
    kill(service.family())
    with httpx.Client(base_url=evening.url, trust_env=False) as http:
        if not await asyncio.to_thread(comes_true, lambda: _is_ready(http), PATIENCE_SECONDS):
            raise TimeoutError("The server doesn't come back.")
    evening.back = monotonic()
    return spent


def _is_ready(http: httpx.Client) -> bool:
    with suppress(httpx.TransportError):
        return http.get("/readyz").is_success
    return False


def processor_seconds(service: Service) -> float:
    """Return the processor seconds of all living processes of the server and of their children that have exited."""
    return sum(map(_cpu_ticks, service.family())) / CLOCK_TICKS_PER_SECOND


def _cpu_ticks(pid: int) -> int:
    with suppress(FileNotFoundError, ProcessLookupError):
        fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return sum(map(int, fields[11:15]))
    return 0


async def lost_moves(evening: Evening) -> int:
    """Return the number of confirmed moves that their games don't have, or have with other events."""
    lost = 0
    async with httpx.AsyncClient(base_url=evening.url, trust_env=False, timeout=PATIENCE_SECONDS) as http:
        for game, token in evening.viewers.items():
            bearer = {"Authorization": f"Bearer {token}"}
            read = await ask(evening, http, "GET", f"/v1/games/{game}/events?after=-1", bearer)
            stored: dict[int, list[Any]] = {}
            for event in read.raise_for_status().json()["events"]:
                stored.setdefault(event["version"], []).append(event)
            told = {version: events for (of, version), events in evening.confirmed.items() if of == game}
            lost += sum(kinds(stored.get(version, [])) != events for version, events in told.items())
    return lost


def rows(plan: Plan) -> Iterator[Row]:
    """Run one evening; print each kind of error with its count, and yield one row with all figures."""
    found = Found()
    people = plan.games + min(TWO_PERSON_TABLES, plan.games)
    with TemporaryDirectory(prefix="bench-") as folder:
        service = Service(Path(folder) / "evening", UNLIMITED_SETTINGS)
        try:
            evening, cpu, seconds = asyncio.run(take_place(service, plan))
            found.note(evening.figures(cpu, seconds, asyncio.run(lost_moves(evening))))
        finally:
            service.end()
    for error in sorted(set(evening.errors)):
        print(f"{evening.errors.count(error)} x {error}")
    yield found.row(f"evening: {plan.minutes:g} min", f"{people} people at {plan.games} tables")
