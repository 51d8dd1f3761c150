"""What one client may take: so much in one request, so long for each thing, and so many connections."""

from typing import Final, NamedTuple, Protocol

from api.http_server.answers import Application
from workers.greenlets import Crew

MOST_OF_TARGET: Final = 8 * 1024
MOST_OF_HEAD: Final = 32 * 1024
MOST_HEADERS: Final = 100
MOST_AHEAD: Final = 64
"""So many requests a client may send before the answer to the first of them."""
FLOOD: Final = 1 << 20
"""Of a body that nobody reads, so many bytes are thrown away; then the connection ends."""


class Deadlines(NamedTuple):
    """How many seconds each thing may take."""

    silent: float = 30.0
    """Until something is asked on a new connection."""
    idle: float = 75.0
    """Until something else is; proxies keep theirs for a minute."""
    head: float = 15.0
    body: float = 15.0
    unread: float = 30.0
    """So long a client may leave unread what was written to it."""
    linger: float = 2.0
    """After the last answer: who still sends would lose it if the connection ended at once (RFC 9112, 9.6)."""


class Guest(Protocol):
    """A connection, as who listens knows it."""

    share: "Share"

    def look(self, now: float) -> None:
        """End what has taken too long, by the loop's time."""

    def end(self) -> None:
        """End at once if nothing is being answered; else with that answer."""

    def give_up(self) -> None:
        """End, to make room."""


class Share:
    """The connections of one network."""

    def __init__(self, network: str) -> None:
        self.network = network
        self.count = 0
        self.idle: dict[Guest, None] = {}
        """Those that wait for their client, the longest first."""

    def give_up_longest(self) -> bool:
        """End the one that has waited longest for its client; False if none does."""
        for connection in self.idle:
            connection.give_up()
            return True
        return False


class House(Protocol):
    """What a connection knows of who listens (``listener.Listener``)."""

    call: Application
    crew: Crew
    """In whose greenlets requests are answered."""
    date: str
    """The line of the head that says what time it is."""
    is_ending: bool
    body_limit: int
    deadlines: Deadlines

    def keep(self, count: int) -> bool:
        """Count bytes of bodies that are kept, negative when they are let go; False if there are too many."""

    def gone(self, connection: Guest) -> None:
        """It has ended."""
