"""Measure the server's start, and its memory while no game is played: ``python -m benchmarks start``.

The first start is that of a new user: `make serve` in a fresh clone without package caches. For comparison this start
is also measured with the caches of the machine's user. After that, the same clone is started again. Memory is that of
`regicide serve` with default settings in this checkout, compiled if it has compiled engines.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from time import perf_counter
from typing import Final

from benchmarks import measured_server
from benchmarks.results import Found, Plan, Row, Skipped, interleaved
from tests.ports import free_port
from tests.servers.served import ending, first_line

SUITE: Final = "start"
SETTLING_SECONDS: Final = 5.0
"""Seconds between a start and the measurement of memory."""

CHECKOUT_VARIABLES: Final = {"PYTHONPATH", "PYTHONSAFEPATH"}
"""Environment variables for this checkout, which a clone must not inherit."""
CACHE_VARIABLES: Final = {"PIP_CACHE_DIR", "UV_CACHE_DIR"}
"""Environment variables for package caches, which a clone without caches must not inherit."""


def start_seconds(clone: Path, environ: Mapping[str, str]) -> float:
    """Run `make serve` until it prints its address; return the seconds. Raises ``Skipped``."""
    began = perf_counter()
    settings = {**environ, "PORT": str(free_port()), "REGICIDE_DATA": str(clone / ".regicide")}
    with (clone.with_suffix(".log")).open("ab") as log:
        command = ["make", "--no-print-directory", "serve"]
        server = subprocess.Popen(command, cwd=clone, env=settings, stdout=subprocess.PIPE, stderr=log, text=True)  # noqa: S603
    with ending(server):
        while line := first_line(server):
            if "served at" in line:
                return perf_counter() - began
    raise Skipped("`make serve` doesn't start a clone here: " + clone.with_suffix(".log").read_text("utf-8")[-500:])


def starts(*, has_caches: bool) -> dict[str, float]:
    """Start a fresh clone of the last commit twice; return the seconds of both starts."""
    with TemporaryDirectory(prefix="bench-") as name:
        clone = Path(name, "clone")
        subprocess.run(["git", "clone", "--quiet", measured_server.ROOT, clone], check=True)  # noqa: S603, S607
        hidden = CHECKOUT_VARIABLES if has_caches else CHECKOUT_VARIABLES | CACHE_VARIABLES
        environ = {key: value for key, value in os.environ.items() if key not in hidden}
        if not has_caches:
            environ["XDG_CACHE_HOME"] = str(Path(name, "cache"))
        return {"first s": start_seconds(clone, environ), "second s": start_seconds(clone, environ)}


def idle() -> dict[str, float]:
    """Start the server with default settings; return seconds until it serves, number of processes, and their MB."""
    with TemporaryDirectory(prefix="bench-") as name:
        began = perf_counter()
        defaults = dict.fromkeys(measured_server.NO_AI_SETTINGS | measured_server.UNLIMITED_SETTINGS, "")
        with measured_server.served("idle", Path(name, "idle"), defaults) as target:
            seconds = perf_counter() - began
            Event().wait(SETTLING_SECONDS)
            return {"start s": seconds, "processes": len(target.family()), "MB": target.memory()}


def rows(plan: Plan) -> Iterator[Row]:
    """Yield a row for each kind of start, and one for the idle server. Raises ``Skipped``."""
    found: dict[str, Found] = interleaved(
        plan.long_rounds,
        {
            "make serve, empty caches": partial(starts, has_caches=False),
            "make serve, warm caches": partial(starts, has_caches=True),
            "regicide serve, while nobody plays": idle,
        },
    )
    for name, one in found.items():
        yield one.row(SUITE, name)
