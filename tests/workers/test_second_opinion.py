"""A second opinion: given by a worker that has nothing to do, counted if it comes in time, missed by nobody."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Event, get_ident
from typing import Any, cast

import pytest
from redis import Redis
from rq.job import Job
from rq.serializers import JSONSerializer
from structlog.testing import capture_logs

from engines.ai import decision
from engines.contract.levels import Budget
from engines.core.types import Json
from engines.table import table_json
from engines.table.record import load_record
from engines.table.replay import audit
from engines.table.seats import Asked, Seat
from examples.race.ruleset import Track
from tests.rulesets import Pace, Race
from tests.waiting import AGES, comes_true
from tests.workers.stores import HUMAN, MASTER, NOVICE, assert_sound, at_once, logged, open_table, pool
from workers import turns
from workers.background import ai_turns, hints, jobs, second_opinion
from workers.background.second_opinion import Question, SecondOpinion
from workers.background.worker import AiWorker
from workers.settings import Settings
from workers.storage import keys, queue
from workers.storage.connection import text
from workers.storage.queue import ai_queue
from workers.storage.store import Store, open_store

LONG = {"goal": 50}


class Thinking:
    """Masters that think for so many iterations, and tell how many of them are at it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.minds: set[int] = set()
        self.two = Event()
        self._monkeypatch = monkeypatch
        self.of(500_000)
        value = Pace.value

        def counted(guide: Pace, position: Track, seat: int) -> float:
            self.minds.add(get_ident())
            if len(self.minds) > 1:
                self.two.set()
            return value(guide, position, seat)

        monkeypatch.setattr(Pace, "value", counted)

    def of(self, iterations: int) -> None:
        """Let masters think for so many iterations, however long it takes."""
        master = replace(Race.levels["master"], budget=Budget(iterations))
        self._monkeypatch.setattr(Race, "levels", {**Race.levels, "master": master})


@pytest.fixture
def thinking(monkeypatch: pytest.MonkeyPatch) -> Thinking:
    """Let masters think for half a minute, which a test cuts short, or for as long as it says."""
    return Thinking(monkeypatch)


def waiting(store: Store) -> list[Question]:
    """Return the second opinions that are in the queue."""
    found = [ai_queue(store.redis).fetch_job(job) for job in ai_queue(store.redis).job_ids if "opinion-" in job]
    return [Question(**job.args[0]) for job in found if job is not None]


def idle(store: Store) -> bool:
    """Be a worker that has nothing to do: take the second opinion that comes, and give it."""
    found: Any = None
    while found is None:
        found = store.redis.blmove(queue.KEY, "taken", int(AGES))
        found = found if text(found).startswith("opinion-") else None
    job = Job.fetch(text(found), store.redis, serializer=JSONSerializer)
    return second_opinion.give(store, Question(**job.args[0]))


def asked(store: Store, game: str, seconds: float = AGES) -> SecondOpinion:
    """Ask for a second opinion on the turn of seat 0."""
    companion = SecondOpinion(store, store.load(game), Asked(0, "master"))
    companion.ask(seconds)
    return companion


def taken(store: Store) -> Question:
    """Be a worker that takes the one job that waits, and does nothing about it yet."""
    (question,) = waiting(store)
    store.redis.lmove(queue.KEY, queue.INTERMEDIATE)
    return question


def left(store: Store) -> set[str]:
    """Return what there is in the storage of second opinions, those that RQ has lost too."""
    stored = {text(key) for key in store.redis.keys("*")}
    for name in (queue.KEY, queue.INTERMEDIATE):
        listed: Any = store.redis.lrange(name, 0, -1)
        stored.update(map(text, listed))
    return {one for one in stored if "opinion" in one}


def note(store: Store, game: str) -> Json:
    """Return what the record says of the AI that acted last."""
    found: Json = store.record(game)[-1]["ai"]
    return found


