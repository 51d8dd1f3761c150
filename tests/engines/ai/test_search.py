"""The search: the same again, blind to what is hidden, done when told; and what it finds."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from random import Random
from time import monotonic
from typing import Any

import pytest

from engines import RULESETS
from engines.ai.decision import Question, repeat, think
from engines.ai.observation import Observation
from engines.ai.plan_search import search_of
from engines.ai.search import Search
from engines.analysis.hints import budget_for
from engines.contract.levels import Budget
from engines.core.dealer import SeededDealer, SimulationDealer
from engines.ruleset import Position, Ruleset
from tests.engines.regicide.boards import board, case
from tests.own import OWN_RULESETS
from tests.waiting import allowed

TABLES = [(ruleset, players) for ruleset in OWN_RULESETS.values() for players in ruleset.player_counts]
SEARCHING = [(name, level) for name, ruleset in RULESETS.items() for level, how in ruleset.levels.items() if how.budget]

MOST_PLANS = 7
"""Of a search among plans, which hears a word to stop when all have been tried in a world."""

every_table = pytest.mark.parametrize(("ruleset", "players"), TABLES, ids=lambda value: getattr(value, "name", value))


def moments(ruleset: Ruleset, players: int, seed: int, every: int) -> Iterator[Position]:
    """Yield some positions of a game among adepts."""
    rng = Random(seed)
    dealer = SimulationDealer(rng)
    position = ruleset.new(players, {}, dealer)
    for number in count():
        if position.is_over:
            return
        if number % every == 0:
            yield position.copy()
        seat, action = ruleset.guide.next(position, rng)
        position.apply(seat, action, dealer)


def is_last(asked: Iterator[int]) -> bool:
    """Tell whether this is the time to stop: when somebody has been asked thirty times before."""
    return next(asked) == 30


def opening(players: int = 2) -> dict[str, Any]:
    """Return what the first seat sees of a game of Regicide."""
    return RULESETS["regicide"].new(players, {}, SeededDealer("search")).view(0)


def regicide(view: dict[str, Any], seed: str = "s") -> Search:
    """Return the first seat's search."""
    return Search(Observation(RULESETS["regicide"], view, 0, seed))


@every_table
def test_equal_views_give_equal_thoughts(ruleset: Ruleset, players: int) -> None:
    """Law 7: of worlds that look alike to a seat none makes it think otherwise; all that it considers is legal."""
    for number, position in enumerate(moments(ruleset, players, 5, every=11)):
        for seat in [seat for seat in range(players) if position.legal(seat)]:
            view = position.view(seat)
            worlds = [position, ruleset.imagine(view, Random(number)), ruleset.imagine(view, Random(-number))]
            thoughts = [Search(Observation(ruleset, world.view(seat), seat, "s")).run(Budget(5)) for world in worlds]
            assert thoughts == thoughts[:1] * len(worlds)
            ranked = [estimate.action for estimate in thoughts[0].ranked]
            assert set(ranked) - {None} <= set(position.legal(seat))
            assert (None in ranked) == (seat not in position.to_act())
        if number == 6:
            break


def test_values_lie_between_none_and_one() -> None:
    """Visits add up to the iterations, the most visited comes first."""
    thought = regicide(opening()).run(Budget(80))

    assert thought.iterations == sum(estimate.visits for estimate in thought.ranked) <= 80
    assert all(0 <= estimate.value <= 1 for estimate in thought.ranked)
    assert thought.ranked[0].visits == max(estimate.visits for estimate in thought.ranked)


@pytest.mark.parametrize(("name", "level"), SEARCHING)
def test_a_choice_can_be_repeated_from_its_iterations(name: str, level: str) -> None:
    """However the time ran out, or whoever stopped it: level, seed and iterations say it all, with none beside."""
    ruleset = RULESETS[name]
    view = ruleset.new(2, {}, SeededDealer("search")).view(0)
    for seed in "abc":
        asked = iter(range(31))
        stopped = think(Question(level, Observation(ruleset, view, 0, seed)), should_stop=partial(is_last, asked))
        again = repeat(Question(level, Observation(ruleset, view, 0, seed)), stopped.iterations)
        assert 0 < stopped.iterations <= 31 * MOST_PLANS
        assert again == stopped


