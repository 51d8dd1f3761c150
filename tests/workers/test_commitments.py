"""A seed that is promised serves one game, whoever asks for it at once, and however often one of them repeats it."""

from datetime import datetime
from secrets import token_hex

import pytest

from engines.core.dealer import commitment
from engines.core.types import Json
from engines.table.table import Change
from tests.workers.stores import HUMAN, at_once, opening
from workers import game_commands
from workers.storage.commitments import TTL_SECONDS
from workers.storage.errors import CommitmentGone, NoSuchGame
from workers.storage.idempotency import Key
from workers.storage.keys import NEW_GAME_SCOPE, partition_of
from workers.storage.store import Store

BODY = "b" * 64


def a_key() -> Key:
    """Return an Idempotency-Key that nobody has used."""
    return Key(f"{NEW_GAME_SCOPE}/192.0.2.1", token_hex(8), BODY)


def test_a_seed_is_the_one_that_was_promised(store: Store):
    """The promise is its SHA-256, tells for how long, and tells nothing else."""
    promised = store.commitments.make()
    said = promised.as_json()

    seed = store.commitments.take(promised.id, None)

    assert commitment(seed) == promised.commitment
    assert list(said) == ["id", "commitment", "expires"]
    assert seed.hex() not in str(said)
    assert 0 < store.redis.ttl(store.keys.commitment(promised.id)) <= TTL_SECONDS


def test_of_many_who_want_one_seed_at_once_one_has_it(store: Store):
    """The others are refused."""
    promised = store.commitments.make()

    took = at_once(16, lambda _: store.commitments.take(promised.id, a_key()))

    assert sorted(type(one).__name__ for one in took) == ["CommitmentGone"] * 15 + ["bytes"]


def test_whoever_asks_again_with_their_key_has_it_again(store: Store):
    """Their process may have died before it set the game up. With another key, or none, it is gone."""
    promised, key = store.commitments.make(), a_key()

    first, again = (store.commitments.take(promised.id, key) for _ in range(2))

    assert first == again
    for other in (a_key(), None):
        with pytest.raises(CommitmentGone):
            store.commitments.take(promised.id, other)


def test_without_a_key_it_is_taken_once(store: Store):
    """Nobody can tell one request from another."""
    promised = store.commitments.make()
    store.commitments.take(promised.id, None)

    with pytest.raises(CommitmentGone):
        store.commitments.take(promised.id, None)


def test_an_expired_seed_is_gone(store: Store):
    """As is one that nobody promised; asking for it leaves nothing behind."""
    promised = store.commitments.make()
    store.redis.delete(store.keys.commitment(promised.id))

    for gone in (promised.id, "0" * 20):
        with pytest.raises(CommitmentGone):
            store.commitments.take(gone, None)

    assert not store.redis.keys("*commitment*")


def test_a_repeated_request_sets_up_one_game_by_it(store: Store):
    """At the same time and afterwards; the seed and the answer lie in different partitions, perhaps."""
    promised, key = store.commitments.make(), a_key()

    def ask(_: int) -> Json:
        game = store.games.new_id(key)

        def begin(now: datetime) -> Change:
            return opening("race", [HUMAN], game_id=game, seed=store.commitments.take(promised.id, key))(now)

        return game_commands.create(
            store, begin, {}, key=key, answer=lambda table: {"id": table.id, "seed": table.seed}
        )

    answers = at_once(8, ask)

    assert len({str(answer) for answer in answers}) == 1
    assert store.games.count() == 1


def test_the_seeds_are_spread_over_the_partitions(store: Store):
    """Each lies where its id says."""
    made = [store.commitments.make().id for _ in range(200)]

    assert {partition_of(store.keys.commitment(one)) for one in made} == set(store.keys.all())
    with pytest.raises(NoSuchGame):
        store.games.load(made[0])
