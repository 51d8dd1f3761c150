"""The `regicide` command, run as a process."""

import os
import subprocess
from pathlib import Path

from tests.servers.served import COMMAND
from tests.without_rich import without_rich


def run(*words: str, data: Path, cwd: Path | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a `regicide` command."""
    settings = {"REGICIDE_DATA": str(data), "REDIS_URL": "", **environ}
    return subprocess.run(
        [*COMMAND, *words],
        check=False,
        cwd=cwd,
        env=without_rich({**os.environ, **settings}),
        capture_output=True,
        text=True,
        timeout=120,
    )


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
