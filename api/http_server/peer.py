"""Whether the client at the other end of a connection is still there.

A client that closes its connection sends a FIN, and one that only has no more to send does so too. Who has closed it
answers the next byte with a reset, who hasn't acknowledges it: so ``PROBE`` is sent, with which any response begins.
Where there is no ``POLLRDHUP``, as on macOS, only hang-ups and resets are noticed before a request is begun. Who reads
the probe after its FIN, and closes then, sends nothing that says so: it is noticed when the response is written.
"""

import asyncio
import fcntl
import select
import sys
import termios
from typing import Final

PROBE: Final = b"HTTP/1.1 "
PROBE_SECONDS: Final = 0.02  # between two looks whether it was acknowledged
RESET: Final = select.POLLHUP | select.POLLERR | select.POLLNVAL


class Peer:
    """The other end of a connection."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._descriptor: int = transport.get_extra_info("socket").fileno()
        self._poll = select.poll()
        self._poll.register(self._descriptor, getattr(select, "POLLRDHUP", 0))
        self._is_probed = False

    def events(self) -> int:
        """Return what has come of FIN and resets, in half a microsecond."""
        for _, events in self._poll.poll(0):
            return events
        return 0

    def has_left(self) -> bool | None:
        """Return whether the client has closed the connection, None if that isn't known yet. No response is begun."""
        if not self.events():
            return False
        if not self._is_probed:
            self._transport.write(PROBE)
            self._is_probed = True
        if self.events() & RESET:
            return True
        unacknowledged = int.from_bytes(fcntl.ioctl(self._descriptor, termios.TIOCOUTQ, bytes(4)), sys.byteorder)
        return None if unacknowledged else False

    def unsent(self, head: bytes) -> bytes:
        """Return what is still to be sent of a response's *head*."""
        was_probed, self._is_probed = self._is_probed, False
        return head[len(PROBE) :] if was_probed else head
