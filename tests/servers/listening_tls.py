"""A server that speaks TLS, before one that doesn't."""

import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from select import select
from threading import Thread

OPENSSL = shutil.which("openssl")
NONE_MOVED: Mapping[int, int] = {}


def certificate(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1 that nobody has signed; return it and its key."""
    folder.mkdir(parents=True, exist_ok=True)
    cert, key = folder / "cert.pem", folder / "key.pem"
    wishes = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-subj", "/CN=regicide", "-days", "2"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1"]
    assert OPENSSL is not None
    subprocess.run(
        [OPENSSL, "req", "-x509", "-nodes", *wishes, *names, "-keyout", str(key), "-out", str(cert)],
        check=True,
        capture_output=True,
    )
    return cert, key


@contextmanager
def tls_before(
    port: int, cert: Path, key: Path, moved: Mapping[int, int] = NONE_MOVED, clients: Path | None = None
) -> Iterator[int]:
    """Listen on a port, speak TLS there, and hand everything on to another *port* of this machine.

    In answers each port of *moved* is replaced by the other: a server that tells where others are names those that
    speak TLS. Both have as many digits. *clients*: by which certificate clients are trusted, if they must have one.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    if clients is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(clients)
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        Thread(target=_accept, args=(listener, context, port, moved), daemon=True).start()
        yield listener.getsockname()[1]


def _accept(listener: socket.socket, context: ssl.SSLContext, port: int, moved: Mapping[int, int]) -> None:
    with suppress(OSError):
        while True:
            raw, _ = listener.accept()
            Thread(target=_serve, args=(raw, context, port, moved), daemon=True).start()


def _serve(raw: socket.socket, context: ssl.SSLContext, port: int, moved: Mapping[int, int]) -> None:
    """Hand on what either side of one connection says, until one of them ends it."""
    with (
        raw,
        suppress(OSError),
        context.wrap_socket(raw, server_side=True) as client,
        socket.create_connection(("127.0.0.1", port)) as server,
    ):
        while True:
            heard = [client] if client.pending() else select([client, server], [], [])[0]
            for side in heard:
                said = side.recv(65_536)
                if not said:
                    return
                if side is client:
                    server.sendall(said)
                else:
                    client.sendall(_with_ports(said, moved))


def _with_ports(answer: bytes, moved: Mapping[int, int]) -> bytes:
    for there, here in moved.items():
        answer = answer.replace(str(there).encode(), str(here).encode())
    return answer
