"""Two searches for one decision: what both have counted decides, the same again from the numbers of both."""

import json
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any, cast

import pytest

from engines import RULESETS
from engines.ai import decision
from engines.ai.decision import HELPER_SEED_SUFFIX, choose, second_opinion
from engines.ai.observation import Observation
from engines.ai.parallel_search import Helper, SharedStop
from engines.ai.search import Counts, Search
from engines.contract.default_levels import LEVELS
from engines.contract.levels import Budget, Level
from engines.core.dealer import SeededDealer
from engines.core.types import Json
from engines.ruleset import Ruleset
from tests.engines.regicide.boards import board

REGICIDE = RULESETS["regicide"]
HALF, WHOLE = 20, 40


class Scripted(Helper):
    """A helper whose answer is there after so many looks."""

    def __init__(self, counts: Counts | None, looks: int = 0) -> None:
        self.asked: list[float] = []
        self.looks = 0
        self._counts, self._after = counts, looks

    def ask(self, seconds: float) -> None:
        self.asked.append(seconds)

    def answer(self) -> Counts | None:
        self.looks += 1
        return self._counts if self.looks > self._after else None


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let masters think for forty iterations, however long it takes."""
    for ruleset in RULESETS.values():
        levels = cast(dict[str, Level], ruleset.levels)
        monkeypatch.setitem(levels, "master", replace(levels["master"], budget=Budget(WHOLE)))


def opening(ruleset: Ruleset = REGICIDE) -> Json:
    """Return what the first seat sees of a game of two, at its first choice."""
    rng, dealer = Random("beside"), SeededDealer("beside")
    position = ruleset.new(2, {}, dealer)
    while position.to_act() != [0] or len(position.legal(0)) == 1:
        seat, action = ruleset.guide.next(position, rng)
        position.apply(seat, action, dealer)
    return position.view(0)


def search(ruleset: Ruleset, seed: str, iterations: int) -> Search:
    """Return a search of the first seat that has done its iterations."""
    searching = Search(Observation(ruleset, opening(ruleset), 0, seed))
    searching.think(Budget(iterations))
    return searching


def by_text(searching: Search) -> Mapping[str, tuple[int, float]]:
    """Return visits and the sum of the values, by action."""
    return {str(known.action): (known.visits, known.visits * known.value) for known in searching.ranked()}


def through_json(counts: Counts) -> Counts:
    """Return *counts* as they arrive in another process."""
    return [(visits, total, won) for visits, total, won in json.loads(json.dumps(counts))]


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
def test_what_both_have_counted_is_added_up(ruleset: Ruleset) -> None:
    """Visits and values of each action; ranked by the sums."""
    first, second = search(ruleset, "a", 60), search(ruleset, "b", 45)
    alone, other = by_text(first), by_text(second)

    first.add(through_json(second.counts()))

    assert first.counts()[0][0] == 105
    assert {text: visits for text, (visits, _) in by_text(first).items()} == {
        text: visits + other[text][0] for text, (visits, _) in alone.items()
    }
    assert {text: total for text, (_, total) in by_text(first).items()} == pytest.approx(
        {text: total + other[text][1] for text, (_, total) in alone.items()}
    )
    visits = [known.visits for known in first.ranked()]
    assert visits == sorted(visits, reverse=True)


def test_a_search_without_a_thought_adds_nothing() -> None:
    """Nor does it to the hope for what nobody has tried."""
    first = search(REGICIDE, "a", 30)
    before = first.ranked()

    first.add(search(REGICIDE, "b", 0).counts())

    assert first.ranked() == before


def test_the_second_opinion_can_tip_the_scales(short: None) -> None:
    """For some seed the two together choose otherwise than the first alone; and the same when asked again."""
    for seed in map(str, range(100)):
        counts = second_opinion("master", Observation(REGICIDE, opening(), 0, seed), seconds=1e9)
        chosen = choose("master", Observation(REGICIDE, opening(), 0, seed), helper=Scripted(through_json(counts)))
        again = choose("master", Observation(REGICIDE, opening(), 0, seed), iterations=HALF, helper_iterations=HALF)
        alone = choose("master", Observation(REGICIDE, opening(), 0, seed), iterations=HALF)
        assert chosen == again == decision.Choice(chosen.action, HALF, HALF)
        if alone.action != chosen.action:
            return
    raise AssertionError("a second opinion never matters")


def test_the_second_has_a_seed_of_its_own(short: None) -> None:
    """One that follows from the first's."""
    counts = second_opinion("master", Observation(REGICIDE, opening(), 0, "s"), seconds=1e9)

    assert counts == search(REGICIDE, "s" + HELPER_SEED_SUFFIX, HALF).counts() != search(REGICIDE, "s", HALF).counts()


@pytest.mark.parametrize("looks", [0, 7])
def test_the_first_thinks_on_while_it_waits(short: None, looks: int) -> None:
    """From its half on it looks after each iteration; before, it doesn't."""
    counts = search(REGICIDE, "b", HALF).counts()
    helper = Scripted(counts, looks)

    chosen = choose("master", Observation(REGICIDE, opening(), 0, "s"), helper=helper)

    assert (chosen.iterations, chosen.helper_iterations, helper.looks) == (HALF + looks, HALF, looks + 1)


def test_without_an_answer_it_is_as_if_it_had_been_alone(short: None) -> None:
    """The whole budget, the same choice."""
    helper = Scripted(None)

    chosen = choose("master", Observation(REGICIDE, opening(), 0, "s"), helper=helper)

    assert chosen == choose("master", Observation(REGICIDE, opening(), 0, "s"))
    assert (chosen.iterations, chosen.helper_iterations, len(helper.asked)) == (WHOLE, 0, 1)


@pytest.mark.clock
def test_when_the_time_is_up_before_the_half_is_done_it_looks_once() -> None:
    """Then both have thought as long as they may, and both count."""
    counts, helper = search(REGICIDE, "b", HALF).counts(), Scripted(None)
    searching = Search(Observation(REGICIDE, opening(), 0, "s"))
    budget = Budget(10**6, seconds=0.05)
    shared = SharedStop(searching, budget, helper, lambda: False)
    helper.looks, helper._counts = 0, counts

    thought = searching.think(budget, shared)

    assert (thought.iterations < 10**6 // 2, helper.asked, helper.looks) == (True, [0.05], 0)
    assert shared.has_counts()
    assert shared.counts == counts


def test_whoever_is_told_to_stop_looks_for_nothing(short: None) -> None:
    """Before its half is done."""
    helper = Scripted(None)
    searching = Search(Observation(REGICIDE, opening(), 0, "s"))

    thought = searching.think(Budget(WHOLE), SharedStop(searching, Budget(WHOLE), helper, lambda: True))

    assert (thought.iterations, helper.looks) == (1, 0)


@pytest.mark.parametrize("level", [name for name, level in LEVELS.items() if not level.shared])
def test_other_levels_ask_nobody(level: str) -> None:
    """They would wait longer for it than it takes."""
    helper = Scripted(None)

    choose(level, Observation(REGICIDE, opening(), 0, "s"), helper=helper)

    assert (helper.asked, helper.looks) == ([], 0)


def test_nobody_is_asked_where_there_is_no_choice() -> None:
    """One legal action."""
    helper = Scripted(None)
    view: dict[str, Any] = REGICIDE.load(board(["3C", "8C"])).view(0)

    choose("master", Observation(REGICIDE, {**view, "yielded": [False, True]}, 0, "s"), helper=helper)

    assert (helper.asked, helper.looks) == ([], 0)
