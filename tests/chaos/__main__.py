"""``make chaos``: games go on while everything that can happen to a server happens to it, at random.

``python -m tests.chaos --minutes 10``. Half of the time on a server of one process each, half on two servers that share
a store, restarted in turns as another version if ``--other`` names its checkout. Faults come one after the other; after
each it is measured how long it takes until a person's move is answered, and until an AI has answered it. In the end
each acknowledged move is held against its game's record, each stream against all versions and what its reader may know.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import monotonic

from benchmarks.attacks import AttackFailed
from benchmarks.recovery import ai_has_answered, create_game, move, time_of_success
from benchmarks.results import machine
from regicide_client import RegicideClient
from tests.chaos.houses import HOUSES, Fault
from tests.chaos.traffic import STUCK_SECONDS, Tally, play_on

SHORT = (("regicide", "hn"), ("regicide", "hha"), ("regicide", "h"))
TABLES = (*SHORT, ("gridcannon", "ha"), ("gridcannon", "hh"))
PLAYERS = 5
"""Tables at a time."""


class Recovery:
    """How long it took, after each fault, until a person's move was answered, and until an AI had answered it."""

    def __init__(self) -> None:
        self.person: list[float] = []
        self.ai: list[float] = []
        self.slowest = ("", 0.0)

    def measure(self, url: str, number: int, after: str) -> None:
        """Play a little, now that a fault is over."""
        began, rng = monotonic(), Random(f"chaos {after} {number}")
        with RegicideClient(url, retry_seconds=0.0) as server:
            me = create_game(server, f"chaos {after}", number)
            time_of_success(lambda: me.fetch()["to_act"] == [0])
            time_of_success(lambda: move(me, rng) or me.fetch()["to_act"] != [0])  # a move's answer may be lost
            self.person.append(monotonic() - began)
            time_of_success(lambda: ai_has_answered(me, rng, before=0))
            self.ai.append(monotonic() - began)
        self.slowest = max(self.slowest, (after, self.ai[-1]), key=lambda one: one[1])


def attacked(name: str, seconds: float, asked: Namespace, tally: Tally, recovery: Recovery) -> Counter[str]:
    """Play in a house, and do to it whatever can be done; return which faults it was, how often.

    It goes on for *seconds*, and on a slow machine until as many have come as are asked for at least.
    """
    rng, done, stop = Random(f"{asked.seed} {name}"), Counter[str](), Event()
    with TemporaryDirectory(prefix="chaos-") as folder, HOUSES[name](Path(folder), asked.other) as (urls, faults):
        players = [
            Thread(target=play_on, args=(urls[number % len(urls)], asked.tables, number, stop, tally), daemon=True)
            for number in range(PLAYERS)
        ]
        for player in players:
            player.start()
        until, tried = monotonic() + seconds, 0
        while monotonic() < until or (sum(done.values()) < asked.faults and tried < 5 * asked.faults):
            fault, tried = _next(faults, done, rng), tried + 1
            print(f"{max(0.0, until - monotonic()):6.0f} s left: {fault}", flush=True)
            try:
                faults[fault](rng)
                recovery.measure(rng.choice(urls), sum(done.values()), fault)
            except TimeoutError:
                tally.note(stuck=1)
                tally.complain(f"{fault}: nobody could play on")
            except AttackFailed:
                print("         that came to nothing")
            else:
                done[fault] += 1
            stop.wait(rng.uniform(0, 1))
        stop.set()
        for player in players:
            player.join(3 * STUCK_SECONDS)
            if player.is_alive():
                tally.note(stuck=1)
                tally.complain("a table never ended")
    return done


def _next(faults: Mapping[str, Fault], done: Counter[str], rng: Random) -> str:
    """Choose one of those that came least often."""
    least = min(done[name] for name in faults)
    return rng.choice([name for name in faults if done[name] == least])


def arguments() -> Namespace:
    """Read what is asked for."""
    parser = ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", default=None, help="of what happens when; another one each time if none is given")
    parser.add_argument("--other", type=Path, metavar="FOLDER", help="another version's checkout, to restart as")
    parser.add_argument("houses", nargs="*", metavar="HOUSE", help=f"of {', '.join(HOUSES)}; all if none is named")
    asked = parser.parse_args(namespace=Namespace(tables=TABLES, faults=0))
    asked.seed = asked.seed or str(Random().randrange(10**6))
    return asked


def main() -> None:
    """Attack, and print what came of it; exit with 1 if anything was lost, doubled, stuck or leaked."""
    asked = arguments()
    print(f"Before: {machine()}; seed {asked.seed}")
    tally, recovery, done = Tally(), Recovery(), Counter[str]()
    houses = asked.houses or list(HOUSES)
    for name in houses:
        print(f"\n{name}", flush=True)
        done += attacked(name, 60 * asked.minutes / len(houses), asked, tally, recovery)
        print("\n".join(["", *table(tally, recovery, done)]), flush=True)
    print(f"After: {machine()}")
    sys.exit(0 if tally.is_clean() else 1)


def table(tally: Tally, recovery: Recovery, done: Counter[str]) -> list[str]:
    """Return what came of it, line by line."""
    rows = {
        "faults survived": f"{sum(done.values())} of {len(done)} kinds",
        "games, whole": tally.games,
        "moves of people, acknowledged": tally.moves,
        "moves of AIs": tally.ai_moves,
        "messages of streams": tally.messages,
        "lost": tally.lost,
        "doubled": tally.doubled,
        "stuck": tally.stuck,
        "missed by streams": tally.missed,
        "leaks": tally.leaks,
        "a person's next move, p50 / worst": _seconds(recovery.person),
        "an AI's answer to it, p50 / worst": f"{_seconds(recovery.ai)} (after: {recovery.slowest[0]})",
    }
    width = max(map(len, rows))
    return [*(f"{name:{width}}  {value}" for name, value in rows.items()), *tally.wrong[:20]]


def _seconds(times: list[float]) -> str:
    return f"{median(times):.2f} / {max(times):.2f} s" if times else "-"


if __name__ == "__main__":
    main()
