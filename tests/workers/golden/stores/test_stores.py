"""What each version left is played on to the end, or refused at start."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from api.commands.check_ruleset.generated_games import through_json
from engines.ai import decision
from engines.ai.observation import Observation
from engines.core.types import Json
from engines.table import table_json
from engines.table.record_parser import load_record
from engines.table.replay import verify
from engines.table.table import Table
from tests.workers.golden.stores.dumps import put, read
from tests.workers.stores import assert_sound
from workers import game_commands
from workers.background.ai_turns import play
from workers.settings import Settings, UnusableStore
from workers.storage.store import Store, open_store

EARLY = "f2ffadc"
"""It kept no journals."""

STORES = read()
PLAYED_ON = {name: dump for name, dump in STORES.items() if name != EARLY}


@pytest.fixture
def opened(redis_url: str, database: Redis, tmp_path: Path) -> Iterator[Store]:
    """Give an empty store of one partition."""
    found = open_store(Settings(data=tmp_path, redis_url=redis_url))
    assert database.dbsize() == 0
    yield found
    found.close()


@pytest.mark.parametrize("dump", PLAYED_ON.values(), ids=PLAYED_ON.keys())
def test_a_store_is_played_on(opened: Store, dump: Json) -> None:
    """Each of its games to the end, by people and AIs; the whole record is true."""
    put(opened.redis, dump)
    opened.health.check_layout()
    games = [name.rpartition(":")[2] for name in dump if name.startswith("{p00}:game:") and name.count(":") == 2]
    assert len(games) == 2

    for game in games:
        before = opened.games.load(game).version
        assert before > 3
        while (table := opened.games.load(game)).status == "active":
            advance(opened, table)
        assert opened.games.load(game).version > before
        assert_sound(opened, game)
        record = through_json(table_json.record(opened.games.load(game), opened.history.record(game)))
        assert verify(load_record(record)) == []


def advance(store: Store, table: Table) -> None:
    """Let an AI play that is to be asked, or else an adept for a person."""
    if store.games.pending_ais(table) and play(store, table.id, table.version).outcome != "passed":
        return
    seat = next(seat for seat in table.to_act() if table.seats[seat].kind == "human")
    observation = table.observation(seat)
    assert isinstance(observation, Observation)
    action = decision.think(decision.Question("adept", observation)).action
    assert action is not None
    game_commands.play_action(store, table.id, seat, action.as_json())


def test_a_store_without_journals_is_refused(opened: Store) -> None:
    """At start, with what to do; it stays as it was."""
    put(opened.redis, STORES[EARLY])
    before = opened.redis.dbsize()

    with pytest.raises(UnusableStore, match="of a version of before 2026-11-23"):
        opened.health.check_layout()

    assert opened.redis.dbsize() == before
    assert opened.redis.hexists("regicide:layout", "reader") is False
