"""Measure moves on clusters of one, two and three servers: does throughput grow with the number of servers?

Each cluster has as many web processes as servers. All run on this machine, whose number of cores limits the throughput.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks import load, measured_server
from benchmarks.measured_server import Target
from benchmarks.results import Measure, Plan, Row, interleaved, ratios
from benchmarks.web import MANY_CONNECTIONS, Bench
from tests.clusters import Clustered, Node, alone, clustered

SUITE: Final = "moves on a cluster, 16 connections"
MASTER_COUNTS: Final = (1, 2, 3)
PARTITIONS: Final = "48"


def rows(plan: Plan) -> Iterator[Row]:
    """Yield a row per number of servers. Raises ``Skipped``."""
    load.program()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="bench-")))
        queue = stack.enter_context(alone(folder / "queue"))
        clusters, measures = dict[str, Clustered](), dict[str, Measure]()
        for masters in MASTER_COUNTS:
            cluster = stack.enter_context(clustered(folder / str(masters), masters, replicated=False))
            target = stack.enter_context(_web(cluster, queue, folder / f"web-{masters}"))
            clusters[target.name] = cluster
            measures[target.name] = partial(Bench(target, {}).played, "move", MANY_CONNECTIONS, plan.seconds)
        found = interleaved(plan.rounds, measures)
        first = found[_name(MASTER_COUNTS[0])].cells["a second"]
        for name, one in found.items():
            keys = [float(node.ask("DBSIZE")) for node in clusters[name].nodes]
            yield one.row(SUITE, name, **{"x 1 master": ratios(one.cells["a second"], first), "keys of a master": keys})


@contextmanager
def _web(cluster: Clustered, queue: Node, folder: Path) -> Iterator[Target]:
    """Run a web server on a cluster; the CPU time of the cluster's servers is measured, too."""
    masters = len(cluster.nodes)
    environ = {
        **measured_server.web_workers(masters),
        "REDIS_URL": cluster.url,
        "REGICIDE_QUEUE_URL": f"redis://127.0.0.1:{queue.port}/{masters}",
        "REGICIDE_PARTITIONS": PARTITIONS,
    }
    with measured_server.served(_name(masters), folder, environ) as target:
        yield replace(target, pids=[*target.pids, *(node.pid for node in cluster.nodes)])


def _name(masters: int) -> str:
    processes = measured_server.processes(masters if measured_server.has_web_workers() else 1)
    return f"{masters} master{'s' * (masters > 1)}, web: {processes}"
