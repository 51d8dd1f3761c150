"""Whatever a store answers, also within a pipeline: it is unavailable, nothing is lost, and it is soon used again."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from redis.exceptions import RedisError, ResponseError
from structlog.testing import capture_logs

from tests.faulty import ERRORS, FaultyLine
from tests.waiting import AGES, comes_true
from tests.workers.stores import HUMAN, PARTITIONS, assert_sound, open_table
from tests.workers.test_storage_away import ASKING
from workers import game_commands
from workers.metrics_store import MetricsAggregator
from workers.settings import Settings
from workers.storage import keys
from workers.storage.commands import is_server_state_error, run_command
from workers.storage.errors import StorageUnavailable
from workers.storage.store import Store, open_store
from workers.storage.tokens import Token

QUICK = [ask for number, ask in enumerate(ASKING) if number != 8]
"""Without the one whose key would be claimed: the next who comes with it waits."""


@pytest.fixture
def line(redis_url: str, tmp_path: Path) -> Iterator[FaultyLine]:
    """Give a line to the tests' store that can be told to answer with errors."""
    with FaultyLine(redis_url, tmp_path).open() as line:
        yield line


@pytest.fixture
def faulty(line: FaultyLine, store: Store, tmp_path: Path) -> Iterator[Store]:
    """Give a store over that line."""
    opened = open_store(Settings(data=tmp_path, redis_url=line.url, partitions=PARTITIONS))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("MISCONF", "The storage can't write to its disk, which is full"),
        ("OOM", "The storage's memory is full"),
        ("NOPERM", "The storage's user may not do what is needed"),
        ("READONLY", "The storage is a copy that takes no writes"),
        ("LOADING", "The storage can't be reached now"),
    ],
)
@pytest.mark.parametrize("passes", [0, 1], ids=["at once", "within a pipeline"])
def test_what_an_operator_can_mend_is_said(
    line: FaultyLine, faulty: Store, store: Store, code: str, said: str, passes: int
) -> None:
    """A full disk, full memory, a user without permission: each has its sentence, on reading and on writing."""
    game = open_table(store, HUMAN, options={"goal": 99})
    line.passes, line.fault = passes, ERRORS[code]

    with pytest.raises(StorageUnavailable, match=said):
        faulty.games.load_for(game, Token("0" * 64))


@pytest.mark.parametrize("passes", [0, 1], ids=["at once", "within a pipeline"])
@pytest.mark.parametrize("code", ERRORS)
def test_every_question_is_answered_that_the_storage_is_unavailable(
    line: FaultyLine, faulty: Store, code: str, passes: int
) -> None:
    """As soon as it has stopped all is as it was."""
    game = open_table(faulty, HUMAN, options={"goal": 99})
    line.passes, line.fault = passes, ERRORS[code]

    for ask in ASKING if not passes else QUICK:
        try:
            ask(faulty, game)
        except StorageUnavailable:
            continue
        assert passes, f"{ask} was answered"

    line.fault = None
    another = open_table(faulty, HUMAN, options={"goal": 99})
    game_commands.play_action(faulty, another, 0, "step 1")
    assert_sound(faulty, game)
    assert_sound(faulty, another)


@pytest.mark.parametrize("code", ERRORS)
def test_an_error_is_known_however_the_client_words_it(line: FaultyLine, faulty: Store, code: str) -> None:
    """RQ's pipelines raise it with the command before it: ``Command # 1 (...) of pipeline caused error: ...``."""
    line.fault = ERRORS[code]

    def ask() -> Any:
        pipe = faulty.redis.pipeline()
        pipe.set("of pipeline caused error: ", "OOM")
        pipe.get("b")
        return pipe.execute()

    with pytest.raises(StorageUnavailable):
        run_command(ask)


def test_a_mistake_of_ours_stays_one() -> None:
    """It isn't taken for the state of the store, whatever is written into the command."""
    said = "Command # 1 (SET a MISCONF of pipeline caused error: ) of pipeline caused error: syntax error"

    assert not is_server_state_error(ResponseError(said))
    assert not is_server_state_error(ResponseError("WRONGTYPE Operation against a key"))


def test_metrics_go_on_whatever_is_raised(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that posts them says in the log what went wrong, and posts again."""
    ledger, stop = MetricsAggregator(store, "web"), Event()
    monkeypatch.setattr("workers.metrics_store.FLUSH_INTERVAL_SECONDS", 0.01)
    failing = Event()

    def fail(*_: object) -> None:
        failing.set()
        raise RedisError("something that nobody has heard of")

    with capture_logs() as lines, monkeypatch.context() as broken:
        broken.setattr("workers.metrics_store.run_pipeline", fail)
        thread = Thread(target=ledger.run, args=(stop,))
        thread.start()
        assert failing.wait(AGES)
    assert comes_true(lambda: store.redis.hlen(keys.METRIC_PROCESSES) > 0)
    stop.set()
    thread.join(AGES)

    assert {line["event"] for line in lines} == {"ledger_failed"}
