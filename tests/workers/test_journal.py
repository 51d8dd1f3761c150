"""The past is played again from the journal: each version as it was, or not at all."""

from inspect import signature
from json import dumps
from typing import Any

import pytest
from structlog.testing import capture_logs

from api.commands.check_ruleset.generated_games import setups, through_json
from engines import RULESETS
from engines.contract.position import Action
from engines.core.types import Json
from engines.table import table_json
from engines.table.journal import VERBS
from engines.table.record_parser import load_record
from engines.table.replay import verify
from engines.table.table import Change, Table
from tests.contract.hosted import Hosting
from tests.rulesets import Race
from tests.workers.stores import HUMAN, open_table
from workers import game_commands
from workers.storage import journal
from workers.storage.errors import Unreadable, UnreadablePast
from workers.storage.journal import KEYFRAME_INTERVAL
from workers.storage.store import Store
from workers.storage.table_codec import pack

HOSTINGS = [
    pytest.param(Hosting(setups(RULESETS["regicide"], 4)[0], 2, ("adept",), chance=0.0), id="regicide"),
    pytest.param(Hosting(setups(RULESETS["gridcannon"], 2)[0], 2, ("adept",), chance=0.0), id="gridcannon"),
    pytest.param(Hosting(setups(RULESETS["regicide"], 2)[0], 3, ("master",), abandoned=True), id="masters"),
]

Played = list[tuple[Table | None, Change]]


def play(store: Store, hosting: Hosting) -> Played:
    """Store a game, change by change, and return the changes."""
    done = list(hosting.changes())
    for before, change in done:
        store.games.commit(change, None if before is None else before.version, enqueue=False)
    return done


def written(table: Table | None) -> str:
    """Return all of a table, as text."""
    return "" if table is None else dumps(table_json.dump(table))


def told(change: Change) -> Json:
    """Return all that a change says of what happened."""
    return {"events": [(event.as_json(), event.knowers()) for event in change.events], "entry": change.entry}


@pytest.mark.parametrize("hosting", HOSTINGS)
def test_every_version_is_there_again(store: Store, hosting: Hosting):
    """Its table, to the letter, and its events; the record is the one that the changes make, and it is true."""
    done = play(store, hosting)
    game, last = done[0][1].table.id, done[-1][1].table

    again = store.history.changes(game)

    assert [(written(before), written(change.table), told(change)) for before, change in again] == [
        (written(before), written(change.table), told(change)) for before, change in done
    ]
    for version in range(0, len(done), 7):
        assert written(store.history.table(game, version)) == written(done[version][1].table)
    lines = [table_json.line(before, change.entry) for before, change in done if before is not None]
    assert store.history.record(game) == [line for line in lines if line]
    assert verify(load_record(through_json(table_json.record(last, store.history.record(game))))) == []


@pytest.mark.parametrize("limit", [1, 2, KEYFRAME_INTERVAL, KEYFRAME_INTERVAL + 1, 1000, None])
def test_any_part_of_the_past(store: Store, limit: int | None):
    """On either side of a keyframe, and at both ends."""
    game, count = race(store, 2 * KEYFRAME_INTERVAL + 3), 2 * KEYFRAME_INTERVAL + 3

    for after in (
        -1,
        0,
        1,
        *range(KEYFRAME_INTERVAL - 2, KEYFRAME_INTERVAL + 3),
        2 * KEYFRAME_INTERVAL,
        count - 1,
        count,
        count + 1,
    ):
        found = [change.table.version for _, change in store.history.changes(game, after, limit)]
        assert found == list(range(after + 1, count + 1))[:limit]


def test_no_more_is_read_than_to_the_next_keyframe(store: Store):
    """However long a game is."""
    game = race(store, 3 * KEYFRAME_INTERVAL)

    store.redis.xdel(store.keys.journal(game), "1-1", f"{3 * KEYFRAME_INTERVAL}-1")

    assert [change.table.version for _, change in store.history.changes(game, KEYFRAME_INTERVAL, 5)] == [
        33,
        34,
        35,
        36,
        37,
    ]
    with pytest.raises(UnreadablePast):
        store.history.table(game, 1)


