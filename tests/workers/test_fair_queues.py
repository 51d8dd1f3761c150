"""Lines: clients take turns, whatever one of them brings; and nobody there ever holds up a person."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import median
from time import monotonic

import pytest
from redis import Redis
from rq.serializers import JSONSerializer
from structlog.testing import capture_logs

from engines.analysis.arena import Arena, play, result
from tests.waiting import comes_true
from tests.workers.stores import HUMAN, MASTER, NOVICE, Clock, open_table, pool, work_off
from workers import game_commands
from workers.background import arena as arenas
from workers.background.fair_queue_worker import FairQueueWorker
from workers.background.sweeper import Sweeper
from workers.settings import Settings
from workers.storage.fair_queues import (
    AI_ONLY_QUEUE,
    ARENA_QUEUE,
    LOW_PRIORITY_EVERY,
    REVIEW_QUEUE,
    FairQueueJob,
    FairQueues,
)
from workers.storage.keys import LEADING_SWEEPER, client_queue, fair_queue
from workers.storage.queue import INTERACTIVE_QUEUE, queue_of, waiting
from workers.storage.store import Store, open_store

OWNER = "0" * 64
RACES = Arena("race", ("adept", "novice", "novice"), 3, {"goal": 12}, "s")


@pytest.fixture
def lines(store: Store) -> FairQueues:
    """Give empty lines."""
    return FairQueues(store.broker)


def brings(lines: FairQueues, client: str, *jobs: str, name: str = ARENA_QUEUE, first: bool = False) -> None:
    """Let a client bring jobs."""
    lines.enqueue(name, client, [FairQueueJob(job, "job", []) for job in jobs], first=first)


def taken(lines: FairQueues, count: int) -> list[str]:
    """Take so many jobs."""
    return [job.id if (job := lines.dequeue("suspended")) is not None else "" for _ in range(count)]


@pytest.mark.parametrize("seed", range(20))
def test_how_many_are_ahead(lines: FairQueues, seed: int):
    """As many as are taken before, whoever has brought how much, and whatever was taken already."""
    rng = Random(seed)
    for client in rng.sample("abcdef", rng.randint(1, 6)):
        brings(lines, client, *[f"task-{client}{n}-0" for n in range(rng.randint(1, 5))])
    taken(lines, rng.randint(0, 4))
    waits = lines.waiting(ARENA_QUEUE)
    told = {job: lines.ahead(ARENA_QUEUE, job[5], job.removesuffix("0")) for job in waits}

    order = taken(lines, len(waits))

    assert told == {job: place for place, job in enumerate(order)}
    assert lines.ahead(ARENA_QUEUE, "a", "task-a0-") == 0


def test_clients_take_turns(lines: FairQueues):
    """Whoever comes with one job waits for one job of each other, however many those have brought."""
    brings(lines, "a", *[f"a{n}" for n in range(1000)])
    brings(lines, "b", *[f"b{n}" for n in range(1000)])
    before = taken(lines, 4)
    brings(lines, "c", "c0")

    assert before == ["a0", "b0", "a1", "b1"]
    assert "c0" in taken(lines, 3)
    assert len(lines.waiting(ARENA_QUEUE)) == lines.lengths()[ARENA_QUEUE] == 2000 - 4 - 2


def test_who_comes_back_at_once_does_not_push_in(lines: FairQueues):
    """A game goes back into its line after each slice: others have theirs in between, whatever they are called."""
    for client in ("a", "b", "c"):
        brings(lines, client, client)
    order = []
    for _ in range(30):
        order += taken(lines, 1)
        brings(lines, order[-1], order[-1])

    assert order == ["a", "b", "c"] * 10


def test_games_of_ais_go_before_arenas(lines: FairQueues):
    """And yet arenas don't stand still while there are such games: each eighth turn is theirs."""
    brings(lines, "a", *["game"] * 100, name=AI_ONLY_QUEUE)
    brings(lines, "b", *["arena"] * 100)

    assert taken(lines, 2 * LOW_PRIORITY_EVERY) == [*["game"] * (LOW_PRIORITY_EVERY - 1), "arena"] * 2


def test_reviews_go_before_games_of_ais(lines: FairQueues):
    """Somebody looks forward to them; of eight turns the lines behind have one each."""
    for name in (REVIEW_QUEUE, AI_ONLY_QUEUE, ARENA_QUEUE):
        brings(lines, "a", *[name] * 100, name=name)

    assert taken(lines, 2 * LOW_PRIORITY_EVERY)[LOW_PRIORITY_EVERY - 1 :] == [
        ARENA_QUEUE,
        AI_ONLY_QUEUE,
        *[REVIEW_QUEUE] * 6,
        ARENA_QUEUE,
    ]


