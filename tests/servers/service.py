"""A server under a service manager: ``regicide serve``, started again whenever it ends, and what is done to it."""

import os
import signal
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Final

from tests.ports import free_port
from tests.processes import descendants, living
from tests.servers.served import COMMAND, END_SECONDS, TRACED, ending
from tests.waiting import comes_true
from tests.without_rich import without_rich

ROOT: Final = Path(__file__).parents[2]
START_SECONDS: Final = 60.0
QUIET: Final = {"REGICIDE_LOG_LEVEL": "error", "REGICIDE_RATE_CREATE": "0", "REGICIDE_RATE_REQUESTS": "0"}


def command(checkout: Path) -> Sequence[str]:
    """Return the command of a checkout; versions from before ``api.commands`` run in their own environment."""
    if (checkout / "api" / "commands").exists():
        return COMMAND
    return str(checkout / ".venv" / "bin" / "python"), "-m", "api.cli"


class Service:
    """``regicide serve`` of some checkout, started again whenever it ends, as a service manager would."""

    def __init__(self, folder: Path, environ: Mapping[str, str], *checkouts: Path) -> None:
        self.port = free_port()
        self.checkouts = checkouts or (ROOT,)
        self._turn = 0
        self._environ = {
            **os.environ,
            **QUIET,
            **TRACED,
            **environ,
            "PORT": str(self.port),
            "REGICIDE_DATA": str(folder),
        }
        self._log = folder.parent / f"{folder.name}.log"
        self._ending = Event()
        self._changing = Lock()
        self._process = self._start()
        self._thread = Thread(target=self._keep, daemon=True)
        self._thread.start()
        if not comes_true(self.listens, START_SECONDS):
            raise RuntimeError(f"It doesn't start: {self._log.read_text()[-2000:]}")

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def family(self, word: str = "") -> list[int]:
        """Return its processes with *word* in their command line, and their descendants; all without one."""
        family = descendants(self._process.pid)
        if not word:
            return [self._process.pid, *family]
        found = [pid for pid, command in family.items() if word in command]
        return sorted({*found, *[pid for one in found for pid in descendants(one)]})

    def leaves(self, word: str) -> list[int]:
        """Return those of such processes that have no children: the ones that do the work."""
        parents = {parent for parent, _ in living().values()}
        return [pid for pid in self.family(word) if pid not in parents]

    def supervisor(self) -> list[int]:
        """Return the process that watches over the others."""
        return [self._process.pid]

    def roll(self) -> None:
        """End well, and start again as the next version."""
        self._turn += 1
        self._process.terminate()
        comes_true(lambda: not self.listens(), START_SECONDS)
        comes_true(self.listens, START_SECONDS)

    def exchange(self, end: Callable[[list[int]], None]) -> None:
        """Let *end* do away with all of its processes at once, and start again as the next version."""
        with self._changing:
            self._turn += 1
            end(self.family())

    def end(self) -> None:
        """End for good."""
        with self._changing:  # none is being started; none is from now on
            self._ending.set()
        with ending(self._process, self._log):
            pass
        self._thread.join(END_SECONDS)

    def _start(self) -> "subprocess.Popen[bytes]":
        checkout = self.checkouts[self._turn % len(self.checkouts)]
        path = os.pathsep.join(map(str, [checkout / "build" / "compiled", checkout]))
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [*command(checkout), "serve"],
                env=without_rich({**self._environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}),
                cwd=checkout,
                stdout=log,
                stderr=log,
            )

    def _keep(self) -> None:
        while True:
            self._process.wait()
            with self._changing:
                if self._ending.is_set():
                    return
                self._process = self._start()

    def listens(self) -> bool:
        """Return whether somebody takes connections there."""
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            return True
        return False


def kill(pids: list[int]) -> None:
    """Kill them, whatever they are doing."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def stop_for_a_while(pids: list[int], seconds: float) -> None:
    """Let them stand still."""
    for number in (signal.SIGSTOP, signal.SIGCONT):
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        if number == signal.SIGSTOP:
            Event().wait(seconds)


def store_of(service: Service) -> str:
    """Return the URL of the store that it has started."""
    for pid in service.family("-m api"):
        with suppress(OSError):
            for variable in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                if variable.startswith(b"REDIS_URL="):
                    return variable.partition(b"=")[2].decode()
    return "unix:///nowhere"
