"""A whole server under test: ``regicide serve`` as a process, its address, its family."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regicide_client import Player, RegicideClient
from tests.ports import free_port
from tests.processes import descendants
from tests.waiting import comes_true
from tests.without_rich import without_rich

START_SECONDS = 90.0
"""So long a server may need to say where it is, on a machine that has other things to do."""
END_SECONDS = 15.0
COMMAND = (sys.executable, "-m", "api.commands.cli")
INSTALLED = (str(Path(sys.executable).with_name("regicide")),)
"""The command as pip installs it."""

TRACED = {"PYTHONFAULTHANDLER": "1"}
"""What lets a process say where it is when it gets SIGABRT."""

TABLE = [{"kind": "human", "name": "Ana"}, {"kind": "ai", "level": "adept"}, {"kind": "ai", "level": "novice"}]


@dataclass(frozen=True)
class RunningServer:
    """``regicide serve`` as it runs, and where."""

    process: subprocess.Popen[str]
    url: str
    log: Path

    def family(self) -> dict[int, str]:
        """Return every process that descends from it, with its command line."""
        return descendants(self.process.pid)

    def members(self, word: str) -> list[int]:
        """Return the descendants with *word* in their command line, the oldest first."""
        return sorted(pid for pid, command in self.family().items() if word in command)

    def workers(self) -> list[int]:
        """Return the workers, those for people and those for arenas."""
        return self.members("[worker]")

    def stop(self) -> int:
        """Press Ctrl-C, and return how it ended."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(END_SECONDS)

    def client(self) -> RegicideClient:
        """Return a client that bears with a short absence."""
        return RegicideClient(self.url, retry_seconds=10.0)


@contextmanager
def running_server(folder: Path, **environ: str) -> Iterator[RunningServer]:
    """Run a server whose games are in *folder*; end it with the block."""
    with serving(COMMAND, Path.cwd(), folder, environ) as served:
        yield served


@contextmanager
def serving(
    command: Sequence[str], cwd: Path, folder: Path, environ: Mapping[str, str], flags: Sequence[str] = ()
) -> Iterator[RunningServer]:
    """Run a server by a command with *flags* and in a working directory; end it with the block."""
    port, log = int(environ.get("PORT") or free_port()), folder.parent / f"{folder.name}.log"
    settings = {"PORT": str(port), "REGICIDE_DATA": str(folder), "PYTHONUNBUFFERED": "1", **TRACED, **environ}
    with log.open("ab") as errors:
        process = subprocess.Popen(
            [*command, "serve", *flags],
            cwd=cwd,
            env=without_rich({**os.environ, **settings}),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    with ending(process, log):
        line = first_line(process)
        assert f":{port}" in line, f"it said {line!r}; its log: {log.read_text()[-2000:]}"
        yield RunningServer(process, f"http://127.0.0.1:{port}", log)


@contextmanager
def ending(process: "subprocess.Popen[Any]", log: Path | None = None) -> Iterator[None]:
    """Let a process go on while the block runs, and end it then: one that doesn't is killed, and fails the test.

    If it has ``TRACED`` it says before that where it hangs, in its *log*.
    """
    with process:
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(END_SECONDS)
            except subprocess.TimeoutExpired as error:
                process.send_signal(signal.SIGABRT)
                comes_true(lambda: process.poll() is not None, within=2)
                process.kill()
                said = "" if log is None else log.read_text("utf-8")[-4000:]
                raise AssertionError(f"{process.args!r} doesn't end when it is told to; it said: {said}") from error


def first_line(process: "subprocess.Popen[str]") -> str:
    """Return the first line that a process writes to its output; nothing if it writes none in time."""
    assert process.stdout is not None
    readable, _, _ = select.select([process.stdout], [], [], START_SECONDS)
    return process.stdout.readline() if readable else ""


def sit_down(client: RegicideClient) -> Player:
    """Set up a game of three, and return its human."""
    return client.create("regicide", TABLE, client_seed="a server under test").players[0]


def assert_nothing_lost_or_doubled(player: Player, moved: list[int]) -> None:
    """Every version has its events, once and in order, and each move that was answered is where it was answered."""
    versions = [event["version"] for event in player.events()]
    assert versions == sorted(versions)
    assert set(versions) == set(range(player.fetch()["version"] + 1))
    acted = {event["version"] for event in player.events() if event.get("seat") == 0}
    assert set(moved) <= acted
