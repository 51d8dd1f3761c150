"""Ports for the servers of tests: each process that runs tests has a range of its own.

All lie below those that the system gives out by itself. Of those another process may take one in the moment between
the question which is free and the start of the server.
"""

import os
import socket
from contextlib import closing
from itertools import cycle
from typing import Final

FIRST: Final = 12_000
EACH: Final = 1_000
"""So many has each process."""

_place = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_next = cycle(range(FIRST + _place * EACH, FIRST + (_place + 1) * EACH))


def free_port() -> int:
    """Return a port of this machine that nobody listens on, and that this process hasn't been given for long."""
    return next(port for port in _next if _is_free(port))


def _is_free(port: int) -> bool:
    with closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
