"""Clocks that are set by an hour while a whole server runs, the store's with them: turns, leases and deadlines."""

import os
import shutil
import signal
import struct
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from random import Random
from time import monotonic, time
from typing import Any, Final

import pytest
from redis import Redis

from regicide_client import Player, RegicideClient
from tests.servers.service import Service, kill, store_of
from tests.upgrades.work import Errand
from tests.waiting import allowed, comes_true, stays_untrue
from workers.storage.keys import LEADING_SWEEPER
from workers.storage.queue import INTERACTIVE_QUEUE_KEY

COMPILER: Final = shutil.which("cc")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="without a C compiler there is no clock to set")

HOUR: Final = 3600.0
LIMIT_SECONDS: Final = 5.0
TURN_SECONDS: Final = 9
LONG_SECONDS: Final = 60.0


class Clock:
    """What a server takes for the time of day."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._file, library = folder, folder / "clock", folder / "clock_shim.so"
        source = Path(__file__).with_name("clock_shim.c")
        assert COMPILER is not None
        subprocess.run([COMPILER, "-shared", "-fPIC", "-O", "-o", library, source, "-ldl"], check=True)
        self.set(0.0)
        self.environ = {"LD_PRELOAD": str(library), "CLOCK_SHIM": str(self._file)}

    def set(self, seconds: float) -> None:
        """Let it be so many seconds from the true time."""
        with self._file.open("r+b" if self._file.exists() else "wb") as file:
            file.write(struct.pack("d", seconds))


@pytest.fixture(scope="module")
def set_clock(tmp_path_factory: pytest.TempPathFactory) -> Clock:
    """Give the clock of the server."""
    return Clock(tmp_path_factory.mktemp("clock"))


@pytest.fixture(scope="module")
def service(set_clock: Clock) -> Iterator[Service]:
    """Give a server with its store, whose processes all have that clock."""
    own = {"WEB_WORKERS": "1", "WORKERS": "1", "ARENA_WORKERS": "1"}
    found = Service(set_clock.folder / "data", {**set_clock.environ, **own})
    yield found
    found.end()


@pytest.fixture
def clock(set_clock: Clock) -> Clock:
    """Give that clock, at the true time."""
    set_clock.set(0.0)
    return set_clock


def at_table(server: RegicideClient, **more: Any) -> Player:
    """Sit down with a novice."""
    seats: Any = [{"kind": "human", "name": "Ana"}, {"kind": "ai", "level": "novice"}]
    return server.create("regicide", seats, **more).players[0]


def answered(server: RegicideClient, me: Player) -> tuple[Player, float]:
    """Act until the AI is on the move; return after how many seconds it has acted, and the player.

    If the game has ended, that is one of another game.
    """
    while True:
        if me.wait_for_turn(timeout=LONG_SECONDS)["status"] != "active":
            me = at_table(server)
            continue
        began, after = monotonic(), me.act(me.actions()[0]["text"])
        if 1 in after["to_act"]:
            me.wait_for_change(after["version"], timeout=LONG_SECONDS)
            return me, monotonic() - began


def test_the_clock_is_the_tests(service: Service, clock: Clock) -> None:
    """What a server says is by it: else nothing here would mean anything."""
    with RegicideClient(service.url, retry_seconds=LONG_SECONDS) as server:
        for offset in (HOUR, -HOUR):
            clock.set(offset)
            created = at_table(server).fetch()["created"]
            shown = datetime.fromisoformat(created).timestamp()
            assert abs(shown - (time() + offset)) < 60


def test_turns_are_played_whatever_the_clock_does(service: Service, clock: Clock) -> None:
    """Six times an hour forward or back: in turn with the pool killed, a worker, nobody, both, nobody, a worker.

    An arena, a review and requests that are sent again are done once each meanwhile.
    """
    rng, took, offset = Random(32), [], 0.0
    with RegicideClient(service.url, retry_seconds=LONG_SECONDS) as server:
        errand = Errand(service.url, games=6, level="expert")
        me = at_table(server)
        for number in range(6):
            me, _ = answered(server, me)
            offset += rng.choice((HOUR, -HOUR))
            if number % 2:
                kill(service.leaves("[worker]"))
            clock.set(offset)
            if number % 3 == 0:
                kill(service.family("-m workers"))
            me, seconds = answered(server, me)
            took.append(round(seconds, 2))

    assert max(took) < allowed(LIMIT_SECONDS), took
    assert errand.complaints() == []


@pytest.mark.parametrize("offset", [HOUR, -HOUR])
def test_a_lost_turn_is_made_good_whatever_the_clock_does(service: Service, clock: Clock, offset: float) -> None:
    """The job of a turn is gone, and so is the sweeper, whose lease is under way, when the clock is set."""
    with RegicideClient(service.url, retry_seconds=LONG_SECONDS) as server, Redis.from_url(store_of(service)) as store:
        me = at_table(server)
        me.wait_for_turn(timeout=LONG_SECONDS)
        assert comes_true(lambda: bool(store.exists(LEADING_SWEEPER)), LONG_SECONDS)
        while (owed := owed_turn(service, me)) is None:
            me = at_table(server)
        store.delete(INTERACTIVE_QUEUE_KEY)
        kill(service.family("-m workers"))
        clock.set(offset)
        assert comes_true(lambda: len(service.leaves("[worker]")) > 0, LONG_SECONDS)
        began = monotonic()

        me.wait_for_change(owed, timeout=LONG_SECONDS)

    assert monotonic() - began < allowed(LIMIT_SECONDS)


def owed_turn(service: Service, me: Player) -> int | None:
    """Act while no worker works, and return the version at which an AI owes a turn; None if the game has ended."""
    while me.wait_for_turn(timeout=LONG_SECONDS)["status"] == "active":
        stopped = service.family("-m workers")
        tell(stopped, signal.SIGSTOP)
        after = me.act(me.actions()[0]["text"])
        if 1 in after["to_act"]:
            return int(after["version"])
        tell(stopped, signal.SIGCONT)
    return None


def tell(pids: list[int], number: int) -> None:
    """Send a signal to processes."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


@pytest.mark.parametrize("offset", [HOUR, -HOUR])
def test_deadlines_are_not_shortened(service: Service, clock: Clock, offset: float) -> None:
    """Who is on the move has their time, and no more than that once again; then an AI stands in."""
    with RegicideClient(service.url, retry_seconds=LONG_SECONDS) as server:
        me = at_table(server, turn_seconds=TURN_SECONDS)
        game = me.wait_for_turn(timeout=LONG_SECONDS)
        began, version = monotonic(), game["version"]
        assert stays_untrue(lambda: me.fetch()["version"] > version, 2.0)

        clock.set(offset)

        assert comes_true(lambda: me.fetch()["version"] > version, 3 * TURN_SECONDS)
        assert TURN_SECONDS - 0.5 <= monotonic() - began < 2 * TURN_SECONDS + allowed(LIMIT_SECONDS)
