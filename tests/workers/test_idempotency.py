"""The same Idempotency-Key gives the first answer again, and acts once, whatever happens in between."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from engines.core.errors import Refusal
from engines.table import table_json
from engines.table.table import Change
from tests.waiting import AGES
from tests.workers.lossy import LossyLine
from tests.workers.stores import HUMAN, PARTITIONS, assert_sound, at_once, open_table, opening
from workers import game_commands
from workers.settings import Settings
from workers.storage.errors import InProgress, KeyReused, StaleVersion, StorageRefusal
from workers.storage.idempotency import IdempotencyKeys, Key
from workers.storage.store import Store, open_store

LONG = {"goal": 99}


def key(game: str, text: str = "k-1", body: str = "step 1", seat: int = 0) -> Key:
    """Return a key as api makes it."""
    return Key(f"{game}/{seat}", text, sha256(body.encode()).hexdigest())


def name_of(store: Store, key: Key) -> str:
    """Return under which key of the storage a claim or an answer is."""
    return store.keys.answer(key.scope, key.text)


def test_the_first_answer_is_given_again(store: Store):
    """Whatever has happened since, and though the version is stale by then."""
    game = open_table(store, HUMAN, options=LONG)
    first = game_commands.play_action(store, game, 0, "step 1", expected=0, key=key(game))
    game_commands.play_action(store, game, 0, "step 2")

    again = game_commands.play_action(store, game, 0, "step 1", expected=0, key=key(game))

    assert again == first
    assert (first["version"], store.games.load(game).version) == (1, 2)
    assert_sound(store, game)


def test_the_first_answer_is_given_again_after_the_end(store: Store):
    """The key is looked up before the rules."""
    game = open_table(store, HUMAN, options={"goal": 1})
    first = game_commands.play_action(store, game, 0, "step 1", key=key(game))

    assert game_commands.play_action(store, game, 0, "step 1", key=key(game)) == first


def test_a_key_with_another_body_is_refused(store: Store):
    """Before the version and the rules are looked at."""
    game = open_table(store, HUMAN, options=LONG)
    game_commands.play_action(store, game, 0, "step 1", key=key(game))

    with pytest.raises(KeyReused):
        game_commands.play_action(store, game, 0, "nonsense", expected=77, key=key(game, body="nonsense"))


def test_a_key_belongs_to_one_seat_of_one_game(store: Store):
    """The same text elsewhere is another key."""
    game, other = open_table(store, HUMAN, HUMAN, options=LONG), open_table(store, HUMAN, options=LONG)

    versions = [
        game_commands.play_action(store, game, 0, "step 1", key=key(game, seat=0))["version"],
        game_commands.play_action(store, game, 1, "step 1", key=key(game, seat=1))["version"],
        game_commands.play_action(store, other, 0, "step 1", key=key(other))["version"],
    ]

    assert versions == [1, 2, 1]


@pytest.mark.parametrize(
    ("action", "expected", "code"),
    [("nonsense", None, "bad_action"), ("step 9", None, "illegal_action"), ("step 1", 5, "stale_version")],
)
def test_refusals_are_not_remembered(store: Store, action: str, expected: int | None, code: str):
    """The key is free again at once, for any body."""
    game = open_table(store, HUMAN, options=LONG)
    with pytest.raises(Refusal) as refusal:
        game_commands.play_action(store, game, 0, action, expected=expected, key=key(game, body=action))

    answer = game_commands.play_action(store, game, 0, "step 1", key=key(game))

    assert refusal.value.code == code
    assert answer["version"] == 1


def test_an_answer_is_remembered_by_the_commit_itself(store: Store):
    """Whoever commits and dies before answering has answered all the same."""
    game = open_table(store, HUMAN, options=LONG)
    change = store.games.load(game).act(0, "step 1", store.now())

    def commit_and_die() -> None:
        with store.idempotency.reserve(key(game)):
            store.games.commit(change, 0, key=key(game), answer={"version": 1, "first": True})
            raise SystemExit

    with pytest.raises(SystemExit):
        commit_and_die()

    again = game_commands.play_action(store, game, 0, "step 1", key=key(game))

    assert again == {"version": 1, "first": True}
    assert_sound(store, game)


def test_a_claim_whose_owner_died_expires(store: Store):
    """Until then others are asked to come again; afterwards the key is as if it had never been sent."""
    game = open_table(store, HUMAN, options=LONG)
    store.idempotency = IdempotencyKeys(store.redis, store.keys, store.replicas, wait_seconds=0.05)
    dead = key(game).body_digest.encode() + b"?dead"
    store.redis.set(name_of(store, key(game)), dead, ex=10)

    with pytest.raises(InProgress) as refusal:
        game_commands.play_action(store, game, 0, "step 1", key=key(game))
    store.redis.delete(name_of(store, key(game)))  # as its expiry does

    assert refusal.value.retry_after == 1
    assert game_commands.play_action(store, game, 0, "step 1", key=key(game))["version"] == 1


def test_claims_expire_within_seconds_and_answers_within_the_day(store: Store):
    """A claim outlives no patience; an answer is kept for 24 hours."""
    game = open_table(store, HUMAN, options=LONG)

    with store.idempotency.reserve(key(game, "claim")):
        claim = store.redis.ttl(name_of(store, key(game, "claim")))
    game_commands.play_action(store, game, 0, "step 1", key=key(game, "answer"))

    assert 0 < claim <= 10
    assert 86_000 < store.redis.ttl(name_of(store, key(game, "answer"))) <= 86_400


@pytest.mark.parametrize("fails", [False, True])
def test_a_second_request_waits_for_the_first(store: Store, fails: bool):
    """It gets the first's answer, or its turn when the first was refused, and gets on without being asked again."""
    game = open_table(store, HUMAN, options=LONG)
    claimed, go_on = Event(), Event()

    def first() -> Any:
        with store.idempotency.reserve(key(game)):
            claimed.set()
            go_on.wait(AGES)
            if fails:
                raise ValueError
            change = store.games.load(game).act(0, "step 1", store.now())
            store.games.commit(change, 0, key=key(game), answer={"by": "first"})

    def second() -> Any:
        claimed.wait(AGES)
        return game_commands.play_action(store, game, 0, "step 1", key=key(game))

    with ThreadPoolExecutor(2) as threads:
        slow, waiting = threads.submit(first), threads.submit(second)
        claimed.wait(AGES)
        while not int(store.redis.info("clients")["blocked_clients"]):
            assert not waiting.done()
        go_on.set()
        answer = waiting.result(AGES)

    assert isinstance(slow.exception(), ValueError) == fails
    assert answer == {"by": "first"} if not fails else answer["version"] == 1
    assert_sound(store, game)


