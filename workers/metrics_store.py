"""Metrics of all processes, on whatever machines, summed in the storage for Prometheus.

Each process counts for itself (metrics.py) and once a second adds what is new to sums in the storage. So no sum falls
when a process ends or dies, and any web server can show them all. A process that is killed loses its last second, and
one whose connection breaks may count a second twice. Gauges are of the processes that live; what the storage itself
knows is read when somebody asks.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from secrets import token_hex
from threading import Event, Lock
from typing import Any, Final

import orjson
import structlog
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.client import Pipeline

from workers.metrics import REGISTRY
from workers.storage import keys, queue
from workers.storage.clients import primaries
from workers.storage.connection import call, pipelined, text
from workers.storage.errors import DamagedKey, StorageUnavailable
from workers.storage.fair_queues import FairQueues
from workers.storage.store import Store

POST_SECONDS: Final = 1.0
PROCESS_TTL_SECONDS: Final = 5.0
"""A process that hasn't posted for so long counts as gone."""

SUFFIXES: Final = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum"), "gauge": ("",)}
"""How the samples of a family are named after it. When each began to count (``_created``) isn't kept."""

log: Final = structlog.get_logger(__name__)

Values = dict[str, float]
"""By sample: its name and labels, as JSON."""


class MetricsAggregator:
    """The sums in a storage, and one process of a *kind* that adds what its *registry* counts."""

    def __init__(self, store: Store, kind: str, registry: CollectorRegistry = REGISTRY) -> None:
        self._store = store
        self._kind = kind
        self._registry = registry
        self._process = token_hex(8)
        self._posted: Values = {}
        self._lock = Lock()

    def run(self, stop: Event) -> None:
        """Post again and again until *stop*."""
        while not stop.wait(POST_SECONDS):
            self.try_post()

    def try_post(self) -> None:
        """Post if that can be done; what isn't posted now is posted later."""
        try:
            self.post()
        except StorageUnavailable:
            return
        except Exception:
            log.exception("ledger_failed")

    def post(self) -> None:
        """Add what is new to the sums, and give a sign of life. Raises ``StorageUnavailable``."""
        with self._lock:
            sums, gauges = _counted(self._registry)
            # A new sample is posted even if it is 0: a histogram shows all of its buckets.
            new = {name: value for name, value in sums.items() if value != self._posted.get(name)}
            life = {"at": self._store.now().timestamp(), "kind": self._kind, "gauges": gauges}

            def order(pipe: Pipeline) -> None:
                for name, value in new.items():
                    pipe.hincrbyfloat(keys.SUMS, name, value - self._posted.get(name, 0.0))
                pipe.hset(keys.PROCESSES, self._process, orjson.dumps(life))

            pipelined(self._store.redis, order)
            self._posted = sums

    def shown(self) -> bytes:
        """Return everything in Prometheus' text format. Raises ``StorageUnavailable``, ``DamagedKey``."""
        self.post()

        def order(pipe: Pipeline) -> None:
            pipe.hgetall(keys.SUMS)
            pipe.hgetall(keys.PROCESSES)

        sums, processes = pipelined(self._store.redis, order)
        try:
            living = self._living(processes)
            values = {text(name): float(value) for name, value in sums.items()}
            for process in living:
                for name, value in process["gauges"].items():
                    values[name] = values.get(name, 0.0) + value
            families = [*_families(self._registry, values), _kinds(living), *_standing(self._store)]
        except (LookupError, TypeError, ValueError) as error:
            raise DamagedKey from error
        return generate_latest(_Shown(families))

    def _living(self, processes: Mapping[bytes, bytes]) -> list[Any]:
        """Return what the living processes said last, and forget the others."""
        earliest = self._store.now().timestamp() - PROCESS_TTL_SECONDS
        said = {text(process): orjson.loads(life) for process, life in processes.items()}
        silent = [process for process, life in said.items() if not isinstance(life, dict) or life["at"] < earliest]
        if silent:
            call(lambda: self._store.redis.hdel(keys.PROCESSES, *silent))
        return [life for process, life in said.items() if process not in silent]


class _Shown(Collector):
    """Families that were read, as the library wants to be handed them."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> list[Metric]:
        return self._families


def _counted(registry: CollectorRegistry) -> tuple[Values, Values]:
    """Return what this process has counted so far, and its gauges."""
    sums, gauges = Values(), Values()
    for family in registry.collect():
        for sample in family.samples:
            if not sample.name.endswith("_created"):
                kept = gauges if family.type == "gauge" else sums
                kept[orjson.dumps([sample.name, sample.labels]).decode()] = sample.value
    return sums, gauges


def _families(registry: CollectorRegistry, values: Values) -> Iterator[Metric]:
    """Yield what this version counts; what an older one counted otherwise is left out."""
    found: dict[str, list[tuple[Any, float]]] = {}
    for written, value in values.items():
        if not written.startswith("["):
            continue
        name, labels = orjson.loads(written)
        found.setdefault(name, []).append((labels, value))
    for family in registry.collect():
        shown = Metric(family.name, family.documentation, family.type)
        for name in (family.name + suffix for suffix in SUFFIXES[family.type]):
            for labels, value in sorted(found.get(name, []), key=_by_labels):
                shown.add_sample(name, labels, value)
        yield shown


def _by_labels(sample: tuple[Mapping[str, str], float]) -> tuple[list[tuple[str, str]], float]:
    """Order samples by their labels, the buckets of a histogram by what they hold up to."""
    labels, _ = sample
    return sorted(pair for pair in labels.items() if pair[0] != "le"), float(labels.get("le", 0))


def _kinds(living: list[Any]) -> Metric:
    """Return how many processes of each kind live."""
    family = GaugeMetricFamily("regicide_processes", "Processes that live.", labels=["kind"])
    kinds = [life["kind"] for life in living]
    for kind in sorted(set(kinds)):
        family.add_metric([kind], kinds.count(kind))
    return family


def _standing(store: Store) -> Iterator[Metric]:
    """Yield what the storage itself knows."""

    def order(pipe: Pipeline) -> None:
        for partition in store.keys.all():
            pipe.hgetall(store.keys.standings(partition))

    standings: Counter[str] = Counter()
    for partition in pipelined(store.redis, order):
        standings.update({text(standing): int(count) for standing, count in partition.items()})
    games = GaugeMetricFamily("regicide_games", "Games kept, private ones too.", labels=["ruleset", "status"])
    for standing, count in sorted(standings.items()):
        games.add_metric(standing.split("/"), count)
    yield games
    yield _depth(store)
    yield GaugeMetricFamily("regicide_store_bytes", "Memory that the store takes, all its servers.", _bytes(store))
    overdue = store.outbox.count_overdue()
    yield GaugeMetricFamily("regicide_games_overdue", "Games that the sweeper is to look after now.", overdue)


def _bytes(store: Store) -> int:
    """Return how much memory the servers of the store take that are written to."""
    told: list[Any] = [call(partial(one.info, "memory")) for one in primaries(store.redis)]
    return sum(one["used_memory"] for one in told)


def _depth(store: Store) -> Metric:
    """Return how many jobs wait in the queue and in each line."""
    depth = GaugeMetricFamily("regicide_queue_depth", "Jobs that wait.", labels=["queue"])
    with suppress(StorageUnavailable):  # then it isn't known
        waiting = {queue.PEOPLE: queue.depth(store.broker), **FairQueues(store.broker).lengths()}
        for name, jobs in waiting.items():
            depth.add_metric([name], jobs)
    return depth
