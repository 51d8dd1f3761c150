"""Ports for the servers of tests: each process that runs tests holds a range of its own.

All lie below those that the system gives out by itself. A range is held by listening on its first port for as long as
the process lives, so that suites that run at once, on one machine, never share one.
"""

import socket
from contextlib import closing
from functools import cache
from itertools import cycle
from typing import Final

FIRST: Final = 12_000
BEYOND: Final = 32_000
EACH: Final = 400
"""So many has each process."""


@cache
def _held() -> tuple[socket.socket, "cycle[int]"]:
    """Take the first range that no other process holds; return what holds it, and its ports in turn.

    Raises:
        RuntimeError: when fifty processes hold all of them.
    """
    for first in range(FIRST, BEYOND, EACH):
        holder = socket.socket()
        try:
            holder.bind(("127.0.0.1", first))
            holder.listen()
        except OSError:
            holder.close()
        else:
            return holder, cycle(range(first + 1, first + EACH))
    message = "every range of ports is held by a process that runs tests"
    raise RuntimeError(message)


def free_port() -> int:
    """Return a port of this machine that nobody listens on, and that this process hasn't been given for long."""
    _, ports = _held()
    return next(port for port in ports if _is_free(port))


def _is_free(port: int) -> bool:
    with closing(socket.socket()) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
