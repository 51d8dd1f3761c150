"""Keys: those that a script touches lie in one slot, whatever it does, and an id tells its partition."""

from collections.abc import Callable, Sequence
from datetime import datetime
from secrets import token_bytes
from typing import Any

import pytest
from redis.crc import key_slot

from engines.analysis.arena import Arena
from tests.workers.stores import HUMAN, NOVICE, OPEN, due_with, open_table, opening
from workers import game_commands, rematch
from workers.background import arena, hints
from workers.background.sweeper import Sweeper
from workers.storage import commands
from workers.storage.commands import Script
from workers.storage.due_games import check_later, defer, leased, nothing_due, removed, retried
from workers.storage.idempotency import Key
from workers.storage.keys import NEW_GAME_SCOPE, Keys, partition_of
from workers.storage.queue import INTERACTIVE_QUEUE, queue_of
from workers.storage.store import Store
from workers.storage.tokens import Token

BODY = "b" * 64


@pytest.fixture
def slots(store: Store, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, set[int]]]:
    """Give the slots of the keys of each script that the store runs, with the first line of its source."""
    seen: list[tuple[str, set[int]]] = []
    run = Script.__call__

    def note(script: Script, keys: Sequence[str], args: Sequence[Any]) -> Any:
        if not keys[0].startswith(("rq:", "regicide:line:")):  # the queue's, which is in no cluster
            head = next(line for line in script.source.splitlines() if line.startswith("--"))
            seen.append((head, {key_slot(key.encode()) for key in keys}))
        return run(script, keys, args)

    monkeypatch.setattr(commands.Script, "__call__", note)
    return seen


def play_on(store: Store) -> None:
    """Let a game be set up, played, abandoned and followed by another one."""
    game = open_table(store, HUMAN, NOVICE, options={"goal": 99})
    game_commands.play_action(store, game, 0, "step 1", key=Key(f"{game}/0", "k", BODY))
    game_commands.change(store, game, lambda table, now: table.abandon(now), tokens={"host": "f" * 64})
    asked = rematch.RematchRequest(lambda path: Token("e" * 64, path[-1]), lambda path: Token("c" * 64, path[-1]))
    rematch.create_or_join(store, store.games.load(game), 0, asked)


def create_by_key(store: Store) -> None:
    """Set up a game with an Idempotency-Key, as api does."""
    for number in range(20):
        key = Key(f"{NEW_GAME_SCOPE}/::1", f"k-{number}", BODY)
        begin = opening("race", [HUMAN, OPEN], game_id=store.games.new_id(key))
        game_commands.create(store, begin, {"0": "d" * 64}, key=key, answer=lambda table: {"id": table.id})


def give_back(store: Store) -> None:
    """Release a claim."""

    def refuse(_: datetime) -> Any:
        raise LookupError

    with pytest.raises(LookupError):
        game_commands.create(store, refuse, {}, key=Key(f"{NEW_GAME_SCOPE}/::1", "k", BODY), answer=lambda _: {})


def do_tasks(store: Store) -> None:
    """Ask for hints, one after the other, and for an arena; work on them."""
    game = open_table(store, HUMAN, HUMAN)
    first = hints.request_hint(store, game, 0, 0, "novice", "owner")
    second = hints.request_hint(store, game, 0, 0, "adept", "owner")
    begun = arena.create_task(store, Arena("race", ("novice",), 1, {}, "s"), store.keys.new_id(), "owner")
    for task in (second, begun):
        store.tasks.heartbeat(task)
        store.tasks.store_part(task, 0, {})
        store.tasks.finish(task, {})
    assert store.tasks.load(first.id).status == "cancelled"


def promise(store: Store) -> None:
    """Promise seeds, and take them."""
    for _ in range(20):
        store.commitments.take(store.commitments.make().id, Key(f"{NEW_GAME_SCOPE}/::1", "k", BODY))


def sweep(store: Store) -> None:
    """Look after games whose jobs were lost."""
    game = open_table(store, NOVICE, HUMAN)
    table = store.games.load(game)
    version = table.version
    store.due_games.put(
        [leased(table), retried(game, version, 0), check_later(game, version), nothing_due(table, store.now())]
    )
    store.due_games.put([defer(game), removed(game)])
    for lost in [open_table(store, NOVICE, HUMAN) for _ in range(20)]:
        store.redis.zadd(due_with(store, lost), {lost: 0})
    queue_of(store.redis, INTERACTIVE_QUEUE).empty()
    Sweeper(store).sweep()


@pytest.mark.parametrize("act", [play_on, create_by_key, give_back, promise, do_tasks, sweep])
def test_a_script_touches_one_slot(store: Store, slots: list[tuple[str, set[int]]], act: Callable[[Store], None]):
    """It could run on a cluster."""
    act(store)

    assert slots
    assert [(head, touched) for head, touched in slots if len(touched) > 1] == []


@pytest.mark.parametrize("count", [1, 2, 3, 16, 1000, 1024])
def test_an_id_is_made_in_its_partition(count: int):
    """In any that is wished for, and in no other; without a wish anywhere."""
    keys = Keys(count)

    for partition in {0, 1 % count, count // 2, count - 1}:
        made = {keys.new_id(partition) for _ in range(50)}
        assert {keys.partition(one) for one in made} == {partition}
        assert {len(one) for one in made} == {20}
        assert len(made) == 50
    assert {keys.partition(keys.new_id()) for _ in range(200)} <= set(keys.all())
    assert count == 1 or len({keys.partition(keys.new_id()) for _ in range(200)}) > 1


@pytest.mark.parametrize(("partition", "tag"), [(0, "{p00}"), (7, "{p07}"), (15, "{p15}"), (1023, "{p1023}")])
def test_a_key_tells_its_partition(partition: int, tag: str):
    """By its hash tag, of two digits or more."""
    keys = Keys(1024)
    game = keys.new_id(partition)

    for key in (keys.game(game), keys.due(partition), keys.hint(game, 1), keys.task(game), keys.commitment(game)):
        assert key.startswith(f"{tag}:")
        assert partition_of(key) == partition


def test_partitions_lie_in_many_slots():
    """Sixteen are spread over a cluster of three: each third of the slots has some."""
    slots = [key_slot(Keys(16).due(partition).encode()) for partition in range(16)]

    assert {slot * 3 // 16384 for slot in slots} == {0, 1, 2}


def test_a_key_for_a_new_game_decides_on_its_partition():
    """Whoever repeats the request finds the answer, and the game lies beside it."""
    keys = Keys(16)
    answers = [keys.answer(f"{NEW_GAME_SCOPE}/192.0.2.1", token_bytes(8).hex()) for _ in range(200)]

    assert len({partition_of(answer) for answer in answers}) > 8
    assert all(keys.partition(keys.new_id(partition_of(answer))) == partition_of(answer) for answer in answers)
    game = keys.new_id(5)
    assert partition_of(keys.answer(f"{game}/0", "k")) == 5
