"""What one client may take: bytes of a request, seconds for each step, and connections."""

from typing import Final, NamedTuple

MAX_TARGET_BYTES: Final = 8 * 1024
MAX_HEAD_BYTES: Final = 32 * 1024
MAX_HEADERS: Final = 100
MAX_CHUNK_OVERHEAD_BYTES: Final = 4 * 1024  # extensions and trailers, which are read and ignored (RFC 9112, 7.1.1)
MAX_PIPELINED_REQUESTS: Final = 64  # that a client may send before the response to the first of them
MAX_DISCARDED_BYTES: Final = 16 << 20  # of a body, read and dropped so that its client comes to read the response
MAX_BUFFERED_BODY_BYTES: Final = 64 << 20  # of all bodies that are received and not read yet, in a process
MIN_BODY_BYTES_PER_SECOND: Final = 1_000  # who sends a body faster is waited for
PROTECTED_CONNECTIONS: Final = 8  # a client with fewer is never evicted for another
PROTECTED_SITE_CONNECTIONS: Final = 64  # the same for all IPv6 networks of one /48, which one customer may have


class Timeouts(NamedTuple):
    """Seconds that a connection may spend in a state (``states.State``)."""

    first_request: float = 30.0
    keep_alive: float = 75.0  # between two requests; proxies keep theirs for a minute
    head: float = 15.0
    body: float = 15.0  # below ``MIN_BODY_BYTES_PER_SECOND``
    write: float = 30.0  # until the client reads what was written to it
    linger: float = 2.0  # as ``body``: an immediate close would lose the last response to who still sends


class ConnectionLimits(NamedTuple):
    """How much a process accepts."""

    connections: int
    per_client: int  # of one IPv4 address, IPv6 /64, or IPv6 /48
    reserved: int  # of all, those that only a client with fewer than ``PROTECTED_CONNECTIONS`` may open
    body: int  # bytes of one body
    timeouts: Timeouts = Timeouts()
