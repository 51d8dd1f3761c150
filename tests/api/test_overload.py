"""Too much to do: who has waited too long is told so, and moves aren't behind lists."""

import asyncio
from collections.abc import Callable
from functools import partial
from random import Random
from threading import Event
from time import monotonic

import pytest
from flask import Flask, Response, request
from werkzeug.exceptions import ClientDisconnected

from api.http.overload import MAX_WAIT_SECONDS, ConcurrencyLimiter, EventLoopLag, run_exclusively_in_thread
from api.problems.errors import Overloaded
from tests.event_loop import answered
from tests.waiting import allowed
from workers.asyncio_greenlets import GreenletTask

AGES = 30.0


async def all_of(works: list[Callable[[], object]]) -> list[object]:
    """Run greenlets of one loop, and return what each returned or raised."""
    return await asyncio.gather(*[GreenletTask(work).result() for work in works], return_exceptions=True)


def test_one_at_a_time_and_each_in_turn():
    """Of what takes long; each of those who wait begins when the one before has done."""
    share, begun, most = ConcurrencyLimiter(), list[int](), 0
    busy = 0

    def work(number: int) -> Callable[[], Response]:
        def run() -> Response:
            nonlocal busy, most
            busy += 1
            most = max(most, busy)
            begun.append(number)
            busy -= 1
            return Response()

        return lambda: share.run("a", run)

    asyncio.run(all_of([work(number) for number in range(50)]))

    assert (begun, most) == (list(range(50)), 1)


def test_networks_take_turns():
    """Whoever asks eighty times at once delays another by one call; each network's own come in order."""
    share, begun = ConcurrencyLimiter(), list[str]()

    def work(network: str, number: int) -> Callable[[], Response]:
        def run() -> Response:
            begun.append(f"{network}{number}")
            return Response()

        return lambda: share.run(network, run)

    counts = {"a": 80, "b": 1, "c": 3}
    asyncio.run(all_of([work(network, number) for network, count in counts.items() for number in range(count)]))

    in_turn = ["a0", "a1", "b0", "c0", "a2", "c1", "a3", "c2"]
    assert begun == [*in_turn, *[f"a{number}" for number in range(4, 80)]]
    assert (share.waiting.lengths(), share.is_taken) == ({}, False)


def test_whose_request_it_is_says_the_connection():
    """A view's clients take turns by address, and by /64 of IPv6."""
    app, begun = Flask(__name__), list[str]()

    @run_exclusively_in_thread
    def view() -> Response:
        begun.append(request.remote_addr or "")
        return Response()

    def ask_from(address: str) -> Callable[[], Response]:
        def ask() -> Response:
            with app.test_request_context(environ_overrides={"REMOTE_ADDR": address}):
                return view()

        return ask

    same, other = [f"2001:db8::{number}" for number in range(1, 5)], "2001:db8:0:1::1"
    asyncio.run(all_of([ask_from(address) for address in (*same, other)]))

    assert begun == [same[0], same[1], other, *same[2:]]


@pytest.mark.parametrize("seconds", [0.0, AGES])
@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_left_of_who_has_gone(seed: int, seconds: float):
    """Whenever they leave, before, while or after they wait, and whether or not it was too long for them."""
    rng, share = Random(seed), ConcurrencyLimiter(seconds)

    async def crowd() -> list[object]:
        tasks = [GreenletTask(partial(share.run, rng.choice("abc"), Response)) for _ in range(60)]
        outcomes = list[asyncio.Task[Response]]()
        for task in tasks:
            outcomes.append(asyncio.create_task(task.result()))
            if rng.random() < 0.5:
                rng.choice(tasks).abandon()
            for _ in range(rng.choice((0, 0, 1, 3))):
                await asyncio.sleep(0)
        return await asyncio.gather(*outcomes, return_exceptions=True)

    found = asyncio.run(crowd())

    assert {type(one) for one in found} <= {Response, ClientDisconnected, Overloaded}
    assert (share.waiting.lengths(), share.is_taken) == ({}, False)


