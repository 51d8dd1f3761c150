"""Reviews as tasks: each decision of a seat of an ended game once more, spread over the workers of the lines.

Each decision is a job in the fair queue of reviews (fair_queues.py), and for it the game is played again from the
keyframe before it alone. What came of it is kept under the version at which it was made, so that it counts once,
whoever reviews it, and whatever dies: the sweeper has the review dealt out again, and only what is missing is done.
"""

from functools import partial
from typing import Final

from engines.analysis.review import decided, decision, judged, reviewed
from engines.core.types import Json
from engines.table import narration
from workers.background.job_base import run_task
from workers.background.stop_check import SHUTTING_DOWN, StopCheck
from workers.engines_hash import ENGINES_HASH
from workers.storage import queue
from workers.storage.errors import NoSuchGame, TooManyJobs
from workers.storage.fair_queues import REVIEW, FairQueueJob, FairQueues
from workers.storage.store import Store
from workers.storage.tasks import Heartbeat, Task

KIND: Final = "review"


def wanted(game_id: str, seat: int, level: str, reader: int | None, client: str) -> Json:
    """Return what is asked for: the review of a seat as *level* sees it, told to *reader*; *client*: for whom."""
    asked = {"game_id": game_id, "seat": seat, "level": level, "reader": reader}
    return {"client": client, **asked, "engines": ENGINES_HASH}


def begin(store: Store, asked: Json, task_id: str, owner: str) -> Task:
    """Begin the task of a review, its id of the game's partition; *owner*: SHA-256 hex of the token that may look.

    A token has one review of a seat at a time: the same is answered again, another that is under way is cancelled.
    Raises ``TooManyJobs``.
    """
    game_id = asked["game_id"]
    task = store.tasks.begin(Task(task_id, KIND, owner, asked), store.keys.review(game_id, asked["seat"], owner))
    if task.id == task_id:
        try:
            store.active_quota.admit_review(game_id, task_id)
        except TooManyJobs:
            store.tasks.cancel(task_id)
            raise
    return task


def deal_out(task_id: str) -> None:
    """Enqueue the decisions that haven't been reviewed: the job with which a review begins, and begins again."""
    run_task(task_id, _deal_out)


def judge_one(task_id: str, version: int, count: int) -> None:
    """Review the decision that was made at a version, of so many: a job of the line."""
    run_task(task_id, partial(_judge_one, version, count))


def _deal_out(store: Store, task: Task) -> None:
    past, judgements = store.history.changes(task.asked["game_id"]), store.tasks.parts(task)
    if not past:
        raise NoSuchGame
    versions = [before.version for before, _ in decided(past, task.asked["seat"])]
    left = [version for version in versions if version not in judgements]
    if not left:
        return _finish(store, task)
    return FairQueues(store.broker).join(REVIEW, task.client, [_job(task, version, len(versions)) for version in left])


def _job(task: Task, version: int, count: int) -> FairQueueJob:
    return FairQueueJob(task.job_id(f"-{version}"), queue.REVIEW_DECISION_JOB, [task.id, version, count])


def _judge_one(version: int, count: int, store: Store, task: Task) -> None:
    """Review a decision, unless that is done, or the review isn't wanted any more, or this worker is to end."""
    if version in store.tasks.parts(task):
        return
    found = decided(store.history.changes(task.asked["game_id"], version, 1), task.asked["seat"])
    if not found:
        raise NoSuchGame
    before, entry = found[0]
    heartbeat = Heartbeat(store.tasks, task)
    watch = StopCheck(lambda: not SHUTTING_DOWN.is_set() and heartbeat())
    name = narration.naming(before, task.asked["reader"])
    judgement = judged(decision(before, entry), task.asked["level"], should_stop=watch, name=name)
    if judgement is None:
        return
    done = store.tasks.keep(task, version, judgement)
    if heartbeat(done / count, resets_tries=True) and done == count:
        _finish(store, task)
    else:
        heartbeat.send()


def _finish(store: Store, task: Task) -> None:
    judgements = store.tasks.parts(task)
    store.tasks.finish(
        task, reviewed(task.asked["seat"], task.asked["level"], [judgements[version] for version in sorted(judgements)])
    )
