"""The queue of AIs' turns: a turn gets there with the commit that owes it, before hints, and leaves nothing there."""

import math
from collections.abc import Callable
from typing import Any, cast

import pytest
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

from tests.workers.stores import HUMAN, NOVICE, Clock, due, open_table
from workers import game_commands
from workers.background import hints
from workers.background.worker import JOBS, AiWorker
from workers.storage import queue
from workers.storage.commands import text
from workers.storage.errors import StaleVersion
from workers.storage.queue import (
    FAILED_JOB_TTL_SECONDS,
    HINT_JOB,
    INTERACTIVE_QUEUE,
    NO_TIMEOUT,
    TURN_JOB,
    TURN_JOB_TIMEOUT_SECONDS,
    queue_of,
    requeue_overdue,
)
from workers.storage.store import Store

LONG = {"goal": 99}


def worker_of(store: Store) -> AiWorker:
    """Return a worker of the pool, in this process."""
    return AiWorker([queue_of(store.redis, INTERACTIVE_QUEUE)], connection=store.redis, serializer=JSONSerializer)


def test_a_turn_is_due_with_the_commit_that_makes_it(store: Store, clock: Clock):
    """The outbox has it, and one job, named after game, version and seat."""
    game = open_table(store, NOVICE, HUMAN)

    assert due(store, game) == 1.0
    assert queue_of(store.redis, INTERACTIVE_QUEUE).job_ids == [f"ai-{game}-0-0"]


def test_what_is_refused_enqueues_nothing(store: Store):
    """The job is part of the commit."""
    game = open_table(store, HUMAN, NOVICE, options=LONG)
    stale = store.games.load(game)
    game_commands.play_action(store, game, 0, "step 1")
    before = queue_of(store.redis, INTERACTIVE_QUEUE).job_ids

    with pytest.raises(StaleVersion):
        store.games.commit(stale.act(0, "step 2", store.now()), 0)

    assert queue_of(store.redis, INTERACTIVE_QUEUE).job_ids == before


def test_the_job_of_a_commit_is_one_of_rqs_own(store: Store):
    """As if RQ had enqueued it."""
    game = open_table(store, NOVICE, HUMAN, options=LONG)
    table = store.games.load(game)
    (asked,) = table.pending_ais(store.now())
    (committed,) = queue_of(store.redis, INTERACTIVE_QUEUE).jobs

    queue_of(store.redis, INTERACTIVE_QUEUE).empty()
    requeue_overdue(store.redis, [(table, asked, 0)])
    (enqueued,) = queue_of(store.redis, INTERACTIVE_QUEUE).jobs
    by_rq = queue_of(store.redis, INTERACTIVE_QUEUE).enqueue(
        TURN_JOB,
        args=(game, 0),
        job_id=f"ai-{game}-0-0",
        job_timeout=TURN_JOB_TIMEOUT_SECONDS,
        result_ttl=0,
        failure_ttl=FAILED_JOB_TTL_SECONDS,
    )

    when = dict.fromkeys(("created_at", "enqueued_at"))
    called = [
        {**job.to_dict(), **when, "data": (job.func_name, list(job.args))} for job in (committed, enqueued, by_rq)
    ]
    assert called == [called[0]] * 3
    assert None not in [at for job in (committed, enqueued) for at in (job.created_at, job.enqueued_at)]


def test_hints_do_not_keep_a_table_waiting(store: Store):
    """A turn goes before all that wait but the oldest, which doesn't wait for ever."""
    asking = [open_table(store, HUMAN, HUMAN) for _ in range(3)]
    oldest, *others = [hints.request_hint(store, game, 0, 0, "master", "owner").job_id() for game in asking]

    turns_owed = [f"ai-{open_table(store, NOVICE, HUMAN)}-0-0" for _ in range(2)]

    assert queue_of(store.redis, INTERACTIVE_QUEUE).job_ids == [oldest, *turns_owed, *others]


@pytest.mark.parametrize(
    ("before", "between", "place"),
    [
        (0, 0, 1),  # before the second hint
        (0, 62, 63),  # the second is the last of the first step
        (0, 63, 64),  # the first of the next
        (63, 0, 64),  # each in a step of its own
        (500, 490, 991),  # far behind
        (500, 1000, 1502),  # too far to be looked for: at the end
        (1500, 1000, 2502),  # neither is found
    ],
)
def test_a_turn_goes_before_the_second_hint(store: Store, before: int, between: int, place: int):
    """However many wait for other things, as long as it isn't more than a thousand."""
    hints_asked, others = ["task-1-0", "task-2-0"], [f"ai-{number}-0-0" for number in range(before + between)]
    waiting = [*others[:before], hints_asked[0], *others[before:], hints_asked[1]]
    store.redis.rpush(queue.INTERACTIVE_QUEUE_KEY, *waiting)

    game = open_table(store, NOVICE, HUMAN)

    assert queue_of(store.redis, INTERACTIVE_QUEUE).job_ids == [*waiting[:place], f"ai-{game}-0-0", *waiting[place:]]


def owed(store: Store, group: str, count: int) -> list[str]:
    """Set up so many tables of a group, each with an AI's turn; return the jobs."""
    return [f"ai-{open_table(store, NOVICE, HUMAN, group=group)}-0-0" for _ in range(count)]


def asked(store: Store, group: str, count: int) -> list[str]:
    """Ask for a hint in each of so many games, as clients of a group; return the jobs."""
    games = [open_table(store, HUMAN, HUMAN) for _ in range(count)]
    return [hints.request_hint(store, game, 0, 0, "master", "owner", group=group).job_id() for game in games]


