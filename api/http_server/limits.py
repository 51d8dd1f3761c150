"""Limits for one client: bytes of a request, seconds per state, and connections."""

from typing import Final, NamedTuple

MAX_TARGET_BYTES: Final = 8 * 1024
MAX_HEAD_BYTES: Final = 32 * 1024
MAX_HEADERS: Final = 100
MAX_CHUNK_OVERHEAD_BYTES: Final = 4 * 1024  # per chunk: extensions and trailers, which are ignored (RFC 9112, 7.1.1)
MAX_PIPELINED_REQUESTS: Final = 64  # requests sent before the first of them is answered
MAX_DISCARDED_BYTES: Final = 16 << 20  # of an unread body; if more arrive, the connection is closed
MAX_BUFFERED_BODY_BYTES: Final = 64 << 20  # maximum of all unread bodies of a process
MIN_BODY_BYTES_PER_SECOND: Final = 1_000  # a slower body times out
PROTECTED_CONNECTIONS: Final = 8  # a client with fewer connections than this loses none to another client
PROTECTED_SITE_CONNECTIONS: Final = 64  # an IPv6 /48 with fewer connections than this loses none to another one


class Timeouts(NamedTuple):
    """Seconds that a connection may spend in a state (``states.State``)."""

    first_request: float = 30.0
    keep_alive: float = 75.0  # time to wait for the next request: more than the minute that proxies keep a connection
    head: float = 15.0
    body: float = 15.0  # it is extended while the body arrives at ``MIN_BODY_BYTES_PER_SECOND``
    write: float = 30.0  # time for the client to read what was written
    linger: float = 2.0  # time for the client to read the last response; a close at once could reset the connection


class ConnectionLimits(NamedTuple):
    """Limits of a web process."""

    connections: int
    per_client: int  # maximum for one IPv4 address, one IPv6 /64 or one IPv6 /48
    reserved: int  # so many of ``connections`` are only for clients with fewer than ``PROTECTED_CONNECTIONS``
    body: int  # bytes of one body
    timeouts: Timeouts = Timeouts()
