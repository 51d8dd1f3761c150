"""A storage that is away is said at once, and found again by itself."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from time import monotonic

import pytest
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import ReadOnlyError, ResponseError
from redis.exceptions import TimeoutError as TooSlow
from structlog.testing import capture_logs

from tests.waiting import AGES, allowed, comes_true
from tests.workers.lossy import LossyLine
from tests.workers.stores import HUMAN, NOVICE, PARTITIONS, assert_sound, due_with, open_table, opening
from workers import game_commands
from workers.background.sweeper import Sweeper
from workers.processes.redis_server import RedisServer, find_server
from workers.settings import CannotStart, Settings
from workers.storage.clients import connect
from workers.storage.commands import run_command
from workers.storage.errors import StorageUnavailable
from workers.storage.idempotency import Key
from workers.storage.store import Store, open_store
from workers.storage.tokens import Token

KEY = Key("0/0", "k-1", "b" * 64)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    """Give a server of the test's own, which it may stop and start."""
    with RedisServer(tmp_path / "store", find_server()) as server:
        yield server


@pytest.fixture
def own_store(server: RedisServer, tmp_path: Path, race: object) -> Iterator[Store]:
    """Give a store over it."""
    opened = open_store(Settings(data=tmp_path, redis_url=server.url, partitions=PARTITIONS))
    yield opened
    opened.close()


ASKING: list[Callable[[Store, str], object]] = [
    lambda store, game: store.games.load(game),
    lambda store, game: store.games.load_for(game, Token("0" * 64)),
    lambda store, game: store.history.snapshots(game),
    lambda store, game: store.history.record(game),
    lambda store, game: store.games.page(None, None, 5, None),
    lambda store, game: store.health.ping(),
    lambda store, game: store.health.has_worker(),
    lambda store, game: game_commands.play_action(store, game, 0, "step 1"),
    lambda store, game: game_commands.play_action(store, game, 0, "step 1", key=KEY),
    lambda store, game: game_commands.change(store, game, lambda table, now: table.abandon(now)),
    lambda store, game: game_commands.create(store, opening("race", [HUMAN]), {}, key=None, answer=lambda _: {}),
    lambda store, game: Sweeper(store).sweep(),
]


def test_every_question_says_quickly_that_the_storage_is_away(server: RedisServer, own_store: Store):
    """And all of them are answered again when it is back, by the same store, with nothing lost."""
    game = open_table(own_store, HUMAN, options={"goal": 99})
    game_commands.play_action(own_store, game, 0, "step 1")
    server.stop()

    began = monotonic()
    for ask in ASKING:
        with pytest.raises(StorageUnavailable) as refusal:
            ask(own_store, game)
        assert refusal.value.retry_after == 1
    took = monotonic() - began
    server.start()
    for ask in ASKING[:9]:
        ask(own_store, game)

    assert took < allowed(3.0)
    assert own_store.games.load(game).version == 3
    assert_sound(own_store, game)


def test_the_sweeper_outlives_an_outage(server: RedisServer, own_store: Store):
    """It says so once when it begins and once when it ends, and goes on with its work."""
    game = open_table(own_store, NOVICE, HUMAN)
    own_store.redis.delete("rq:queue:ai")
    stop = Event()
    thread = Thread(target=Sweeper(own_store).run, args=(0.05, stop))
    with capture_logs() as lines:

        def said() -> list[str]:
            return [line["event"] for line in lines]

        server.stop()
        thread.start()
        assert comes_true(lambda: "storage_away" in said())
        server.start()
        assert comes_true(lambda: "storage_back" in said())
        own_store.redis.zadd(due_with(own_store, game), {game: 0})
        assert comes_true(lambda: "repeated" in said())
        stop.set()
        thread.join(AGES)

    assert said() == ["storage_away", "storage_back", "repeated"]


def test_a_server_that_takes_no_writes_is_unavailable():
    """Whether the client knows its error by type or by the word that it begins with; our own mistakes stay mistakes."""

    def fail(error: Exception) -> Callable[[], None]:
        def ask() -> None:
            raise error

        return ask

    for state in (ReadOnlyError("a replica"), ResponseError("MISCONF can't write"), ResponseError("NOREPLICAS")):
        with pytest.raises(StorageUnavailable):
            run_command(fail(state))
    with pytest.raises(ResponseError):
        run_command(fail(ResponseError("ERR wrong number of arguments")))


def test_a_server_that_is_too_slow_is_not_asked_twice():
    """Whoever waits has waited long enough; a line that broke is another matter."""
    asked: list[type[Exception]] = []

    def fail(error: type[Exception]) -> Callable[[], None]:
        def ask() -> None:
            asked.append(error)
            raise error

        return ask

    for error in (TooSlow, Unreachable):
        with pytest.raises(StorageUnavailable):
            run_command(fail(error))

    assert asked == [TooSlow, Unreachable, Unreachable]


def test_whether_a_commit_was_done_may_be_unknown(server: RedisServer, own_store: Store, tmp_path: Path):
    """Then it is said so. The key of the request knows, as soon as it can be asked."""
    game = open_table(own_store, HUMAN, options={"goal": 99})
    with LossyLine(server.url, tmp_path).open() as line:
        unlucky = open_store(Settings(data=tmp_path, redis_url=line.url, partitions=PARTITIONS))
        unlucky.games.load(game)
        line.meanwhile = server.stop
        line.lose.set()
        with pytest.raises(StorageUnavailable, match="whether the change was made"):
            game_commands.play_action(unlucky, game, 0, "step 1", key=KEY)
        server.start()
        again = game_commands.play_action(unlucky, game, 0, "step 1", expected=0, key=KEY)
        unlucky.close()

    assert (again["version"], own_store.games.load(game).version) == (1, 1)
    assert_sound(own_store, game)


def test_a_storage_must_be_named(tmp_path: Path):
    """Who starts without one is told what to do."""
    with pytest.raises(CannotStart, match="REDIS_URL"):
        connect(Settings(data=tmp_path))
