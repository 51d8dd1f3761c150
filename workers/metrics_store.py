"""Metrics of all processes and machines, summed in the store for Prometheus.

Each process counts for itself (metrics.py) and once a second adds its increments to sums in the store. Therefore no
counter decreases when a process ends, and each web server can render the sums. A process that is killed loses its last
second. A process whose connection breaks may add the increments of a second twice. Gauges are summed over living
processes. Figures of the store itself are read when the metrics are rendered.
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

from engines import REJECTED_RULESETS
from workers.metrics import REGISTRY
from workers.storage import keys, queue
from workers.storage.clients import primaries
from workers.storage.commands import run_command, run_pipeline, text
from workers.storage.errors import DamagedKey, StorageUnavailable
from workers.storage.fair_queues import FairQueues
from workers.storage.store import Store

FLUSH_INTERVAL_SECONDS: Final = 1.0
PROCESS_TTL_SECONDS: Final = 5.0
"""Seconds without a flush after which a process counts as dead."""

SAMPLE_SUFFIXES_BY_TYPE: Final = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum"), "gauge": ("",)}
"""Suffixes of the samples of a metric, by type. The creation time (``_created``) isn't stored."""

log: Final = structlog.get_logger(__name__)

Values = dict[str, float]
"""Values by sample. A sample is the name and the labels, as JSON."""


class MetricsAggregator:
    """Adds the increments of one process to the sums in the store. *kind* is the kind of process, such as ``web``."""

    def __init__(self, store: Store, kind: str, registry: CollectorRegistry = REGISTRY) -> None:
        self._store = store
        self._kind = kind
        self._registry = registry
        self._process = token_hex(8)
        self._flushed: Values = {}
        self._lock = Lock()

    def run(self, stop: Event) -> None:
        """Flush once a second until *stop* is set."""
        while not stop.wait(FLUSH_INTERVAL_SECONDS):
            self.try_flush()

    def try_flush(self) -> None:
        """Flush if the store is reachable. Otherwise the next flush includes the increments."""
        try:
            self.flush()
        except StorageUnavailable:
            return
        except Exception:
            log.exception("ledger_failed")

    def flush(self) -> None:
        """Add the increments to the sums and record a heartbeat. Raises ``StorageUnavailable``."""
        with self._lock:
            sums, gauges = _collect_values(self._registry)
            # New samples are stored even with value 0, because a histogram must show all its buckets.
            new = {name: value for name, value in sums.items() if value != self._flushed.get(name)}
            life = {"at": self._store.now().timestamp(), "kind": self._kind, "gauges": gauges}

            def fill(pipe: Pipeline) -> None:
                for name, value in new.items():
                    pipe.hincrbyfloat(keys.METRIC_SUMS, name, value - self._flushed.get(name, 0.0))
                pipe.hset(keys.METRIC_PROCESSES, self._process, orjson.dumps(life))

            run_pipeline(self._store.redis, fill)
            self._flushed = sums

    def render(self) -> bytes:
        """Flush, and return the metrics of all processes in Prometheus' text format.

        Raises ``StorageUnavailable``, ``DamagedKey``.
        """
        self.flush()

        def fill(pipe: Pipeline) -> None:
            pipe.hgetall(keys.METRIC_SUMS)
            pipe.hgetall(keys.METRIC_PROCESSES)

        sums, processes = run_pipeline(self._store.redis, fill)
        try:
            living = self._living(processes)
            values = {text(name): float(value) for name, value in sums.items()}
            for process in living:
                for name, value in process["gauges"].items():
                    values[name] = values.get(name, 0.0) + value
            families = [*_families(self._registry, values), _kinds(living), *_store_metrics(self._store)]
        except (LookupError, TypeError, ValueError) as error:
            raise DamagedKey from error
        return generate_latest(_FixedCollector(families))

    def _living(self, processes: Mapping[bytes, bytes]) -> list[Any]:
        """Return the last heartbeats of living processes, and delete those of dead ones."""
        earliest = self._store.now().timestamp() - PROCESS_TTL_SECONDS
        by_process = {text(process): orjson.loads(life) for process, life in processes.items()}
        expired = [
            process for process, life in by_process.items() if not isinstance(life, dict) or life["at"] < earliest
        ]
        if expired:
            run_command(lambda: self._store.redis.hdel(keys.METRIC_PROCESSES, *expired))
        return [life for process, life in by_process.items() if process not in expired]


