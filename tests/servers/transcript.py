"""Transcripts in the documentation: what is typed after ``$``, and what is shown to be printed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.waiting import allowed

ROOT = Path(__file__).parents[2]
MISSING = [tool for tool in ("curl", "jq", "bash") if shutil.which(tool) is None]
WANTED = f"transcripts need {' and '.join(MISSING)}, not installed here"
MARK = "-- the end of a step --"

Step = tuple[str, str]
"""A command and what it prints."""


def steps(document: str) -> list[Step]:
    """Return the steps of the ``console`` blocks; a line that is indented by four goes on with the command above."""
    found: list[Step] = []
    for block in re.findall(r"```console\n(.*?)```", document, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], ""))
            elif line.startswith("    ") and not found[-1][1]:
                found[-1] = (f"{found[-1][0]}\n{line}", "")
            else:
                found[-1] = (found[-1][0], f"{found[-1][1]}{line}\n")
    return found


def run(commands: list[str], folder: Path, address: str) -> tuple[list[str], str]:
    """Run the commands in one shell for the server at *address*; return what each printed, and the shell's trace."""
    script = "\n".join(f"{command}\necho '{MARK}'" for command in commands).replace(".venv/bin/", "")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euxo", "pipefail", "-c", script.replace("localhost:8000", address)],
        check=False,
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=allowed(110),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.split(f"{MARK}\n")[:-1], done.stderr
