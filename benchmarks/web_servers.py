"""Compare our web server with uvicorn, granian, gunicorn and hypercorn.

The benchmark measures the rate of moves, and how long a server keeps a connection open whose client sends or reads
nothing more.

All servers run the same application with one process and default settings (``benchmarks.app_on_other_web_servers``),
over one store that syncs each move to the disk. Servers that aren't installed are skipped.
"""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from time import monotonic
from typing import Final

import httpx

from benchmarks import load, measured_server
from benchmarks.app_on_other_web_servers import SERVERS
from benchmarks.measured_server import ROOT, Target
from benchmarks.results import Found, Measure, Plan, Row, interleaved, ratios
from benchmarks.web import Bench
from tests.ports import free_port
from tests.processes import descendants
from tests.waiting import comes_true
from workers.processes.redis_server import RedisServer, find_server

SUITE: Final = "web servers"
HOLDING_SUITE: Final = "connections held open"
OWN_SERVER_NAME: Final = "ours"
CONNECTIONS: Final = (1, 16)
HOLD_SECONDS: Final = 40.0
"""Seconds for which connections held open by clients are watched. Our server's longest timeout for them is 30 s."""
NOT_INSTALLED: Final = "not installed: pip install --constraint constraints.txt --target {} {}"
RECEIVE_BUFFER_BYTES: Final = 4_096
GET_REQUEST: Final = b"GET %b HTTP/1.1\r\nHost: bench\r\n\r\n"
HALF_BODY: Final = (
    b"POST /v1/games HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
)
SENT_BEFORE_HOLDING: Final[Mapping[str, bytes]] = {
    "a silent connection": b"",
    "half a head": b"GET / HTTP/1.1\r\nHo",
    "half a body": HALF_BODY + b" " * 50,
    "answers that aren't read": GET_REQUEST % b"/openapi.yaml" * 60,
}
"""Data sent on each connection before it is held."""
ESTABLISHED_STATE: Final = "01"
"""State code of an open connection in ``/proc/net/tcp``."""
CHECK_INTERVAL_SECONDS: Final = 0.2


@dataclass
class Held:
    """A connection that a client holds open: its server, its beginning, and its end or None (monotonic clock)."""

    name: str
    port: int
    line: socket.socket
    since: float
    ended: float | None = None


def rows(plan: Plan) -> Iterator[Row]:
    """Yield rows per server: for moves, and for the durations of held connections. Raises ``Skipped``."""
    load.program()
    folder = (plan.peers / "servers").absolute()
    there = {name for name in SERVERS if find_spec(name) or (folder / name).is_dir()}
    with ExitStack() as stack:
        data = Path(stack.enter_context(TemporaryDirectory(prefix="bench-")))
        store = stack.enter_context(RedisServer(data / "store", find_server()))
        environ = {
            **os.environ,
            **measured_server.NO_AI_SETTINGS,
            **measured_server.UNLIMITED_SETTINGS,
            "REDIS_URL": store.url,
            "REGICIDE_DATA": str(data),
        }
        environ |= {"WEB_WORKERS": "1", "REGICIDE_LOG_LEVEL": "error"}
        environ["PYTHONPATH"] = os.pathsep.join(map(str, [ROOT / "build" / "compiled", ROOT, folder]))
        targets = [
            stack.enter_context(_run_server(name, environ))
            for name in (OWN_SERVER_NAME, *SERVERS)
            if name in {OWN_SERVER_NAME, *there}
        ]
        yield from _rows(_measure_moves(targets, plan))
        yield from _watch_held([_hold(target, name) for target in targets for name in SENT_BEFORE_HOLDING])
    for name in SERVERS:
        if name not in there:
            yield Row(SUITE, name, skipped=NOT_INSTALLED.format(plan.peers / "servers", name))


@contextmanager
def _run_server(name: str, environ: Mapping[str, str]) -> Iterator[Target]:
    port = free_port()
    words = ["-m", "api"] if name == OWN_SERVER_NAME else ["-m", "benchmarks.app_on_other_web_servers", name, str(port)]
    command = [sys.executable, "-P", *words]
    process = subprocess.Popen(command, env={**environ, "PORT": str(port)}, cwd=ROOT)  # noqa: S603 - modules of ours
    try:
        if not comes_true(lambda: answers(port), measured_server.START_TIMEOUT_SECONDS):
            raise RuntimeError(f"{name} doesn't answer.")
        yield Target(name, port, [process.pid, *descendants(process.pid)], Path(os.devnull))
    finally:  # by SIGKILL, because some servers wait until held connections end
        for pid in (*descendants(process.pid), process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


def answers(port: int) -> bool:
    """Return whether the application answers at a port of this machine."""
    with suppress(httpx.TransportError):
        return httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False).is_success
    return False


def _measure_moves(targets: list[Target], plan: Plan) -> dict[str, Found]:
    """Measure moves against each server in turn, in rounds; return figures by connections and server."""
    benches = [Bench(target, {}) for target in targets]
    measures: dict[str, Measure] = {
        _load(count, bench.target.name): partial(bench.played, "move", count, plan.seconds)
        for count in CONNECTIONS
        for bench in benches
    }
    for bench in benches:
        bench.played("move", max(CONNECTIONS), plan.seconds)  # warm-up
    return interleaved(plan.long_rounds, measures)


def _load(connections: int, name: str) -> str:
    return f"move, {connections} conn., {name}"


def _rows(found: Mapping[str, Found]) -> Iterator[Row]:
    for name, one in found.items():
        ours = found[f"{name.rpartition(', ')[0]}, {OWN_SERVER_NAME}"]
        beside = {
            f"{what} x ours": ratios(one.cells[unit], ours.cells[unit])
            for what, unit in (("rate", "a second"), ("cpu", "cpu ms"))
        }
        yield one.row(SUITE, name, **({} if one is ours else beside))


def _hold(target: Target, name: str) -> Held:
    """Open a connection to a server, and send the data of *name*. After that the connection is only held open."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
    line.connect(("127.0.0.1", target.port))
    line.sendall(SENT_BEFORE_HOLDING[name])
    return Held(f"{target.name}, {name}", target.port, line, monotonic())


def _watch_held(held: list[Held]) -> Iterator[Row]:
    """Watch held connections until they are closed or time is up; yield a row for each."""
    until, pause = max(one.since for one in held) + HOLD_SECONDS, Event()
    while monotonic() < until and any(one.ended is None for one in held):
        pause.wait(CHECK_INTERVAL_SECONDS)
        established = _established_connections()
        for one in held:
            if one.ended is None and (one.port, one.line.getsockname()[1]) not in established:
                one.ended = monotonic()
    for one in held:
        one.line.close()
        figure = "still open after s" if one.ended is None else "ends after s"
        yield Row(HOLDING_SUITE, one.name, {figure: [(one.ended or until) - one.since]}, [os.getloadavg()[0]])


def _established_connections() -> set[tuple[int, int]]:
    """Return the established local connections, each as its own and its remote port."""
    fields = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    return {(_port(own), _port(other)) for _, own, other, state, *_ in fields if state == ESTABLISHED_STATE}


def _port(address: str) -> int:
    return int(address.rpartition(":")[2], 16)