def assert_honest(store: Store, game: str) -> None:
    """Abandon the game if it goes on; its AIs, asked again, choose the same."""
    if store.load(game).status == "active":
        turns.change(store, game, lambda table, now: table.abandon(now))
    assert_sound(store, game)
    assert audit(load_record(table_json.record(store.load(game), store.record(game))), lambda *_: None) == []


def test_a_worker_that_has_nothing_to_do_thinks_too(job_store: Store, thinking: Thinking):
    """What it counted is in the record, and counts; nothing is left of it."""
    thinking.of(2000)
    game = open_table(job_store, MASTER, HUMAN, options=LONG)
    ai_queue(job_store.redis).empty()

    outcomes = at_once(2, lambda number: idle(job_store) if number else ai_turns.play(job_store, game, 0).outcome)

    assert outcomes == ["played", True]
    assert (1000 <= note(job_store, game)["iterations"] <= 2000, note(job_store, game)["helper_iterations"]) == (
        True,
        1000,
    )
    assert {key for key in left(job_store) if "rq:job" not in key} == set()  # the worker of the pool clears its job
    assert_honest(job_store, game)


def test_nobody_has_time_for_it(store: Store, thinking: Thinking):
    """It is taken back: the choice is that of one who thinks alone, and nothing is left of it."""
    thinking.of(40)
    game = open_table(store, MASTER, HUMAN, options=LONG)
    observation = store.load(game).observation(0)
    assert observation is not None

    outcome = ai_turns.play(store, game, 0).outcome

    alone = decision.choose("master", observation)
    assert (outcome, note(store, game).keys() & {"helper_iterations"}) == ("played", set())
    assert (note(store, game)["iterations"], store.record(game)[-1]["text"]) == (40, str(alone.action))
    assert left(store) == set()
    assert_honest(store, game)


@pytest.mark.parametrize("level", ["novice", "adept", "expert"])
def test_other_levels_put_nothing_into_the_queue(store: Store, level: str, monkeypatch: pytest.MonkeyPatch):
    """They would pay more for it than it gives."""
    monkeypatch.setattr(SecondOpinion, "ask", None)
    game = open_table(store, Seat("ai", level=level), HUMAN, options=LONG)

    assert ai_turns.play(store, game, 0).outcome == "played"


@pytest.mark.parametrize(
    "verb",
    [lambda table, now: table.abandon(now), lambda table, now: table.act(1, "dash", now)],
    ids=["abandoned", "overtaken"],
)
def test_both_stop_when_the_game_has_moved_on(store: Store, thinking: Thinking, verb: turns.Verb):
    """They would think for ages, and nothing is committed or left."""
    game = open_table(store, MASTER, HUMAN, options=LONG)
    ai_queue(store.redis).empty()

    def move_on() -> None:
        assert thinking.two.wait(AGES)
        turns.change(store, game, verb)

    works: list[Callable[[], object]] = [lambda: ai_turns.play(store, game, 0).outcome, lambda: idle(store), move_on]
    outcomes = at_once(3, lambda number: works[number]())

    assert outcomes == ["overtaken", False, None]
    assert store.load(game).version == 1
    assert left(store) == set()


@pytest.mark.parametrize("interruption", ["decided", "a turn waits", "a hint waits"])
def test_whoever_gives_it_stops_when_it_is_not_wanted_or_others_wait(
    store: Store, thinking: Thinking, interruption: str
):
    """The first has decided, or died; or there is something to do that somebody waits for."""
    game = open_table(store, MASTER, HUMAN, options=LONG)
    ai_queue(store.redis).empty()
    companion = asked(store, game)
    interrupt: dict[str, Callable[[], object]] = {
        "decided": companion.close,
        "a turn waits": lambda: open_table(store, NOVICE, HUMAN),
        "a hint waits": lambda: hints.ask(store, game, 0, 0, "adept", "owner"),
    }
    thinking.minds.add(0)  # the one who asked

    def act(number: int) -> object:
        if number:
            return idle(store)
        assert thinking.two.wait(AGES)
        return interrupt[interruption]()

    with closing(companion):
        assert at_once(2, act)[1] is False
    assert left(store) == set()


