"""Upgrade two servers that share a store, and take the upgrade back, while games are played on both.

``python -m tests.upgrades`` takes this checkout for the old version, and for the new one a build of it that stores one
field more. ``--old FOLDER`` names an older version's checkout instead, which ``make install`` has set up: then this
one is the new one.

    old, old    new, old    new, new    old, new    old, old    new, new

Each server is ended well at some steps and killed with all its processes at others. In the end each acknowledged move
is held against its game's record, each stream against all versions; how long each turn of an AI took stands there too.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import monotonic
from typing import Final

from engines.core.types import Json
from regicide_client import RegicideClient
from tests.chaos.traffic import STUCK_SECONDS, Tally, play_on
from tests.servers.service import ROOT, START_SECONDS, Service, kill
from tests.upgrades.builds import newer
from tests.upgrades.work import Errand
from tests.waiting import comes_true
from workers.processes.redis_server import RedisServer, find_server

TABLES: Final = (("regicide", "hn"), ("regicide", "hha"), ("gridcannon", "ha"), ("regicide", "hn"))
STEPS: Final = ((0, False), (1, True), (0, True), (1, False), (0, False), (1, True))
"""Which server becomes the other version, and whether it is killed rather than ended."""
ENVIRON: Final = {"WEB_WORKERS": "1", "WORKERS": "2", "ARENA_WORKERS": "1"}
LIMIT_SECONDS: Final = 2.0


class Watched(Tally):
    """A tally that also has how long each AI took, in seconds, by the times of the record."""

    def __init__(self, *, older: bool) -> None:
        super().__init__(older=older)
        self.taken: list[tuple[float, str]] = []

    def complete(self, record: Json) -> None:
        """Note the turns of AIs of a game."""
        before = None
        for entry in record["actions"]:
            at = datetime.fromisoformat(entry["at"])
            if entry["ai"] is not None and before is not None:
                self.taken.append(((at - before).total_seconds(), f"{record['id']} {entry['version']} {entry['at']}"))
            before = at


def upgraded(old: Path, new: Path, asked: Namespace) -> Watched:
    """Play while both servers are upgraded, taken back, and upgraded again; return what came of it."""
    tally, stop = Watched(older=asked.old is not None), Event()
    with TemporaryDirectory(prefix="upgrades-") as name, RedisServer(Path(name, "store"), find_server()) as store:
        environ = {**ENVIRON, "REDIS_URL": store.url}
        services = [Service(Path(name, one), environ, old, new) for one in ("first", "second")]
        try:
            urls = [service.url for service in services]
            errands = [Errand(url) for url in urls]
            players = [
                Thread(target=play_on, args=(urls[number % 2], TABLES, number, stop, tally), daemon=True)
                for number in range(asked.games)
            ]
            for player in players:
                player.start()
            _steps(services, asked.seconds)
            stop.set()
            for player in players:
                player.join(3 * STUCK_SECONDS)
            for complaint in [one for errand in errands for one in errand.complaints()]:
                tally.complain(complaint)
            _read_records(urls[0], tally)
        finally:
            for service in services:
                service.end()
    return tally


def _steps(services: Sequence[Service], seconds: float) -> None:
    """Let one server after the other become the other version."""
    never, began = Event(), monotonic()
    never.wait(seconds)
    for place, kills in STEPS:
        service = services[place]
        said = f"{monotonic() - began:5.0f} s, {datetime.now(UTC):%H:%M:%S}"
        print(f"{said}: server {place} {'is killed' if kills else 'ends'}", flush=True)
        if kills:
            service.exchange(kill)
        else:
            service.roll()
        comes_true(service.listens, START_SECONDS)
        never.wait(seconds)


def _read_records(url: str, tally: Watched) -> None:
    """Read the record of every game that has ended."""
    with RegicideClient(url, retry_seconds=STUCK_SECONDS) as server:
        cursor: dict[str, str] = {}
        while True:
            page = server.games(status="finished", **cursor)
            for game in page["games"]:
                tally.complete(dict(server.spectator(game["id"]).record()))
            if page["next_cursor"] is None:
                return
            cursor = {"cursor": page["next_cursor"]}


def report(tally: Watched) -> bool:
    """Print what came of it; return whether it is as it is to be."""
    taken = sorted(tally.taken)
    late = [one for one in taken if one[0] > LIMIT_SECONDS]
    print(f"{tally.games} games, {tally.moves} moves of people acknowledged, {len(taken)} of AIs")
    print(f"lost {tally.lost}, doubled {tally.doubled}, stuck {tally.stuck}, missed by streams {tally.missed}")
    if taken:
        print(f"an AI's turn: p50 {taken[len(taken) // 2][0]:.2f} s, worst {taken[-1][0]:.2f} s; over 2 s: {late[-5:]}")
    print("\n".join(tally.wrong[:20]))
    return tally.is_clean() and not late


def main() -> None:
    """Do it; exit with 1 if anything went wrong."""
    parser = ArgumentParser(prog="python -m tests.upgrades", description=__doc__)
    parser.add_argument("--old", type=Path, metavar="FOLDER", help="the checkout of an older version")
    parser.add_argument("--seconds", type=float, default=10.0, help="between two steps")
    parser.add_argument("--games", type=int, default=20, help="at a time")
    asked = parser.parse_args()
    if asked.old is not None:
        tally = upgraded(asked.old, ROOT, asked)
    else:
        with TemporaryDirectory(prefix="newer-") as folder:
            tally = upgraded(ROOT, newer(Path(folder)), asked)
    sys.exit(0 if report(tally) else 1)


if __name__ == "__main__":
    main()
