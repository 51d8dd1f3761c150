"""The measured servers of this checkout or another one, started as users start them, with equal priority."""

import os
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from tests.ports import free_port
from tests.processes import descendants
from tests.servers.served import RunningServer, ending, serving
from tests.waiting import comes_true
from workers.settings import VARIABLES

ROOT: Final = Path(__file__).parents[1]
CLOCK_TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")
START_TIMEOUT_SECONDS: Final = 30.0

NO_AI_SETTINGS: Final = {"HOST": "127.0.0.1", "WORKERS": "1", "ARENA_WORKERS": "1"}
"""Settings for measurements without AI moves. One worker is the least with which a server becomes ready."""

UNLIMITED_SETTINGS: Final = {
    **{f"REGICIDE_RATE_{what}": "0" for what in ("CREATE", "JOBS", "REQUESTS")},
    **{f"REGICIDE_LIMIT_{what}": "0" for what in ("AI_GAMES", "ARENAS")},
    "REGICIDE_STREAMS": "10000",  # for all addresses together; one address may open a tenth of them
}
WEB_WORKERS_VARIABLE: Final = "WEB_WORKERS"
"""Environment variable with the number of web processes."""


@dataclass(frozen=True)
class Target:
    """A running server, and the processes whose CPU time is measured."""

    name: str
    port: int
    pids: Sequence[int]
    log: Path
    root: int = 0
    """The process from which all others of the server descend; 0 if there is none."""

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self.port}"

    def seconds(self) -> float:
        """Return the CPU seconds of the web processes and the store so far."""
        return sum(map(_seconds, self.pids))

    def family(self) -> dict[int, str]:
        """Return all processes of the server, with their command lines."""
        return {self.root: "serve", **descendants(self.root)}

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield the events of the log, without the sentences for people among them, or a line that isn't whole yet."""
        for line in self.log.read_bytes().splitlines(keepends=True):
            if line.startswith(b"{") and line.endswith(b"\n"):
                yield orjson.loads(line)

    def memory(self) -> float:
        """Return the memory of all processes in megabytes; shared memory is divided among its users (PSS)."""
        return sum(map(_megabytes, self.family()))


def _seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS_PER_SECOND


def _megabytes(pid: int) -> float:
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    return next(int(row.split()[1]) / 1024 for row in rows if row.startswith("Pss:"))


def has_web_workers() -> bool:
    """Return whether this checkout supports several web processes."""
    return any(variable.name == WEB_WORKERS_VARIABLE for variable in VARIABLES.values())


def web_workers(count: int) -> dict[str, str]:
    """Return the environment variable for the number of web processes. Releases that don't know it have one process."""
    return {WEB_WORKERS_VARIABLE: str(count)}


def processes(count: int) -> str:
    """Format the number of web processes."""
    return "1 process" if count == 1 else f"{count} processes"


@contextmanager
def served(name: str, folder: Path, environ: Mapping[str, str], checkout: Path = ROOT) -> Iterator[Target]:
    """Run ``regicide serve`` of a checkout, with its compiled engines if there are any. Games are in *folder*."""
    script = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]["regicide"]
    module, _, function = script.partition(":")
    command = [sys.executable, "-P", "-c", f"from {module} import {function}; {function}()"]
    path = os.pathsep.join(map(str, [checkout / "build" / "compiled", checkout]))
    settings = {**NO_AI_SETTINGS, **UNLIMITED_SETTINGS, "PYTHONPATH": path, **environ}
    with serving(command, checkout, folder, settings) as server:
        yield Target(
            name, int(server.url.rpartition(":")[2]), _counted_processes(server), server.log, server.process.pid
        )


def _counted_processes(server: RunningServer) -> list[int]:
    """Return the web processes and the store: all processes except the workers and their children."""
    pools = server.members("-m workers")
    others = {pid for pool in pools for pid in (pool, *descendants(pool))}
    return sorted(set(server.family()) - others)


@contextmanager
def hello() -> Iterator[Target]:
    """Run the reference server (``benchmarks.hello``), with whose speed all servers are compared."""
    port = free_port()
    command = [sys.executable, "-P", "-m", "benchmarks.hello", str(port)]
    environ = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, env=environ)  # noqa: S603 - a module of ours
    with ending(process):
        if not comes_true(lambda: listens(port), START_TIMEOUT_SECONDS):
            raise RuntimeError("The yardstick doesn't listen.")
        yield Target("hello", port, [process.pid, *descendants(process.pid)], Path(os.devnull))


def listens(port: int) -> bool:
    """Return whether a port of this machine is open."""
    with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False
