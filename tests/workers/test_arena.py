"""Arenas as tasks: every game counts once, whoever plays it and whatever dies; nobody who waits is kept waiting."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis

from engines.analysis.arena import Arena, GameResult, play, result
from engines.core.types import Json
from tests.waiting import AGES, comes_true
from tests.workers.stores import HUMAN, NOVICE, Clock, at_once, children, open_table, pool, tasks_with, work_off
from workers.background import arena as arenas
from workers.background.sweeper import Sweeper
from workers.engines_hash import ENGINES_HASH
from workers.processes.stop_flag import StopFlag
from workers.settings import Settings
from workers.storage import keys, tasks
from workers.storage.fair_queues import ARENA_QUEUE
from workers.storage.queue import INTERACTIVE_QUEUE, queue_of
from workers.storage.store import Store, open_store
from workers.storage.tasks import MAX_RETRIES, Task

OWNER = "0" * 64
RACES = Arena("race", ("adept", "novice", "novice"), 30, {"goal": 12}, "s")


def expected(arena: Arena) -> Json:
    """Return the result as one who plays all the games in a row finds it."""
    played = {number: game for number in range(arena.games) if (game := play(arena, number))}
    return result(arena, played, 0)


def found(store: Store, task: Task) -> Json:
    """Return the result, but for the time that it took."""
    ended = store.tasks.load(task.id)
    assert (ended.status, ended.progress) == ("finished", 1), ended
    return {**(ended.answer or {}), "seconds": 0.0}


def lose_jobs(store: Store) -> None:
    """Lose every job, as workers do that are killed with one in their hands."""
    store.redis.delete(*store.redis.keys("regicide:line:*"))


def test_an_arena(job_store: Store, clock: Clock):
    """Dealt out in batches, played, counted; the time is from the request to the end."""
    task = arenas.create_task(job_store, RACES, job_store.keys.new_id(), OWNER)
    clock.go(3.21)

    jobs = work_off(job_store, ARENA_QUEUE)

    assert found(job_store, task) == expected(RACES)
    assert (job_store.tasks.load(task.id).answer or {})["seconds"] == 3.2
    assert jobs == 1 + 30
    assert queue_of(job_store.redis, INTERACTIVE_QUEUE).job_ids == []


def test_a_game_counts_once(job_store: Store):
    """Also when several play it at once, and when a batch comes twice."""
    few = Arena("race", ("adept", "novice"), 6, {"goal": 12}, "s")
    task = arenas.create_task(job_store, few, job_store.keys.new_id(), OWNER)

    at_once(4, lambda _: arenas.play_some(task.id, [0, 1, 2]))
    half = job_store.tasks.load(task.id)
    at_once(4, lambda _: arenas.play_some(task.id, [3, 4, 5, 0]))

    assert (half.status, half.progress) == ("running", 0.5)
    assert found(job_store, task) == expected(few)


def test_what_was_played_is_kept(job_store: Store, clock: Clock):
    """When workers die with their batches the arena is dealt out again: the games that are missing, no others."""
    task = arenas.create_task(job_store, RACES, job_store.keys.new_id(), OWNER)
    arenas.play_some(task.id, list(range(20)))
    marked = GameResult({"winner": 0}, 999)
    job_store.redis.hset(
        job_store.keys.task_parts(task.id, ENGINES_HASH), "7", '{"outcome": {"winner": 0}, "actions": 999}'
    )
    lose_jobs(job_store)
    clock.go(15.1)

    swept = Sweeper(job_store).sweep()
    jobs = work_off(job_store, ARENA_QUEUE)

    assert (swept, jobs) == (1, 1 + 10)
    assert job_store.tasks.parts(task)[7] == marked.as_json()
    assert job_store.tasks.load(task.id).status == "finished"


def test_one_that_was_complete_is_only_counted(job_store: Store, clock: Clock):
    """Whoever played the last game may have died over the counting."""
    few = Arena("race", ("adept", "novice"), 3, {"goal": 12}, "s")
    task = arenas.create_task(job_store, few, job_store.keys.new_id(), OWNER)
    for number in range(3):
        job_store.tasks.store_part(task, number, (play(few, number) or GameResult({}, 0)).as_json())
    lose_jobs(job_store)
    clock.go(15.1)

    assert Sweeper(job_store).sweep() == 1
    assert work_off(job_store, ARENA_QUEUE) == 1
    assert found(job_store, task) == expected(few)


def test_an_arena_that_kills_its_workers_fails(job_store: Store, clock: Clock):
    """After some tries without a game that came to its end."""
    task = arenas.create_task(job_store, RACES, job_store.keys.new_id(), OWNER)
    for _ in range(MAX_RETRIES + 1):
        lose_jobs(job_store)
        clock.go(60)
        job_store.redis.delete(keys.LEADING_SWEEPER)
        Sweeper(job_store).sweep()

    assert job_store.tasks.load(task.id).as_json()["problem"]["code"] == "internal_error"


def test_a_cancelled_arena_stops(job_store: Store):
    """Its batches come to nothing, and it stays cancelled."""
    task = arenas.create_task(job_store, RACES, job_store.keys.new_id(), OWNER)
    arenas.enqueue_parts(task.id)
    arenas.play_some(task.id, [0])
    job_store.tasks.cancel(task.id)

    work_off(job_store, ARENA_QUEUE)

    ended = job_store.tasks.load(task.id)
    assert (ended.status, ended.answer) == ("cancelled", None)
    assert len(job_store.tasks.parts(task)) == 1


def test_a_worker_that_is_to_end_leaves_its_games(job_store: Store, clock: Clock):
    """Others play them, when it has given no sign of life for a while."""
    task = arenas.create_task(job_store, RACES, job_store.keys.new_id(), OWNER)
    ending = StopFlag()
    ending.set()
    with pytest.MonkeyPatch.context() as told:
        told.setattr("workers.background.arena.SHUTTING_DOWN", ending)
        arenas.play_some(task.id, list(range(RACES.games)))
    played = len(job_store.tasks.parts(task))
    lose_jobs(job_store)
    clock.go(15.1)

    Sweeper(job_store).sweep()
    work_off(job_store, ARENA_QUEUE)

    assert played <= 1
    assert found(job_store, task) == expected(RACES)


def test_games_of_other_engines_are_not_mixed_in(job_store: Store, monkeypatch: pytest.MonkeyPatch):
    """Whoever begins or plays on with others' games, by an older version, does it all once more by its own."""
    with monkeypatch.context() as before:
        before.setattr(arenas, "ENGINES_HASH", "others")
        before.setattr(tasks, "ENGINES_HASH", "others")
        task = arenas.create_task(job_store, RACES, job_store.keys.new_id(), OWNER)
        job_store.tasks.store_part(task, 7, GameResult({"winner": 0}, 999).as_json())
        begun = {"engines": "others", "of": "another version"}

    arenas.play_some(task.id, [3], begun)
    work_off(job_store, ARENA_QUEUE)

    assert found(job_store, task) == expected(RACES)


