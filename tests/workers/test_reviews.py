"""Reviews as tasks: each decision counts once, whoever reviews it and whatever dies; clients take turns."""

import os
import signal
from pathlib import Path

import pytest
from redis import Redis

from engines.analysis.review import assess_decision, decisions_of, past_decision, summarize
from engines.core.types import Json
from tests.waiting import AGES, comes_true
from tests.workers.stores import HUMAN, NOVICE, Clock, at_once, children, open_table, pool, tasks_with, work_off
from workers import game_commands
from workers.background import reviews
from workers.background.sweeper import Sweeper
from workers.processes.stop_flag import StopFlag
from workers.settings import Settings
from workers.storage import keys, tasks
from workers.storage.concurrent_work_limits import MAX_REVIEWS_PER_GAME
from workers.storage.errors import TooManyJobs
from workers.storage.fair_queues import REVIEW_QUEUE
from workers.storage.queue import INTERACTIVE_QUEUE, queue_of
from workers.storage.store import Store, open_store
from workers.storage.tasks import MAX_RETRIES, Task

OWNER, OTHER = "0" * 64, "1" * 64
CLIENT = "c" * 16


@pytest.fixture
def game(job_store: Store) -> str:
    """Return a race that has ended, in which seat 0 has decided more than once."""
    game = open_table(job_store, HUMAN, NOVICE, options={"goal": 12})
    while job_store.games.load(game).status == "active":
        if 0 in job_store.games.load(game).to_act():
            game_commands.play_action(job_store, game, 0, "step 1")
        work_off(job_store)
    return game


def begin(store: Store, game: str, owner: str = OWNER, **wishes: object) -> Task:
    """Ask for a review of seat 0."""
    asked = {"seat": 0, "level": "novice", "viewer": 0, "client": CLIENT, **wishes}
    task_id = store.keys.new_id(store.keys.partition(game))
    parameters = reviews.review_parameters(game, **asked)  # type: ignore[arg-type]
    return reviews.create_task(store, parameters, task_id, owner)


def expected(store: Store, game: str, level: str = "novice") -> Json:
    """Return the review as one who goes through the game in a row finds it, but for its sentences."""
    found = [
        assess_decision(past_decision(before, entry), level) or {}
        for before, entry in decisions_of(store.history.changes(game), 0)
    ]
    return plain(summarize(0, level, found))


def plain(review: Json) -> Json:
    """Return a review without its sentences, which say who sits where."""
    return {**review, "decisions": [{**one, "why": None} for one in review["decisions"]]}


def found(store: Store, task: Task) -> Json:
    """Return the result, but for its sentences."""
    ended = store.tasks.load(task.id)
    assert (ended.status, ended.progress) == ("finished", 1), ended
    return plain(ended.answer or {})


def lose_jobs(store: Store) -> None:
    """Lose every job, as workers do that are killed with one in their hands."""
    store.redis.delete(*store.redis.keys("regicide:line:*"))


def test_a_review(job_store: Store, game: str):
    """Dealt out, a job for each decision, in the line and not in the queue of those for whom people wait."""
    task = begin(job_store, game)

    jobs = work_off(job_store, REVIEW_QUEUE)

    result = found(job_store, task)
    assert result == expected(job_store, game)
    assert jobs == 1 + len(result["decisions"]) > 2
    assert queue_of(job_store.redis, INTERACTIVE_QUEUE).job_ids == []


def test_equal_games_have_equal_reviews(job_store: Store, game: str):
    """Whoever asks, and however often."""
    tasks = [begin(job_store, game, owner) for owner in (OWNER, OTHER)]
    work_off(job_store, REVIEW_QUEUE)
    tasks.append(begin(job_store, game))
    work_off(job_store, REVIEW_QUEUE)

    assert [found(job_store, task) for task in tasks] == [found(job_store, tasks[0])] * 3


def test_a_decision_counts_once(job_store: Store, game: str):
    """Also when several review it at once, and when the review is dealt out twice."""
    task = begin(job_store, game)
    versions = [one["version"] for one in expected(job_store, game)["decisions"]]

    at_once(4, lambda _: reviews.judge_one(task.id, versions[0], len(versions)))
    begun = job_store.tasks.load(task.id)
    at_once(2, lambda _: reviews.enqueue_parts(task.id))
    work_off(job_store, REVIEW_QUEUE)

    assert (begun.status, begun.progress) == ("running", round(1 / len(versions), 4))
    assert found(job_store, task) == expected(job_store, game)


def test_what_was_reviewed_is_kept(job_store: Store, game: str, clock: Clock):
    """When workers die the review is dealt out again: the decisions that are missing, no others."""
    task = begin(job_store, game)
    versions = [one["version"] for one in expected(job_store, game)["decisions"]]
    reviews.judge_one(task.id, versions[0], len(versions))
    before = job_store.tasks.parts(task)
    lose_jobs(job_store)
    clock.go(15.1)

    swept = Sweeper(job_store).sweep()
    jobs = work_off(job_store, REVIEW_QUEUE)

    assert (swept, jobs) == (1, len(versions))
    assert job_store.tasks.parts(task)[versions[0]] == before[versions[0]]
    assert found(job_store, task) == expected(job_store, game)


def test_one_that_was_complete_is_only_put_together(job_store: Store, game: str, clock: Clock):
    """Whoever reviewed the last decision may have died over the rest."""
    task = begin(job_store, game)
    for before, entry in decisions_of(job_store.history.changes(game), 0):
        job_store.tasks.store_part(task, before.version, assess_decision(past_decision(before, entry), "novice") or {})
    lose_jobs(job_store)
    clock.go(15.1)

    assert Sweeper(job_store).sweep() == 1
    assert work_off(job_store, REVIEW_QUEUE) == 1
    assert found(job_store, task) == expected(job_store, game)