def test_fifty_at_once_with_one_key_make_one_move(store: Store):
    """Fifty equal answers."""
    game = open_table(store, HUMAN, options=LONG)

    answers = at_once(50, lambda _: game_commands.play_action(store, game, 0, "step 1", expected=0, key=key(game)))

    assert [answer for answer in answers if isinstance(answer, Exception)] == []
    assert answers == [answers[0]] * 50
    assert store.games.load(game).version == 1
    assert_sound(store, game)


def test_fifty_at_once_with_their_own_keys_and_one_version(store: Store):
    """One acts; forty-nine learn that they are late, and their keys stay free."""
    game = open_table(store, HUMAN, options=LONG)

    answers = at_once(
        50, lambda n: game_commands.play_action(store, game, 0, "step 1", expected=0, key=key(game, f"k-{n}"))
    )

    late = [answer for answer in answers if isinstance(answer, StaleVersion)]
    assert len(late) == 49
    assert sum(isinstance(answer, dict) for answer in answers) == 1
    assert sum(not name.endswith(b":wake-ups") for name in store.redis.scan_iter("*:answer:*")) == 1


def test_a_game_is_created_once_for_a_key(store: Store):
    """The answer that is remembered is all that the second request is given."""
    create = Key("games", "k-1", "b" * 64)

    def attempt(number: int) -> Any:
        return game_commands.create(
            store,
            opening("race", [HUMAN]),
            lambda: {"0": sha256(bytes([number])).hexdigest()},
            key=create,
            answer=lambda table: {"nonce": str(number), "game": table_json.resource(table, None)},
        )

    answers = at_once(8, attempt)

    assert [answer for answer in answers if isinstance(answer, StorageRefusal)] == []
    assert answers == [answers[0]] * 8
    assert len(store.games.page(None, None, 10, None)[0]) == 1


def test_of_two_who_both_hold_a_key_the_first_answers_for_both(store: Store):
    """A claim may expire under somebody who is slow: their own change isn't made then."""
    create = Key("games", "k-1", "b" * 64)

    def begin(opens: game_commands.Opening, body: str) -> Any:
        mine = Key("games", "k-1", body)
        return game_commands.create(store, opens, {}, key=mine, answer=lambda table: {"id": table.id})

    def slow(now: datetime) -> Change:
        store.redis.delete(name_of(store, create))  # as its expiry does
        quick.append(begin(opening("race", [HUMAN]), create.body_digest))
        return opening("race", [HUMAN])(now)

    quick: list[Any] = []
    answers = [begin(slow, create.body_digest)]
    with pytest.raises(KeyReused):
        begin(slow, "c" * 64)

    assert answers == quick[:1]
    assert {table.id for table in store.games.page(None, None, 10, None)[0]} == {answer["id"] for answer in quick}


def test_the_text_of_a_key_is_not_stored(store: Store):
    """Whoever reads the storage can't repeat the request."""
    game = open_table(store, HUMAN, options=LONG)
    game_commands.play_action(store, game, 0, "step 1", key=key(game, "very-secret"))

    dumped = [store.redis.dump(name) for name in store.redis.scan_iter()]

    assert b"very-secret" not in b"".join([*store.redis.scan_iter(), *(str(one).encode() for one in dumped)])


def test_without_a_key_a_turn_is_two_questions(store: Store, settings: Settings):
    """One to load, one to commit."""
    game = open_table(store, HUMAN, options=LONG)
    game_commands.play_action(store, game, 0, "step 1")  # the script is there now

    with open_store(settings).redis.monitor() as monitor:
        game_commands.play_action(store, game, 0, "step 1")
        store.redis.echo("end")
        said = takewhile(lambda line: line["command"] != "ECHO end", iter(monitor.next_command, None))
        asked = [line["command"].split()[0] for line in said if line["client_type"] != "lua"]

    assert asked == ["HMGET", "EVALSHA"]


@pytest.mark.parametrize("others", [0, 3])
def test_a_commit_whose_answer_was_lost_is_recognised(store: Store, settings: Settings, tmp_path: Path, others: int):
    """Sent again, it finds its own change, however far others have got since, and the client learns the truth."""
    game = open_table(store, HUMAN, options=LONG)
    with LossyLine(str(settings.redis_url), tmp_path).open() as line:
        unlucky = open_store(Settings(data=tmp_path, redis_url=line.url, partitions=PARTITIONS))
        unlucky.games.load(game)
        line.meanwhile = lambda: [game_commands.play_action(store, game, 0, "step 3") for _ in range(others)]
        line.lose.set()

        answer = game_commands.play_action(unlucky, game, 0, "step 1", expected=0)
        unlucky.close()

    assert not line.lose.is_set()
    assert (answer["version"], store.games.load(game).version) == (1, 1 + others)
    assert_sound(store, game)
