"""What is attacked: whole servers with their stores, and what can be done to them."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Final

from redis import Redis, RedisError

from benchmarks import attacks
from tests.faulty import ERRORS, FaultyLine
from tests.processes import descendants, living
from tests.servers.service import ROOT, START_SECONDS, Service, kill, stop_for_a_while, store_of
from tests.waiting import comes_true
from workers.processes.redis_server import RedisServer, ServerFailed, find_server

REVIVE_SECONDS: Final = 0.2
DISK_BYTES: Final = 512 << 20
FLUSH: Final = "SCRIPT FLUSH"
SPIN: Final = "while redis.call('TIME')[1] * 1000 + redis.call('TIME')[2] / 1000 < tonumber(ARGV[1]) do end"

Fault = Callable[[Random], None]
"""Does something to a house, and returns when it is over."""

pause: Final = Event()
"""Nobody sets it: to wait by."""


def process_faults(service: Service, name: str = "") -> dict[str, Fault]:
    """Return what can be done to the processes of a server."""
    parts = {"pool": "-m workers", "web server": "-m api"}
    return {
        **{f"kill the {part}{name}": _killing(service, word) for part, word in parts.items()},
        f"kill a worker{name}": lambda rng: kill(rng.sample(service.leaves("[worker]"), 1)),
        f"kill a web process{name}": lambda rng: kill(rng.sample(service.leaves("-m api"), 1)),
        f"kill the supervisor{name}": lambda _: kill(service.supervisor()),
        f"kill all{name}": lambda _: kill(service.family()),
        f"pause the web server{name}": lambda rng: stop_for_a_while(service.family("-m api"), rng.uniform(0.5, 3)),
        f"pause the workers{name}": lambda rng: stop_for_a_while(service.leaves("[worker]"), rng.uniform(0.5, 4)),
        f"pause everything{name}": lambda rng: stop_for_a_while(service.family(), rng.uniform(0.5, 3)),
        **{
            f"{attack.__name__} clients{name}": _attacking(service, attack)
            for attack in (attacks.silent, attacks.unfinished, attacks.trickling, attacks.streams, attacks.costly)
        },
    }


def _killing(service: Service, word: str) -> Fault:
    return lambda _: kill(service.family(word))


def _attacking(service: Service, attack: attacks.Attack) -> Fault:
    def fault(rng: Random) -> None:
        comes_true(service.listens, START_SECONDS)
        with attacks.under_attack(attack, service.port):
            pause.wait(rng.uniform(0.5, 2))

    return fault


def store_faults(url: Callable[[], str]) -> dict[str, Fault]:
    """Return what can be done to a store by those who may tell it everything."""

    def tell(*command: str) -> None:
        with suppress(RedisError), Redis.from_url(url(), socket_timeout=5) as store:
            store.execute_command(*command)

    def configured(name: str, wrong: str, right: str) -> Fault:
        def fault(rng: Random) -> None:
            tell("CONFIG", "SET", name, wrong)
            pause.wait(rng.uniform(0.2, 2))
            while _told(url(), "CONFIG", "SET", name, right) is None:
                pause.wait(0.1)

        return fault

    def demoted(rng: Random) -> None:
        tell("REPLICAOF", "127.0.0.1", "1")
        pause.wait(rng.uniform(0.2, 2))
        while _told(url(), "REPLICAOF", "NO", "ONE") is None:
            pause.wait(0.1)

    def busy(rng: Random) -> None:
        tell("CONFIG", "SET", "busy-reply-threshold", "50")
        with suppress(RedisError), Redis.from_url(url(), socket_timeout=10) as store:
            seconds, micros = map(int, store.execute_command("TIME"))
            store.execute_command("EVAL", SPIN, 0, seconds * 1000 + micros / 1000 + rng.uniform(200, 1500))

    return {
        "the store has no memory left": configured("maxmemory", "1", "0"),
        "the store misses its replicas": configured("min-replicas-to-write", "1", "0"),
        "the store is read-only": demoted,
        "the store is busy": busy,
        "the store forgets its scripts": lambda _: tell(*FLUSH.split()),
        "the store hangs up": lambda _: tell("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"),
        "the store answers late": lambda rng: tell("CLIENT", "PAUSE", str(rng.randrange(200, 2500))),
    }


def _told(url: str, *command: str) -> object:
    try:
        with Redis.from_url(url, socket_timeout=5) as store:
            return store.execute_command(*command)
    except RedisError:
        return None


@contextmanager
def one_of_each(folder: Path, _other: Path | None) -> Iterator[tuple[list[str], dict[str, Fault]]]:
    """Run one web process, one worker, and the store that ``serve`` starts, on a small disk if there can be one."""
    with ExitStack() as open_ends:
        data = folder / "one"
        data.mkdir()
        disk = _mounted(data)
        if disk:
            open_ends.callback(subprocess.run, ["umount", "--lazy", str(data)], check=True)
        service = Service(data, {"WEB_WORKERS": "1", "WORKERS": "1", "ARENA_WORKERS": "1"})
        open_ends.callback(service.end)
        faults = {
            **process_faults(service),
            **store_faults(lambda: store_of(service)),
            "kill the store": lambda _: kill(service.family("valkey-server")),
            "pause the store": lambda rng: stop_for_a_while(service.family("valkey-server"), rng.uniform(0.3, 3)),
        }
        if disk:
            faults["the disk is full"] = lambda rng: _fill(data, rng)
        yield [service.url], faults


def _mounted(folder: Path) -> bool:
    words = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder)]
    return os.geteuid() == 0 and not subprocess.run(words, check=False, capture_output=True).returncode


def _fill(disk: Path, rng: Random) -> None:
    ballast = disk / "ballast"
    try:
        with suppress(OSError), ballast.open("wb") as file:
            while True:
                file.write(bytes(1 << 16))
        pause.wait(rng.uniform(0.3, 2))
    finally:
        ballast.unlink()


@contextmanager
def two_of_each(folder: Path, other: Path | None) -> Iterator[tuple[list[str], dict[str, Fault]]]:
    """Run two servers, each with two web processes and two workers, on one store; one may be of another version."""
    with ExitStack() as open_ends:
        store = open_ends.enter_context(RedisServer(folder / "store", find_server()))
        line = open_ends.enter_context(FaultyLine(store.url, folder).open())
        ended = Event()
        reviving = Thread(target=_revive, args=(store, ended), daemon=True)
        reviving.start()
        open_ends.callback(reviving.join)
        open_ends.callback(ended.set)
        environ = {"REDIS_URL": line.url, "WEB_WORKERS": "2", "WORKERS": "2", "ARENA_WORKERS": "1"}
        versions = [ROOT, other or ROOT]
        services = [Service(folder / name, environ, *versions) for name in ("first", "second")]
        for service in services:
            open_ends.callback(service.end)
        faults = {
            **process_faults(services[0], " of one"),
            **process_faults(services[1], " of the other"),
            **store_faults(lambda: store.url),
            "kill the store": lambda _: kill(_servers(folder)),
            "pause the store": lambda rng: stop_for_a_while(_servers(folder), rng.uniform(0.3, 3)),
            **{f"the store answers {code}": _answering(line, code) for code in ERRORS},
            "roll one on": lambda _: services[0].roll(),
            "roll the other on": lambda _: services[1].roll(),
        }
        yield [service.url for service in services], faults


def _servers(folder: Path) -> list[int]:
    """Return the processes of stores that we ourselves have started."""
    ours = descendants(os.getpid())
    table = living()
    return [pid for pid, command in ours.items() if "valkey-server" in command and table[pid][0] == os.getpid()]


def _revive(store: RedisServer, ended: Event) -> None:
    while not ended.wait(REVIVE_SECONDS):
        with suppress(ServerFailed):
            store.restart_if_dead()


def _answering(line: FaultyLine, code: str) -> Fault:
    def fault(rng: Random) -> None:
        line.passes, line.fault = rng.randrange(3), ERRORS[code]
        pause.wait(rng.uniform(0.2, 2))
        line.fault = None

    return fault


HOUSES: Final = {"one of each": one_of_each, "two of each": two_of_each}
"""By name."""
