"""The `regicide` command, run as a process."""

import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock

from tests.servers.served import COMMAND
from tests.waiting import AGES
from tests.without_rich import without_rich

ONE_BY_ONE = Lock()


def run(*words: str, data: Path, cwd: Path | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a `regicide` command: in a fork of a process that has imported it, unless it is to import other modules."""
    variables = without_rich({**os.environ, "REGICIDE_DATA": str(data), "REDIS_URL": "", **environ})
    if "PYTHONPATH" in environ:
        return subprocess.run(
            [*COMMAND, *words], check=False, cwd=cwd, env=variables, capture_output=True, text=True, timeout=AGES
        )
    return run_in_fork(words, variables, cwd)


def run_in_fork(
    words: Sequence[str], environ: Mapping[str, str], cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a `regicide` command with these variables, without importing it anew."""
    with ONE_BY_ONE, tempfile.TemporaryDirectory() as folder:
        out, err = (Path(folder) / name for name in ("out", "err"))
        asked = {
            "words": words,
            "environ": dict(environ),
            "cwd": str(cwd or Path.cwd()),
            "out": str(out),
            "err": str(err),
        }
        forking = forking_process()
        assert forking.stdin is not None
        assert forking.stdout is not None
        forking.stdin.write(json.dumps(asked) + "\n")
        forking.stdin.flush()
        status = int(forking.stdout.readline())
        return subprocess.CompletedProcess([*COMMAND, *words], status, out.read_text("utf-8"), err.read_text("utf-8"))


@cache
def forking_process() -> "subprocess.Popen[str]":
    """Return the process whose forks the commands are; it ends with this one."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.servers.command_fork"],
        env=without_rich(os.environ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(process.communicate)
    return process


def said(end: subprocess.CompletedProcess[str]) -> str:
    """Return what a command said last."""
    return end.stderr.splitlines()[-1]


def refused(end: subprocess.CompletedProcess[str]) -> str:
    """Return the one sentence of a command that couldn't begin."""
    assert end.returncode == 2, end.stderr
    assert "Traceback" not in end.stderr
    last = end.stderr.strip().splitlines()[-1]
    assert last.startswith("Error: "), end.stderr
    assert last.endswith(".")
    return last
