"""Load generation: scripts of HTTP requests, and a client in C (``load.c``)."""

import json
import shutil
import struct
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

import orjson

from benchmarks.results import Skipped
from engines.core.types import Json

SOURCE: Final = Path(__file__).with_name("load.c")
PROGRAM: Final = Path("build/load")
EXPECTED_STATUSES: Final = {200, 201, 304}

Script = Sequence[bytes]
"""Requests sent in sequence on one connection."""


@dataclass(frozen=True)
class Load:
    """The figures of one load, as measured by the client."""

    seconds: float
    requests: int
    p50: float
    """Median latency in milliseconds."""
    p99: float
    own: float
    """CPU seconds of the client itself."""

    @property
    def rate(self) -> float:
        """Responses per second."""
        return self.requests / self.seconds

    def cells(self, spent: float) -> dict[str, float]:
        """Return the figures of a row; *spent* is the server's CPU time in seconds."""
        return {
            "a second": self.rate,
            "p50 ms": self.p50,
            "p99 ms": self.p99,
            "cpu ms": 1000 * spent / self.requests,
            "client cores": self.own / self.seconds,
        }


@cache
def program() -> Path:
    """Compile the client unless it is up to date; return its path. Raises ``Skipped``."""
    if not Path("/proc/self/stat").exists():
        raise Skipped("it needs Linux, which tells what each process costs")
    compiler = shutil.which("cc")
    if compiler is None:
        raise Skipped("it needs a C compiler")
    if not PROGRAM.exists() or PROGRAM.stat().st_mtime < SOURCE.stat().st_mtime:
        PROGRAM.parent.mkdir(exist_ok=True)
        subprocess.run([compiler, "-O2", "-o", PROGRAM, SOURCE], check=True)  # noqa: S603 - the compiler on the path
    return PROGRAM.absolute()


def request(verb: str, path: str, token: str | None = None, body: object = None, **headers: str) -> bytes:
    """Return the bytes of a request. Keywords are headers: ``if_match='"7"'`` gives ``If-Match``."""
    lines = [f"{verb} {path} HTTP/1.1", "Host: bench"]
    if token is not None:
        lines.append(f"Authorization: Bearer {token}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    content = b"" if body is None else orjson.dumps(body)
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    return "\r\n".join([*lines, "", ""]).encode() + content


def play(port: int, connections: int, seconds: float, scripts: Sequence[Script], *, loop: bool = False) -> Load:
    """Send *scripts* once, or with *loop* repeatedly, for at most *seconds*; return the figures.

    Raises ``RuntimeError`` if the client fails or a request is refused.
    """
    return _run_client(port, connections, seconds, scripts, *(["--loop"] if loop else []))


def answers(port: int, connections: int, requests: Sequence[bytes]) -> list[Json]:
    """Send each of *requests* once. Return the responses' JSON in the order received; the last ones may be missing."""
    with NamedTemporaryFile() as saved:
        _run_client(port, connections, 600, [[one] for one in requests], "--save", saved.name)
        return [orjson.loads(body) for body in _read_bodies(Path(saved.name).read_bytes())]


def _run_client(port: int, connections: int, seconds: float, scripts: Sequence[Script], *options: str) -> Load:
    with NamedTemporaryFile() as file:
        for script in scripts:
            file.write(struct.pack("<I", len(script)))
            file.writelines(struct.pack("<I", len(one)) + one for one in script)
        file.flush()
        command = [str(program()), str(port), str(connections), str(seconds), file.name, *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - the client above
    if done.returncode or not done.stdout:
        raise RuntimeError(f"The load was broken off: {done.stderr[-500:]}")
    told = json.loads(done.stdout)
    if any(int(status) not in EXPECTED_STATUSES for status in told.pop("statuses")):
        raise RuntimeError(f"Something was refused: {done.stderr[-1000:]}")
    return Load(**told)


def _read_bodies(saved: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(saved):
        (length,) = struct.unpack_from("<I", saved, at)
        yield saved[at + 4 : at + 4 + length]
        at += 4 + length
