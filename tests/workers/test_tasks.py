"""Tasks: begun, worked on, ended once; whatever dies in between."""

from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.rulesets import Race
from tests.workers.stores import HUMAN, Clock, at_once, open_table, tasks_with, work_off
from workers import game_commands
from workers.background import hints, job_base
from workers.background.sweeper import Sweeper
from workers.metrics import REGISTRY
from workers.storage import keys, tasks
from workers.storage.errors import JobBroken, NoSuchJob, StorageUnavailable
from workers.storage.queue import INTERACTIVE_QUEUE, queue_of
from workers.storage.store import Store
from workers.storage.tasks import MAX_RETRIES, RETRIES_EXHAUSTED, Heartbeat, Task


def ask(store: Store, level: str = "novice", **how: Any) -> Task:
    """Ask for a hint in a new race."""
    game = open_table(store, HUMAN, HUMAN, **how)
    return hints.request_hint(store, game, 0, 0, level, "owner")


def lose_jobs(store: Store) -> None:
    """Lose every job, as workers do that are killed with one in their hands."""
    queue_of(store.redis, INTERACTIVE_QUEUE).delete(delete_jobs=False)


def test_a_hint_from_question_to_result(job_store: Store):
    """Queued, then finished with everything that the seat may do."""
    task = ask(job_store)
    before = job_store.tasks.load(task.id)

    work_off(job_store)

    after = job_store.tasks.load(task.id)
    assert (before.status, before.progress, before.answer) == ("queued", 0, None)
    assert (after.status, after.progress, after.owner) == ("finished", 1, "owner")
    assert after.answer is not None
    assert after.answer["version"] == 0
    assert {entry["text"] for entry in after.answer["actions"]} == {f"step {steps}" for steps in range(4)}
    assert job_store.redis.zcard(tasks_with(job_store, task.id)) == 0


def test_a_job_that_was_worked_on_is_counted(job_store: Store):
    """By kind, for ``/metrics``."""
    before = REGISTRY.get_sample_value("regicide_job_seconds_count", {"kind": "hint"}) or 0
    ask(job_store)

    work_off(job_store)

    assert REGISTRY.get_sample_value("regicide_job_seconds_count", {"kind": "hint"}) == before + 1


def test_the_resource_shows_a_result_or_a_problem():
    """Never both, and neither before the end."""
    shown = {
        status: Task("e", "hint", "o", {}, status, 0.5, {"code": "c"}).as_json()
        for status in ("finished", "failed", "cancelled", "running")
    }

    assert {s: (job["result"], job["problem"]) for s, job in shown.items()} == {
        "finished": ({"code": "c"}, None),
        "failed": (None, {"code": "c"}),
        "cancelled": (None, None),
        "running": (None, None),
    }
    assert shown["failed"].keys() == {"id", "kind", "status", "progress", "result", "problem"}


def test_a_seat_is_thought_for_once_at_a_time(store: Store):
    """Whoever asks again, however often and at once, is told of what is under way."""
    game = open_table(store, HUMAN, HUMAN)

    asked = at_once(8, lambda _: hints.request_hint(store, game, 0, 0, "master", "owner"))

    tasks = [task for task in asked if isinstance(task, Task)]
    assert len(tasks) == 8
    assert len({task.id for task in tasks}) == 1
    assert queue_of(store.redis, INTERACTIVE_QUEUE).job_ids == [tasks[0].job_id()]


def test_what_is_under_way_is_told_as_it_stands(store: Store):
    """How far it has come by now."""
    task = ask(store)
    store.tasks.heartbeat(task, 0.5)

    again = hints.request_hint(store, task.parameters["game_id"], 0, 0, "novice", "owner")

    assert again == store.tasks.load(task.id)
    assert (again.status, again.progress) == ("running", 0.5)


@pytest.mark.parametrize(
    ("version", "level", "owner"), [(0, "adept", "owner"), (1, "novice", "owner"), (0, "novice", "other")]
)
def test_another_hint_for_a_seat_takes_its_place(store: Store, version: int, level: str, owner: str):
    """Another level, a newer version, or somebody else's: the one that was under way is cancelled."""
    first = ask(store)

    second = hints.request_hint(store, first.parameters["game_id"], version, 0, level, owner)

    assert [store.tasks.load(task.id).status for task in (first, second)] == ["cancelled", "queued"]
    assert store.redis.zrange(tasks_with(store, second.id), 0, -1) == [second.id.encode()]


