"""``python -m workers``, as real processes: whatever is killed, the game goes on."""

import os
import signal
import socket
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from tests.waiting import AGES, comes_true
from tests.workers.stores import (
    ADEPT,
    HUMAN,
    MASTER,
    NOVICE,
    PARTITIONS,
    assert_sound,
    children,
    logged,
    open_table,
    pool,
)
from workers import game_commands
from workers.background.process_mains import RETRY_SECONDS, work
from workers.processes.redis_server import RedisServer, find_server
from workers.processes.supervisor import SUPERVISED_VARIABLE
from workers.settings import Settings
from workers.storage.fair_queues import AI_ONLY_QUEUE
from workers.storage.keys import LEADING_SWEEPER
from workers.storage.queue import INTERACTIVE_QUEUE, waiting
from workers.storage.store import Store, open_store

RECOVERY_SECONDS = 5.0
FOUR = (NOVICE, ADEPT, NOVICE, ADEPT)


@pytest.fixture
def regicide(settings: Settings, database: Redis) -> Iterator[Store]:
    """Give an empty store; worker processes know the real catalogue alone."""
    opened = open_store(settings)
    yield opened
    opened.close()


@pytest.fixture
def url(settings: Settings) -> str:
    """Give the URL of the store."""
    return str(settings.redis_url)


def ended(store: Store, game: str) -> bool:
    """The game has been played to its end."""
    return store.games.load(game).status == "finished"


def test_ais_play_to_the_end_and_the_pool_ends_without_a_word(regicide: Store, url: str, tmp_path: Path):
    """SIGTERM: exit status 0, no process left, every line of the log JSON and none a warning."""
    with pool(url, tmp_path, ARENA_WORKERS="1") as process:
        game = open_table(regicide, *FOUR, ruleset="regicide")
        assert comes_true(lambda: ended(regicide, game))
        assert comes_true(regicide.health.has_worker)  # the arena's worker may have been the first to start
        family = children(process.pid)
        process.terminate()
        status = process.wait(AGES)

    assert (status, len(family)) == (0, 2)
    assert comes_true(lambda: not any(lives(pid) for pid in family))
    assert [line for line in logged(tmp_path) if line["level"] != "info"] == []
    assert_sound(regicide, game)


def test_a_pool_that_is_told_to_end_finishes_the_turn(regicide: Store, url: str, tmp_path: Path):
    """A master in the middle of its thought plays the move, and its worker no more after it: nothing goes wrong."""
    seldom = {"REGICIDE_SWEEP_SECONDS": "3600"}  # no turn is repeated after the first sweep, however late it is begun
    with pool(url, tmp_path, WORKERS="0", ARENA_WORKERS="1", **seldom) as process:
        assert comes_true(lambda: regicide.redis.exists(LEADING_SWEEPER) == 1)  # the first sweep has begun
        game = open_table(regicide, *[MASTER] * 2, ruleset="regicide")
        assert comes_true(lambda: any(line["event"] == "ai_turn" for line in logged(tmp_path)))
        assert comes_true(lambda: not waiting(regicide.broker, AI_ONLY_QUEUE))  # it has begun with the next turn
        (worker,) = children(process.pid)
        before = regicide.games.load(game).version
        process.terminate()
        status = process.wait(AGES)

    lines = logged(tmp_path)
    after = regicide.games.load(game).version
    assert (status, lives(worker)) == (0, False)
    assert [line for line in lines if line["level"] != "info"] == []
    assert before < after <= before + 2
    assert {line["outcome"] for line in lines if line["event"] == "ai_turn"} == {"played"}
    assert_sound(regicide, game)


@pytest.mark.parametrize("moment", ["at once", "at work"])
def test_ctrl_c_ends_it_cleanly(regicide: Store, url: str, tmp_path: Path, moment: str):
    """The whole group hears it, even while workers are being started: no traceback, nothing left behind."""
    with pool(url, tmp_path) as process:
        if moment == "at work":
            assert comes_true(regicide.health.has_worker)
        else:
            assert comes_true(lambda: bool(children(process.pid)))
        family = children(process.pid)
        for pid in (process.pid, *family):
            os.kill(pid, signal.SIGINT)
        status = process.wait(AGES)

    assert status == 0
    assert comes_true(lambda: not any(lives(pid) for pid in family))
    assert "Traceback" not in (tmp_path / "pool.log").read_text()


def test_a_worker_that_is_killed_with_a_turn_in_its_hands(regicide: Store, url: str, tmp_path: Path):
    """The turn comes back by the sweeper, another worker plays it, and the game goes on within 5 s."""
    with pool(url, tmp_path) as process:
        game = open_table(regicide, HUMAN, ADEPT, ruleset="regicide")
        assert comes_true(regicide.health.has_worker)
        assert comes_true(lambda: regicide.games.load(game).to_act() == [0])
        assert comes_true(lambda: blocked(regicide) == 1)
        (worker,) = children(process.pid)
        assert comes_true(lambda: regicide.redis.info("clients")["blocked_clients"] > 0)  # it waits for a job
        os.kill(worker, signal.SIGSTOP)
        while (table := regicide.games.load(game)).to_act() == [0]:
            game_commands.play_action(regicide, game, 0, table.legal(0)[0]["action"])
        assert comes_true(lambda: not regicide.redis.llen("rq:queue:ai"))  # the stopped worker has taken it

        os.kill(worker, signal.SIGKILL)
        went_on = comes_true(lambda: regicide.games.load(game).version > table.version, within=RECOVERY_SECONDS)

    assert went_on
    assert_sound(regicide, game)


