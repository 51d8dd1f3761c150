"""A line that breaks at the worst moment: between a commit and its answer."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Final
from urllib.parse import unquote, urlsplit

CHUNK: Final = 1 << 16


class LossyLine:
    """A proxy before a server on a Unix socket. Once told to, it carries a script's call and swallows the answer."""

    def __init__(self, server_url: str, folder: Path) -> None:
        self._server = unquote(urlsplit(server_url).path)
        self._path = folder / "lossy.sock"
        self.url = f"unix://{self._path}"
        self.lose = Event()
        self.meanwhile: Callable[[], object] = lambda: None
        """What happens elsewhere between the commit and the loss of its answer."""

    @contextmanager
    def open(self) -> Iterator["LossyLine"]:
        """Carry connections as long as the block runs."""
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(str(self._path))
            door.listen()
            Thread(target=self._serve, args=(door,), daemon=True).start()
            try:
                yield self
            finally:
                door.shutdown(socket.SHUT_RDWR)

    def _serve(self, door: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = door.accept()
                Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        """Carry one question there and its answer back, until either end hangs up."""
        with client, socket.socket(socket.AF_UNIX) as server, suppress(OSError):
            server.connect(self._server)
            while question := client.recv(CHUNK):
                server.sendall(question)
                answer = server.recv(CHUNK)
                if b"EVALSHA" in question and self.lose.is_set():
                    self.lose.clear()
                    self.meanwhile()
                    return
                client.sendall(answer)