def test_a_level_looks_as_far_as_its_ruleset_says() -> None:
    """And so does whoever repeats it, or gives a hint of its level; further ahead means other values."""
    ruleset = RULESETS["gridcannon"]
    master = ruleset.levels["master"].budget
    assert master is not None
    assert (master.iterations, master.evaluations, master.stops_early) == (320, 2, True)
    assert master.exactly(5) == Budget(5, evaluations=2)
    assert budget_for(ruleset, "master") == replace(master, stops_early=False)

    position = next(moment for moment in moments(ruleset, 2, 5, every=1) if len(moment.legal(moment.to_act()[0])) > 4)
    seat = position.to_act()[0]
    near, far = (
        search_of(Observation(ruleset, position.view(seat), seat, "s")).run(Budget(200, evaluations=times))
        for times in (1, 2)
    )
    assert [estimate.value for estimate in near.ranked] != [estimate.value for estimate in far.ranked]
    again = repeat(Question("master", Observation(ruleset, position.view(seat), seat, "s")), 200)
    assert again.action == far.ranked[0].action


@pytest.mark.clock
@pytest.mark.parametrize("name", RULESETS)
def test_time_is_kept(name: str) -> None:
    """The deadline is looked at in the loop, and a word to stop is heard at once; generous, for a busy machine."""
    ruleset = RULESETS[name]
    position = ruleset.new(ruleset.player_counts[-1], {}, SeededDealer("time"))
    seat = position.to_act()[0]
    began = monotonic()
    timed = Search(Observation(ruleset, position.view(seat), seat, "s")).run(Budget(10**6, seconds=allowed(0.1)))
    assert monotonic() - began < allowed(1)
    told = Search(Observation(ruleset, position.view(seat), seat, "s")).run(Budget(10**6), lambda: True)
    assert timed.iterations > told.iterations
    assert told.iterations == (1 if len(position.legal(seat)) > 1 else 0)


def test_a_forced_action_takes_no_thought() -> None:
    """One legal action: no iteration."""
    view = RULESETS["regicide"].load(board(["3C", "8C"])).view(0)
    view = {**view, "yielded": [False, True]}

    assert think(Question("master", Observation(RULESETS["regicide"], view, 0, "s"))).iterations == 0


@pytest.mark.parametrize("seed", ["a", "b", "c"])
@pytest.mark.parametrize(
    ("position", "found"),
    [
        case("R12: the last King falls", board(["9C 2D 5D", ""], enemy="KH", castle="", damage=22), {"play 9C"}),
        case("R14: a spade takes what the hand can't bear", board(["TS 2C", "TC 9C"], enemy="QH"), {"play TS"}),
        case("R7: clubs double, so that nothing has to be suffered", board(["8C 9D", "2C"], damage=4), {"play 8C"}),
        case("R13: nobody pays with a ten for a two", board(["TC 2C TD", "8C"], phase="suffer", shield=8),
             {"discard 2C"}),
    ],
)  # fmt: skip
def test_what_a_search_finds(seed: str, position: dict[str, Any], found: set[str]) -> None:
    """Plain wins, for a few seeds."""
    view = RULESETS["regicide"].load(position).view(0)

    assert str(repeat(Question("expert", Observation(RULESETS["regicide"], view, 0, seed)), 150).action) in found


@pytest.mark.search
def test_a_search_plays_on_after_the_adept_is_lost() -> None:
    """Solo, a hundred iterations a move: it defeats more than the adept does in the same deals."""
    ruleset, fallen = RULESETS["regicide"], {"adept": 0, "expert": 0}
    for level in fallen:
        for seed in range(3):
            rng = Random(seed)
            dealer, position = SimulationDealer(rng), ruleset.new(1, {}, SimulationDealer(Random(seed)))
            while not position.is_over:
                chosen = repeat(Question(level, Observation(ruleset, position.view(0), 0, str(rng.random()))), 40)
                assert chosen.action is not None
                position.apply(0, chosen.action, dealer)
            fallen[level] += (position.outcome or {})["defeated"]
    assert fallen["expert"] > fallen["adept"]
