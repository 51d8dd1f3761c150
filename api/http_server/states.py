"""The states of a connection, and all that follows from each.

::

    NEW ---> READING_HEAD ---> HANDLING <---> READING_BODY
                  ^   ^         |  ^  |
                  |   |         |  |  +-----> STREAMING <---> WRITING
                  |   |         |  |
                  |   +- IDLE <-+  +--------- PROBING
                  |             |
                  +-------------+-----> DISCARDING, WRITING ---> LINGERING ---> CLOSED
"""

from enum import Enum


class Eviction(Enum):
    """When a connection is closed to make room for another."""

    FIRST = 0
    """It waits for a request."""
    SECOND = 1
    """It waits for the client to finish what it has begun: to send a body, or to read a response."""
    NEVER = 2
    """The client waits for us."""


class State(Enum):
    """What a connection does: number, field of ``Timeouts`` that ends it, eviction, whether a shutdown ends it."""

    NEW = 0, "first_request", Eviction.FIRST, True
    """Nothing was sent yet."""
    READING_HEAD = 1, "head", Eviction.FIRST, True
    PROBING = 2, "write", Eviction.SECOND, True
    """A request is there, and the client's FIN: it may have left (``peer.Peer``)."""
    HANDLING = 3, None, Eviction.NEVER, False
    """The application works on a request."""
    READING_BODY = 4, "body", Eviction.SECOND, False
    """The application waits for the body."""
    STREAMING = 5, None, Eviction.NEVER, False
    """A response is sent as things happen."""
    WRITING = 6, "write", Eviction.SECOND, True
    """The client has yet to read what was written, before anything else is."""
    DISCARDING = 7, "body", Eviction.SECOND, True
    """The response is written; what is left of the request's body is dropped."""
    IDLE = 8, "keep_alive", Eviction.FIRST, True
    LINGERING = 9, "linger", Eviction.SECOND, False
    """The last response is written; what still comes is dropped."""
    CLOSED = 10, None, Eviction.NEVER, False

    def __init__(self, _number: int, timeout: str | None, eviction: Eviction, ends_at_shutdown: bool) -> None:  # noqa: FBT001  a row of a table
        self.timeout = timeout
        self.eviction = eviction
        self.ends_at_shutdown = ends_at_shutdown
