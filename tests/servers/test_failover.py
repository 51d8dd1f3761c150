"""Whole servers over Sentinels and over a cluster: everything works, and goes on when a server of theirs dies."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import httpx
import pytest

from regicide_client import RegicideClient
from tests.clusters import Clustered, Guarded, Node, alone, clustered, guarded
from tests.servers.served import RunningServer, running_server
from tests.servers.soak import RETRY, Played, play, play_until
from tests.waiting import AGES, allowed, comes_true
from workers.storage.keys import Keys

PARTITIONS = 16
GOES_ON = 10.0
"""Seconds after which moves must go on when a server has died."""

ENDED_SECONDS = 120.0
"""Seconds that the games that are being played may take to end."""

SPREAD = 20
"""Games whose ids, by chance, all spare one server of three: once in 3,000 times."""
LONE: list[dict[str, object]] = [{"kind": "human", "name": "Ana"}]

Tables = tuple[tuple[str, str], ...]
SHORT: Tables = (("regicide", "h"), ("regicide", "hh"), ("regicide", "hn"))
LONG: Tables = (
    *(("regicide", "h"), ("regicide", "hh"), ("regicide", "ha")),
    *(("gridcannon", "hh"), ("gridcannon", "ha"), ("regicide", "hhn")),
)
LENGTHS = pytest.mark.parametrize(
    "tables", [pytest.param(SHORT, id="short"), pytest.param(LONG, id="long", marks=pytest.mark.long)]
)
QUIETLY = {"REGICIDE_LOG_LEVEL": "warning", "WORKERS": "2", "ARENA_WORKERS": "1"}


@contextmanager
def over_cluster(folder: Path) -> Iterator[tuple[RunningServer, Clustered, Node]]:
    """Run a whole server over a cluster, its queues on a server of their own."""
    with clustered(folder / "cluster") as cluster, alone(folder / "broker") as broker:
        environ = {
            "REDIS_URL": cluster.url,
            "REGICIDE_QUEUE_URL": f"redis://127.0.0.1:{broker.port}",
            "REGICIDE_PARTITIONS": str(PARTITIONS),
            "REGICIDE_REPLICAS": "1",
        }
        with running_server(folder / "data", **QUIETLY, **environ) as served:
            yield served, cluster, broker


@contextmanager
def over_sentinels(folder: Path) -> Iterator[tuple[RunningServer, Guarded]]:
    """Run a whole server over Sentinels, its queues there too."""
    with guarded(folder / "guarded", replicas=2) as servers:
        environ = {"REDIS_URL": servers.url, "REGICIDE_REPLICAS": "1"}
        with running_server(folder / "data", **QUIETLY, **environ) as served:
            yield served, servers


def use_everything(served: RunningServer) -> None:
    """Play with AIs, ask for a hint, follow a stream, look at lists, the past and the metrics, run an arena."""
    with RegicideClient(served.url) as server:
        arena = server.arena("regicide", ["novice", "novice"], 4)
        seats = [{"kind": "human", "name": "Ana"}, {"kind": "ai", "level": "novice"}]
        created = server.create("regicide", seats, commitment=server.commit(), client_seed="nobody foresees it")
        me = created.players[0]
        hint = me.hint().wait(timeout=allowed(ENDED_SECONDS))
        assert hint["status"] == "finished"
        versions: list[int] = []
        watcher = Thread(target=lambda: versions.extend(message["version"] for message in me.stream()))
        watcher.start()
        for ruleset in ("regicide", "gridcannon"):
            play(served.url, ruleset, "ha", "use").assert_whole()
        created.host.abandon()
        watcher.join(allowed(ENDED_SECONDS))
        assert versions[-1] == me.fetch()["version"]
        assert me.past(0)["version"] == 0
        listed = [game["id"] for game in server.games(limit=100)["games"]]
        assert created.game["id"] in listed
        assert len(listed) == len(set(listed)) == 3
        assert arena.wait(timeout=allowed(ENDED_SECONDS))["status"] == "finished"
        assert "regicide_games" in httpx.get(f"{served.url}/metrics", trust_env=False, timeout=AGES).text
        assert httpx.get(f"{served.url}/readyz", trust_env=False, timeout=AGES).json()["durable"] is True


def is_on_all(cluster: Clustered) -> bool:
    """Say whether every server of a cluster holds something."""
    return all(int(node.tells("DBSIZE")) > 0 for node in cluster.nodes)


def test_everything_on_a_cluster(tmp_path: Path) -> None:
    """Games of both rulesets, AIs, hints, arenas, streams, lists: over sixteen partitions on three servers."""
    with over_cluster(tmp_path) as (served, cluster, _):
        use_everything(served)

        with RegicideClient(served.url) as server:
            for _ in range(SPREAD):
                if not is_on_all(cluster):  # by chance: ids are random, and the games few
                    server.create("regicide", LONE)
        assert is_on_all(cluster)


def test_everything_on_sentinels(tmp_path: Path) -> None:
    """The same over a primary that Sentinels know."""
    with over_sentinels(tmp_path) as (served, _):
        use_everything(served)


def watched(url: str, game: str) -> list[int]:
    """Follow a game's stream to its end, as anybody may, and return the versions that came."""
    with RegicideClient(url, retry_seconds=RETRY) as server:
        return [message["version"] for message in server.spectator(game).stream()]


