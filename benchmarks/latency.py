"""How long a table waits for an AI, beside its thinking: ``python -m benchmarks.latency``.

A whole server (``regicide serve``: a store that syncs every write, two workers, the web server) and people at real
connections on the same machine. A wait begins when a move has been committed and ends when the AI's answer to it has
been, both as the server logs them (``changed``); what the AIs thought in between (``ai_thought``) is taken off. The
people look at the table, move, and pause for a while, as people do, so that the queue isn't simply kept full.
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

import orjson

from benchmarks.figures import Found, Plan, Row, quantile, report
from benchmarks.servers import served
from engines import RULESETS
from engines.ai.decision import Question, think
from engines.ai.observation import Observation
from engines.contract.default_levels import LEVELS
from regicide_client import Player, Problem, RegicideClient

TABLES = (("regicide", 2), ("regicide", 3), ("gridcannon", 2), ("regicide", 4))
"""Ruleset and players, one of them a person; the games in play are of these kinds in turn."""

OVERTAKEN = {"stale_version", "not_your_turn", "game_over"}
"""What somebody hears whom an AI has interrupted."""

SHARES = {"median": 0.5, "p90": 0.9, "p99": 0.99, "longest": 1.0}


@dataclass(frozen=True)
class Commit:
    """A change of a game, as the log tells of it."""

    at: float
    seat: int | None
    thought: float
    """How long the AIs thought over the version before this one, in seconds."""
    by_ai: bool


def waits(lines: Sequence[dict[str, object]]) -> dict[str, list[float]]:
    """Return the seconds that each AI's move took beside its thinking, by whose move it answered."""
    found: dict[str, list[float]] = {"person": [], "ai": []}
    for commits in _games(lines).values():
        for version, commit in commits.items():
            before = commits.get(version - 1)
            if commit.by_ai and before is not None and before.seat is not None:
                wait = commit.at - before.at - commit.thought
                found["ai" if before.by_ai else "person"].append(wait)
    return found


def _games(lines: Sequence[dict[str, object]]) -> dict[object, dict[int, Commit]]:
    """Return the commits of each game by version."""
    thoughts: dict[tuple[object, int], dict[object, float]] = {}
    for line in lines:
        if line["event"] == "ai_thought":
            of_version = thoughts.setdefault((line["game_id"], int(str(line["version"]))), {})
            of_version[line["seat"]] = float(str(line["ms"])) / 1000
    games: dict[object, dict[int, Commit]] = {}
    for line in lines:
        if line["event"] == "changed":
            game, version, seat = line["game_id"], int(str(line["version"])), line["seat"]
            thought = thoughts.get((game, version - 1), {})
            at = datetime.fromisoformat(str(line["timestamp"])).timestamp()
            seated = None if seat is None else int(str(seat))
            games.setdefault(game, {})[version] = Commit(at, seated, sum(thought.values()), seat in thought)
    return games


def people(url: str, table: tuple[str, int], level: str, pause: float, seed: str, closing: Event) -> None:
    """Play one game after another at a table, with pauses of *pause* seconds on average, until *closing*."""
    ruleset, players = table
    rng = Random(seed)
    seats = [{"kind": "human", "name": "Ana"}, *[{"kind": "ai", "level": level}] * (players - 1)]
    with RegicideClient(url) as server:
        player = server.create(ruleset, seats).players[0]
        while not closing.wait(rng.uniform(0.5, 1.5) * pause):
            if not move(player, rng):
                player = server.create(ruleset, seats).players[0]


def move(player: Player, rng: Random) -> bool:
    """Look, and move if it's the player's turn; say whether the game goes on."""
    game = player.look()
    view, seat = game["view"], game["you"]
    if game["status"] != "active" or view is None or seat is None:
        return False
    if seat in game["to_act"]:
        observation = Observation(RULESETS[game["ruleset"]], view, seat, seed=str(rng.random()))
        action = think(Question("adept", observation)).action
        try:
            player.act(str(action), expected=game["version"])
        except Problem as problem:
            if problem.code not in OVERTAKEN:
                raise
    return True


def play(url: str, asked: Namespace) -> None:
    """Keep so many games in play for so long."""
    closing = Event()
    if asked.arena:
        with RegicideClient(url) as server:
            server.ask("POST", "/v1/arenas", body={"ruleset": "regicide", "seats": ["master"] * 2, "games": 1000})
    with ThreadPoolExecutor(asked.games) as rooms:
        tables = islice(cycle(TABLES), asked.games)
        sitting = [
            rooms.submit(people, url, table, asked.level, asked.pause, f"latency {number}", closing)
            for number, table in enumerate(tables)
        ]
        closing.wait(asked.seconds)
        closing.set()
        for room in sitting:
            room.result()


def rows(plan: Plan, asked: Namespace | None = None) -> Iterator[Row]:
    """Yield a row for moves that answer a person's, and one for those that answer another AI's."""
    asked = asked or arguments([f"--seconds={10 * plan.seconds}", "--pause=1"])
    suite = f"AIs' answers beyond their thinking, {asked.games} games"
    found = {"to a person's move": Found(), "to another AI's move": Found()}
    for _ in range(plan.long_rounds):
        for one, seconds in zip(found.values(), _played(asked), strict=True):
            if seconds:
                one.note(
                    {
                        "moves": len(seconds),
                        **{f"{name} ms": 1000 * quantile(seconds, share) for name, share in SHARES.items()},
                    }
                )
    for name, one in found.items():
        if one.loads:
            yield one.row(suite, name)


def _played(asked: Namespace) -> tuple[list[float], list[float]]:
    """Play for a while, and return how long the AIs' answers took, to people and to other AIs."""
    with TemporaryDirectory(prefix="bench-") as folder:
        with served("latency", Path(folder) / "latency", {"WORKERS": str(asked.workers)}) as target:
            play(target.url, asked)
        found = waits([orjson.loads(line) for line in target.log.read_bytes().splitlines()])
    return found["person"], found["ai"]


def arguments(words: Sequence[str] | None = None) -> Namespace:
    """Read what is asked for."""
    parser = ArgumentParser(prog="python -m benchmarks.latency", description=__doc__)
    parser.add_argument("--games", type=int, default=20, help="games in play")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to play")
    parser.add_argument("--rounds", type=int, default=1, help="how often")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds that a person takes on average")
    parser.add_argument("--level", default="adept", choices=list(LEVELS), help="of the AIs")
    parser.add_argument("--workers", type=int, default=2, help="processes that play the AIs' turns")
    parser.add_argument("--arena", action="store_true", help="masters play an arena meanwhile")
    return parser.parse_args(words)


def main() -> None:
    """Measure and print."""
    asked = arguments()
    report(rows(Plan(long_rounds=asked.rounds), asked))


if __name__ == "__main__":
    main()
