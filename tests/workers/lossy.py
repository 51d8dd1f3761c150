"""A line that breaks at the worst moment: between a commit and its answer."""

import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event

from redis import Redis

from tests.store_line import CHUNK, StoreLine
from workers.storage.commands import NOW_SCRIPT, script
from workers.storage.commit_arguments import SCRIPT_NAMES

COMMIT = script(Redis(), "commit.lua", SCRIPT_NAMES + NOW_SCRIPT).sha.encode()
"""How the script of a commit is called."""


class LossyLine(StoreLine):
    """A proxy that, once told to, carries a commit and swallows the answer."""

    def __init__(self, server_url: str, folder: Path) -> None:
        super().__init__(server_url, folder)
        self.lose = Event()
        self.meanwhile: Callable[[], object] = lambda: None
        """What happens elsewhere between the commit and the loss of its answer."""

    def carry(self, client: socket.socket) -> None:
        """Carry one question there and its answer back, until either end hangs up."""
        with client, socket.socket(socket.AF_UNIX) as server, suppress(OSError):
            server.connect(self.server)
            while question := client.recv(CHUNK):
                server.sendall(question)
                answer = server.recv(CHUNK)
                if COMMIT in question and self.lose.is_set():
                    self.lose.clear()
                    self.meanwhile()
                    return
                client.sendall(answer)
