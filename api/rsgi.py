"""The RSGI application: Flask answers each request in a greenlet of the event loop; streams go on without one.

The web server speaks RSGI with us, on one event loop. Threads would hand the interpreter's lock from one to the other
at each question to the storage, which costs more than the answers do; greenlets change places on one thread
(``workers.greenlets``). The loop writes to a thousand streams in one go.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from io import BytesIO
from typing import Any, Final, Protocol

from flask import Flask
from granian.rsgi import HTTPProtocol, ProtocolClosed, Scope  # type: ignore[attr-defined]  # not said to be public

from workers.greenlets import THREADS, Task

FLOOD: Final = 1 << 20
"""Of a body that is larger than anything that we take, so much is read; then it is left."""

Headers = list[tuple[str, str]]
Answer = tuple[int, Headers, "bytes | Live"]


class Live(Protocol):
    """The body of an answer that goes on while things happen."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield what is sent."""

    def close(self) -> None:
        """Stop: nobody reads any more."""


class RsgiApp:
    """The application as the web server calls it; *end* lets all streams go."""

    def __init__(self, app: Flask, end: Callable[[], None]) -> None:
        self._app = app
        self._end = end

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let streams go when we are asked to end: the web server waits for them before it stops."""
        loop.add_signal_handler(signal.SIGTERM, self._stop)

    async def __rsgi__(self, scope: Scope, protocol: HTTPProtocol) -> None:
        """Answer a request."""
        sent = await _body(scope, protocol)
        status, headers, body = await Task(lambda: self._answer(scope, sent)).result()
        if isinstance(body, bytes):
            protocol.response_bytes(status, headers, body)
        else:
            await _send_stream(protocol, status, headers, body)

    def _answer(self, scope: Scope, sent: bytes) -> Answer:
        """Ask Flask, as PEP 3333 has it."""
        begun: list[tuple[int, Headers]] = []
        written: list[bytes] = []

        def start(status: str, headers: Headers, _exc_info: object = None) -> Callable[[bytes], None]:
            begun.append((int(status.partition(" ")[0]), headers))
            return written.append

        body: Any = self._app(_environ(scope, sent), start)
        if hasattr(body, "__aiter__"):
            return *begun[-1], body
        try:
            written.extend(body)
        finally:
            body.close()
        return *begun[-1], b"".join(written)

    def _stop(self) -> None:
        """End the streams, and leave the rest to the web server, which listens for SIGINT too."""
        THREADS.submit(self._end)
        os.kill(os.getpid(), signal.SIGINT)


async def _send_stream(protocol: HTTPProtocol, status: int, headers: Headers, live: Live) -> None:
    """Send what happens until it ends or the client has gone."""
    try:
        with suppress(ProtocolClosed):
            response = protocol.response_stream(status, headers)
            async for text in live:
                await response.send_bytes(text)
    finally:
        live.close()


async def _body(scope: Scope, protocol: HTTPProtocol) -> bytes:
    """Read the request's body, if it has one."""
    if "content-length" not in scope.headers and "transfer-encoding" not in scope.headers and scope.http_version < "2":
        return b""
    chunks: list[bytes] = []
    size = 0
    async for chunk in protocol:
        chunks.append(chunk)
        size += len(chunk)
        if size > FLOOD or not chunk:
            break
    return b"".join(chunks)


def _environ(scope: Scope, body: bytes) -> dict[str, Any]:
    """Return the request as PEP 3333 has it.

    A name with an underscore would pass for one with a hyphen, and overrule what a proxy of ours has said: it is left
    out, as web servers do.
    """
    name, port = _address(scope.server)
    every = scope.headers.get_all  # type: ignore[attr-defined]  # forgotten in its types
    headers = {key: ",".join(every(key)) for key in scope.headers.keys() if "_" not in key}  # noqa: SIM118  no dict
    environ = {f"HTTP_{key.upper().replace('-', '_')}": value for key, value in headers.items()}
    for key in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if f"HTTP_{key}" in environ:
            environ[key] = environ.pop(f"HTTP_{key}")
    environ.setdefault("HTTP_HOST", scope.authority or "")
    return {
        **environ,
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode("utf-8", "surrogateescape").decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_NAME": name,
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": _address(scope.client)[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": BytesIO(body),
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }


def _address(text: str) -> tuple[str, str]:
    """Return host and port of ``127.0.0.1:8000`` or ``[::1]:8000``."""
    host, _, port = text.rpartition(":")
    return host.strip("[]"), port