def test_a_review_that_kills_its_workers_fails(job_store: Store, game: str, clock: Clock):
    """After some tries without a decision that was reviewed."""
    task = begin(job_store, game)
    for _ in range(MAX_RETRIES + 1):
        lose_jobs(job_store)
        clock.go(60)
        job_store.redis.delete(keys.LEADING_SWEEPER)
        Sweeper(job_store).sweep()

    assert job_store.tasks.load(task.id).as_json()["problem"]["code"] == "internal_error"


def test_a_cancelled_review_stops(job_store: Store, game: str):
    """Its jobs come to nothing, and it stays cancelled."""
    task = begin(job_store, game)
    reviews.enqueue_parts(task.id)
    job_store.tasks.cancel(task.id)

    work_off(job_store, REVIEW_QUEUE)

    ended = job_store.tasks.load(task.id)
    assert (ended.status, ended.answer, job_store.tasks.parts(task)) == ("cancelled", None, {})


def test_a_worker_that_is_to_end_leaves_its_decision(job_store: Store, game: str, clock: Clock):
    """Another one reviews it, when there was no sign of life for a while."""
    task = begin(job_store, game, level="master")
    ending = StopFlag()
    ending.set()
    with pytest.MonkeyPatch.context() as told:
        told.setattr("workers.background.reviews.SHUTTING_DOWN", ending)
        work_off(job_store, REVIEW_QUEUE)
    clock.go(15.1)

    Sweeper(job_store).sweep()
    work_off(job_store, REVIEW_QUEUE)

    assert found(job_store, task) == expected(job_store, game, "master")


def test_nothing_to_review(job_store: Store):
    """A seat that never acted has no decisions, and no accuracy."""
    game = open_table(job_store, HUMAN, HUMAN)
    game_commands.change(job_store, game, lambda table, now: table.abandon(now))
    task = begin(job_store, game)

    work_off(job_store, REVIEW_QUEUE)

    assert found(job_store, task) == {"seat": 0, "level": "novice", "accuracy": None, "decisions": []}


def test_a_game_that_is_gone(job_store: Store, game: str):
    """Archived meanwhile: the review fails, and says so."""
    task = begin(job_store, game)
    job_store.redis.delete(job_store.keys.game(game))

    work_off(job_store, REVIEW_QUEUE)

    assert job_store.tasks.load(task.id).as_json()["problem"]["code"] == "no_such_game"


def test_decisions_of_other_engines_are_not_mixed_in(job_store: Store, game: str, monkeypatch: pytest.MonkeyPatch):
    """A review that was begun before the AIs changed is done once more, by those that there are."""
    alone = begin(job_store, game)
    work_off(job_store, REVIEW_QUEUE)
    with monkeypatch.context() as before:
        before.setattr(reviews, "ENGINES_HASH", "others")
        before.setattr(tasks, "ENGINES_HASH", "others")
        task = begin(job_store, game, "e" * 64)
        job_store.tasks.store_part(task, 1, {"of": "another version"})

    work_off(job_store, REVIEW_QUEUE)

    assert found(job_store, task) == found(job_store, alone)


def test_the_same_review_is_not_begun_twice(job_store: Store, game: str):
    """Of a seat a token has one at a time: another level ends it."""
    first, again, other = (begin(job_store, game, level=level) for level in ("novice", "novice", "adept"))

    assert again.id == first.id != other.id
    assert job_store.tasks.load(first.id).status == "cancelled"

    work_off(job_store, REVIEW_QUEUE)
    novice = begin(job_store, game)
    work_off(job_store, REVIEW_QUEUE)
    assert novice.id not in (first.id, other.id)
    assert [begin(job_store, game, level=level).id for level in ("adept", "novice")] == [other.id, novice.id]


def test_so_many_of_a_game(job_store: Store, game: str):
    """Until one has ended; one too many isn't begun, and another game has its own."""
    tasks = [begin(job_store, game, f"{number:064}") for number in range(MAX_REVIEWS_PER_GAME)]

    with pytest.raises(TooManyJobs):
        begin(job_store, game, "f" * 64)
    assert begin(job_store, game, f"{0:064}").id == tasks[0].id, "it is under way"
    job_store.tasks.cancel(tasks[0].id)
    begin(job_store, game, "f" * 64)  # does not raise
    work_off(job_store, REVIEW_QUEUE)
    assert {job_store.tasks.load(task.id).status for task in tasks} == {"cancelled", "finished"}


def test_workers_that_are_killed_in_a_review(settings: Settings, database: Redis, tmp_path: Path):
    """In the middle of whatever they do: the result is the same as if nothing had happened."""
    store = open_store(settings)
    game = open_table(store, HUMAN, HUMAN, ruleset="regicide", seed=bytes(32))  # of a deal that outlasts eight actions
    for _ in range(8):
        table = store.games.load(game)
        seat = table.to_act()[0]
        game_commands.play_action(store, game, seat, table.legal(seat)[0]["action"])
    game_commands.change(store, game, lambda table, now: table.abandon(now))
    with pool(
        str(settings.redis_url), tmp_path, WORKERS="0", ARENA_WORKERS="1", REGICIDE_SWEEP_SECONDS="0.1"
    ) as process:
        task = begin(store, game, level="expert")
        assert comes_true(lambda: bool(store.tasks.parts(task)))
        for worker in children(process.pid):
            os.kill(worker, signal.SIGKILL)

        def ended() -> bool:
            store.redis.zadd(tasks_with(store, task.id), {task.id: 0}, xx=True)  # nobody waits 15 s for a sign of life
            return not store.tasks.is_active(task)

        assert comes_true(ended, AGES, pause=0.2)

    assert found(store, task) == expected(store, game, "expert")
