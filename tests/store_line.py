"""A line before a server on a Unix socket, on a socket of its own: what tests put between a store and its clients."""

import socket
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Final, Self
from urllib.parse import unquote, urlsplit

CHUNK: Final = 1 << 16
WAITING: Final = 128
"""So many clients may wait to be taken."""


class StoreLine(ABC):
    """A proxy before the server at *server_url*; a subclass says how it carries a connection."""

    def __init__(self, server_url: str, folder: Path) -> None:
        self.server = unquote(urlsplit(server_url).path)
        self._path = folder / "line.sock"
        self.url = f"unix://{self._path}"

    @abstractmethod
    def carry(self, client: socket.socket) -> None:
        """Carry one connection until either end hangs up, in a thread of its own."""

    @contextmanager
    def open(self) -> Iterator[Self]:
        """Carry connections as long as the block runs."""
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(str(self._path))
            door.listen(WAITING)
            Thread(target=self._serve, args=(door,), daemon=True).start()
            try:
                yield self
            finally:
                door.shutdown(socket.SHUT_RDWR)

    def _serve(self, door: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = door.accept()
                Thread(target=self.carry, args=(client,), daemon=True).start()
