"""Runs the application on one of the compared servers: ``python -m benchmarks.app_on_other_web_servers uvicorn PORT``.

Each server has one process, uvloop and C parsers where available, and no access log. A bridge from ASGI handles each
request in a greenlet of the server's loop, as our own server does.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from io import BytesIO
from typing import Any, Final

from api.app import create_app
from api.http.services import services
from workers.asyncio_greenlets import GreenletTask
from workers.processes.logs import set_up_logs
from workers.settings import Settings
from workers.storage.store import open_store

APP_IMPORT_STRING: Final = "benchmarks.app_on_other_web_servers:application"
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class Bridge:
    """Adapts our application to ASGI."""

    def __init__(self) -> None:
        settings = Settings.from_environment(os.environ)
        set_up_logs("error")
        app = create_app(settings, open_store(settings))
        self._call: Callable[..., Any] = app
        ledger = services(app).ledger
        threading.Thread(target=ledger.run, args=(threading.Event(),), daemon=True).start()

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Handle one request; refuse the ASGI lifespan protocol."""
        if scope["type"] != "http":
            raise NotImplementedError
        body, is_last = b"", False
        while not is_last:
            event = await receive()
            body, is_last = body + event.get("body", b""), not event.get("more_body", False)
        status, headers, text = await GreenletTask(lambda: self._answer(_environ(scope, body))).result()
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": text})

    def _answer(self, environ: Mapping[str, Any]) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        begun: list[tuple[int, list[tuple[bytes, bytes]]]] = []

        def start(status: str, headers: Iterable[tuple[str, str]], _exc_info: object = None) -> None:
            encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
            begun.append((int(status[:3]), encoded))

        response: Any = self._call(dict(environ), start)
        try:
            text = b"".join(response)
        finally:
            response.close()
        return *begun[-1], text


def _environ(scope: Mapping[str, Any], body: bytes) -> dict[str, Any]:
    """Return a request as a WSGI environment (PEP 3333)."""
    fields = {
        name.decode("latin-1").upper().replace("-", "_"): value.decode("latin-1") for name, value in scope["headers"]
    }
    plain = {name: fields[name] for name in ("CONTENT_TYPE", "CONTENT_LENGTH") if name in fields}
    host, port = scope.get("server") or ("127.0.0.1", 80)
    return {
        **{f"HTTP_{name}": value for name, value in fields.items()},
        **plain,
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": host,
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": (scope.get("client") or ("?",))[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(body),
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }


async def application(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Handle a request with this process's bridge, which is created at the first request."""
    global _bridge  # noqa: PLW0603  servers import a function by its name, and fork before they call it
    if _bridge is None:
        _bridge = Bridge()
    await _bridge(scope, receive, send)


_bridge: Bridge | None = None


def uvicorn(port: int) -> None:
    """Serve by uvicorn."""
    import uvicorn  # noqa: PLC0415  each server is installed only where it is measured

    uvicorn.run(
        APP_IMPORT_STRING,
        port=port,
        loop="uvloop",
        http="httptools",
        lifespan="off",
        access_log=False,
        log_level="error",
    )


def granian(port: int) -> None:
    """Serve by granian, with its own variant of ASGI for Python's loop."""
    from granian import Granian  # noqa: PLC0415
    from granian.constants import Interfaces, Loops  # noqa: PLC0415

    Granian(
        APP_IMPORT_STRING,
        port=port,
        interface=Interfaces.ASGINL,
        loop=Loops.uvloop,
        log_enabled=False,
        websockets=False,
    ).serve()


def gunicorn(port: int) -> None:
    """Serve by gunicorn's ASGI worker."""
    from gunicorn.app.wsgiapp import run  # noqa: PLC0415

    flags = "--worker-class asgi --asgi-loop uvloop --asgi-lifespan off --log-level error --bind"
    sys.argv = ["gunicorn", *flags.split(), f"127.0.0.1:{port}", APP_IMPORT_STRING]
    run()


def hypercorn(port: int) -> None:
    """Serve by hypercorn."""
    import uvloop  # noqa: PLC0415
    from hypercorn.asyncio import serve  # noqa: PLC0415
    from hypercorn.config import Config  # noqa: PLC0415

    config = Config()
    config.bind, config.loglevel = [f"127.0.0.1:{port}"], "ERROR"
    uvloop.run(serve(application, config, mode="asgi", shutdown_trigger=asyncio.Event().wait))


SERVERS: Final = {serve.__name__: serve for serve in (uvicorn, granian, gunicorn, hypercorn)}

if __name__ == "__main__":
    SERVERS[sys.argv[1]](int(sys.argv[2]))
