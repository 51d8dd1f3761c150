"""What tests of the workers have in common: a clock, tables, workers in this process and as processes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_bytes, token_hex
from threading import Barrier
from typing import Any, TypeVar

from rq import SimpleWorker
from rq.intermediate_queue import IntermediateQueue
from rq.serializers import JSONSerializer

from engines import RULESETS
from engines.table.seats import Seat
from engines.table.table import Change, Table
from tests.processes import descendants
from tests.waiting import AGES
from tests.without_rich import without_rich
from workers import game_commands
from workers.background.job_base import LoggedJobError
from workers.background.worker import JOBS, RegisteredJob
from workers.storage.fair_queues import FAIR_QUEUE_NAMES, FairQueues
from workers.storage.queue import INTERACTIVE_QUEUE, INTERACTIVE_QUEUE_KEY, queue_of
from workers.storage.store import Store

T = TypeVar("T")

INTERMEDIATE = IntermediateQueue.get_intermediate_queue_key(INTERACTIVE_QUEUE_KEY)

PARTITIONS = 16
"""So many have the stores of these tests; those of the tests of api have one, as they have it by default."""

HUMAN, OPEN = Seat("human", "Ana"), Seat("open")
NOVICE, ADEPT, EXPERT, MASTER = (Seat("ai", level=level) for level in ("novice", "adept", "expert", "master"))


class Clock:
    """A clock that stands still until the test lets time pass."""

    def __init__(self) -> None:
        self.moment = datetime(2030, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def steady(self) -> float:
        """Return the seconds that have passed."""
        return self.moment.timestamp()

    def go(self, seconds: float) -> None:
        """Let *seconds* pass."""
        self.moment += timedelta(seconds=seconds)


def tell_time(store: Store, clock: Clock) -> None:
    """Let *clock* be that of the machine, of the store's server, and the steady one."""
    store.games.now = store.time.clock = clock
    store.games.steady = clock.steady


def opening(ruleset: str, seats: Sequence[Seat], **how: Any) -> Callable[[datetime], Change]:
    """Return what opens a new table."""
    return lambda now: Table.open(
        **{
            "game_id": token_hex(10),
            "ruleset": RULESETS[ruleset],
            "options": {},
            "seats": seats,
            "seed": token_bytes(32),
            "now": now,
            **how,
        }
    )


def open_table(store: Store, *seats: Seat, ruleset: str = "race", **how: Any) -> str:
    """Open a table and return its id."""
    answer = game_commands.create(
        store, opening(ruleset, seats, **how), {"host": "f" * 64}, key=None, answer=lambda table: {"id": table.id}
    )
    return str(answer["id"])


def due_with(store: Store, game: str) -> str:
    """Return the outbox in which a game is."""
    return store.keys.due(store.keys.partition(game))


def tasks_with(store: Store, task: str) -> str:
    """Return the sorted set in which a task is that the sweeper is to look after."""
    return store.keys.tasks(store.keys.partition(task))


def due(store: Store, game: str) -> float | None:
    """Return when the sweeper is to look after a game, in seconds from now; None: not at all."""
    score: Any = store.redis.zscore(due_with(store, game), game)
    return None if score is None else round(score - store.now().timestamp(), 3)


def work_off(store: Store, served: str = INTERACTIVE_QUEUE) -> int:
    """Run every job in a queue or line, and those that they enqueue there; return how many there were."""
    if served in FAIR_QUEUE_NAMES:
        return _work_off_lines(store)
    queue = queue_of(store.broker, served)
    worker = SimpleWorker([queue], connection=store.broker, serializer=JSONSerializer, job_class=RegisteredJob)
    done = 0
    while queue.job_ids:
        done += len(queue.job_ids)
        worker.work(burst=True, logging_level="ERROR", max_jobs=len(queue.job_ids))
    return done


def _work_off_lines(store: Store) -> int:
    """Run every job in the lines, as their worker does."""
    lines, done = FairQueues(store.broker), 0
    while (job := lines.dequeue("rq:suspended")) is not None:
        done += 1
        with suppress(LoggedJobError):
            JOBS[job.name](*job.args)
    return done


def at_once(count: int, act: Callable[[int], T]) -> list[T | Exception]:
    """Let *count* threads act as simultaneously as they can; return what each returned or raised."""
    barrier = Barrier(count)

    def run(number: int) -> T | Exception:
        barrier.wait(AGES)
        try:
            return act(number)
        except Exception as error:  # noqa: BLE001  the test asks which
            return error

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(run, range(count)))


def assert_sound(store: Store, game_id: str) -> None:
    """The versions have no gap, each changed once, and the record has every action once."""
    table, snapshots = store.games.load(game_id), store.history.snapshots(game_id)
    actions = [entry["version"] for entry in store.history.record(game_id)]

    assert [snapshot.version for snapshot in snapshots] == list(range(table.version + 1))
    assert len(actions) == len(set(actions)) == table.moves
    assert actions == sorted(actions)


@contextmanager
def pool(redis_url: str, folder: Path, **environ: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run ``python -m workers``; its log is ``pool.log`` in *folder*."""
    wishes = {
        "REDIS_URL": redis_url,
        "WORKERS": "1",
        "ARENA_WORKERS": "0",
        "REGICIDE_PARTITIONS": str(PARTITIONS),
        "PYTHONWARNINGS": "default",
        **environ,
    }
    with (folder / "pool.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "workers"],
            env=without_rich({**os.environ, **wishes}),
            stdin=subprocess.PIPE,
            stderr=log,
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(AGES)
        if process.stdin is not None:
            process.stdin.close()


def children(pid: int, name: str = "worker") -> list[int]:
    """Return the workers of a pool, or its sweeper."""
    return sorted(child for child, command in descendants(pid).items() if f"[{name}]" in command)


def logged(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of a pool's log; each must be JSON."""
    return [json.loads(line) for line in (folder / "pool.log").read_text().splitlines()]
