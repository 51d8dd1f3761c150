"""A server that speaks TLS, before one that doesn't."""

import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Thread

OPENSSL = shutil.which("openssl")


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
def tls_before(port: int, cert: Path, key: Path) -> Iterator[int]:
    """Listen on a port, speak TLS there, and hand everything on to another *port* of this machine."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        Thread(target=_accept, args=(listener, context, port), daemon=True).start()
        yield listener.getsockname()[1]


def _accept(listener: socket.socket, context: ssl.SSLContext, port: int) -> None:
    with suppress(OSError):
        while True:
            raw, _ = listener.accept()
            Thread(target=_serve, args=(raw, context, port), daemon=True).start()


def _serve(raw: socket.socket, context: ssl.SSLContext, port: int) -> None:
    """Answer one connection until either side ends it: a question, then its answer, and so on."""
    with (
        raw,
        suppress(OSError),
        context.wrap_socket(raw, server_side=True) as client,
        socket.create_connection(("127.0.0.1", port)) as server,
    ):
        while question := client.recv(65_536):
            server.sendall(question)
            client.sendall(server.recv(65_536))
