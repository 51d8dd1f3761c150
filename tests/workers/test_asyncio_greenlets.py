"""What greenlets on an event loop share: one look at what many ask for at once."""

import asyncio
from collections.abc import Callable
from threading import Event

from tests.event_loop import LOOP, SECONDS, answered
from workers.asyncio_greenlets import GreenletTask, SingleFlight
from workers.storage.errors import StorageUnavailable


class Look:
    """Something to look at, as often as somebody lets it; it counts."""

    def __init__(self) -> None:
        self.count = 0
        self.may_end = Event()
        self.may_end.set()
        self.error: Exception | None = None

    def __call__(self) -> int:
        """Return how many times that was."""
        self.count += 1
        assert self.may_end.wait(SECONDS)
        if self.error is not None:
            raise self.error
        return self.count


def all_asked(ask: Callable[[], object], count: int, then: Event) -> list[object]:
    """Have so many greenlets ask at once, set *then* when all of them have, and return what they got or raised."""

    async def ask_all() -> list[object]:
        asked = asyncio.gather(*[GreenletTask(ask).result() for _ in range(count)], return_exceptions=True)
        await asyncio.sleep(0)  # each begins, and comes as far as it comes at once
        then.set()
        return list(await asked)

    return asyncio.run_coroutine_threadsafe(ask_all(), LOOP).result(SECONDS)


def test_who_asks_while_somebody_looks_waits_for_that():
    """A thousand at once cost one look, and hold nobody else up."""
    look = Look()
    look.may_end.clear()
    shared = SingleFlight(look, 1.0, lambda: 0.0)

    assert all_asked(shared.result, 1_000, look.may_end) == [1] * 1_000
    assert look.count == 1


def test_what_was_seen_is_told_for_a_time():
    """Counted from when the look began; then somebody looks again."""
    look, now = Look(), [0.0]
    shared = SingleFlight(look, 1.0, lambda: now[0])

    for now[0], seen in ((0.0, 1), (0.9, 1), (1.0, 2), (1.9, 2), (2.5, 3)):
        assert answered(shared.result) == seen


def test_a_failure_is_told_to_all_who_wait():
    """And isn't the last word."""
    look, now = Look(), [0.0]
    look.may_end.clear()
    look.error = away = StorageUnavailable()
    shared = SingleFlight(look, 1.0, lambda: now[0])
    assert all_asked(shared.result, 3, look.may_end) == [away] * 3

    now[0], look.error = 1.0, None

    assert answered(shared.result) == 2


def test_without_a_loop_nothing_is_shared():
    """Whoever isn't a greenlet looks for themselves."""
    shared = SingleFlight(Look(), 1.0)

    assert [shared.result() for _ in range(3)] == [1, 2, 3]