def test_workers_that_are_killed_again_and_again(regicide: Store, url: str, tmp_path: Path):
    """In the middle of whatever they do: the games end, and no move is lost or doubled."""
    with pool(url, tmp_path, WORKERS="0", ARENA_WORKERS="2") as process:
        games = [open_table(regicide, *FOUR, ruleset="regicide") for _ in range(3)]
        for version in (3, 9, 15):
            assert comes_true(lambda: max(regicide.games.load(game).version for game in games) >= version)  # noqa: B023
            for worker in children(process.pid):
                os.kill(worker, signal.SIGKILL)
        assert comes_true(lambda: all(ended(regicide, game) for game in games))

    for game in games:
        assert_sound(regicide, game)


def test_workers_end_when_their_pool_is_killed(regicide: Store, url: str, tmp_path: Path):
    """Nobody else would end them."""
    with pool(url, tmp_path, WORKERS="2") as process:
        assert comes_true(regicide.health.has_worker)
        family = [*children(process.pid), *children(process.pid, "sweeper")]
        process.kill()

        assert comes_true(lambda: not any(lives(pid) for pid in family))
    assert len(family) == 3


def test_the_pool_ends_with_its_supervisor(regicide: Store, url: str, tmp_path: Path):
    """The supervisor holds its standard input."""
    with pool(url, tmp_path, **{SUPERVISED_VARIABLE: "1"}) as process:
        assert comes_true(regicide.health.has_worker)
        assert process.stdin is not None
        process.stdin.close()

        assert process.wait(AGES) == 0


def test_a_pool_that_was_started_by_hand_has_no_supervisor(regicide: Store, url: str, tmp_path: Path):
    """The end of its standard input means nothing then: it may have come from a pipe."""
    with pool(url, tmp_path) as process:
        assert process.stdin is not None
        process.stdin.close()

        assert comes_true(regicide.health.has_worker)
        assert process.poll() is None


def test_it_waits_for_a_storage_that_is_not_there_yet(tmp_path: Path):
    """And for one that goes away in between; games go on where they were."""
    server = RedisServer(tmp_path / "store", find_server())
    store = open_store(Settings(data=tmp_path, redis_url=server.url, partitions=PARTITIONS))
    with pool(server.url, tmp_path, ARENA_WORKERS="1") as process:
        assert comes_true(lambda: len(children(process.pid)) == 2)
        server.start()
        try:
            game = open_table(store, *FOUR, ruleset="regicide")
            assert comes_true(lambda: store.games.load(game).version > 3)
            server.stop()
            assert comes_true(lambda: any(line["event"] == "storage_away" for line in logged(tmp_path)))
            server.start()
            assert comes_true(lambda: ended(store, game))
        finally:
            store.close()
            server.stop()
        process.terminate()
        assert process.wait(AGES) == 0

    assert "Traceback" not in (tmp_path / "pool.log").read_text()


def test_a_worker_that_waits_for_its_storage_ends_at_once(tmp_path: Path):
    """Though it hears two signals: one from the terminal or the supervisor, and one from the pool."""
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        url = f"redis://127.0.0.1:{nobody.getsockname()[1]}"
        process = get_context("spawn").Process(
            target=work, args=("waiting", Settings(data=tmp_path, redis_url=url), INTERACTIVE_QUEUE)
        )
        process.start()
        for _ in range(2):  # it asks once more on a new connection, and then waits
            nobody.accept()[0].close()
        nobody.settimeout(RETRY_SECONDS / 2)
        with pytest.raises(TimeoutError):
            nobody.accept()
        assert process.pid is not None
        os.kill(process.pid, signal.SIGINT)
        os.kill(process.pid, signal.SIGTERM)
        process.join(AGES)

    assert process.exitcode == 0


def test_a_pool_without_workers_still_sweeps(regicide: Store, database: Redis, url: str, tmp_path: Path):
    """For those whose workers run elsewhere."""
    game = open_table(regicide, NOVICE, HUMAN, ruleset="regicide")
    regicide.redis.delete("rq:queue:ai")
    with pool(url, tmp_path, WORKERS="0", REGICIDE_SWEEP_SECONDS="0.05") as process:
        repeated = database.blmove("rq:queue:ai", "found", int(AGES))  # with more patience than a store has

        assert children(process.pid) == []
    assert repeated == f"ai-{game}-0-0-1".encode()


def test_a_sweeper_that_is_killed_is_replaced(regicide: Store, url: str, tmp_path: Path):
    """Another one leads as soon as the lease of the first has run out, and makes a lost turn good."""
    with pool(url, tmp_path, REGICIDE_SWEEP_SECONDS="0.05") as process:
        assert comes_true(lambda: regicide.redis.exists(LEADING_SWEEPER) == 1)
        (sweeper,) = children(process.pid, "sweeper")
        os.kill(sweeper, signal.SIGKILL)
        assert comes_true(lambda: children(process.pid, "sweeper") not in ([], [sweeper]))
        game = open_table(regicide, NOVICE, HUMAN, ruleset="regicide")
        regicide.redis.delete("rq:queue:ai")
        assert comes_true(lambda: regicide.games.load(game).to_act() == [1])

    assert [line["event"] for line in logged(tmp_path) if line["level"] == "warning"] == ["sweeper_died"]
    assert_sound(regicide, game)


def test_a_pool_that_archives_nothing_says_so(regicide: Store, url: str, tmp_path: Path):
    """Games will be deleted without a record: somebody has set it so, and may have forgotten."""
    with pool(url, tmp_path, WORKERS="0", REGICIDE_ARCHIVE="none"):
        assert comes_true(lambda: {"no_archive", "pool_started"} <= {line["event"] for line in logged(tmp_path)})


def blocked(store: Store) -> int:
    """Return how many clients wait for something: workers for jobs."""
    info: Any = store.redis.info("clients")
    return int(info["blocked_clients"])


def lives(pid: int) -> bool:
    """A process of this number exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
