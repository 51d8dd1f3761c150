"""The reference server: a bare Flask application on granian's WSGI with 32 threads, in one process.

``python -m benchmarks.hello PORT``. This server never changes, so that releases can be compared with it.
"""

import sys

from flask import Flask
from granian import Granian
from granian.constants import Interfaces
from granian.log import LogLevels


def application() -> Flask:
    """Return the application."""
    app = Flask(__name__, static_folder=None)

    @app.get("/hello")
    def hello() -> dict[str, str]:
        return {"hello": "world"}

    return app


def main() -> None:
    """Serve until terminated."""
    Granian(
        "benchmarks.hello:application",
        address="127.0.0.1",
        port=int(sys.argv[1]),
        interface=Interfaces.WSGI,
        workers=1,
        blocking_threads=32,
        factory=True,
        websockets=False,
        log_level=LogLevels.error,
        log_access=False,
    ).serve()


if __name__ == "__main__":
    main()
