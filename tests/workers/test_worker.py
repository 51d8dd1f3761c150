"""A worker runs the jobs of its table, by their names."""

from logging import LogRecord, StreamHandler, getLogger
from signal import SIGTERM
from typing import Any

import pytest
from rq import SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.suspension import suspend

from engines.analysis.arena import Arena
from engines.table.seats import PendingAi
from tests.workers.stores import HUMAN, INTERMEDIATE, NOVICE, open_table
from workers.background import ai_turns, hints
from workers.background.worker import JOBS, AiWorker
from workers.processes.stop_flag import StopFlag
from workers.storage import queue
from workers.storage.queue import INTERACTIVE_QUEUE, TURN_JOB, queue_of, turn_id, turn_of
from workers.storage.store import Store
from workers.storage.tasks import TASK_TYPES

LONG = {"goal": 99}
FEW = Arena("race", ("adept", "novice"), 6, {"goal": 12}, "s")


def do(store: Store, served: str, name: str, *args: object, job_id: str | None = None) -> Job:
    """Enqueue a job alone, let a worker of the pool do it, and return it."""
    jobs = queue_of(store.redis, served)
    jobs.delete()
    job = jobs.enqueue(name, args=args, job_id=job_id)
    AiWorker([jobs], connection=store.redis, serializer=JSONSerializer).work(
        burst=True, logging_level="ERROR", max_jobs=1
    )
    assert jobs.job_ids == []
    return job


def test_an_ais_turn(job_store: Store):
    """It is played, and leaves nothing in the queue."""
    game = open_table(job_store, NOVICE, HUMAN, options=LONG)

    job = do(job_store, INTERACTIVE_QUEUE, TURN_JOB, game, 0, job_id=f"ai-{game}-0-0")

    assert job_store.games.load(game).moves == 1
    assert not job_store.redis.exists(job.key)


def worker(store: Store) -> AiWorker:
    """Return a worker of the pool, in this process."""
    return AiWorker([queue_of(store.redis, INTERACTIVE_QUEUE)], connection=store.redis, serializer=JSONSerializer)


def left(store: Store) -> tuple[list[str], int, int]:
    """Return the jobs that wait, how many are in work, and how many there are."""
    jobs = store.redis.keys("rq:job:*")
    return queue_of(store.redis, INTERACTIVE_QUEUE).job_ids, store.redis.llen(INTERMEDIATE), len(jobs)


def test_one_turn_after_the_other(job_store: Store):
    """And a hint; an id without a job is passed over, and nothing is left of any."""
    games = [open_table(job_store, NOVICE, HUMAN, options=LONG) for _ in range(4)]
    task = hints.request_hint(job_store, open_table(job_store, HUMAN, HUMAN), 0, 0, "novice", "owner")
    job_store.redis.linsert(queue.INTERACTIVE_QUEUE_KEY, "before", f"ai-{games[2]}-0-0", "task-gone")

    worker(job_store).work(burst=True, logging_level="ERROR")

    assert [job_store.games.load(game).moves for game in games] == [1, 1, 1, 1]
    assert job_store.tasks.load(task.id).status == "finished"
    assert left(job_store) == ([], 0, 0)


def test_the_id_of_a_turns_job_says_what_it_asks_for(store: Store):
    """The first and a repeated one; no other id does."""
    table = store.games.load(open_table(store, HUMAN, HUMAN))
    asked = PendingAi(1, "novice")
    others = ("task-1-0", f"ai-{table.id}-0", f"ai-{table.id}-x-0", f"ai-{table.id[1:]}-0-0")

    assert [turn_of(turn_id(table, asked, repeat)) for repeat in (0, 1, 12)] == [(table.id, 0)] * 3
    assert [turn_of(job_id) for job_id in others] == [None] * len(others)


@pytest.mark.parametrize("how", ["stopped", "suspended"])
def test_a_worker_ends_between_two_turns(job_store: Store, monkeypatch: pytest.MonkeyPatch, how: str):
    """It does what it has begun, and the next job waits for another worker."""
    done, others = [open_table(job_store, NOVICE, HUMAN, options=LONG) for _ in range(2)]
    ending, play = worker(job_store), ai_turns.play

    def interrupted(*args: Any) -> ai_turns.TurnResult:
        if how == "stopped":
            SimpleWorker.request_stop(ending, SIGTERM, None)
        else:
            suspend(job_store.redis)
        return play(*args)

    monkeypatch.setattr(ai_turns, "play", interrupted)

    ending.work(burst=True, logging_level="ERROR")

    assert [job_store.games.load(game).moves for game in (done, others)] == [1, 0]
    assert left(job_store) == ([f"ai-{others}-0-0"], 0, 1)


def test_an_idle_worker_is_told_to_end_while_it_writes_to_its_log(
    job_store: Store, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    """It ends as it should: what breaks its line off is no failure of the log."""
    ending, telling = worker(job_store), StreamHandler()
    shown = telling.format

    def interrupted(record: LogRecord) -> str:
        ending.request_stop(SIGTERM, None)
        return shown(record)

    monkeypatch.setattr("workers.background.worker.SHUTTING_DOWN", StopFlag())
    monkeypatch.setattr(telling, "format", interrupted)
    monkeypatch.setattr(ending, "run_maintenance_tasks", lambda: ending.log.error("the storage is away"))
    getLogger("rq.worker").addHandler(telling)
    try:
        with pytest.raises(SystemExit) as ended:
            ending.work(burst=True, logging_level="ERROR")
    finally:
        getLogger("rq.worker").removeHandler(telling)

    assert ended.value.code == 0
    assert capfd.readouterr().err == ""


def test_every_job_that_is_enqueued_is_in_the_table():
    """By the names in queue.py."""
    names: dict[str, Any] = {name: value for name, value in vars(queue).items() if name.endswith("_JOB")}

    assert len(names) == 6
    assert set(names.values()) <= set(JOBS)
    assert {kind.job for kind in TASK_TYPES.values()} <= set(names.values())
