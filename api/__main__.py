"""The web process: ``python -m api`` serves ``api.app`` by granian. ``regicide serve`` starts and keeps it."""

import os
import sys
from typing import Final

from granian import Granian
from granian.constants import Interfaces
from granian.log import LogLevels

from workers.kept import end_with_keeper
from workers.settings import CannotStart, Settings

KILL_SECONDS: Final = 5
"""How long requests in flight may take to end when the server is told to stop."""


def main() -> None:
    """Serve by the settings in the environment until SIGTERM."""
    settings = Settings.from_environment(os.environ)
    end_with_keeper()
    Granian(
        "api.hosting:application",
        factory=True,
        address=settings.host,
        port=settings.port,
        interface=Interfaces.WSGI,
        workers=1,
        blocking_threads=settings.threads,
        websockets=False,
        respawn_failed_workers=True,
        respawn_interval=0.1,
        workers_kill_timeout=KILL_SECONDS,
        log_level=LogLevels.error,
        log_access=False,
    ).serve()


if __name__ == "__main__":
    try:
        main()
    except CannotStart as reason:
        sys.exit(str(reason))
