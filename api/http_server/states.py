"""The states of a connection, with their timeouts and whether a connection may be evicted in them.

::

    ACCEPTED -> NEW -> READING_HEAD -> [PROBING] -> HANDLING <-> READING_BODY
                         ^     ^                     |    +----> STREAMING <-> STALLED
                        IDLE <-+-- [DISCARDING] <- WRITING <-------+
                                                     +-> LINGERING -> CLOSED

A state in brackets is skipped if there is nothing to probe or to discard.
"""

from enum import Enum
from typing import Final


class Eviction(Enum):
    """Eviction classes: ``FIRST`` connections are closed before ``SECOND`` ones to make room for other clients."""

    FIRST = 0  # the connection waits for a request
    SECOND = 1  # the connection waits for the client to send a body or read a response
    NEVER = 2  # the client waits for the server

    __hash__ = object.__hash__  # faster than the hash of the name, which ``Enum`` uses


class State(Enum):
    """State of a connection.

    Each value is a number, the field of ``limits.Timeouts`` with the state's time limit ("" for no limit), and an
    eviction class.
    """

    ACCEPTED = 0, "", Eviction.NEVER  # the connection is not yet attached to the event loop
    NEW = 1, "first_request", Eviction.FIRST
    READING_HEAD = 2, "head", Eviction.FIRST
    PROBING = 3, "write", Eviction.FIRST  # the request is complete, but its client may have left (``Peer.has_left``)
    HANDLING = 4, "", Eviction.NEVER  # the application handles a request
    READING_BODY = 5, "body", Eviction.SECOND  # the application waits for the body
    STREAMING = 6, "", Eviction.NEVER  # a live response is being sent
    STALLED = 7, "write", Eviction.SECOND  # a live response waits for the client to read
    WRITING = 8, "write", Eviction.SECOND  # the response is written but not completely sent
    DISCARDING = 9, "body", Eviction.SECOND  # the rest of the request's body is discarded
    IDLE = 10, "keep_alive", Eviction.FIRST
    LINGERING = 11, "linger", Eviction.SECOND  # writing has ended, and received bytes are discarded
    CLOSED = 12, "", Eviction.NEVER

    __hash__ = object.__hash__  # faster than the hash of the name, which ``Enum`` uses

    def __init__(self, _number: int, timeout: str, eviction: Eviction) -> None:
        self.timeout = timeout
        self.eviction = eviction


STATES_BETWEEN_RESPONSES: Final = frozenset(
    (State.NEW, State.READING_HEAD, State.PROBING, State.WRITING, State.DISCARDING, State.IDLE, State.LINGERING)
)
"""States in which the application is not running. What the client sends or reads determines the next state."""
STATES_RECEIVING_BODY: Final = frozenset((State.READING_BODY, State.DISCARDING, State.LINGERING))
"""States whose deadline is extended while a body arrives."""
