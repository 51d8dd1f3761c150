"""Commits are whole or not at all; nobody reads what they may not know."""

import re
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, ClassVar

import pytest
from redis.crc import key_slot

from engines.analysis.arena import Arena
from engines.contract.events import Event
from engines.table import table_json
from engines.table.table import STATUSES
from tests.workers.stores import HUMAN, NOVICE, OPEN, Clock, assert_sound, at_once, open_table, opening
from workers import game_commands
from workers.background import arena
from workers.storage import commit_arguments
from workers.storage.errors import NoSuchGame, StaleVersion
from workers.storage.journal import KEYFRAME_INTERVAL
from workers.storage.store import Store
from workers.storage.tokens import Token


def test_of_many_who_commit_against_one_version_one_succeeds(store: Store):
    """Compare-and-set: the others learn the version that the winner made."""
    game = open_table(store, HUMAN, options={"goal": 99})
    table = store.games.load(game)
    changes = [table.act(0, f"step {n % 4}", store.now()) for n in range(20)]

    outcomes = at_once(20, lambda n: store.games.commit(changes[n], table.version))

    losers = [outcome for outcome in outcomes if isinstance(outcome, StaleVersion)]
    assert (len(losers), {loser.version for loser in losers}) == (19, {1})
    assert outcomes.count(None) == 1
    assert_sound(store, game)


def test_nothing_is_lost_or_doubled_when_all_insist(store: Store):
    """Without an expected version whoever loses a race is judged again on what the winner left."""
    game = open_table(store, HUMAN, options={"goal": 1000})

    outcomes = at_once(12, lambda n: [game_commands.play_action(store, game, 0, "step 1")["version"] for _ in range(5)])

    versions = [version for outcome in outcomes if isinstance(outcome, list) for version in outcome]
    assert sorted(versions) == list(range(1, 61))
    assert table_json.resource(store.games.load(game), None)["view"]["total"] == 60
    assert_sound(store, game)


def test_a_refused_commit_writes_nothing(store: Store):
    """Neither state nor events, record, tokens, outbox or answer."""
    game = open_table(store, HUMAN, NOVICE)
    table = store.games.load(game)
    late = table.act(0, "step 1", store.now())
    game_commands.play_action(store, game, 0, "step 3")
    before = {key: store.redis.dump(key) for key in store.redis.keys("{p*")}

    with pytest.raises(StaleVersion) as refusal:
        store.games.commit(late, table.version, tokens={"0": "f" * 64})

    assert refusal.value.as_json()["version"] == 1
    assert {key: store.redis.dump(key) for key in store.redis.keys("{p*")} == before


def test_all_keys_of_a_game_share_one_hash_tag(store: Store):
    """One script may touch them all, on a cluster too."""
    game = open_table(store, HUMAN, NOVICE)
    game_commands.change(store, game, lambda t, now: t.act(0, "step 1", now), tokens={"host": "f" * 64})

    ours = {key for key in store.redis.scan_iter() if not key.startswith(b"rq:")}

    assert len(ours) > 3
    assert len({key_slot(key) for key in ours}) == 1
    assert {key.split(b":")[0].decode() for key in ours} == {f"{{p{store.keys.partition(game):02}}}"}


def test_a_game_that_does_not_exist(store: Store):
    """It can't be loaded, looked up or changed."""
    nowhere = opening("race", [HUMAN])(store.now()).table

    with pytest.raises(NoSuchGame):
        store.games.load(nowhere.id)
    with pytest.raises(NoSuchGame):
        store.games.load_for(nowhere.id, Token("0" * 64))
    with pytest.raises(NoSuchGame):
        store.games.commit(nowhere.act(0, "step 1", store.now()), 0)
    assert store.history.snapshots(nowhere.id) == []
    assert store.history.record(nowhere.id) == []


@pytest.mark.parametrize("ruleset", ["race", "regicide"])
def test_a_table_is_loaded_as_it_was_committed(store: Store, ruleset: str):
    """``table_json.load`` is the inverse of ``dump``, through storage too."""
    game = open_table(store, HUMAN, NOVICE, ruleset=ruleset, turn_seconds=30, private=True)
    table = store.games.load(game)
    change = table.act(0, table.legal(0)[0]["action"], store.now())

    store.games.commit(change, 0)

    stored = table_json.dump(change.table)
    assert table_json.dump(store.games.load(game)) == stored == table_json.dump(table_json.load(stored))