def test_who_waits_too_long_is_refused():
    """After two seconds; whoever comes when it goes on again is answered."""
    share, released = ConcurrencyLimiter(seconds=0.05), Event()

    def slow() -> Response:
        assert released.wait(AGES)
        return Response(status=204)

    async def crowd() -> list[object]:
        first = asyncio.create_task(GreenletTask(lambda: share.run("a", slow)).result())
        refused = await all_of([lambda: share.run("a", Response) for _ in range(5)])
        released.set()
        return [await first, *refused, *await all_of([lambda: share.run("a", Response)])]

    began = monotonic()
    first, *refused, last = asyncio.run(crowd())

    assert isinstance(first, Response)
    assert [type(one) for one in refused] == [Overloaded] * 5
    assert isinstance(last, Response)
    assert monotonic() - began < allowed(MAX_WAIT_SECONDS)


def test_one_that_fails_holds_nobody_up():
    """Its place is free again."""
    share = ConcurrencyLimiter()

    def fail() -> Response:
        raise LookupError

    outcomes = asyncio.run(
        all_of([lambda: share.run("a", fail), lambda: share.run("a", fail), lambda: share.run("a", Response)])
    )

    assert [type(one) for one in outcomes] == [LookupError, LookupError, Response]


@pytest.mark.parametrize(("busy", "refused"), [(0.5, False), (2.5, True)])
def test_a_loop_that_is_behind(busy: float, *, refused: bool):
    """What has stood in its queue for more than two seconds is refused; when it is idle again nothing is."""
    seconds = [0.0]
    queue = EventLoopLag(lambda: seconds[0])

    async def scenario() -> list[object]:
        await GreenletTask(queue.check).result()  # which begins to measure
        seconds[0] += busy  # and then others keep the loop busy
        await asyncio.sleep(0)
        late = await all_of([queue.check])
        await asyncio.sleep(0)
        return late + await all_of([queue.check])

    late, later = asyncio.run(scenario())

    assert isinstance(late, Overloaded) == refused
    assert later is None


def test_nobody_pays_for_what_is_long_past():
    """Whoever comes to a server that has been idle since is answered, and not told of a queue that is gone."""
    seconds = [0.0]
    queue = EventLoopLag(lambda: seconds[0])

    async def scenario() -> list[object]:
        await GreenletTask(queue.check).result()
        seconds[0] += 2 * MAX_WAIT_SECONDS
        await asyncio.sleep(0)  # it is measured
        seconds[0] += 3600
        return await all_of([queue.check])

    assert asyncio.run(scenario()) == [None]


def test_without_a_loop_nobody_waits():
    """As in a plain WSGI server, which has threads of its own."""
    EventLoopLag().check()

    assert ConcurrencyLimiter().run("a", lambda: Response(status=204)).status_code == 204
    assert answered(EventLoopLag().check) is None


def test_who_has_left_while_waiting_gives_its_turn_to_the_next():
    """Also one whose turn came at the same moment, and one that left before it was waited for."""
    share, released = ConcurrencyLimiter(), Event()

    def slow() -> Response:
        assert released.wait(AGES)
        return Response(status=204)

    leaving = list[GreenletTask[Response]]()

    def first_of_all() -> Response:
        response = share.run("a", slow)
        leaving[2].abandon()  # it has just been given its turn
        return response

    async def crowd() -> list[object]:
        first = asyncio.create_task(GreenletTask(first_of_all).result())
        await asyncio.sleep(0)
        leaving.extend(GreenletTask(lambda: share.run("a", Response)) for _ in range(3))
        outcomes = [asyncio.create_task(task.result()) for task in leaving]
        leaving[0].abandon()  # before it began
        await asyncio.sleep(0)
        leaving[1].abandon()
        released.set()
        left = await asyncio.gather(first, *outcomes, return_exceptions=True)
        return [*left, *await all_of([lambda: share.run("a", Response)])]

    first, *left, last = asyncio.run(crowd())

    assert isinstance(first, Response)
    assert [type(one) for one in left] == [ClientDisconnected] * 3
    assert isinstance(last, Response)