class Traffic:
    """Six players or more, at tables where game follows game until the block ends; then all must be whole."""

    def __init__(self, served: RunningServer, tables: Tables) -> None:
        self.played: list[Played] = []
        self.watched: list[list[int]] = []
        self._tables = tables
        self._url = served.url
        self._stop = Event()
        self._threads = ThreadPoolExecutor(1 + len(tables))

    def __enter__(self) -> list[str]:
        """Return the games when all have begun."""
        self._playing = self._threads.submit(play_until, self._url, self._stop, self._tables)
        games: list[str] = []

        def have_begun() -> bool:
            with RegicideClient(self._url) as server:
                games[:] = [game["id"] for game in server.games(status="active", limit=100)["games"]]
            return len(games) == len(self._tables)

        if not comes_true(have_begun, within=20):
            self._stop.set()
            raise AssertionError(f"only these games have begun: {games}")
        self._watching = [self._threads.submit(watched, self._url, game) for game in games]
        return games

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._threads.shutdown(wait=False)  # a game that never ends shall be a failure, and not waited for
        self.played = self._playing.result(ENDED_SECONDS)
        self.watched = [watching.result(ENDED_SECONDS) for watching in self._watching]

    def pause(self) -> float:
        """Return how long a game stood still at most.

        Each is whole: nothing lost, nothing done twice; who watched has seen each version once.
        """
        assert len(self.played) >= len(self._tables)
        for game in self.played:
            game.assert_whole()
        for versions in self.watched:
            assert versions == list(range(versions[0], versions[0] + len(versions)))
        return max(game.longest_pause() for game in self.played)

    def said(self, what: str) -> str:
        """Return what happened, in figures."""
        acts = sum(len(game.done) for game in self.played)
        return f"{what}: {len(self.played)} games, {acts} acts answered, at most {self.pause():.1f} s without a move"


@LENGTHS
def test_a_primary_of_the_cluster_dies(tables: Tables, tmp_path: Path) -> None:
    """Games go on where its replica takes over, as soon as that has a replica itself: nothing lost, nothing twice."""
    with over_cluster(tmp_path) as (served, cluster, _):
        traffic = Traffic(served, tables)
        with traffic as games:
            key = Keys(PARTITIONS).game(games[0])
            dead = cluster.primary_of(key)
            dead.kill()
            assert comes_true(lambda: cluster.find_primary_of(key) not in (None, dead), within=GOES_ON)
            dead.start()

        print(traffic.said("a primary of the cluster died"))  # noqa: T201
        assert traffic.pause() < GOES_ON


@LENGTHS
def test_the_primary_of_sentinels_dies(tables: Tables, tmp_path: Path) -> None:
    """The games and the queue go on at the replica that the Sentinels choose."""
    with over_sentinels(tmp_path) as (served, servers):
        traffic = Traffic(served, tables)
        with traffic:
            dead = servers.primary()
            dead.kill()
            assert comes_true(lambda: servers.primary() is not dead, within=GOES_ON)

        print(traffic.said("the primary died"))  # noqa: T201
        assert traffic.pause() < GOES_ON