def test_who_holds_a_token(store: Store):
    """A token is its seat's, the host's, another game's, a job's, or nobody's, whatever it says of itself."""
    mine, theirs = opening("race", [HUMAN, OPEN])(store.now()), opening("race", [HUMAN])(store.now())
    ours, other, job = mine.table.id, theirs.table.id, store.keys.new_id()
    a, h, i, c = (token(prefix, ours) for prefix in ("rs", "rh", "ri", "rs"))
    b, j = token("rs", other), token("rj", job)
    store.games.commit(mine, None, tokens={"0": a.hash, "host": h.hash, "invite": i.hash})
    store.games.commit(theirs, None, tokens={"0": b.hash})
    arena.create_task(store, Arena("race", ("novice",), 1, {}, "s"), job, j.hash)
    game_commands.change(store, ours, lambda t, now: t.join(None, "Ben", "", now), tokens={"1": c.hash})
    sent = {"a": a, "h": h, "i": i, "c": c, "b": b, "j": j}
    sent |= {f"nobody's of {owner}": token("rs", owner) for owner in (ours, other)}
    sent |= {"no job's": token("rj", job), "no game's": token("rs", store.keys.new_id()), "x": Token.read("x")}

    held = {name: store.games.load_for(ours, one)[1:] for name, one in sent.items()}

    assert held == {
        "a": ("0", True),
        "h": ("host", True),
        "i": ("invite", True),
        "c": ("1", True),
        "b": (None, True),
        "j": (None, True),
        f"nobody's of {ours}": (None, False),
        f"nobody's of {other}": (None, False),
        "no job's": (None, False),
        "no game's": (None, False),
        "x": (None, False),
    }
    assert {name: store.games.token_exists(one) for name, one in sent.items()} == {name: held[name][1] for name in sent}
    assert store.games.load_for(mine.table.id, None)[1:] == (None, False)


def test_everybody_gets_the_events_that_they_may_know(store: Store):
    """The deal shows each seat its own card, the others and spectators only that there was one."""
    game = open_table(store, HUMAN, HUMAN)

    (snapshot,) = store.history.snapshots(game)

    assert snapshot.version == 0
    assert [event.seen_by(None) for event in snapshot.events[1:]] == [
        {"type": "dealt", "seat": 0},
        {"type": "dealt", "seat": 1},
    ]
    assert ["card" in event.seen_by(1) for event in snapshot.events[1:]] == [False, True]
    assert ["card" in event.seen_by(0) for event in snapshot.events[1:]] == [True, False]


def test_an_event_that_nobody_may_know_fully_is_public():
    """Knowers decide, and nobody else."""
    event = Turned(None, "AH")

    assert [event.seen_by(viewer) for viewer in (None, 0, 1)] == [{"type": "turned", "seat": None}] * 3


@dataclass(frozen=True)
class Turned(Event):
    """A card that lies on nobody's seat."""

    hidden: ClassVar[tuple[str, ...]] = ("card",)
    card: str


def test_events_are_read_by_whole_versions(store: Store):
    """``after`` is exclusive, the limit counts versions, and no number is too large to ask for."""
    game = open_table(store, HUMAN, options={"goal": 99})
    for _ in range(5):
        game_commands.play_action(store, game, 0, "step 1")

    assert [snapshot.version for snapshot in store.history.snapshots(game, after=2)] == [3, 4, 5]
    assert [snapshot.version for snapshot in store.history.snapshots(game, after=-1, limit=2)] == [0, 1]
    assert [snapshot.version for snapshot in store.history.snapshots(game, after=3, limit=100)] == [4, 5]
    assert [store.history.snapshots(game, after=after) for after in (5, 10**6, 2**63, 2**70)] == [[]] * 4


def test_no_snapshot_holds_the_secret_seed(store: Store):
    """What the journal repeats of the table is the part that changes."""
    game = open_table(store, HUMAN, options={"goal": 1000})
    for _ in range(KEYFRAME_INTERVAL):
        game_commands.play_action(store, game, 0, "step 1")

    stream: Any = store.redis.xrange(store.keys.journal(game))
    keyframe = zlib.decompress(stream[-1][1][b"keyframe"])

    assert store.games.load(game).seed not in str(stream)
    assert store.games.load(game).seed not in str(keyframe)
    assert b'"total":32' in keyframe


def test_pages_of_games_are_stable_when_new_ones_arrive(store: Store):
    """Newest first; each that was there at the first page comes exactly once, ties of time included."""
    moment = datetime(2030, 1, 1, tzinfo=UTC)
    store.games.now = lambda: moment
    games = {open_table(store, HUMAN) for _ in range(7)}
    first, cursor = store.games.page(None, None, 3, None)

    store.games.now = lambda: datetime(2031, 1, 1, tzinfo=UTC)
    late = open_table(store, HUMAN)
    second, cursor = store.games.page(None, None, 3, cursor)
    third, end = store.games.page(None, None, 3, cursor)

    assert [len(page) for page in (first, second, third)] == [3, 3, 1]
    assert {table.id for page in (first, second, third) for table in page} == games
    assert end is None
    assert store.games.page(None, None, 1, None)[0][0].id == late