@pytest.fixture
def regicide(settings: Settings, database: Redis) -> Store:
    """Give an empty store; worker processes know the real catalogue alone."""
    return open_store(settings)


def niceness(pid: int) -> int:
    """Return how much a process gives way."""
    return os.getpriority(os.PRIO_PROCESS, pid)


def test_arenas_have_workers_of_their_own(regicide: Store, settings: Settings, tmp_path: Path):
    """They don't count as workers for people; arenas never wait in the queue of those."""
    with pool(str(settings.redis_url), tmp_path, WORKERS="0", ARENA_WORKERS="2", ARENA_NICENESS="5") as process:
        task = arenas.create_task(
            regicide, Arena("regicide", ("novice",) * 4, 12, {}, "s"), regicide.keys.new_id(), OWNER
        )
        game = open_table(regicide, NOVICE, HUMAN, ruleset="regicide")
        assert comes_true(lambda: regicide.tasks.load(task.id).status == "finished")

        assert [niceness(child) for child in children(process.pid)] == [5, 5]
        assert not regicide.health.has_worker()
        assert regicide.games.load(game).version == 0


def ends(store: Store, task: Task, within: Callable[[], object]) -> bool:
    """Wait until a task has ended; *within* is done meanwhile, again and again."""

    def ended() -> bool:
        within()
        return not store.tasks.is_active(task)

    return comes_true(ended, AGES, pause=0.2)


def test_workers_that_are_killed_in_an_arena(regicide: Store, settings: Settings, tmp_path: Path):
    """In the middle of whatever they do: the result is the same as if nothing had happened."""
    arena = Arena("regicide", ("adept", "novice"), 120, {}, "killed")
    with pool(
        str(settings.redis_url), tmp_path, WORKERS="0", ARENA_WORKERS="2", REGICIDE_SWEEP_SECONDS="0.1"
    ) as process:
        task = arenas.create_task(regicide, arena, regicide.keys.new_id(), OWNER)
        for share in (0.1, 0.5):
            assert comes_true(lambda: regicide.tasks.load(task.id).progress >= share)  # noqa: B023
            for worker in children(process.pid):
                os.kill(worker, signal.SIGKILL)

        def hurry() -> None:  # nobody waits 15 s for a sign of life here
            regicide.redis.zadd(tasks_with(regicide, task.id), {task.id: 0}, xx=True)

        assert ends(regicide, task, hurry)

    assert found(regicide, task) == expected(arena)
