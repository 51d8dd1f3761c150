"""The web process: ``python -m api`` serves ``api.hosting.application`` by granian. ``regicide serve`` starts it."""

import gc
import os
import resource
import sys
from contextlib import closing, suppress
from typing import Final

from granian import Granian
from granian.constants import Interfaces
from granian.log import LogLevels

import api.hosting  # noqa: F401  the web processes, which granian forks of this one, share its memory
from workers.processes.supervisor import exit_with_supervisor
from workers.settings import CannotStart, Settings
from workers.storage.checks import check_stores
from workers.storage.errors import StorageUnavailable
from workers.storage.store import open_store

IDLE_CONNECTIONS: Final = 1_024
"""So many connections may be open beside those of streams."""

OTHER_FILES: Final = 256
KILL_SECONDS: Final = 5
"""How long requests in flight may take to end when the server is asked to stop."""


def main() -> None:
    """Serve by the settings in the environment until SIGTERM."""
    settings = Settings.from_environment(os.environ)
    exit_with_supervisor()
    check_stores(settings)
    with closing(open_store(settings)) as store, suppress(StorageUnavailable):  # it may come later
        store.settle()
    gc.collect()
    gc.freeze()  # whoever looks through it again writes to it, and shares it no more with those who are forked
    connections = settings.streams + IDLE_CONNECTIONS
    _allow_open_files(connections + OTHER_FILES)
    Granian(
        "api.hosting:application",
        factory=True,
        address=settings.host,
        port=settings.port,
        interface=Interfaces.RSGI,
        workers=settings.web_workers,
        backpressure=connections,
        websockets=False,
        respawn_failed_workers=True,
        respawn_interval=0.1,
        workers_kill_timeout=KILL_SECONDS,
        log_level=LogLevels.error,
        log_access=False,
    ).serve()


def _allow_open_files(count: int) -> None:
    """Let this process and its children have so many files and connections open, as far as the system lets us."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < count:
        allowed = count if hard == resource.RLIM_INFINITY else min(count, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


if __name__ == "__main__":
    try:
        main()
    except CannotStart as reason:
        sys.stderr.write(f"{reason}\n")
        sys.exit(reason.status)
