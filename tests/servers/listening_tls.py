"""A server that speaks TLS, before one that doesn't."""

import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from threading import Thread

OPENSSL = shutil.which("openssl")
NONE_MOVED: Mapping[int, int] = {}


def certificate(folder: Path, signer: Path | None = None) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1, which that of the folder *signer* signs, or itself; return it and its key."""
    folder.mkdir(parents=True, exist_ok=True)
    cert, key = folder / "cert.pem", folder / "key.pem"
    wishes = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-subj", f"/CN={folder.name}", "-days", "2"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1"]
    signed = [] if signer is None else ["-CA", str(signer / "cert.pem"), "-CAkey", str(signer / "key.pem")]
    assert OPENSSL is not None
    subprocess.run(
        [OPENSSL, "req", "-x509", "-nodes", *wishes, *names, *signed, "-keyout", str(key), "-out", str(cert)],
        check=True,
        capture_output=True,
    )
    return cert, key


@dataclass
class Front:
    """A port that speaks TLS and hands everything on to another *port* of this machine.

    In answers each port of *moved* is replaced by the other: a server that tells where others are names those that
    speak TLS. Both have as many digits.
    """

    port: int
    moved: Mapping[int, int] = field(default_factory=lambda: NONE_MOVED)
    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    _context: ssl.SSLContext | None = None
    _clients: set[socket.socket] = field(default_factory=set)
    _drops: int = 0
    """How often all connections were ended."""

    @property
    def own_port(self) -> int:
        """Where it listens."""
        number: int = self.listener.getsockname()[1]
        return number

    def show(self, cert: Path, key: Path, clients: Path | None = None) -> None:
        """Show a certificate from now on, to who connects anew; *clients*: by which clients are trusted, if any are."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        if clients is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(clients)
        self._context = context

    def drop(self) -> None:
        """End all connections, as a server does that is started again; also those that were only just accepted."""
        self._drops += 1
        for one in list(self._clients):
            with suppress(OSError):
                socket.socket.shutdown(one, socket.SHUT_RDWR)  # SSLSocket's would let go of what other threads use

    def accept(self) -> None:
        """Take connections until the listener is closed."""
        with suppress(OSError):
            while True:
                raw, _ = self.listener.accept()
                Thread(target=self._serve, args=(raw, self._drops), daemon=True).start()

    def _serve(self, raw: socket.socket, drops: int) -> None:
        """Hand on what either side of one connection says, until one of them ends it.

        *drops*: how often connections had been ended when this one was accepted.
        """
        assert self._context is not None
        with raw, suppress(OSError), self._context.wrap_socket(raw, True, do_handshake_on_connect=False) as client:
            self._clients.add(client)
            try:
                if drops == self._drops:
                    client.do_handshake()
                    with socket.create_connection(("127.0.0.1", self.port)) as server:
                        self._release(client, server)
            finally:
                self._clients.discard(client)

    def _release(self, client: ssl.SSLSocket, server: socket.socket) -> None:
        while True:
            heard = [client] if client.pending() else select([client, server], [], [])[0]
            for side in heard:
                said = side.recv(65_536)
                if not said:
                    return
                if side is client:
                    server.sendall(said)
                else:
                    client.sendall(_with_ports(said, self.moved))


@contextmanager
def fronted(front: Front) -> Iterator[Front]:
    """Let a front that shows a certificate listen."""
    with closing(front.listener):
        Thread(target=front.accept, daemon=True).start()
        yield front


@contextmanager
def tls_before(
    port: int, cert: Path, key: Path, moved: Mapping[int, int] = NONE_MOVED, clients: Path | None = None
) -> Iterator[int]:
    """Listen on a port before another one, and show one certificate there (``Front``)."""
    front = Front(port, moved)
    front.show(cert, key, clients)
    with fronted(front):
        yield front.own_port


def _with_ports(answer: bytes, moved: Mapping[int, int]) -> bytes:
    for there, here in moved.items():
        answer = answer.replace(str(there).encode(), str(here).encode())
    return answer