def test_opinions_do_not_give_way_to_each_other(store: Store, thinking: Thinking):
    """Else each of several would put an end to another."""
    thinking.of(2000)
    games = [open_table(store, MASTER, HUMAN, options=LONG) for _ in range(2)]
    ai_queue(store.redis).empty()
    for game in games:
        asked(store, game)

    assert idle(store)


def test_what_is_given_twice_or_too_late_does_no_harm(store: Store, thinking: Thinking):
    """The same numbers again while wanted; none too late, when the game is gone or further on, or for other engines."""
    thinking.of(40)
    game = open_table(store, MASTER, HUMAN, options=LONG)
    ai_queue(store.redis).empty()
    companion = asked(store, game)
    (question,) = waiting(store)
    store.redis.delete(queue.KEY)

    given = [second_opinion.give(store, question) for _ in range(2)]
    wrong: list[Json] = [{"until": 0.0}, {"game_id": "0" * 20}, {"engines": "another"}]
    late = [second_opinion.give(store, replace(question, **changed)) for changed in wrong]
    counts = companion.answer()
    turns.change(store, game, lambda table, now: table.abandon(now))
    late.append(second_opinion.give(store, question))

    assert (given, late) == ([True, True], [False] * 4)
    assert counts is not None
    assert counts[0][0] == 20


def test_the_last_look_is_not_put_off(store: Store):
    """An answer that has come just before the time was up counts, however short ago the look before was."""
    game = open_table(store, MASTER, HUMAN, options=LONG)
    ai_queue(store.redis).empty()
    companion = asked(store, game, seconds=0.0)
    question = taken(store)
    early = companion.answer()

    store.redis.set(keys.opinion(question.job_id), "[[1,0.5,0.5]]")

    assert (early, companion.answer()) == (None, [(1, 0.5, 0.5)])


def test_nobody_looks_for_the_answer_of_one_who_gave_way(store: Store):
    """The job is gone then, and no answer is there; one is left before its job goes."""
    game = open_table(store, MASTER, HUMAN, options=LONG)
    ai_queue(store.redis).empty()
    companion = asked(store, game, seconds=0.0)
    question = taken(store)

    store.redis.delete(Job.key_for(question.job_id))
    given_way = companion.answer()
    store.redis.set(keys.opinion(question.job_id), "[[1,0.5,0.5]]")

    assert (given_way, companion.answer()) == (None, None)


def test_an_answer_counts_whose_job_is_gone(store: Store):
    """Whoever gave it clears the job up."""
    game = open_table(store, MASTER, HUMAN, options=LONG)
    ai_queue(store.redis).empty()
    companion = asked(store, game)
    question = taken(store)

    store.redis.set(keys.opinion(question.job_id), "[[1,0.5,0.5]]")
    store.redis.delete(Job.key_for(question.job_id))

    assert companion.answer() == [(1, 0.5, 0.5)]


def test_what_is_taken_back_while_a_worker_takes_it_leaves_nothing(store: Store):
    """RQ passes over an id whose job is gone, and leaves it in the list of those that are being done."""
    game = open_table(store, MASTER, HUMAN, options=LONG)
    ai_queue(store.redis).empty()
    companion = asked(store, game)
    taken(store)

    companion.close()

    assert left(store) == set()


def test_nothing_of_a_view_is_written_down_for_it(store: Store, thinking: Thinking):
    """The job names a game, and numbers are all that comes of it: for seconds."""
    thinking.of(40)
    game = open_table(store, MASTER, HUMAN, options=LONG)
    ai_queue(store.redis).empty()
    asked(store, game)
    (question,) = waiting(store)
    kept: Any = store.redis.ttl(Job.key_for(question.job_id))

    assert idle(store)

    name = keys.opinion(question.job_id)
    stored, ttl = cast(Any, store.redis.get(name)), cast(Any, store.redis.ttl(name))
    assert set(stored) <= set(b"[],.0123456789e-")
    assert (0 < ttl <= second_opinion.KEPT_SECONDS, 0 < kept <= queue.JOB_SECONDS) == (True, True)


