"""The queue's server goes away, forgets everything, is replaced: people play on, and AIs do when it is back."""

import shutil
from collections.abc import Callable, Iterator
from random import Random
from threading import Event
from time import monotonic

import pytest

from engines import RULESETS
from engines.ai import decision
from engines.ai.observation import Observation
from regicide_client import Player, RegicideClient
from tests.clusters import Node, alone
from tests.servers.served import RunningServer, running_server
from tests.waiting import allowed, comes_true

BACK = 5.0
"""Seconds after which AIs must move when the queue is back."""

QUICKLY = 2.0
"""Seconds within which people must be answered meanwhile."""


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningServer, Node]]:
    """Give a whole server and the server of its queue."""
    folder = tmp_path_factory.mktemp("queue")
    with alone(folder / "store") as store, alone(folder / "queue") as queue:
        environ = {
            "REDIS_URL": f"redis://127.0.0.1:{store.port}",
            "REGICIDE_QUEUE_URL": f"redis://127.0.0.1:{queue.port}",
            "REGICIDE_LOG_LEVEL": "warning",
            "ARENA_WORKERS": "0",
        }
        with running_server(folder / "data", **environ) as served:
            yield served, queue


def owing(server: RegicideClient, seed: str) -> tuple[Player, int]:
    """Open a game and play until an AI owes a turn; return who sits there, and the version."""
    rng = Random(seed)
    seats = [{"kind": "human", "name": "Ana"}, {"kind": "ai", "level": "novice"}]
    me = server.create("regicide", seats, client_seed=seed).players[0]
    game = me.fetch()
    while game["to_act"] == [0]:
        seen = Observation(RULESETS["regicide"], game["view"] or {}, 0, str(rng.random()))
        began = monotonic()
        me.act(str(decision.think(decision.Question("novice", seen)).action), expected=game["version"])
        assert monotonic() - began < allowed(QUICKLY)
        game = me.fetch()
    return (me, game["version"]) if game["to_act"] == [1] else owing(server, f"{seed} again")  # Ana has lost alone


def has_moved(me: Player, version: int) -> Callable[[], bool]:
    """Return what says whether somebody has moved since."""
    return lambda: me.fetch()["version"] > version


def stop(queue: Node) -> None:
    """Stop it: what it has is on its disk."""
    queue.kill()


def replace(queue: Node) -> None:
    """Stop it, and let nothing be left of it."""
    queue.kill()
    shutil.rmtree(queue.folder)


@pytest.mark.parametrize("seconds", [pytest.param(1, id="short"), pytest.param(20, id="long", marks=pytest.mark.long)])
@pytest.mark.parametrize("lose", [stop, replace])
def test_the_queue_is_away(lose: Callable[[Node], None], seconds: int, servers: tuple[RunningServer, Node]) -> None:
    """It is stopped, and comes back with what it had or with nothing."""
    served, queue = servers
    with RegicideClient(served.url) as server:
        lose(queue)
        waiting = [owing(server, f"{lose.__name__} {number}") for number in range(3)]
        Event().wait(seconds)  # the absence itself
        queue.start()
        began = monotonic()
        for me, version in waiting:
            assert comes_true(has_moved(me, version), within=BACK * 4)
        took = monotonic() - began

    print(f"the queue was away for {seconds} s: AIs went on {took:.1f} s after it was back")  # noqa: T201
    assert took < allowed(BACK)


def test_the_queue_forgets(servers: tuple[RunningServer, Node]) -> None:
    """It is emptied again and again, with jobs in it: the outbox remembers."""
    served, queue = servers
    with RegicideClient(served.url) as server:
        for number in range(5):
            me, version = owing(server, f"flushed {number}")
            queue.ask("FLUSHALL")
            began = monotonic()
            assert comes_true(has_moved(me, version), within=BACK)
            print(f"the queue was emptied: the AI went on after {monotonic() - began:.1f} s")  # noqa: T201
