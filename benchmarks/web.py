"""Measure moves, reads and lists with one and two web processes, against the reference server and another checkout.

Each round plays every load against every server in turn. The moves are the same for all servers
(``benchmarks.scripted_games``).
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import httpx

from benchmarks import load, measured_server, scripted_games
from benchmarks.measured_server import Target
from benchmarks.results import Found, Plan, Row, ratios

SUITE: Final = "http"
CONNECTIONS: Final = (1, 4, 16)
MANY_CONNECTIONS: Final = 16
READ_GAMES: Final = 16
PLAYED_MOVES: Final = 10
"""Number of moves that are played in the games that the requests are about, before the measurement."""

ASSUMED_MOVES_PER_SECOND: Final = 1_500.0
"""Moves per second that are assumed, to prepare enough moves for the first measurement."""

PREPARED_MOVES_FACTOR: Final = 1.3
OTHER_CHECKOUT_NAME: Final = "the other checkout"
HELLO_REQUESTS: Final = [[load.request("GET", "/hello")]]

Answers = Mapping[str, Callable[[scripted_games.Game], bytes]]


@dataclass
class Bench:
    """A measured server, with its repeatable loads (*reads*) and its figures."""

    target: Target
    reads: Mapping[str, Sequence[load.Script]]
    rates: dict[int, float] = field(default_factory=lambda: defaultdict(lambda: ASSUMED_MOVES_PER_SECOND))
    """Expected moves per second of the next load, by number of connections."""
    found: dict[tuple[str, int], Found] = field(default_factory=lambda: defaultdict(Found))

    def measure(self, kind: str, connections: int, seconds: float, hello: float | None = None) -> None:
        """Play one load and add its figures, relative to *hello*: the reference server's responses per second."""
        figures = self.played(kind, connections, seconds)
        beside = {} if hello is None else {"x hello": figures["a second"] / hello}
        self.found[kind, connections].note(figures | beside)

    def played(self, kind: str, connections: int, seconds: float) -> dict[str, float]:
        """Play the requests of ``reads[kind]``, or moves of new games if ``reads`` lacks *kind*; return the figures."""
        scripts = self.reads[kind] if kind in self.reads else self._moves(connections, seconds)
        before = self.target.seconds()
        heard = load.play(self.target.port, connections, seconds, scripts, loop=kind in self.reads)
        spent = self.target.seconds() - before
        if kind not in self.reads:
            self.rates[connections] = max(heard.rate, self.rates[connections] / 2)
        return heard.cells(spent)

    def _moves(self, connections: int, seconds: float) -> list[load.Script]:
        moves = sum(len(opening.moves) for opening in scripted_games.openings()) / scripted_games.OPENINGS
        count = int(PREPARED_MOVES_FACTOR * self.rates[connections] * seconds / moves) + 2 * connections
        return [game.script() for game in scripted_games.make(self.target.port, count)]


def create_read_games(target: Target) -> Bench:
    """Create games; play ``PLAYED_MOVES`` moves in each, and return a ``Bench`` whose requests are about them."""
    made = scripted_games.make(target.port, READ_GAMES)[:READ_GAMES]
    load.play(target.port, 1, 600, [[request for game in made for request in game.script()[:PLAYED_MOVES]]])
    with httpx.Client(base_url=target.url, trust_env=False, timeout=30) as http:
        tags = {game.id: _tag(http, game) for game in made}
    kinds: Answers = {
        "get": lambda game: load.request("GET", game.path, game.token(PLAYED_MOVES)),
        "get, 304": lambda game: load.request("GET", game.path, game.token(PLAYED_MOVES), if_none_match=tags[game.id]),
        "actions": lambda game: load.request("GET", f"{game.path}/actions", game.token(PLAYED_MOVES)),
        "dry run": lambda game: game.act(PLAYED_MOVES, "?dry_run=true"),
    }
    reads: dict[str, list[load.Script]] = {kind: [[ask(game)] for game in made] for kind, ask in kinds.items()}
    reads["create"] = [[load.request("POST", "/v1/games", body=scripted_games.CREATION_BODY)]]
    reads["list of 20"] = [[load.request("GET", "/v1/games?limit=20")]]
    return Bench(target, reads)


def _tag(http: httpx.Client, game: scripted_games.Game) -> str:
    headers = {"Authorization": f"Bearer {game.token(PLAYED_MOVES)}"}
    return str(http.get(game.path, headers=headers).raise_for_status().headers["ETag"])


def loads(bench: Bench) -> list[tuple[str, int]]:
    """Return every load: its kind of request, and its number of connections."""
    return [*(("move", count) for count in CONNECTIONS), *((kind, MANY_CONNECTIONS) for kind in bench.reads)]


def rows(plan: Plan) -> Iterator[Row]:
    """Yield a row per load and server. Raises ``Skipped``."""
    load.program()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="bench-")))
        hello = stack.enter_context(measured_server.hello())
        benches = [create_read_games(stack.enter_context(server)) for server in _servers(plan, folder)]
        yardstick = _rounds(plan, hello, benches)
    yield from _rows(yardstick, benches)
    if not measured_server.has_web_workers():
        yield Row(SUITE, "two web processes", skipped=f"this release has no {measured_server.WEB_WORKERS_VARIABLE}")


def _servers(plan: Plan, folder: Path) -> Iterator[AbstractContextManager[Target]]:
    yield measured_server.served(measured_server.processes(1), folder / "one", measured_server.web_workers(1))
    if measured_server.has_web_workers():
        yield measured_server.served(measured_server.processes(2), folder / "two", measured_server.web_workers(2))
    if plan.against is not None:
        yield measured_server.served(
            OTHER_CHECKOUT_NAME, folder / "against", measured_server.web_workers(1), plan.against.absolute()
        )


def _rounds(plan: Plan, hello: Target, benches: Sequence[Bench]) -> Bench:
    """Play every load against every server in rounds; return the ``Bench`` of the reference server.

    The figures of the other servers are added to *benches*.
    """
    yardstick = Bench(hello, {"hello": HELLO_REQUESTS})
    for _ in range(plan.rounds):
        for kind, connections in loads(benches[0]):
            yardstick.measure("hello", connections, plan.seconds)
            rate = yardstick.found["hello", connections].cells["a second"][-1]
            for bench in benches:
                bench.measure(kind, connections, plan.seconds, rate)
    return yardstick


def _rows(yardstick: Bench, benches: Sequence[Bench]) -> Iterator[Row]:
    for (_, connections), found in yardstick.found.items():
        yield found.row(SUITE, f"hello, {connections} conn.")
    against = next((bench for bench in benches if bench.target.name == OTHER_CHECKOUT_NAME), None)
    for kind, connections in loads(benches[0]):
        for bench in benches:
            found = bench.found[kind, connections]
            beside = {}
            if against is not None and bench is not against:
                beside = _beside(found, against.found[kind, connections])
            yield found.row(SUITE, f"{kind}, {connections} conn., {bench.target.name}", **beside)


def _beside(found: Found, other: Found) -> dict[str, list[float]]:
    """Return the ratios of a server's speed and CPU time to those of the other checkout's server."""
    return {
        f"{name} x other": ratios(found.cells[unit], other.cells[unit])
        for name, unit in (("rate", "a second"), ("cpu", "cpu ms"))
    }