def test_a_worker_of_the_pool_keeps_no_books_of_it(job_store: Store, thinking: Thinking):
    """Nothing is left but the answer; a failure is logged without its words."""
    thinking.of(40)
    game = open_table(job_store, MASTER, HUMAN, options=LONG)
    ai_queue(job_store.redis).empty()
    companion = asked(job_store, game)

    AiWorker([ai_queue(job_store.redis)], connection=job_store.redis, serializer=JSONSerializer).work(
        burst=True, logging_level="ERROR"
    )

    assert [key for key in left(job_store) if not key.startswith("regicide:opinion:")] == []
    assert companion.answer() is not None
    assert left(job_store) == set()


def test_a_question_of_another_version_is_a_failure_like_any_other():
    """It is logged, and nothing else comes out of the job: any other exception would end the worker."""
    with capture_logs() as lines, pytest.raises(jobs.JobFailed, match=r"^TypeError$"):
        second_opinion.give_opinion({"job_id": "x"})

    assert [(line["event"], line["job"]) for line in lines] == [("second_opinion_failed", "x")]


# Real processes


@pytest.fixture
def regicide(settings: Settings, database: Redis) -> Iterator[Store]:
    """Give an empty store; worker processes know the real catalogue alone."""
    opened = open_store(settings)
    yield opened
    opened.close()


def helped(store: Store, game: str) -> bool:
    """Some AI of this game has had a second opinion."""
    return any("helper_iterations" in entry["ai"] for entry in store.record(game) if entry["ai"])


def test_a_master_that_thinks_alone_has_two_processes(regicide: Store, settings: Settings, tmp_path: Path):
    """Its record says so, and can be audited."""
    with pool(str(settings.redis_url), tmp_path, WORKERS="2"):
        game = open_table(regicide, *[MASTER] * 3, HUMAN, ruleset="regicide")
        assert comes_true(lambda: helped(regicide, game))
        assert_honest(regicide, game)
        assert comes_true(lambda: left(regicide) == set())

    assert any(line["event"] == "second_opinion" and line["given"] for line in logged(tmp_path))
    assert [line for line in logged(tmp_path) if line["level"] != "info"] == []


def test_masters_that_think_at_the_same_time(regicide: Store, settings: Settings, tmp_path: Path):
    """Both get on, whoever helps whom; an adept's table at the same time too."""
    with pool(str(settings.redis_url), tmp_path, WORKERS="2", ARENA_WORKERS="1"):
        games = [open_table(regicide, *[MASTER] * 3, HUMAN, ruleset="regicide") for _ in range(2)]
        quick = open_table(regicide, Seat("ai", level="adept"), ruleset="regicide")
        assert comes_true(lambda: regicide.load(quick).status == "finished")
        assert comes_true(lambda: all(regicide.load(game).moves for game in games))
        for game in games:
            assert_honest(regicide, game)

    assert [line for line in logged(tmp_path) if line["level"] != "info"] == []


def test_a_worker_alone_has_no_help(regicide: Store, settings: Settings, tmp_path: Path):
    """And misses none."""
    with pool(str(settings.redis_url), tmp_path, WORKERS="1"):
        game = open_table(regicide, *[MASTER] * 3, HUMAN, ruleset="regicide")
        assert comes_true(lambda: regicide.load(game).moves > 1)
        turns.change(regicide, game, lambda table, now: table.abandon(now))
        assert comes_true(lambda: left(regicide) == set())

    assert not helped(regicide, game)
    assert [line for line in logged(tmp_path) if line["event"] == "second_opinion"] == []