def test_arenas_give_way_to_reviews(lines: FairQueues):
    """As to games of AIs, and to arenas of others."""
    brings(lines, "a", "a0")
    before = lines.has_competitors("a")
    brings(lines, "b", "b0", name=REVIEW_QUEUE)

    assert (before, lines.has_competitors("a")) == (False, True)


def test_what_was_broken_off_goes_on_first(lines: FairQueues):
    """Among the jobs of its client, when it is that one's turn again."""
    brings(lines, "a", "a0", "a1", "a2")
    brings(lines, "b", "b0", "b1")
    assert taken(lines, 1) == ["a0"]
    brings(lines, "a", "a0 goes on", first=True)

    assert taken(lines, 6) == ["b0", "a0 goes on", "b1", "a1", "a2", ""]


def test_nothing_is_left_of_a_line(lines: FairQueues, store: Store):
    """Nor is anything taken while workers are suspended."""
    brings(lines, "a", "a0")
    store.redis.set("suspended", 1)
    while_suspended = taken(lines, 1)
    store.redis.delete("suspended")

    assert (while_suspended, taken(lines, 2)) == ([""], ["a0", ""])
    assert not store.redis.exists(fair_queue(ARENA_QUEUE), client_queue(ARENA_QUEUE, "a"))


def test_the_worker_of_the_lines(job_store: Store):
    """It runs the jobs that there are, no others, and leaves alone what people wait for."""
    alone, waited_for = open_table(job_store, NOVICE, NOVICE), open_table(job_store, NOVICE, HUMAN)
    brings(FairQueues(job_store.broker), "x", "x0", name=AI_ONLY_QUEUE)
    worker = FairQueueWorker(
        [queue_of(job_store.redis, "lines")], connection=job_store.redis, serializer=JSONSerializer
    )

    with capture_logs() as logs:
        worker.work(burst=True, logging_level="ERROR")

    assert job_store.games.load(alone).status == "finished"
    assert job_store.games.load(waited_for).moves == 0
    assert [entry["job_id"] for entry in logs if entry["event"] == "unknown_job"] == ["x0"]


def test_whose_turn_was_lost(job_store: Store, clock: Clock):
    """The sweeper puts it into the line of whoever made the game; a turn that waits there isn't repeated."""
    games = [open_table(job_store, NOVICE, NOVICE) for _ in range(2)]
    for game, client in zip(games, ("a", "b"), strict=True):
        job_store.concurrent_work_limits.admit_game(client, game, 9)
    clock.go(2)
    idle = Sweeper(job_store).sweep()
    job_store.redis.delete(*job_store.redis.keys("regicide:line:*"))
    job_store.redis.delete(LEADING_SWEEPER)
    clock.go(4)

    assert (idle, Sweeper(job_store).sweep()) == (0, 2)
    assert [len(job_store.redis.lrange(client_queue(AI_ONLY_QUEUE, client), 0, -1)) for client in ("a", "b")] == [1, 1]
    assert waiting(job_store.redis, INTERACTIVE_QUEUE) == []
    work_off(job_store, AI_ONLY_QUEUE)
    assert {job_store.games.load(game).status for game in games} == {"finished"}


def test_a_person_who_is_not_there_waits_for_nothing(job_store: Store, clock: Clock):
    """Else a game of masters and one absent person with a second a turn would go before people who wait.

    When they let their time pass the game goes on in its line; when they act, AIs answer as to anybody.
    """
    game = open_table(job_store, HUMAN, NOVICE, NOVICE, options={"goal": 99}, turn_seconds=1)
    job_store.concurrent_work_limits.remember("a", game)
    work_off(job_store)  # AIs are asked whether they interrupt
    clock.go(1.1)

    assert Sweeper(job_store).sweep() == 1
    assert (waiting(job_store.redis, INTERACTIVE_QUEUE), len(waiting(job_store.redis, AI_ONLY_QUEUE))) == ([], 1)
    job_store.turns.serves_people = False  # as in the worker of the lines
    work_off(job_store, AI_ONLY_QUEUE)
    job_store.turns.serves_people = True
    assert waiting(job_store.redis, INTERACTIVE_QUEUE) == []
    assert job_store.games.load(game).to_act() == [0]
    game_commands.play_action(job_store, game, 0, "step 1")
    assert len(waiting(job_store.redis, INTERACTIVE_QUEUE)) == 1
    assert waiting(job_store.redis, AI_ONLY_QUEUE) == []