def race(store: Store, count: int) -> str:
    """Run a race of so many steps, and return its id."""
    game = open_table(store, HUMAN, options={"goal": 10_000})
    for _ in range(count):
        game_commands.play_action(store, game, 0, "step 1")
    return game


class Faster(Race):
    """The race by another rule: a step counts twice."""

    def parse(self, action: object) -> Action:
        return super().parse("step 2" if action == "step 1" else action)


@pytest.mark.parametrize("version", [1, KEYFRAME_INTERVAL - 1, KEYFRAME_INTERVAL, KEYFRAME_INTERVAL + 1])
def test_another_engine_shows_no_other_past(store: Store, version: int, monkeypatch: pytest.MonkeyPatch):
    """Up to the next keyframe, or to the game as it is, the past is held against what was; the game goes on."""
    game = race(store, KEYFRAME_INTERVAL + 2)
    monkeypatch.setitem(RULESETS, "race", Faster())

    with capture_logs() as lines, pytest.raises(UnreadablePast):
        store.history.table(game, version)

    assert [(line["event"], line["game_id"]) for line in lines] == [("unreadable_past", game)]
    assert lines[0]["version"] in (KEYFRAME_INTERVAL, KEYFRAME_INTERVAL + 2)
    assert store.games.load(game).version == KEYFRAME_INTERVAL + 2
    assert game_commands.play_action(store, game, 0, "step 3")["version"] == KEYFRAME_INTERVAL + 3


DAMAGED: list[tuple[dict[bytes, bytes], bool]] = [
    ({}, False),
    ({b"entry": b"?"}, False),
    ({b"entry": b"[]"}, False),
    ({b"entry": b'["fly",0,0]'}, True),
    ({b"entry": b'["act",0,0,"walk"]'}, True),
    ({b"entry": b'["act",0,5,"step 1"]'}, True),
    ({b"entry": b'["act",0,0,"step 2"]'}, True),
    ({b"entry": b'["abandon",0]'}, True),
    ({b"keyframe": b"?"}, False),
    ({b"keyframe": pack({"version": 2, "position": {}})}, False),
    ({b"keyframe": pack({"version": 3})}, False),
]


@pytest.mark.parametrize(("damaged", "by_other_rules"), DAMAGED, ids=str)
def test_what_is_damaged_is_refused(store: Store, damaged: dict[bytes, bytes], *, by_other_rules: bool):
    """Whatever it is, it isn't passed on as what happened."""
    game = race(store, 2)
    opening: Any = store.redis.hget(store.keys.game(game), "opening")
    stream: Any = store.redis.xrange(store.keys.journal(game))
    entries = [(number, fields) for number, (_, fields) in enumerate(stream, start=1)]
    assert len(list(journal.History(opening, store.games.load(game), entries).changes())) == 3
    entries[1:] = [(2, {**entries[1][1], **damaged})] if damaged else [(3, entries[1][1])]

    with pytest.raises(Unreadable) as refusal:
        list(journal.History(opening, store.games.load(game), entries).changes())
    assert refusal.value.code == ("unreadable_past" if by_other_rules else "unreadable")


@pytest.mark.parametrize("hosting", HOSTINGS[1:])
def test_an_entry_is_short(hosting: Hosting):
    """An adept's move takes less than 45 bytes, a master's less than 60, whatever the record says of it."""
    changes = [change for _, change in list(hosting.changes())[1:]]
    sizes = [len(journal.entry(one)) for one in changes if one.entry["verb"] == "act" and one.entry["ai"]]

    assert sum(sizes) / len(sizes) < (60 if hosting.levels == ("master",) else 45)


def test_every_argument_of_every_verb_is_stored():
    """But for the time, which every entry has."""
    taken = {verb: tuple(signature(method).parameters) for verb, method in VERBS.items()}

    assert {verb: ("self", *names) for verb, names in journal.VERB_ARGUMENTS.items()} == {
        verb: tuple(name for name in names if name != "now") for verb, names in taken.items()
    }
