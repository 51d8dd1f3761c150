"""Answers that wait for the replicas, and primaries that change."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest

from api.commands.wait_for_store import wait_for_store
from tests.clusters import NAME, Guarded, Node, clustered, guarded
from tests.waiting import AGES, allowed, comes_true
from tests.workers.stores import HUMAN, assert_sound, open_table
from workers import game_commands, readiness
from workers.settings import Settings
from workers.storage.errors import StorageUnavailable
from workers.storage.idempotency import Key
from workers.storage.store import Store, open_store

LONG = {"goal": 999}
WITHIN = 10.0
"""Seconds after which a new primary must have been found."""


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Guarded]:
    """Give a primary, a replica and a Sentinel."""
    with guarded(tmp_path / "pair", replicas=1, sentinels=1) as pair:
        yield pair


@contextmanager
def store_at(url: str, folder: Path, replicas: int) -> Iterator[Store]:
    """Open a store."""
    opened = open_store(Settings(data=folder, redis_url=url, replicas=replicas))
    try:
        yield opened
    finally:
        opened.close()


@contextmanager
def frozen(node: Node) -> Iterator[None]:
    """Let a server stand still."""
    os.kill(node.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(node.pid, signal.SIGCONT)


def key(game: str, name: str) -> Key:
    """Return an Idempotency-Key of seat 0."""
    return Key(f"{game}/0", name, "b" * 64)


def goes_on(move: Callable[[], object], within: float = WITHIN) -> float:
    """Move again and again until that is answered, and return the seconds it took."""
    began = monotonic()

    def is_made() -> bool:
        try:
            move()
        except StorageUnavailable:
            return False
        return True

    assert comes_true(is_made, within)
    return monotonic() - began


def test_what_is_answered_is_on_the_replica(pair: Guarded, tmp_path: Path, race: object):
    """Whoever asks the replica in the next moment finds it there; new games, turns, scripts that it has to be sent."""
    primary, replica = pair.nodes
    with store_at(pair.url, tmp_path, replicas=1) as store:
        for number in range(5):
            game = open_table(store, HUMAN, options=LONG)
            game_commands.play_action(store, game, 0, "step 1", key=key(game, "k"))
            assert replica.ask("HGET", store.keys.game(game), "version") == "1"
            if number == 2:
                primary.ask("SCRIPT", "FLUSH")
        assert store.health.durability().replicas == 1


def test_too_few_replicas(pair: Guarded, tmp_path: Path, race: object):
    """It isn't known whether the change lasts, until its key says so: made once, whatever was answered."""
    with store_at(pair.url, tmp_path, replicas=1) as store:
        game = open_table(store, HUMAN, options=LONG)

        def take() -> int:
            return int(game_commands.play_action(store, game, 0, "step 1", expected=0, key=key(game, "k"))["version"])

        with frozen(pair.nodes[1]):
            for _ in range(2):  # the change, then the answer that is remembered
                with pytest.raises(StorageUnavailable, match="Too few replicas"):
                    take()
            with pytest.raises(StorageUnavailable, match="Too few replicas"):
                game_commands.play_action(store, game, 0, "step 1", expected=1)
        assert [take(), take()] == [1, 1]
        assert store.games.load(game).version == 2
        assert_sound(store, game)


def test_without_its_replicas_it_is_not_ready(pair: Guarded, tmp_path: Path):
    """A load balancer is told."""
    with store_at(pair.url, tmp_path, replicas=1) as store:
        pair.nodes[1].kill()
        assert comes_true(lambda: pair.nodes[0].info("connected_slaves") == 0, WITHIN)

        with pytest.raises(StorageUnavailable, match="fewer replicas"):
            store.health.durability()


def moves(store: Store) -> Callable[[int], None]:
    """Open a table, and return what makes its change to a version: again and again, and yet once."""
    game = open_table(store, HUMAN, options=LONG)

    def move(version: int) -> None:
        game_commands.play_action(store, game, 0, "step 1", expected=version - 1, key=key(game, f"k{version}"))
        assert store.games.load(game).version == version
        assert_sound(store, game)

    return move


