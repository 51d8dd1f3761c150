"""Whether the client at the other end of a connection is still there.

A client that closes its connection sends a FIN, and one that only has no more to send does so too. Who has closed it
answers the next byte with a reset, who hasn't acknowledges it: so ``PROBE`` is sent, with which any response begins.
Where there is no ``POLLRDHUP``, as on macOS, only resets are noticed before a request is begun. Who reads the probe
after its FIN and closes then sends nothing more that says so: it is noticed when the response is written.
"""

import fcntl
import os
import select
import termios
from contextlib import suppress
from enum import Enum
from typing import Final

PROBE: Final = b"HTTP/1.1 "
PROBE_SECONDS: Final = 0.02
"""Between two looks whether it was acknowledged."""
FIN: Final = getattr(select, "POLLRDHUP", 0)
RESET: Final = select.POLLHUP | select.POLLERR | select.POLLNVAL


class Presence(Enum):
    """What is known of a client."""

    HERE = 0
    """It can send and read, or has acknowledged the probe."""
    UNKNOWN = 1
    """It has sent FIN."""
    GONE = 2


class Peer:
    """The other end of a socket."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._poll = select.poll()
        self._poll.register(descriptor, FIN)
        self._probed = 0

    def presence(self) -> Presence:
        """Return what can be known at once, in half a microsecond."""
        for _, events in self._poll.poll(0):
            return Presence.GONE if events & RESET else Presence.UNKNOWN
        return Presence.HERE

    def probe(self) -> Presence:
        """Send what of the probe isn't sent; return what is known now, of a client on this machine always enough.

        Nothing else may wait to be written.
        """
        with suppress(BlockingIOError, ConnectionError):
            self._probed += os.write(self._descriptor, PROBE[self._probed :])
        presence = self.presence()
        if presence is not Presence.UNKNOWN:
            return presence
        unacknowledged = int.from_bytes(fcntl.ioctl(self._descriptor, termios.TIOCOUTQ, bytes(4)), "little")
        return Presence.UNKNOWN if unacknowledged or self._probed < len(PROBE) else Presence.HERE

    def unsent(self, head: bytes) -> bytes:
        """Return what is still to be sent of a response's *head*."""
        sent, self._probed = self._probed, 0
        return head[sent:]
