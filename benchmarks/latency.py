"""Measure how long a table waits for an AI, apart from the AI's search: ``python -m benchmarks.latency``.

Runs ``regicide serve`` (a store that syncs every write, two workers, the web server) and people on connections of their
own. A wait lasts from the commit of a move to the commit of the AI's answer (``changed`` in the log), minus the time of
the AI's search (``ai_thought``). People read the table, move, and pause, so that the queue isn't always full.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from itertools import cycle, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Event

from benchmarks.measured_server import served
from benchmarks.results import Found, Plan, Row, quantile, report
from benchmarks.subjects import FIRST_RULESET, RULESETS_WITH_PLAYER_COUNTS
from engines import RULESETS
from engines.ai.decision import Question, think
from engines.ai.observation import Observation
from engines.contract.default_levels import LEVELS
from regicide_client import Player, ProblemError, RegicideClient

OVERTAKEN_CODES = {"stale_version", "not_your_turn", "game_over"}
"""Codes with which a person's move is refused because an AI has acted first."""

QUANTILE_BY_NAME = {"median": 0.5, "p90": 0.9, "p99": 0.99, "longest": 1.0}


@dataclass(frozen=True)
class LoggedChange:
    """A change of a game, from the log."""

    at: float
    seat: int | None
    thought: float
    """Total seconds that AIs searched at the version before this one."""
    by_ai: bool


def waits(lines: Sequence[dict[str, object]]) -> dict[str, list[float]]:
    """Return the seconds waited for AIs' moves, minus their searches, by who moved before: ``person`` or ``ai``."""
    found: dict[str, list[float]] = {"person": [], "ai": []}
    for commits in _games(lines).values():
        for version, commit in commits.items():
            before = commits.get(version - 1)
            if commit.by_ai and before is not None and before.seat is not None:
                wait = commit.at - before.at - commit.thought
                found["ai" if before.by_ai else "person"].append(wait)
    return found


def _games(lines: Sequence[dict[str, object]]) -> dict[object, dict[int, LoggedChange]]:
    """Return the commits of each game by version."""
    thoughts: dict[tuple[object, int], dict[object, float]] = {}
    for line in lines:
        if line["event"] == "ai_thought":
            of_version = thoughts.setdefault((line["game_id"], int(str(line["version"]))), {})
            of_version[line["seat"]] = float(str(line["ms"])) / 1000
    games: dict[object, dict[int, LoggedChange]] = {}
    for line in lines:
        if line["event"] == "changed":
            game, version, seat = line["game_id"], int(str(line["version"])), line["seat"]
            thought = thoughts.get((game, version - 1), {})
            at = datetime.fromisoformat(str(line["timestamp"])).timestamp()
            seated = None if seat is None else int(str(seat))
            games.setdefault(game, {})[version] = LoggedChange(at, seated, sum(thought.values()), seat in thought)
    return games


def people(url: str, table: tuple[str, int], level: str, pause: float, seed: str, closing: Event) -> None:
    """Play games at a table as one person, with pauses of *pause* seconds on average, until *closing* is set."""
    ruleset, players = table
    rng = Random(seed)
    seats = [{"kind": "human", "name": "Ana"}, *[{"kind": "ai", "level": level}] * (players - 1)]
    with RegicideClient(url) as server:
        player = server.create(ruleset, seats).players[0]
        while not closing.wait(rng.uniform(0.5, 1.5) * pause):
            if not move(player, rng):
                player = server.create(ruleset, seats).players[0]


def move(player: Player, rng: Random) -> bool:
    """Read the table, and move if it is the player's turn; return whether the game continues."""
    game = player.fetch()
    view, seat = game["view"], game["you"]
    if game["status"] != "active" or view is None or seat is None:
        return False
    if seat in game["to_act"]:
        observation = Observation(RULESETS[game["ruleset"]], view, seat, seed=str(rng.random()))
        action = think(Question("adept", observation)).action
        try:
            player.act(str(action), expected=game["version"])
        except ProblemError as problem:
            if problem.code not in OVERTAKEN_CODES:
                raise
    return True


def play(url: str, args: Namespace) -> None:
    """Keep ``args.games`` games running for ``args.seconds``; with ``args.arena``, start an arena of masters first."""
    closing = Event()
    if args.arena:
        with RegicideClient(url) as server:
            server.ask("POST", "/v1/arenas", body={"ruleset": FIRST_RULESET, "seats": ["master"] * 2, "games": 1000})
    with ThreadPoolExecutor(args.games) as rooms:
        tables = islice(cycle(RULESETS_WITH_PLAYER_COUNTS), args.games)
        sitting = [
            rooms.submit(people, url, table, args.level, args.pause, f"latency {number}", closing)
            for number, table in enumerate(tables)
        ]
        closing.wait(args.seconds)
        closing.set()
        for room in sitting:
            room.result()


def rows(plan: Plan, args: Namespace | None = None) -> Iterator[Row]:
    """Yield a row for AIs' moves after a person's move, and a row for AIs' moves after another AI's move."""
    args = args or arguments([f"--seconds={10 * plan.seconds}", "--pause=1"])
    suite = f"AIs' answers beyond their thinking, {args.games} games"
    found = {"to a person's move": Found(), "to another AI's move": Found()}
    for _ in range(plan.long_rounds):
        for one, seconds in zip(found.values(), _play_and_wait(args), strict=True):
            if seconds:
                one.note(
                    {
                        "moves": len(seconds),
                        **{f"{name} ms": 1000 * quantile(seconds, share) for name, share in QUANTILE_BY_NAME.items()},
                    }
                )
    for name, one in found.items():
        if one.loads:
            yield one.row(suite, name)


def _play_and_wait(args: Namespace) -> tuple[list[float], list[float]]:
    """Play for the requested time; return the waits after people's moves, and those after AIs' moves."""
    with TemporaryDirectory(prefix="bench-") as folder:
        with served("latency", Path(folder) / "latency", {"WORKERS": str(args.workers)}) as target:
            play(target.url, args)
        found = waits(list(target.events()))
    return found["person"], found["ai"]


def arguments(words: Sequence[str] | None = None) -> Namespace:
    """Parse the command line."""
    parser = ArgumentParser(prog="python -m benchmarks.latency", description=__doc__)
    parser.add_argument("--games", type=int, default=20, help="number of games that are played at the same time")
    parser.add_argument("--seconds", type=float, default=60.0, help="seconds of play")
    parser.add_argument("--rounds", type=int, default=1, help="number of rounds")
    parser.add_argument("--pause", type=float, default=1.0, help="mean seconds that a person takes for a move")
    parser.add_argument("--level", default="adept", choices=list(LEVELS), help="level of the AIs")
    parser.add_argument("--workers", type=int, default=2, help="number of worker processes")
    parser.add_argument("--arena", action="store_true", help="let masters play an arena meanwhile")
    return parser.parse_args(words)


def main() -> None:
    """Run the benchmark and print the results."""
    args = arguments()
    report(rows(Plan(long_rounds=args.rounds), args))


if __name__ == "__main__":
    main()
