"""Whoever can write to the store has a worker do no more than the jobs that it knows."""

import json
import os
import pickle
from collections.abc import Mapping
from pathlib import Path

import pytest
from redis import Redis
from rq.registry import FailedJobRegistry, StartedJobRegistry
from rq.serializers import JSONSerializer
from structlog.testing import capture_logs

from tests.waiting import comes_true
from tests.workers.stores import HUMAN, INTERMEDIATE, NOVICE, logged, open_table, pool
from workers.background import hints
from workers.background.fair_queue_worker import FairQueueWorker
from workers.background.worker import AiWorker
from workers.storage import queue
from workers.storage.concurrent_work_limits import UNKNOWN_CREATOR
from workers.storage.fair_queues import AI_ONLY_QUEUE
from workers.storage.keys import client_queue
from workers.storage.queue import HINT_JOB, INTERACTIVE_QUEUE, queue_of, waiting
from workers.storage.store import Store

ALLOWED = {HINT_JOB: ["no-such-task"]}


class Bomb:
    """Whoever unpickles it makes a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (self.folder,)


def called(name: str, *args: object) -> bytes:
    """Return what RQ's jobs hold of what is to be called."""
    return json.dumps([name, None, args, {}]).encode()


def attacks(folder: Path) -> Mapping[str, Mapping[str, str | bytes]]:
    """Return jobs that would make *folder* if a worker did what they say."""
    bomb, hint = pickle.dumps(Bomb(folder)), called(HINT_JOB, "no-such-task")
    callback = f"{__name__}.make_a_folder"
    return {
        "by-name": {"data": called("os.mkdir", str(folder))},
        "by-method": {"data": json.dumps(["mkdir", str(folder), [], {}]).encode()},
        "pickled": {"data": bomb},
        "pickled-meta": {"data": hint, "meta": bomb},
        "pickled-result": {"data": hint, "result": bomb},
        "on-success": {"data": hint, "success_callback_name": callback},
        "on-failure": {"data": hint, "failure_callback_name": callback},
        "on-stop": {"data": hint, "stopped_callback_name": callback},
        "no-data": {"status": "queued"},
        "no-json": {"data": b"\xff\x00"},
        "no id": {"data": hint},
        "no-time": {"data": hint, "created_at": "tomorrow"},
        "no-arguments": {"data": called(HINT_JOB)},
    }


def make_a_folder(*_: object) -> None:
    """Do what no job may: it is called if a worker runs what a job names to be called after it."""
    Path(os.environ["FOLDER_OF_AN_ATTACK"]).mkdir()


def plant(redis: Redis, job_id: str, fields: Mapping[str, str | bytes]) -> None:
    """Write a job, and put it into the queue."""
    for name, value in {"origin": INTERACTIVE_QUEUE, **fields}.items():
        redis.hset(f"rq:job:{job_id}", name, value)
    redis.rpush(queue.INTERACTIVE_QUEUE_KEY, job_id)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that isn't there, and is if an attack comes through."""
    monkeypatch.setenv("FOLDER_OF_AN_ATTACK", str(tmp_path / "attacked"))
    return tmp_path / "attacked"


def worker(store: Store) -> AiWorker:
    """Return a worker of the pool, in this process."""
    return AiWorker([queue_of(store.redis, INTERACTIVE_QUEUE)], connection=store.redis, serializer=JSONSerializer)


@pytest.mark.parametrize("attack", attacks(Path("/")))
def test_a_planted_job_calls_nothing(job_store: Store, folder: Path, attack: str):
    """By its name, by what is pickled in it, or by what it has called after it; the worker goes on with the next."""
    game = open_table(job_store, HUMAN, HUMAN)
    plant(job_store.redis, attack, attacks(folder)[attack])
    task = hints.request_hint(job_store, game, 0, 0, "adept", "owner")

    worker(job_store).work(burst=True, logging_level="ERROR")

    assert not folder.exists()
    assert job_store.tasks.load(task.id).status == "finished"
    assert queue_of(job_store.redis, INTERACTIVE_QUEUE).job_ids == []


