"""Detection of a client that has closed its connection.

A FIN means that the client has closed the connection, or only that the client will send no more. To find out, the
server sends ``PROBE_BYTES``, the first bytes of any response. A closed socket answers with a reset, an open one
acknowledges.

Without ``POLLRDHUP`` (macOS) only hang-ups and resets are noticed before a request starts. A client that acknowledges
the probe after its FIN and closes the connection later is noticed when the response is written.
"""

import asyncio
import fcntl
import select
import sys
import termios
from typing import Final

PROBE_BYTES: Final = b"HTTP/1.1 "
PROBE_SECONDS: Final = 0.02  # interval of checks whether the probe was acknowledged
HANGUP_EVENTS: Final = select.POLLHUP | select.POLLERR | select.POLLNVAL


class Peer:
    """The other end of a connection."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._descriptor: int = transport.get_extra_info("socket").fileno()
        self._poll = select.poll()
        self._poll.register(self._descriptor, getattr(select, "POLLRDHUP", 0))
        self._is_probed = False

    def events(self) -> int:
        """Return the poll events of a FIN or a reset as a bit mask, or 0. The call takes half a microsecond."""
        for _, events in self._poll.poll(0):
            return events
        return 0

    def has_left(self) -> bool | None:
        """Return whether the client has closed the connection, or None while that is unknown.

        After a FIN this sends ``PROBE_BYTES``. Therefore call it only before the response is written.
        """
        if not self.events():
            return False
        if not self._is_probed:
            self._transport.write(PROBE_BYTES)
            self._is_probed = True
        if self.events() & HANGUP_EVENTS:
            return True
        unacknowledged = int.from_bytes(fcntl.ioctl(self._descriptor, termios.TIOCOUTQ, bytes(4)), sys.byteorder)
        return None if unacknowledged else False

    def unsent(self, head: bytes) -> bytes:
        """Return a response *head* without the bytes that the probe has already sent, and forget the probe.

        The next head is returned whole, unless the client is probed again.
        """
        was_probed, self._is_probed = self._is_probed, False
        return head[len(PROBE_BYTES) :] if was_probed else head
