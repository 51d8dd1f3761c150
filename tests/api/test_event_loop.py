"""Nothing that a request does may hold up the event loop, on which all requests are answered."""

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event

import pytest

from tests.event_loop import Blocked, answered
from workers.asyncio_greenlets import to_thread
from workers.storage.store import Store


def connect() -> None:
    """Connect as a client does that blocks."""
    with socket.socket() as line, suppress(ConnectionRefusedError):
        line.settimeout(1.0)
        line.connect(("127.0.0.1", 9))


@pytest.mark.parametrize("block", [lambda: time.sleep(0.001), lambda: Event().wait(0.001), connect])
def test_what_blocks_is_noticed(block: Callable[[], object]):
    """A client that blocks, a pause, another thread: on the loop; in a thread of their own they are all right."""
    with pytest.raises(Blocked):
        answered(block)

    answered(lambda: to_thread(block))


def test_the_store_blocks_nobody(store: Store):
    """Its commands go over the loop's own connection."""
    assert answered(store.games.count) == 0
