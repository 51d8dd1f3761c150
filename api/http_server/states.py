"""The states of a connection, and what follows from each: when it times out, and whether it makes room for others.

::

    ACCEPTED -> NEW -> READING_HEAD -> [PROBING] -> HANDLING <-> READING_BODY
                         ^     ^                     |    +----> STREAMING <-> STALLED
                        IDLE <-+-- [DISCARDING] <- WRITING <-------+
                                                     +-> LINGERING -> CLOSED
"""

from enum import Enum
from typing import Final


class Eviction(Enum):
    """When a connection is closed to make room for another."""

    FIRST = 0  # it waits for a request
    SECOND = 1  # it waits for the client to finish what it has begun: to send a body, or to read a response
    NEVER = 2  # the client waits for us

    __hash__ = object.__hash__  # quicker than that of a name


class State(Enum):
    """What a connection does: number, field of ``limits.Timeouts`` that ends it, eviction."""

    ACCEPTED = 0, "", Eviction.NEVER  # the event loop doesn't read it yet
    NEW = 1, "first_request", Eviction.FIRST
    READING_HEAD = 2, "head", Eviction.FIRST
    PROBING = 3, "write", Eviction.FIRST  # a request is there, but its client may have left (``peer.Peer``)
    HANDLING = 4, "", Eviction.NEVER  # the application works on a request
    READING_BODY = 5, "body", Eviction.SECOND  # the application waits for the body
    STREAMING = 6, "", Eviction.NEVER  # a response is sent as things happen
    STALLED = 7, "write", Eviction.SECOND  # the same, while the client doesn't read it
    WRITING = 8, "write", Eviction.SECOND  # a response is written, and the client has yet to read it
    DISCARDING = 9, "body", Eviction.SECOND  # what is left of the request's body is dropped
    IDLE = 10, "keep_alive", Eviction.FIRST
    LINGERING = 11, "linger", Eviction.SECOND  # no more is written; what still comes is dropped
    CLOSED = 12, "", Eviction.NEVER

    __hash__ = object.__hash__  # quicker than that of a name

    def __init__(self, _number: int, timeout: str, eviction: Eviction) -> None:
        self.timeout = timeout
        self.eviction = eviction


BETWEEN: Final = frozenset(
    (State.NEW, State.READING_HEAD, State.PROBING, State.WRITING, State.DISCARDING, State.IDLE, State.LINGERING)
)
"""No response is made: what comes next depends on what comes."""
RECEIVING: Final = frozenset((State.READING_BODY, State.DISCARDING, State.LINGERING))
"""They last longer while enough of a body comes."""