def test_a_hint_that_has_ended_and_other_seats_are_no_hindrance(job_store: Store):
    """What is done is the same job when it is asked for again, what was cancelled isn't; each seat is thought for."""
    first = ask(job_store)
    game = first.parameters["game_id"]
    work_off(job_store)

    again, other = (hints.request_hint(job_store, game, 0, seat, "novice", "owner") for seat in (0, 1))
    job_store.tasks.cancel(other.id)
    anew = hints.request_hint(job_store, game, 0, 1, "novice", "owner")

    assert again.id == first.id
    statuses = [job_store.tasks.load(task.id).status for task in (first, other, anew)]
    assert statuses == ["finished", "cancelled", "queued"]


def test_a_hint_of_a_game_that_moved_on_before_fails(job_store: Store):
    """Nobody wants to know any more."""
    task = ask(job_store, options={"goal": 50})
    game_commands.play_action(job_store, task.parameters["game_id"], 1, "dash")

    work_off(job_store)

    failed = job_store.tasks.load(task.id)
    assert failed.answer is not None
    assert (failed.status, failed.answer["code"], failed.answer["version"]) == ("failed", "stale_version", 1)


def test_what_was_cancelled_is_not_begun(job_store: Store):
    """Though its job is in the queue; and an end is an end."""
    task = ask(job_store)
    job_store.tasks.cancel(task.id)

    work_off(job_store)
    job_store.tasks.finish(task, {"late": True})

    after = job_store.tasks.load(task.id)
    assert (after.status, after.answer) == ("cancelled", None)
    assert job_store.redis.zcard(tasks_with(job_store, task.id)) == 0


def test_what_has_ended_is_not_cancelled(job_store: Store):
    """It stays as it is."""
    task = ask(job_store)
    work_off(job_store)

    job_store.tasks.cancel(task.id)

    assert job_store.tasks.load(task.id).status == "finished"


def test_of_two_that_end_it_at_once_one_does(store: Store):
    """Whoever is first."""
    task = ask(store)

    at_once(8, lambda number: store.tasks.finish(task, {"by": number}))
    first = store.tasks.load(task.id).answer
    store.tasks.fail(task, JobBroken(RETRIES_EXHAUSTED))

    assert store.tasks.load(task.id).answer == first


def test_a_task_is_forgotten_in_time(store: Store):
    """A day after its last change."""
    task = ask(store)

    assert 0 < store.redis.ttl(store.keys.task(task.id)) <= 24 * 3600
    with pytest.raises(NoSuchJob):
        store.tasks.load("0" * 20)


def test_progress_never_goes_back(store: Store):
    """Even if a worker begins anew."""
    task = ask(store)

    wanted = [store.tasks.heartbeat(task, progress) for progress in (0.0, 0.5, 0.2)]

    assert wanted == [True] * 3
    assert store.tasks.load(task.id).progress == 0.5


def test_a_worker_asks_often_and_writes_seldom(store: Store, monkeypatch: pytest.MonkeyPatch):
    """A sign of life is a durable write: it comes now and then, with how far the task is by then."""
    monkeypatch.setattr(tasks, "monotonic", lambda: 0.0)  # no time passes, however busy the machine is
    task = ask(store)
    heartbeat = Heartbeat(store.tasks, task)

    wanted = [heartbeat(progress, resets_retries=True) for progress in (0.25, 0.75, 0.5)]
    before = store.tasks.load(task.id)
    sent = heartbeat.send()
    store.tasks.cancel(task.id)

    assert (wanted, sent, heartbeat(1.0), heartbeat.send()) == ([True] * 3, True, False, False)
    assert (before.progress, store.tasks.load(task.id).progress) == (0, 0.75)


def test_a_task_whose_worker_died_comes_back(job_store: Store, clock: Clock):
    """The sweeper enqueues it again when no sign of life has come for the time of a lease."""
    task = ask(job_store)
    lose_jobs(job_store)
    job_store.tasks.heartbeat(task)
    clock.go(2.9)
    early = Sweeper(job_store).sweep()
    job_store.redis.delete(keys.LEADING_SWEEPER)
    clock.go(0.2)

    swept = Sweeper(job_store).sweep()
    work_off(job_store)

    assert (early, swept) == (0, 1)
    assert job_store.tasks.load(task.id).status == "finished"


def test_a_task_that_kills_its_workers_fails(job_store: Store, clock: Clock):
    """After some tries, with a problem; then it is left alone."""
    task, swept = ask(job_store), []
    for _ in range(MAX_RETRIES + 2):
        lose_jobs(job_store)
        clock.go(60)
        job_store.redis.delete(keys.LEADING_SWEEPER)
        swept.append(Sweeper(job_store).sweep())

    failed = job_store.tasks.load(task.id)
    assert swept == [1] * MAX_RETRIES + [0, 0]
    assert (failed.status, failed.answer) == (
        "failed",
        {"code": "internal_error", "detail": str(RETRIES_EXHAUSTED), "phrase": RETRIES_EXHAUSTED.as_json()},
    )


