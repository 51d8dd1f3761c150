"""Reviews as tasks: the background workers judge each decision of a seat in an ended game.

Each decision is a job in the fair queue of reviews (fair_queues.py). A job replays the game from the nearest keyframe.
Judgements are stored by version, so that a decision counts once even if it is judged twice. After a crash the sweeper
restarts the task, and the missing judgements are enqueued again.
"""

from functools import partial
from typing import Final

from engines.analysis.review import assess_decision, decisions_of, past_decision, summarize
from engines.core.types import Json
from engines.table import narration
from workers.background.job_base import run_task
from workers.background.stop_check import SHUTTING_DOWN, StopCheck
from workers.engines_hash import ENGINES_HASH
from workers.storage import queue
from workers.storage.errors import NoSuchGame, TooManyJobs
from workers.storage.fair_queues import REVIEW_QUEUE, FairQueueJob, FairQueues
from workers.storage.store import Store
from workers.storage.tasks import Heartbeat, Task

TASK_KIND: Final = "review"


def review_parameters(game_id: str, seat: int, level: str, viewer: int | None, client: str) -> Json:
    """Return the parameters of a review of *seat* at *level*.

    *viewer* is the seat that reads the result, or None for a spectator. *client* is the hash of the client's address.
    """
    parameters = {"game_id": game_id, "seat": seat, "level": level, "reader": viewer}
    return {"client": client, **parameters, "engines": ENGINES_HASH}


def create_task(store: Store, parameters: Json, task_id: str, owner: str) -> Task:
    """Create the task of a review, with an id in the game's partition. *owner* is the SHA-256 of the task's token.

    A token has at most one active review of a seat. An equal request gets the existing task. A different request
    cancels that task. Raises ``TooManyJobs``.
    """
    game_id = parameters["game_id"]
    slot = store.keys.review(game_id, parameters["seat"], owner)
    task = store.tasks.create(Task(task_id, TASK_KIND, owner, parameters), slot)
    if task.id == task_id:
        try:
            store.concurrent_work_limits.admit_review(game_id, task_id)
        except TooManyJobs:
            store.tasks.cancel(task_id)
            raise
    return task


def enqueue_parts(task_id: str) -> None:
    """Job that starts or restarts a review: enqueue one job for each decision that isn't judged yet."""
    run_task(task_id, _enqueue_parts)


def judge_one(task_id: str, version: int, count: int) -> None:
    """Job that judges the decision at a version. *count* is the number of decisions in the whole review."""
    run_task(task_id, partial(_judge_one, version, count))


def _enqueue_parts(store: Store, task: Task) -> None:
    changes, judgements = store.history.changes(task.parameters["game_id"]), store.tasks.parts(task)
    if not changes:
        raise NoSuchGame
    versions = [before.version for before, _ in decisions_of(changes, task.parameters["seat"])]
    remaining = [version for version in versions if version not in judgements]
    if not remaining:
        return _finish(store, task)
    jobs = [_job(task, version, len(versions)) for version in remaining]
    return FairQueues(store.broker).enqueue(REVIEW_QUEUE, task.client, jobs)


def _job(task: Task, version: int, count: int) -> FairQueueJob:
    return FairQueueJob(task.job_id(f"-{version}"), queue.REVIEW_DECISION_JOB, [task.id, version, count])


def _judge_one(version: int, count: int, store: Store, task: Task) -> None:
    """Judge a decision, unless it is already judged, the review has ended, or this worker is shutting down."""
    if version in store.tasks.parts(task):
        return
    decisions = decisions_of(store.history.changes(task.parameters["game_id"], version, 1), task.parameters["seat"])
    if not decisions:
        raise NoSuchGame
    before, entry = decisions[0]
    heartbeat = Heartbeat(store.tasks, task)
    stop_check = StopCheck(lambda: not SHUTTING_DOWN.is_set() and heartbeat())
    name = narration.naming(before, task.parameters["reader"])
    judgement = assess_decision(
        past_decision(before, entry), task.parameters["level"], should_stop=stop_check, name=name
    )
    if judgement is None:
        return
    finished = store.tasks.store_part(task, version, judgement)
    if heartbeat(finished / count, resets_retries=True) and finished == count:
        _finish(store, task)
    else:
        heartbeat.send()


def judged_so_far(store: Store, task: Task) -> Json:
    """Return a review with the decisions that have been judged so far."""
    judgements = [judgement for _, judgement in sorted(store.tasks.parts(task).items())]
    return summarize(task.parameters["seat"], task.parameters["level"], judgements)


def _finish(store: Store, task: Task) -> None:
    store.tasks.finish(task, judged_so_far(store, task))