def test_a_primary_that_dies(tmp_path: Path, race: object):
    """A replica goes on, with all that was answered."""
    with guarded(tmp_path / "guarded", replicas=2) as servers, store_at(servers.url, tmp_path, replicas=1) as store:
        move = moves(store)
        for version in range(1, 21):
            move(version)
        servers.primary().kill()
        took = goes_on(lambda: move(21))
        for version in range(22, 31):
            move(version)

    print(f"a primary died: moves went on after {took:.1f} s")  # noqa: T201


def test_a_primary_that_stands_still(tmp_path: Path, race: object):
    """It breaks no connection and answers nothing: who has waited long enough looks for the primary again."""
    with guarded(tmp_path / "guarded", replicas=2) as servers, store_at(servers.url, tmp_path, replicas=1) as store:
        move = moves(store)
        move(1)
        with frozen(servers.primary()):
            took = goes_on(lambda: move(2))
            move(3)

    print(f"a primary stood still: moves went on after {took:.1f} s")  # noqa: T201


def test_a_slot_that_moves(tmp_path: Path, race: object):
    """A game's partition is given to another primary of the cluster, and back: its moves go on there."""
    with clustered(tmp_path / "cluster") as cluster, store_at(cluster.url, tmp_path, replicas=1) as store:
        game = open_table(store, HUMAN, options=LONG)
        first = cluster.primary_of(store.keys.game(game))
        second = next(node for node in cluster.primaries() if node is not first)
        for version, (source, target) in enumerate([(first, second), (second, first)], 1):
            cluster.give(store.keys.game(game), source, target)
            took = goes_on(lambda: game_commands.play_action(store, game, 0, "step 1", key=key(game, f"k{version}")))  # noqa: B023
            assert store.games.load(game).version == version
            assert took < allowed(1)
        assert_sound(store, game)


def test_a_primary_that_steps_back(pair: Guarded, tmp_path: Path, race: object):
    """It lives, and takes writes for seconds until the Sentinels tell it: none that goes there is answered.

    Nobody breaks the connection. But its replica has left, and who isn't answered asks again who is the primary. That
    one has no replica until the other has become it.
    """
    with store_at(pair.url, tmp_path, replicas=1) as store:
        before, move = pair.primary(), moves(store)
        move(1)
        assert comes_true(lambda: pair.sentinels[0].tells("SENTINEL", "FAILOVER", NAME) is not None, WITHIN)
        assert comes_true(lambda: pair.primary() is not before, WITHIN)
        took = goes_on(lambda: move(2), within=AGES)
        move(3)

        assert (before.info("role"), pair.primary().info("role")) == ("slave", "master")
    print(f"a primary stepped back: moves went on after {took:.1f} s")  # noqa: T201


@pytest.mark.parametrize(("replicas", "needed"), [(1, 1), (2, 1), (2, 2)])
def test_a_replica_that_cannot_be_spared(tmp_path: Path, replicas: int, needed: int) -> None:
    """It is said at start and by readiness, while all is well yet; then one dies, and moves stop or go on."""
    with guarded(tmp_path / "nodes", replicas=replicas, sentinels=1) as nodes:
        warned = replicas == needed
        settings = Settings(data=tmp_path, redis_url=nodes.url, replicas=needed)
        told = list[str]()
        wait_for_store(settings, told.append)
        assert [sentence for sentence in told if "No replica can be spared" in sentence] == told
        assert bool(told) == warned
        with store_at(nodes.url, tmp_path, needed) as store:
            store.health.record_worker_heartbeat()
            assert codes(store, settings) == (["no_spare_replica"] if warned else [])

            nodes.nodes[-1].kill()

            stopped = ["storage_unavailable"] if warned else ["no_spare_replica"]
            assert comes_true(lambda: living(store, settings) == stopped, AGES)


def test_a_cluster_in_which_no_replica_can_be_spared(tmp_path: Path) -> None:
    """One each, and a move must reach it."""
    with clustered(tmp_path / "nodes") as cluster, store_at(cluster.url, tmp_path, replicas=1) as store:
        assert [reason.code for reason in store.health.durability().readiness_reasons(1)] == ["no_spare_replica"]


def living(store: Store, settings: Settings) -> list[str]:
    """Return the same while a worker lives."""
    store.health.record_worker_heartbeat()
    return codes(store, settings)


def codes(store: Store, settings: Settings) -> list[str]:
    """Return the codes of what readiness finds wrong."""
    return [reason.code for reason in readiness.reasons(store, settings)]
