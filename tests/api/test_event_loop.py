"""Nothing that a request does may hold up the event loop, on which all requests are answered."""

import socket
import time
from contextlib import suppress
from threading import Event

import pytest
from redis import Redis

from tests.api.event_loop import Blocked, answered
from workers.greenlets import aside
from workers.storage.store import Store


@pytest.mark.parametrize(
    "block",
    [
        lambda _url: time.sleep(0.001),
        lambda _url: Event().wait(0.001),
        lambda url: Redis.from_url(url).ping(),
        lambda _url: socket.create_connection(("127.0.0.1", 9), 0.1),
    ],
)
def test_what_blocks_is_noticed(block, redis_url: str):
    """A client that blocks, a pause, another thread: on the loop; in a thread of their own they are all right."""
    with pytest.raises(Blocked):
        answered(lambda: block(redis_url))

    def in_a_thread() -> None:
        with suppress(ConnectionRefusedError):
            block(redis_url)

    assert answered(lambda: aside(in_a_thread)) is None


def test_the_store_blocks_nobody(store: Store):
    """Its commands go over the loop's own connection."""
    assert answered(store.count) == 0