def test_an_arena_gives_way_in_the_middle_of_a_game(job_store: Store, monkeypatch: pytest.MonkeyPatch):
    """To another client's, after each action if it must; and comes to the same result."""
    monkeypatch.setattr(arenas, "CLIENT_TIME_SLICE_SECONDS", 0.0)
    first = arenas.create_task(job_store, RACES, job_store.keys.new_id(), OWNER, "a")
    second = arenas.create_task(job_store, RACES, job_store.keys.new_id(), OWNER, "b")

    jobs = work_off(job_store, ARENA_QUEUE)

    expected = result(RACES, {number: game for number in range(3) if (game := play(RACES, number))}, 0)
    for task in (first, second):
        found = job_store.tasks.load(task.id).answer or {}
        assert {**found, "seconds": 0.0} == expected
    assert jobs > 2 * 3


def test_an_arena_of_one_game_does_not_wait_for_thousands(job_store: Store):
    """150 arenas of 1,000 games are under way for one client: another's single game is the second thing done."""
    long = Arena("race", ("novice", "novice"), 1000, {"goal": 12}, "s")
    for _ in range(150):
        arenas.create_task(job_store, long, job_store.keys.new_id(), OWNER, "a")
    lines, done = FairQueues(job_store.broker), 0
    arenas.enqueue_parts(lines.dequeue("suspended").args[0])  # type: ignore[union-attr]  # it is there
    task = arenas.create_task(job_store, Arena("race", ("novice",), 1, {}, "s"), job_store.keys.new_id(), OWNER, "b")
    while job_store.tasks.is_active(task):
        job, done = lines.dequeue("suspended"), done + 1
        assert job is not None
        arenas.enqueue_parts(*job.args) if job.name == "arena" else arenas.play_some(*job.args)

    assert done <= 2


# Real processes


@pytest.fixture
def regicide(settings: Settings, database: Redis) -> Iterator[Store]:
    """Give an empty store; worker processes know the real catalogue alone."""
    opened = open_store(settings)
    yield opened
    opened.close()


def answered_within(store: Store, games: Sequence[str]) -> list[float]:
    """Return how many seconds it takes in each game until the AI at seat 1 has answered a person's turn."""
    waits = []
    for game in games:
        mover = 0
        while mover == 0:  # whoever has played is still to discard
            (mover,) = game_commands.play_action(store, game, 0, store.games.load(game).legal(0)[0]["action"])["to_act"]
        began = monotonic()
        assert comes_true(lambda: store.games.load(game).to_act() != [1], pause=0.002)  # noqa: B023
        waits.append(monotonic() - began)
    return waits


def test_a_person_waits_for_no_game_of_ais(regicide: Store, settings: Settings, tmp_path: Path):
    """240 games of four masters and 150 arenas are under way: a novice answers as if there were none."""
    with pool(str(settings.redis_url), tmp_path, WORKERS="1", ARENA_WORKERS="2"):
        for _ in range(240):
            open_table(regicide, *[MASTER] * 4, ruleset="regicide")
        for _ in range(150):
            arena = Arena("regicide", ("master",) * 2, 1000, {}, "s")
            arenas.create_task(regicide, arena, regicide.keys.new_id(), OWNER, "a")
        assert comes_true(
            lambda: regicide.health.has_worker() and FairQueues(regicide.broker).lengths()[AI_ONLY_QUEUE] > 200
        )
        waits = answered_within(regicide, [open_table(regicide, HUMAN, NOVICE, ruleset="regicide") for _ in range(9)])

    assert median(waits) <= 0.3
    assert max(waits) <= 2.0


def test_a_person_waits_for_one_turn_of_who_plays_at_many_tables(regicide: Store, settings: Settings, tmp_path: Path):
    """Somebody's masters are on the move at 60 tables: all of those together have their turns, as the one table has."""
    with pool(str(settings.redis_url), tmp_path, WORKERS="2", ARENA_WORKERS="0"):
        for _ in range(60):
            open_table(regicide, MASTER, MASTER, HUMAN, ruleset="regicide", group="many")
        assert comes_true(
            lambda: regicide.health.has_worker() and len(waiting(regicide.broker, INTERACTIVE_QUEUE)) > 40
        )
        games = [open_table(regicide, HUMAN, NOVICE, ruleset="regicide", group="one") for _ in range(3)]
        waits = answered_within(regicide, games)
        assert len(waiting(regicide.broker, INTERACTIVE_QUEUE)) > 20

    assert max(waits) <= 5.0
