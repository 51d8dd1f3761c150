"""The operator's notice over a cluster and behind Sentinels: told by whole servers, and kept when a primary dies."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from tests.api.games import ANA
from tests.clusters import Clustered, Guarded, Node, alone, clustered, guarded
from tests.servers.commands import run
from tests.servers.served import running_server
from tests.waiting import AGES, allowed, comes_true
from tests.web.conftest import OPERATOR, OPERATOR_TOKEN
from workers.settings import Settings
from workers.storage import keys
from workers.storage.errors import StorageUnavailable
from workers.storage.store import Store, open_store

HELLO = "Back at ten."
Servers = tuple[Clustered | Guarded, dict[str, str]]
"""What runs, and the settings of a server over it."""


@contextmanager
def over_cluster(folder: Path) -> Iterator[Servers]:
    """Run a cluster of three with a replica each, and a server for the queue."""
    with clustered(folder / "cluster") as cluster, alone(folder / "broker") as broker:
        yield cluster, {"REDIS_URL": cluster.url, "REGICIDE_QUEUE_URL": f"redis://127.0.0.1:{broker.port}"}


@contextmanager
def over_sentinels(folder: Path) -> Iterator[Servers]:
    """Run a primary, two replicas and three Sentinels."""
    with guarded(folder / "guarded") as servers:
        yield servers, {"REDIS_URL": servers.url}


@contextmanager
def store_of(environ: dict[str, str], data: Path) -> Iterator[Store]:
    """Open the store that settings name."""
    opened = open_store(Settings.from_environment({**environ, "REGICIDE_DATA": str(data)}))
    try:
        yield opened
    finally:
        opened.close()


def primary(servers: Clustered | Guarded) -> Node:
    """Return the server that has the notice."""
    return servers.primary() if isinstance(servers, Guarded) else servers.primary_of(keys.NOTICE)


@pytest.mark.parametrize("over", [over_cluster, over_sentinels])
def test_whole_servers_tell_it(over, tmp_path: Path):
    """By the command and by the route, to an open stream; it is in the game until it is taken back."""
    data = tmp_path / "data"
    with over(tmp_path) as (_, environ):
        environ |= {"REGICIDE_OPERATOR_TOKEN": OPERATOR_TOKEN, "REGICIDE_PARTITIONS": "8"}
        with running_server(data, **environ) as served, served.client() as client:
            ana = client.create("regicide", [ANA]).players[0]
            path = f"{served.url}/v1/games/{ana.game_id}/stream"
            with httpx.stream("GET", path, headers={"Accept": "application/x-ndjson"}, timeout=allowed(AGES)) as stream:
                told = (json.loads(line) for line in stream.iter_lines() if line)
                next(told)
                assert run("banner", HELLO, data=data, **environ).returncode == 0
                assert next(told) == {"notice": HELLO}
                assert comes_true(lambda: ana.fetch().get("notice") == HELLO)  # in each of the web processes
                banner = f"{served.url}/v1/operator/banner"
                httpx.put(banner, json={"text": None}, headers=OPERATOR, timeout=AGES).raise_for_status()
                assert next(told) == {"notice": None}
            assert run("banner", data=data, **environ).stdout == "No banner is shown.\n"


@pytest.mark.parametrize("over", [over_cluster, over_sentinels])
def test_it_outlives_its_primary(over, tmp_path: Path):
    """Once it was confirmed; it can be taken back by whoever comes after."""
    with over(tmp_path) as (servers, environ), store_of({**environ, "REGICIDE_REPLICAS": "1"}, tmp_path) as store:
        store.notice.write(HELLO)

        first = primary(servers)
        first.kill()

        assert comes_true(lambda: reads(store, HELLO), AGES)
        first.start()  # as a replica: in a cluster of ours the new primary has no other, and needs one
        assert comes_true(lambda: is_taken_back(store), AGES)
        assert store.notice.read() is None


def reads(store: Store, notice: str) -> bool:
    """Return whether the store tells this notice; not while it has no primary."""
    with suppress(StorageUnavailable):
        return store.notice.read() == notice
    return False


def is_taken_back(store: Store) -> bool:
    """Try to take the notice back."""
    with suppress(StorageUnavailable):
        store.notice.write(None)
        return True
    return False
