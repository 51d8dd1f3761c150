"""A worker runs the jobs of its table, by their names; also those that an older version has left in the queue."""

from dataclasses import asdict
from typing import Any

import pytest
from rq.job import Job
from rq.serializers import JSONSerializer
from structlog.testing import capture_logs

from engines.arena import Arena
from tests.workers.stores import AGES, HUMAN, MASTER, NOVICE, open_table
from workers.background import arena as arenas
from workers.background import hints
from workers.background.second_opinion import Question
from workers.background.worker import JOBS, AiWorker
from workers.engines_hash import ENGINES_HASH
from workers.storage import queue
from workers.storage.queue import ARENA, HINT_JOB, PEOPLE, ai_queue, queue_of
from workers.storage.store import Store
from workers.storage.tasks import KINDS

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


@pytest.mark.parametrize("name", ["workers.jobs.take_ai_turn", "ai_turn"])
def test_an_ais_turn_of_an_older_version(job_store: Store, name: str):
    """It is played, and leaves nothing in the queue, as a turn of this version does."""
    game = open_table(job_store, NOVICE, HUMAN, options=LONG)

    job = do(job_store, PEOPLE, name, game, 0, job_id=f"ai-{game}-0-0")

    assert job_store.load(game).moves == 1
    assert not job_store.redis.exists(job.key)


@pytest.mark.parametrize("engines", [ENGINES_HASH, "of the older version"])
@pytest.mark.parametrize("name", ["workers.jobs.think_beside", "second_opinion"])
def test_a_second_opinion_of_an_older_version(job_store: Store, name: str, engines: str):
    """Its question is understood; it is answered if the engines are the same."""
    game = open_table(job_store, MASTER, HUMAN, options=LONG)
    until = job_store.now().timestamp() + AGES
    question = Question("beside-1", game, 0, 0, "master", until, engines)

    with capture_logs() as lines:
        do(job_store, PEOPLE, name, asdict(question), job_id="beside-1")

    (line,) = [line for line in lines if line["event"].startswith("second_opinion")]
    assert (line["event"], line["given"]) == ("second_opinion", engines == ENGINES_HASH)


@pytest.mark.parametrize("name", ["workers.hints.give", "hint"])
def test_a_hint_of_an_older_version(job_store: Store, name: str):
    """The task is found under its key, and finished."""
    game = open_table(job_store, HUMAN, HUMAN)
    task = hints.ask(job_store, game, 0, 0, "adept", "owner")
    assert job_store.redis.exists(f"{{regicide}}:errand:{task.id}")

    do(job_store, PEOPLE, name, task.id, job_id=f"errand-{task.id}-0")

    assert job_store.tasks.load(task.id).status == "finished"


@pytest.mark.parametrize(
    ("begin", "play"),
    [("workers.arena.deal_out", "workers.arena.play_some"), ("arena", "arena_games")],
)
def test_an_arena_of_an_older_version(job_store: Store, begin: str, play: str):
    """Its games are dealt out and played."""
    task = arenas.begin(job_store, FEW, "owner")

    do(job_store, ARENA, play, task.id, [0, 1, 2], job_id=f"errand-{task.id}-0-0")
    assert set(job_store.tasks.parts(task)) == {0, 1, 2}
    jobs = queue_of(job_store.redis, ARENA)
    jobs.enqueue(begin, args=[task.id], job_id=f"errand-{task.id}-0")
    AiWorker([jobs], connection=job_store.redis, serializer=JSONSerializer).work(burst=True, logging_level="ERROR")

    assert job_store.tasks.load(task.id).status == "finished"


def test_a_task_of_an_older_version_that_waits_in_the_queue(job_store: Store):
    """It isn't repeated, and a turn goes before the second of such hints as before that of any."""
    games = [open_table(job_store, HUMAN, HUMAN) for _ in range(2)]
    tasks = [hints.ask(job_store, game, 0, 0, "adept", "owner") for game in games]
    old = [f"errand-{task.id}-0" for task in tasks]
    ai_queue(job_store.redis).delete()
    job_store.redis.rpush(queue.KEY, *old)

    waiting = {kind.queue: queue_of(job_store.redis, kind.queue).job_ids for kind in KINDS.values()}
    game = open_table(job_store, NOVICE, HUMAN)

    assert [job_store.tasks.look_after(task.id, waiting) for task in tasks] == [False, False]
    assert [job_store.tasks.load(task.id).repeats for task in tasks] == [0, 0]
    assert ai_queue(job_store.redis).job_ids == [old[0], f"ai-{game}-0-0", old[1]]


def test_a_job_of_no_known_name_fails_alone(job_store: Store):
    """Whatever function it names isn't imported, and the worker goes on."""
    game = open_table(job_store, HUMAN, HUMAN)

    unknown = do(job_store, PEOPLE, "os.getcwd")
    task = hints.ask(job_store, game, 0, 0, "adept", "owner")
    do(job_store, PEOPLE, HINT_JOB, task.id)

    assert (unknown.get_status(), unknown.return_value()) == ("failed", None)
    assert job_store.tasks.load(task.id).status == "finished"


def test_every_job_that_is_enqueued_is_in_the_table():
    """By the names in queue.py."""
    names: dict[str, Any] = {name: value for name, value in vars(queue).items() if name.endswith("_JOB")}

    assert len(names) == 5
    assert set(names.values()) <= set(JOBS)
    assert {kind.job for kind in KINDS.values()} <= set(names.values())
