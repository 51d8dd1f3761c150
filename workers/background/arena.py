"""Arenas as tasks: many games between AIs, spread over the background workers.

The games are divided into batches, each a job in the fair queue of arenas (fair_queues.py). At the end of its time
slice a worker yields to jobs of other clients, even within a game. The state of that game is then stored in the job.
Background workers have a low CPU priority, so that AIs at people's tables never wait for an arena. Results are stored
by game number, so that a game counts once even if it is played twice. After a crash the sweeper restarts the task, and
the missing games are enqueued again. Workers with other engines store results of their own (tasks.py).
"""

from functools import partial
from time import monotonic
from typing import Final

from engines.analysis.arena import Arena, GameInProgress, GameResult, result, resume
from engines.core.types import Json
from workers.background.job_base import run_task
from workers.background.stop_check import SHUTTING_DOWN, StopCheck
from workers.engines_hash import ENGINES_HASH
from workers.storage import queue
from workers.storage.concurrent_work_limits import UNKNOWN_CREATOR
from workers.storage.fair_queues import ARENA_QUEUE, FairQueueJob, FairQueues
from workers.storage.store import Store
from workers.storage.tasks import Heartbeat, Task

TASK_KIND: Final = "arena"
BATCHES_PER_ARENA: Final = 100
"""Approximate number of batches of an arena: enough to share the games evenly, without too many jobs."""

CLIENT_TIME_SLICE_SECONDS: Final = 0.25
"""Time for which a worker plays for one client while other clients wait. A decision of an AI is not interrupted."""


def create_task(store: Store, arena: Arena, task_id: str, owner: str, client: str = UNKNOWN_CREATOR) -> Task:
    """Create the task of an arena.

    *owner* is the SHA-256 of the task's token. *client* is a hash of the client's address (concurrent_work_limits.py).
    """
    parameters = {"client": client, "arena": arena.as_json(), "began": store.now().timestamp(), "engines": ENGINES_HASH}
    return store.tasks.create(Task(task_id, TASK_KIND, owner, parameters))


def enqueue_parts(task_id: str) -> None:
    """Job that starts or restarts an arena: enqueue the games that have not been played.

    If the missing games fit into one batch, this job plays them itself.
    """
    run_task(task_id, _enqueue_parts)


def play_some(task_id: str, numbers: list[int], in_progress: Json | None = None) -> None:
    """Job that plays the games *numbers* of an arena. The first continues from the state *in_progress*, if given."""
    run_task(task_id, partial(_play_some, numbers, in_progress))


def _enqueue_parts(store: Store, task: Task) -> None:
    arena, played = Arena.load(task.parameters["arena"]), store.tasks.parts(task)
    remaining = [number for number in range(arena.games) if number not in played]
    if not remaining:
        return _finish(store, task, arena)
    size = max(1, arena.games // BATCHES_PER_ARENA)
    batches = [remaining[first : first + size] for first in range(0, len(remaining), size)]
    if len(batches) == 1:
        return _play_some(remaining, None, store, task)
    return FairQueues(store.broker).enqueue(ARENA_QUEUE, task.client, [_job(task, batch) for batch in batches])


def _job(task: Task, numbers: list[int], in_progress: GameInProgress | None = None) -> FairQueueJob:
    """Return the job that plays the games *numbers*. The first continues from the state *in_progress*, if given."""
    progress = [] if in_progress is None else [{**in_progress.as_json(), "engines": ENGINES_HASH}]
    return FairQueueJob(task.job_id(f"-{numbers[0]}"), queue.ARENA_GAMES_JOB, [task.id, numbers, *progress])


def _play_some(numbers: list[int], stored: Json | None, store: Store, task: Task) -> None:
    """Play games until all are played, the arena has ended, or this worker shuts down or yields."""
    arena, played = Arena.load(task.parameters["arena"]), store.tasks.parts(task)
    heartbeat, should_yield = Heartbeat(store.tasks, task), PreemptionCheck(FairQueues(store.broker), task.client)
    in_progress = GameInProgress.load(stored) if stored is not None and stored.get("engines") == ENGINES_HASH else None
    for index, number in enumerate(numbers):
        if number in played:
            continue
        stop_check = StopCheck(lambda: not SHUTTING_DOWN.is_set() and heartbeat())
        game = resume(arena, number, in_progress if index == 0 else None, stop_check, should_yield)
        if game is None:
            return
        if isinstance(game, GameInProgress):
            FairQueues(store.broker).enqueue(ARENA_QUEUE, task.client, [_job(task, numbers[index:], game)], first=True)
            return
        finished = store.tasks.store_part(task, number, game.as_json())
        if not heartbeat(finished / arena.games, resets_retries=True) or SHUTTING_DOWN.is_set():
            return
        if finished == arena.games:
            _finish(store, task, arena)
    heartbeat.send()


class PreemptionCheck:
    """Checks at the end of each time slice whether jobs of other clients are queued."""

    def __init__(self, fair_queues: FairQueues, client: str) -> None:
        self._fair_queues, self._client = fair_queues, client
        self._next = monotonic() + CLIENT_TIME_SLICE_SECONDS

    def __call__(self) -> bool:
        """Return whether this worker is to yield to another client. The broker is asked once per time slice."""
        if monotonic() < self._next:
            return False
        self._next = monotonic() + CLIENT_TIME_SLICE_SECONDS
        return self._fair_queues.has_competitors(self._client)


def _finish(store: Store, task: Task, arena: Arena) -> None:
    played = {number: GameResult.load(part) for number, part in store.tasks.parts(task).items()}
    seconds = store.now().timestamp() - task.parameters["began"]
    store.tasks.finish(task, result(arena, played, seconds))
