"""Greenlets that do one call after the other: none has what another call has left there."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from greenlet import getcurrent

from tests.event_loop import LOOP
from tests.waiting import AGES
from workers.asyncio_greenlets import MAX_IDLE_GREENLETS, GreenletPool, GreenletTask, current_task, to_thread


def done_by(crew: GreenletPool, works: Sequence[Callable[[], object]]) -> None:
    """Let a crew do all of *works*, begun in one turn of the loop, and wait for that."""

    def do(work: Callable[[], object], done: asyncio.Future[object]) -> None:
        done.set_result(work())

    async def all_done() -> None:
        done = [asyncio.get_running_loop().create_future() for _ in works]
        for work, future in zip(works, done, strict=True):
            crew.do(partial(do, work, future))
        await asyncio.gather(*done)

    asyncio.run_coroutine_threadsafe(all_done(), LOOP).result(AGES)


def test_who_is_done_does_the_next_call():
    """One after the other need one greenlet."""
    crew, seen = GreenletPool(), list[object]()

    done_by(crew, [lambda: seen.append(getcurrent())] * 5)

    assert len(seen) == 5
    assert len(set(seen)) == 1


def test_who_waits_is_left_alone():
    """What comes meanwhile is done by others, more of them than are kept; each gets what it has waited for."""
    crew, heard = GreenletPool(), list[int]()

    def listen(number: int) -> None:
        heard.append(to_thread(lambda: number))

    for _ in range(3):
        done_by(crew, [partial(listen, number) for number in range(2 * MAX_IDLE_GREENLETS)])

    assert sorted(heard) == sorted([*range(2 * MAX_IDLE_GREENLETS)] * 3)


def test_who_fails_does_no_other_call():
    """The error stays with the call that raised it, and the next one finds a greenlet that runs."""
    crew, seen = GreenletPool(), list[GreenletTask[None] | None]()

    def fail() -> None:
        seen.append(current_task())
        raise LookupError

    async def fail_first() -> None:
        crew.do(fail)
        crew.do(lambda: seen.append(current_task()))

    asyncio.run_coroutine_threadsafe(fail_first(), LOOP).result(AGES)

    assert [task is not None and task.dead for task in seen] == [True, False]