def test_one_that_gets_on_is_not_given_up(store: Store, clock: Clock):
    """Tries are counted from its last success."""
    task = ask(store)
    for _ in range(MAX_RETRIES + 2):
        lose_jobs(store)
        clock.go(60)
        store.redis.delete(keys.LEADING_SWEEPER)
        assert Sweeper(store).sweep() == 1
        store.tasks.heartbeat(task, resets_retries=True)


def test_what_waits_in_a_long_queue_is_not_repeated(store: Store, clock: Clock):
    """The queue doesn't grow by being looked at."""
    ask(store)
    before = queue_of(store.redis, INTERACTIVE_QUEUE).job_ids
    for _ in range(5):
        clock.go(10)
        store.redis.delete(keys.LEADING_SWEEPER)
        assert Sweeper(store).sweep() == 0

    assert queue_of(store.redis, INTERACTIVE_QUEUE).job_ids == before


def test_what_was_never_enqueued_comes_too(job_store: Store, clock: Clock):
    """Whoever wrote it down may have died before."""
    task = ask(job_store)
    lose_jobs(job_store)
    clock.go(1.1)

    assert Sweeper(job_store).sweep() == 1
    work_off(job_store)

    assert job_store.tasks.load(task.id).status == "finished"


def test_lost_hints_take_turns_too(job_store: Store, clock: Clock):
    """When the sweeper enqueues them again, the clients that asked are known."""
    asked = list[Task]()
    for group in "aaab":
        game = open_table(job_store, HUMAN, HUMAN)
        asked.append(hints.request_hint(job_store, game, 0, 0, "novice", "owner", group=group))
        clock.go(0.01)
    lose_jobs(job_store)
    clock.go(1.1)

    assert Sweeper(job_store).sweep() == 4
    again = [job_store.tasks.load(task.id).job_id() for task in asked]
    order = [again[number] for number in (0, 3, 1, 2)]
    assert queue_of(job_store.redis, INTERACTIVE_QUEUE).job_ids == order
    work_off(job_store)
    assert {job_store.tasks.load(task.id).status for task in asked} == {"finished"}


def test_a_task_of_the_release_before(job_store: Store, clock: Clock):
    """It has no group, as a task now whose client is unknown: it is read, and enqueued again if it is lost."""
    known, unknown = ask(job_store), ask(job_store)
    grouped = hints.request_hint(job_store, open_table(job_store, HUMAN, HUMAN), 0, 0, "novice", "owner", group="a")
    stored = [job_store.redis.hget(job_store.keys.task(task.id), "group") for task in (known, unknown, grouped)]
    lose_jobs(job_store)
    clock.go(1.1)

    assert stored == [None, None, b"a"]
    assert [job_store.tasks.load(task.id).group for task in (known, unknown, grouped)] == ["", "", "a"]
    assert Sweeper(job_store).sweep() == 3
    work_off(job_store)
    assert job_store.tasks.load(known.id).status == "finished"


def test_one_that_vanished_is_not_looked_for(store: Store, clock: Clock):
    """It expired, and only the sweeper's list knew it."""
    store.redis.zadd(tasks_with(store, "0" * 20), {"0" * 20: 0})

    assert Sweeper(store).sweep() == 0
    assert store.redis.zcard(tasks_with(store, "0" * 20)) == 0


def test_our_own_mistake_is_a_problem_without_its_words(job_store: Store, race: Race, monkeypatch: pytest.MonkeyPatch):
    """The message might name a card: neither log nor job repeats it; and it isn't tried again."""

    def broken(*_: object) -> None:
        raise ValueError("I hold AH")

    task = ask(job_store)
    monkeypatch.setattr(Race, "imagine", broken)

    with capture_logs() as lines, pytest.raises(job_base.LoggedJobError):
        hints.run_hint(task.id)

    failed = job_store.tasks.load(task.id)
    assert failed.answer is not None
    assert (failed.status, failed.answer["code"]) == ("failed", "internal_error")
    assert "AH" not in str([{**line, "exc_info": ""} for line in lines]) + str(failed)
    assert job_store.redis.zcard(tasks_with(job_store, task.id)) == 0


def test_a_storage_that_goes_away_ends_nothing(job_store: Store, monkeypatch: pytest.MonkeyPatch, clock: Clock):
    """The job fails, the task doesn't: the sweeper brings it back."""

    def away(*_: object) -> None:
        raise StorageUnavailable

    task = ask(job_store)
    with monkeypatch.context() as broken, capture_logs():
        broken.setattr(type(job_store.games), "load", away)
        with pytest.raises(job_base.LoggedJobError):
            hints.run_hint(task.id)
    lose_jobs(job_store)
    clock.go(10)

    assert Sweeper(job_store).sweep() == 1
    work_off(job_store)
    assert job_store.tasks.load(task.id).status == "finished"