@pytest.mark.parametrize("enqueue", [owed, asked])
def test_groups_take_turns(store: Store, enqueue: Callable[[Store, str, int], list[str]]):
    """Whoever plays or asks at a hundred tables delays another, at one, by a single job; and so does each group."""
    a = enqueue(store, "a", 100)
    b = enqueue(store, "b", 2)
    c = enqueue(store, "c", 3)
    a += enqueue(store, "a", 1)

    assert queue_of(store.redis, INTERACTIVE_QUEUE).job_ids == [a[0], b[0], c[0], a[1], b[1], c[1], a[2], c[2], *a[3:]]


def test_who_came_first_is_first_when_all_have_one(store: Store):
    """Also where nobody knows who set the table up: as if each of those were of a group of its own."""
    jobs = [*owed(store, "a", 1), *owed(store, "", 2), *owed(store, "b", 1), *owed(store, "", 1)]

    assert queue_of(store.redis, INTERACTIVE_QUEUE).job_ids == jobs


def test_a_second_turn_is_overtaken_by_first_ones_alone(store: Store):
    """When it has become the first of its group, nobody goes before it any more: all come to their turn."""
    a = owed(store, "a", 3)
    b = owed(store, "b", 1)
    store.redis.lpop(queue.INTERACTIVE_QUEUE_KEY)
    c = owed(store, "c", 1)
    store.redis.lpop(queue.INTERACTIVE_QUEUE_KEY)
    d = owed(store, "d", 1)

    assert queue_of(store.redis, INTERACTIVE_QUEUE).job_ids == [a[1], *c, *d, a[2]]
    assert b != c


def test_a_lost_turn_is_still_its_groups(store: Store):
    """When it is repeated, as with the commit that made it."""
    game = open_table(store, NOVICE, HUMAN, group="a")
    table = store.games.load(game)

    requeue_overdue(store.redis, [(table, table.pending_ais(store.now())[0], 1)])

    jobs = [f"ai-{game}-0-0", f"ai-{game}-0-0-1"]
    assert [store.redis.hget(Job.key_for(job), "group") for job in jobs] == [b"a", b"a"]


def enqueue_as_before(store: Store, task_ids: list[str]) -> list[str]:
    """Enqueue hints as the release before did, by RQ and without a group; return the jobs."""
    options: dict[str, Any] = {"timeout": NO_TIMEOUT, "result_ttl": 0, "failure_ttl": FAILED_JOB_TTL_SECONDS}
    jobs = [f"task-{task_id}-0" for task_id in task_ids]
    data = [
        Queue.prepare_data(HINT_JOB, args=[task_id], job_id=job, **options)
        for task_id, job in zip(task_ids, jobs, strict=True)
    ]
    queue_of(store.redis, INTERACTIVE_QUEUE).enqueue_many(data)
    return jobs


def test_turns_and_hints_do_not_count_for_each_other(store: Store):
    """A turn comes where it came without groups of hints, though its own group asks; a hint comes before no turn."""
    a = asked(store, "a", 2)
    turns_of_b, turns_of_a = owed(store, "b", 2), owed(store, "a", 1)
    b = asked(store, "b", 1)

    turns_owed = [turns_of_b[0], *turns_of_a, turns_of_b[1]]
    assert queue_of(store.redis, INTERACTIVE_QUEUE).job_ids == [a[0], *turns_owed, *b, a[1]]


def test_hints_of_the_release_before_are_overtaken_by_none(store: Store):
    """Nobody knows who asked for them: as if each were of a group of its own."""
    before = enqueue_as_before(store, ["1", "2"])
    a, b = asked(store, "a", 2), asked(store, "b", 1)
    unknown = asked(store, "", 2)

    assert queue_of(store.redis, INTERACTIVE_QUEUE).job_ids == [*before, a[0], *b, *unknown, a[1]]


def test_the_job_of_a_hint_is_one_of_rqs_own(store: Store):
    """As if RQ had enqueued it, as in the release before."""
    task = hints.request_hint(store, open_table(store, HUMAN, HUMAN), 0, 0, "master", "owner", group="a")
    (ours,) = queue_of(store.redis, INTERACTIVE_QUEUE).jobs
    store.redis.delete(queue.INTERACTIVE_QUEUE_KEY, ours.key)
    enqueue_as_before(store, [task.id])
    (by_rq,) = queue_of(store.redis, INTERACTIVE_QUEUE).jobs

    when = dict.fromkeys(("created_at", "enqueued_at"))
    called = [{**job.to_dict(), **when, "data": (job.func_name, list(job.args))} for job in (ours, by_rq)]
    assert called == [called[0]] * 2


def test_nothing_is_due_when_a_person_is_waited_for(store: Store):
    """Unless their time is limited."""
    game = open_table(store, HUMAN)

    assert due(store, game) is None
    assert queue_of(store.redis, INTERACTIVE_QUEUE).job_ids == []


def test_an_ais_turn_leaves_nothing_in_the_queue(job_store: Store):
    """No result, no job, no records about it."""
    open_table(job_store, NOVICE, NOVICE, HUMAN, options=LONG)

    worker_of(job_store).work(burst=True, logging_level="ERROR")

    left = {text(key) for key in job_store.redis.keys("rq:*")} - {"rq:workers", "rq:workers:ai"}
    assert [key for key in left if not key.startswith(("rq:worker:", "rq:clean_registries"))] == []


def test_a_worker_keeps_rqs_records_of_other_jobs(job_store: Store, monkeypatch: pytest.MonkeyPatch):
    """Results and all."""
    monkeypatch.setitem(cast(Any, JOBS), "square_root", math.sqrt)
    job = queue_of(job_store.redis, INTERACTIVE_QUEUE).enqueue("square_root", 16.0)

    worker_of(job_store).work(burst=True, logging_level="ERROR")

    assert (job.get_status(), job.return_value()) == ("finished", 4.0)
