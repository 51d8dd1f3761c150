"""Arenas as tasks: many games of AIs against AIs, spread over the workers that there are for them.

The games are divided into small batches, each a job in the fair queue of arenas (fair_queues.py). A worker that has
played for a moment gives way if somebody else has jobs there, in the middle of a game too: how to go on is written into
the job. Its workers are processes of their own and give way to all others (pool.py): an AI that people wait for at a
table is never behind a game that nobody watches. What came of each game is kept under its number, so that it counts
once, whoever plays it, and whatever dies: the sweeper has the arena divided again, and only the games that are missing
are played. Workers of other engines, whose AIs decide otherwise, have results of their own (tasks.py).
"""

from functools import partial
from time import monotonic
from typing import Final

from engines.analysis.arena import Arena, GameInProgress, Played, result, resume
from engines.core.types import Json
from workers.background.job_base import run_task
from workers.background.stop_check import SHUTTING_DOWN, StopCheck
from workers.engines_hash import ENGINES_HASH
from workers.storage import queue
from workers.storage.active_quota import UNKNOWN_CREATOR
from workers.storage.fair_queues import ARENA, FairQueueJob, FairQueues
from workers.storage.store import Store
from workers.storage.tasks import Heartbeat, Task

KIND: Final = "arena"
BATCHES: Final = 100
"""Into about so many batches an arena is divided: it is spread evenly, and not in too many jobs."""

SLICE_SECONDS: Final = 0.25
"""How long a worker plays for one client while others wait; a decision that takes longer is made."""


def begin(store: Store, arena: Arena, task_id: str, owner: str, client: str = UNKNOWN_CREATOR) -> Task:
    """Begin the task of an arena; *owner*: SHA-256 hex of the token made for it, *client*: see active_quota.py."""
    parameters = {"client": client, "arena": arena.as_json(), "began": store.now().timestamp(), "engines": ENGINES_HASH}
    return store.tasks.create(Task(task_id, KIND, owner, parameters))


def enqueue_parts(task_id: str) -> None:
    """Enqueue the games that haven't been played yet: the job with which an arena begins, and begins again.

    If they are few it plays them itself.
    """
    run_task(task_id, _enqueue_parts)


def play_some(task_id: str, numbers: list[int], in_progress: Json | None = None) -> None:
    """Play some games of an arena, the first from where it has *begun* on: a job of the line."""
    run_task(task_id, partial(_play_some, numbers, in_progress))


def _enqueue_parts(store: Store, task: Task) -> None:
    arena, played = Arena.load(task.parameters["arena"]), store.tasks.parts(task)
    remaining = [number for number in range(arena.games) if number not in played]
    if not remaining:
        return _finish(store, task, arena)
    size = max(1, arena.games // BATCHES)
    batches = [remaining[first : first + size] for first in range(0, len(remaining), size)]
    if len(batches) == 1:
        return _play_some(remaining, None, store, task)
    return FairQueues(store.broker).enqueue(ARENA, task.client, [_job(task, batch) for batch in batches])


def _job(task: Task, numbers: list[int], in_progress: GameInProgress | None = None) -> FairQueueJob:
    """Return the job that plays some games, the first from where it has *begun* on."""
    progress = [] if in_progress is None else [{**in_progress.as_json(), "engines": ENGINES_HASH}]
    return FairQueueJob(task.job_id(f"-{numbers[0]}"), queue.ARENA_GAMES_JOB, [task.id, numbers, *progress])


def _play_some(numbers: list[int], stored: Json | None, store: Store, task: Task) -> None:
    """Play until the numbers are done, or the arena isn't wanted any more, or this worker is to end, or to give way."""
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
            FairQueues(store.broker).enqueue(ARENA, task.client, [_job(task, numbers[index:], game)], first=True)
            return
        finished = store.tasks.store_part(task, number, game.as_json())
        if not heartbeat(finished / arena.games, resets_retries=True) or SHUTTING_DOWN.is_set():
            return
        if finished == arena.games:
            _finish(store, task, arena)
    heartbeat.send()


class PreemptionCheck:
    """Says, once the slice is over, whether others wait for their turn in the lines."""

    def __init__(self, fair_queues: FairQueues, client: str) -> None:
        self._fair_queues, self._client = fair_queues, client
        self._next = monotonic() + SLICE_SECONDS

    def __call__(self) -> bool:
        """Ask now and then."""
        if monotonic() < self._next:
            return False
        self._next = monotonic() + SLICE_SECONDS
        return self._fair_queues.has_competitors(self._client)


def _finish(store: Store, task: Task, arena: Arena) -> None:
    played = {number: Played.load(part) for number, part in store.tasks.parts(task).items()}
    seconds = store.now().timestamp() - task.parameters["began"]
    store.tasks.finish(task, result(arena, played, seconds))
