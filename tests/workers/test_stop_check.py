"""A search that is no longer wanted stops: by what has happened, not by the clock."""

from collections.abc import Callable
from dataclasses import replace
from threading import Event

import pytest

from engines.analysis import hints
from engines.contract.levels import Budget
from engines.table.seats import Seat
from examples.race.regicide_race.ruleset import Track
from tests.rulesets import Pace, Race
from tests.waiting import AGES
from tests.workers.stores import HUMAN, at_once, open_table
from workers import game_commands
from workers.background import ai_turns
from workers.background import hints as tasks_of_hints
from workers.background.stop_check import StopCheck
from workers.storage.store import Store
from workers.storage.tasks import Task

EXPERT = Seat("ai", level="expert")
THOROUGH = replace(Race.levels["expert"], budget=Budget(iterations=500_000))
"""Half a minute's thinking, which every test here cuts short."""


class Thinking:
    """Searches that go on for ages, and tell when they have begun."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun = Event()
        monkeypatch.setattr(Race, "levels", {**Race.levels, "expert": THOROUGH})
        value = Pace.value

        def counted(guide: Pace, position: Track, seat: int) -> float:
            self.begun.set()
            return value(guide, position, seat)

        monkeypatch.setattr(Pace, "value", counted)

    def cut_short(self, work: Callable[[], object], interruption: Callable[[], object]) -> object:
        """Begin to *work*, interrupt it in the middle of its thoughts, and return how it ended."""

        def do(number: int) -> object:
            if number == 0:
                return work()
            assert self.begun.wait(AGES)
            return interruption()

        return at_once(2, do)[0]


@pytest.fixture
def thinking(monkeypatch: pytest.MonkeyPatch) -> Thinking:
    """Let experts think for ages."""
    return Thinking(monkeypatch)


@pytest.mark.parametrize(
    "verb",
    [lambda table, now: table.abandon(now), lambda table, now: table.act(1, "dash", now)],
    ids=["abandoned", "overtaken"],
)
def test_an_ai_stops_thinking_when_its_game_has_moved_on(
    store: Store, thinking: Thinking, verb: game_commands.TableCommand
):
    """It would think for ages, and commits nothing."""
    game = open_table(store, EXPERT, HUMAN, options={"goal": 50})

    outcome = thinking.cut_short(
        lambda: ai_turns.play(store, game, 0).outcome, lambda: game_commands.change(store, game, verb)
    )

    assert outcome == "overtaken"
    assert store.games.load(game).version == 1


def hint(store: Store, game: str) -> Task:
    """Ask for an expert's hint for seat 0."""
    return tasks_of_hints.request_hint(store, game, store.games.load(game).version, 0, "expert", "owner")


def test_a_hint_stops_when_its_game_has_moved_on(job_store: Store, thinking: Thinking):
    """It fails, and says why."""
    game = open_table(job_store, HUMAN, HUMAN, options={"goal": 50})
    task = hint(job_store, game)

    thinking.cut_short(
        lambda: tasks_of_hints.run_hint(task.id), lambda: game_commands.play_action(job_store, game, 1, "dash")
    )

    ended = job_store.tasks.load(task.id)
    assert (ended.status, ended.answer) == ("failed", {**(ended.answer or {}), "code": "stale_version", "version": 1})


def test_a_hint_stops_when_it_is_cancelled(job_store: Store, thinking: Thinking):
    """And stays cancelled."""
    game = open_table(job_store, HUMAN, HUMAN, options={"goal": 50})
    task = hint(job_store, game)

    thinking.cut_short(lambda: tasks_of_hints.run_hint(task.id), lambda: job_store.tasks.cancel(task.id))

    assert job_store.tasks.load(task.id).status == "cancelled"


def test_progress_is_told_while_a_hint_is_thought_about(job_store: Store, thinking: Thinking):
    """By its share of the budget; the job that is running says so."""
    game = open_table(job_store, HUMAN, HUMAN, options={"goal": 50})
    task, seen = hint(job_store, game), list[Task]()

    def look() -> None:
        while not seen or not seen[-1].progress:
            seen.append(job_store.tasks.load(task.id))
        job_store.tasks.cancel(task.id)

    with pytest.MonkeyPatch.context() as short:
        short.setattr(hints, "budget_for", lambda *_: Budget(iterations=500_000, seconds=1e5))
        short.setattr(tasks_of_hints, "_progress", lambda watch, _: min(1.0, watch.calls / 1e6))
        thinking.cut_short(lambda: tasks_of_hints.run_hint(task.id), look)

    assert (seen[-1].status, 0 < seen[-1].progress < 1) == ("running", True)


def test_a_watch_asks_seldom_and_remembers():
    """Not at each iteration; once it was told to stop it doesn't ask again."""
    answers = iter([True, False])
    idle = StopCheck(lambda: False, interval=3600)
    eager = StopCheck(lambda: next(answers), interval=0)

    assert [idle() for _ in range(1000)] == [False] * 1000
    assert [eager(), eager(), eager(), eager()] == [False, True, True, True]
    assert (idle.calls, eager.stopped) == (1000, True)
