"""Ended games over a cluster and over Sentinels: exported, archived, deleted, as over one server."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.clusters import alone, clustered, guarded
from tests.servers.commands import run, said
from tests.workers.stores import HUMAN, open_table
from workers import game_commands
from workers.archive import Archive, read_lines
from workers.archived_record_format import expand
from workers.retention import read_ended
from workers.settings import Settings
from workers.storage.commands import text
from workers.storage.keys import Keys
from workers.storage.store import Store, open_store

PARTITIONS = 8
PLACES = range(0, PARTITIONS, 2)
"""The partitions in which games end."""


@contextmanager
def over_cluster(folder: Path) -> Iterator[dict[str, str]]:
    """Run a cluster of three, and a server for the queue; give the settings."""
    with clustered(folder / "cluster") as cluster, alone(folder / "broker") as broker:
        yield {"REDIS_URL": cluster.url, "REGICIDE_QUEUE_URL": f"redis://127.0.0.1:{broker.port}"}


@contextmanager
def over_sentinels(folder: Path) -> Iterator[dict[str, str]]:
    """Run a primary, a replica and a Sentinel; give the settings."""
    with guarded(folder / "guarded", replicas=1, sentinels=1) as servers:
        yield {"REDIS_URL": servers.url}


@contextmanager
def store_of(environ: dict[str, str], data: Path) -> Iterator[Store]:
    """Open the store that settings name."""
    opened = open_store(Settings.from_environment({**environ, "REGICIDE_DATA": str(data)}))
    try:
        yield opened
    finally:
        opened.close()


def opened(store: Store, partition: int) -> str:
    """Open a game, act in it, and return its id."""
    game = open_table(store, HUMAN, ruleset="regicide", game_id=store.keys.new_id(partition))
    game_commands.play_action(store, game, 0, store.games.load(game).legal(0)[0]["text"])
    return game


def ended(store: Store, partition: int) -> bytes:
    """End a game, and return its record."""
    game = opened(store, partition)
    game_commands.change(store, game, lambda table, now: table.abandon(now))
    return read_ended(store, game)[1]


def age(store: Store) -> None:
    """Let it be a long time since anything happened in a game."""
    for partition in store.keys.all():
        for status in ("active", "finished", "abandoned"):
            name = store.keys.idle(partition, status)
            for game in map(text, store.redis.zrange(name, 0, -1)):
                store.redis.zadd(name, {game: 0}, xx=True)


@pytest.mark.parametrize("over", [over_cluster, over_sentinels])
def test_ended_games_are_exported_and_archived(over, tmp_path):
    """Of every partition, wherever it lies; what is exported is the same before and after, and nothing is left."""
    data = tmp_path / "data"
    with over(tmp_path) as servers:
        environ = {**servers, "REGICIDE_PARTITIONS": str(PARTITIONS)}
        with store_of(environ, data) as store:
            store.health.check_layout()
            records, runs = sorted(ended(store, place) for place in PLACES), opened(store, 1)
            before = run("export", data=data, **environ)
            age(store)
            pruned, again = run("prune", data=data, **environ), run("prune", data=data, **environ)
            after = run("export", "--ruleset", "regicide", data=data, **environ)

            assert (before.returncode, sorted(before.stdout.encode().splitlines())) == (0, records)
            many = len(PLACES)
            assert pruned.stdout == f"1 game given up, {many} archived, {many} deleted.\n", pruned.stderr
            assert again.stdout == "0 games given up, 0 archived, 0 deleted.\n", again.stderr
            assert said(after) == f"{many + 1} games exported."
            given_up = read_ended(store, runs)[1]
            assert sorted(after.stdout.encode().splitlines()) == sorted([*records, given_up])
            files = Archive(data / "archive").files()
            assert sorted(expand(line) for file in files for line in read_lines(file, pytest.fail)) == records
            assert store.games.count() == 1
            assert left(store, Keys(PARTITIONS).partition(runs)) == []


def left(store: Store, but: int) -> list[str]:
    """Return the partitions that still have something of a game, *but* for one."""
    keys = store.keys
    names = [
        name
        for place in keys.all()
        if place != but
        for name in (keys.due(place), *(keys.idle(place, status) for status in ("active", "finished", "abandoned")))
    ]
    return [name for name in names if store.redis.exists(name)]
