"""List the processes that run: from /proc where there is one, since a bare machine has no ``ps``; else by ``ps``."""

import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")

Row = tuple[int, int, str, str]
"""A process's id, its parent's, its state as ``ps`` writes it, and its command line."""


def living() -> dict[int, tuple[int, str]]:
    """Return every process that hasn't ended: its parent and its command line, with its name as ``[worker]`` behind."""
    rows = _from_proc() if (PROC / "self" / "stat").exists() else _from_ps()
    return {pid: (parent, command) for pid, parent, state, command in rows if not state.startswith("Z")}


def _from_proc() -> Iterator[Row]:
    for folder in PROC.iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):  # it has ended meanwhile
                name, state, parent = _stat(folder)
                words = (folder / "cmdline").read_text("utf-8", "replace").split("\0")
                yield int(folder.name), int(parent), state, f"{' '.join(words).strip()} [{name}]"


def _stat(folder: Path) -> tuple[str, str, str]:
    """Return name, state and parent of a process, from its folder in ``PROC``."""
    name, _, rest = (folder / "stat").read_text("utf-8", "replace").rpartition(")")
    state, parent = rest.split()[:2]
    return name.partition("(")[2], state, parent


def _from_ps() -> Iterator[Row]:
    listing = subprocess.run(
        ["ps", "-ww", "-eo", "pid=,ppid=,stat=,comm=,args="], check=True, capture_output=True, text=True
    )
    for line in listing.stdout.splitlines():
        pid, parent, state, name, command = line.split(None, 4)
        yield int(pid), int(parent), state, f"{command} [{name}]"


def are_gone(pids: Iterable[int]) -> bool:
    """Return whether each of these processes has ended, as cheaply as it can be asked again and again."""
    return not any(_lives(pid) for pid in pids)


def _lives(pid: int) -> bool:
    if not (PROC / "self" / "stat").exists():
        return pid in living()
    try:
        _, state, _ = _stat(PROC / str(pid))
    except OSError:
        return False
    return not state.startswith("Z")


def descendants(root: int) -> dict[int, str]:
    """Return the living children of *root*, theirs, and so on, each with its command line."""
    table, edge = living(), {root}
    found: dict[int, str] = {}
    while edge:
        edge = {pid for pid, (parent, _) in table.items() if parent in edge}
        found |= {pid: table[pid][1] for pid in edge}
    return found