@pytest.mark.parametrize(
    "attack", ["by-name", "by-method", "pickled", "no-data", "no-json", "no id", "no-time", "no-arguments"]
)
def test_what_is_no_job_of_ours_is_refused_logged_and_removed(job_store: Store, folder: Path, attack: str):
    """Nothing is kept of it: no result, no failure."""
    plant(job_store.redis, attack, attacks(folder)[attack])

    with capture_logs() as lines:
        worker(job_store).work(burst=True, logging_level="CRITICAL")

    assert [line["job_id"] for line in lines if line["event"] == "refused_job"] == [attack]
    assert not job_store.redis.keys(f"rq:*{attack}*")
    assert FailedJobRegistry(INTERACTIVE_QUEUE, connection=job_store.redis).count == 0


@pytest.mark.parametrize("attack", attacks(Path("/")))
def test_a_job_that_is_planted_as_begun_calls_nothing(job_store: Store, folder: Path, attack: str):
    """When a worker tidies up after workers that died, which calls what is to be called on failure."""
    plant(job_store.redis, attack, attacks(folder)[attack])
    job_store.redis.delete(queue.INTERACTIVE_QUEUE_KEY)
    started = StartedJobRegistry(queue=queue_of(job_store.redis, INTERACTIVE_QUEUE))
    job_store.redis.zadd(started.key, {f"{attack}:execution": 1})
    job_store.redis.rpush(INTERMEDIATE, attack)

    worker(job_store).clean_registries()

    assert not folder.exists()


def test_a_job_of_another_queue_is_told_to_nobody(store: Store):
    """RQ would post to the addresses that a job names."""
    told = json.dumps([{"url": "http://127.0.0.1:9/", "statuses": ["failed"]}])
    plant(store.redis, "told", {"data": called(HINT_JOB, "x"), "webhooks": told, "dependency_ids": '["another"]'})

    job = queue_of(store.redis, INTERACTIVE_QUEUE).fetch_job("told")

    assert job is not None
    assert (job.webhooks, job.dependency_ids) == ([], [])


@pytest.mark.parametrize(
    "planted",
    [
        b"\xff",
        b"{}",
        b"[1]",
        b'["x", "hint"]',
        b'["x", ["hint"], []]',
        b'["x", "hint", 7]',
        b'["x", "hint", []]',
        b'["x", "hint", [1, 2, 3]]',
        b'["x", "ai_turn", ["g"]]',
        b'["x", "os.mkdir", ["/x"]]',
        b'[{}, "hint", ["x"]]',
    ],
)
def test_what_is_planted_in_a_line(job_store: Store, planted: bytes):
    """Ends no worker: it is refused and logged, and the job behind it is done."""
    game = open_table(job_store, NOVICE, NOVICE)
    (job,) = waiting(job_store.redis, AI_ONLY_QUEUE)
    job_store.redis.lpush(client_queue(AI_ONLY_QUEUE, UNKNOWN_CREATOR), planted)

    with capture_logs() as lines:
        line_worker = FairQueueWorker(
            [queue_of(job_store.redis, "lines")], connection=job_store.redis, serializer=JSONSerializer
        )
        line_worker.work(burst=True, logging_level="CRITICAL")

    assert job
    assert job_store.games.load(game).status == "finished"
    assert [entry["event"] for entry in lines if entry["log_level"] == "error"] in (["refused_job"], ["unknown_job"])


def test_a_pool_of_workers_calls_nothing(store: Store, redis_url: str, tmp_path: Path, folder: Path):
    """The processes of a server, attacked with everything at once: turns are played all the same."""
    for job_id, fields in attacks(folder).items():
        plant(store.redis, job_id, fields)
    game = open_table(store, NOVICE, HUMAN, ruleset="regicide")

    with pool(redis_url, tmp_path):
        assert comes_true(lambda: store.games.load(game).moves > 0)
        assert comes_true(lambda: queue_of(store.redis, INTERACTIVE_QUEUE).job_ids == [])

    refused = {line["job_id"] for line in logged(tmp_path) if line["event"] == "refused_job"}
    assert {"by-name", "pickled"} <= refused
    assert not folder.exists()