def test_games_are_listed_by_status_and_ruleset(store: Store):
    """A game is found under the status that it has now; private ones are found nowhere."""
    waiting = open_table(store, HUMAN, OPEN)
    ended = open_table(store, HUMAN, options={"goal": 1})
    left = open_table(store, HUMAN)
    other = open_table(store, HUMAN, ruleset="regicide")
    open_table(store, HUMAN, private=True)
    game_commands.play_action(store, ended, 0, "step 1")
    game_commands.change(store, left, lambda table, now: table.abandon(now))

    def found(status: str | None, ruleset: str | None) -> set[str]:
        return {table.id for table in store.games.page(status, ruleset, 100, None)[0]}

    assert found("waiting", None) == {waiting}
    assert found("active", None) == {other}
    assert found("finished", "race") == {ended}
    assert found("abandoned", None) == {left}
    assert found(None, "race") == {waiting, ended, left}
    assert found(None, None) == {waiting, ended, left, other}
    assert found("finished", "regicide") == set()


def test_a_list_says_what_it_selected(store: Store):
    """A game that started between the search and the reading isn't shown among those that wait."""
    started, waiting = (open_table(store, HUMAN, OPEN) for _ in range(2))
    game_commands.change(store, started, lambda table, now: table.join(None, "Ben", "", now))
    found = store.games.load(started)
    place = store.keys.public(store.keys.partition(started), found.ruleset_name, "waiting")
    store.redis.zadd(place, {f"{found.created}_{started}": 0})  # as whoever searches a moment before sees it

    assert {table.id for table in store.games.page("waiting", None, 100, None)[0]} == {waiting}
    assert {table.id for table in store.games.page("active", None, 100, None)[0]} == {started}
    assert sorted(table.id for table in store.games.page(None, None, 100, None)[0]) == sorted((started, waiting))


def test_games_of_all_partitions_are_listed(store: Store, clock: Clock):
    """Page by page, newest first, wherever they lie."""
    games = []
    for partition in store.keys.all():
        clock.go(1)
        games.append(open_table(store, HUMAN, game_id=store.keys.new_id(partition)))

    found, cursor = [], None
    for _ in range(4):
        page, cursor = store.games.page(None, None, 5, cursor)
        found += [table.id for table in page]

    assert found == games[::-1]
    assert cursor is None


def test_lists_are_read_when_the_store_has_forgotten_its_scripts(store: Store):
    """As after a restart, which empties its cache of scripts."""
    games = [open_table(store, HUMAN, game_id=store.keys.new_id(partition)) for partition in store.keys.all()]
    for _ in range(2):
        store.redis.script_flush()
        assert {table.id for table in store.games.page(None, None, 100, None)[0]} == set(games)


def test_a_game_that_is_deleted_meanwhile_leaves_a_gap_in_the_list(store: Store):
    """Its place was read, and then it was gone: the list has the others."""
    stays, goes = open_table(store, HUMAN), open_table(store, HUMAN)
    store.redis.delete(store.keys.game(goes))

    assert [table.id for table in store.games.page(None, None, 10, None)[0]] == [stays]


@pytest.mark.parametrize("cursor", ["", "nonsense", "\udc80", "9999_x", "2030"])
def test_any_cursor_is_a_place_in_the_list(store: Store, cursor: str):
    """Even one that was never given."""
    open_table(store, HUMAN)

    tables, following = store.games.page(None, None, 5, cursor)

    assert len(tables) <= 1
    assert following is None


def test_a_worker_counts_as_alive_for_a_few_seconds(store: Store):
    """After its last sign of life."""
    before = store.health.has_worker()

    store.health.record_worker_heartbeat()

    assert (before, store.health.has_worker()) == (False, True)
    assert 0 < store.redis.ttl("regicide:worker") <= 3


def token(prefix: str, owner: str) -> Token:
    """Return a token that names a game or a job."""
    return Token.read(f"{prefix}_{owner}_{token_urlsafe(32)}")


def test_the_script_of_a_commit_knows_its_keys_and_values_by_name():
    """Whatever it reads has a name, whatever is named is read, and its head says what each is."""
    source = Path(commit_arguments.__file__).with_name("commit.lua").read_text("utf-8")
    head, code = source.split("-- Returns", 1)

    read = set(re.findall(r"key\.(\w+)", code)) | {
        f"{name}.{status}" for name in ("public", "idle") for status in STATUSES
    }
    keys = {*commit_arguments.KEYS, *commit_arguments.EXTRA_KEYS}
    values = {*commit_arguments.VALUES, *commit_arguments.EXTRA_VALUES}
    assert read == keys
    assert set(re.findall(r"arg\.(\w+)", code)) == values
    described = set(re.findall(r"^--   ([a-z_]+(?:\.<status>)?) ", head, re.MULTILINE))
    assert described == {re.sub(r"\..*", ".<status>", name) for name in keys | values}