class _FixedCollector(Collector):
    """Collector that returns given metrics. prometheus_client renders only collectors."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> list[Metric]:
        return self._families


def _collect_values(registry: CollectorRegistry) -> tuple[Values, Values]:
    sums, gauges = Values(), Values()
    for family in registry.collect():
        for sample in family.samples:
            if not sample.name.endswith("_created"):
                target = gauges if family.type == "gauge" else sums
                target[orjson.dumps([sample.name, sample.labels]).decode()] = sample.value
    return sums, gauges


def _families(registry: CollectorRegistry, values: Values) -> Iterator[Metric]:
    """Yield the metrics of this version. Samples of metrics that only older versions have are left out."""
    samples: dict[str, list[tuple[Any, float]]] = {}
    for encoded, value in values.items():
        if not encoded.startswith("["):
            continue
        name, labels = orjson.loads(encoded)
        samples.setdefault(name, []).append((labels, value))
    for family in registry.collect():
        metric = Metric(family.name, family.documentation, family.type)
        for name in (family.name + suffix for suffix in SAMPLE_SUFFIXES_BY_TYPE[family.type]):
            for labels, value in sorted(samples.get(name, []), key=_by_labels):
                metric.add_sample(name, labels, value)
        yield metric


def _by_labels(sample: tuple[Mapping[str, str], float]) -> tuple[list[tuple[str, str]], float]:
    """Sort key of samples: the labels, then the upper bound of a histogram's bucket."""
    labels, _ = sample
    return sorted(pair for pair in labels.items() if pair[0] != "le"), float(labels.get("le", 0))


def _kinds(living: list[Any]) -> Metric:
    """Return the number of living processes of each kind."""
    family = GaugeMetricFamily("regicide_processes", "Processes that live.", labels=["kind"])
    kinds = [life["kind"] for life in living]
    for kind in sorted(set(kinds)):
        family.add_metric([kind], kinds.count(kind))
    return family


def _store_metrics(store: Store) -> Iterator[Metric]:
    """Yield the metrics that are read from the store."""
    games = GaugeMetricFamily("regicide_games", "Games kept, private ones too.", labels=["ruleset", "status"])
    for standing, count in sorted(game_counts(store).items()):
        games.add_metric(standing.split("/"), count)
    yield games
    yield _depth(store)
    yield GaugeMetricFamily("regicide_store_bytes", "Memory that the store takes, all its servers.", store_bytes(store))
    rejected = "Entry points of games that can't be used; the log says why at the start."
    yield GaugeMetricFamily("regicide_rulesets_rejected", rejected, len(REJECTED_RULESETS))
    overdue = store.due_games.count_overdue()
    yield GaugeMetricFamily("regicide_games_overdue", "Games that the sweeper is to look after now.", overdue)


def game_counts(store: Store) -> Counter[str]:
    """Return the number of stored games for each ``<ruleset>/<status>``. Raises ``StorageUnavailable``."""

    def fill(pipe: Pipeline) -> None:
        for partition in store.keys.all():
            pipe.hgetall(store.keys.status_counts(partition))

    counted: Counter[str] = Counter()
    for partition in run_pipeline(store.redis, fill):
        counted.update({text(standing): int(count) for standing, count in partition.items()})
    return counted


def store_bytes(store: Store) -> int:
    """Return the memory that all servers of the store use, in bytes. Raises ``StorageUnavailable``."""
    told: list[Any] = [run_command(partial(one.info, "memory")) for one in primaries(store.redis)]
    return sum(one["used_memory"] for one in told)


def _depth(store: Store) -> Metric:
    depth = GaugeMetricFamily("regicide_queue_depth", "Jobs that wait.", labels=["queue"])
    with suppress(StorageUnavailable):  # the metric is left out while the broker is unreachable
        waiting = {queue.INTERACTIVE_QUEUE: queue.depth(store.broker), **FairQueues(store.broker).lengths()}
        for name, jobs in waiting.items():
            depth.add_metric([name], jobs)
    return depth
