"""The search among plans: the same again, blind to what is hidden, done when told; a ploy and its use are one plan."""

from functools import partial
from itertools import count
from random import Random

import pytest

from engines import RULESETS
from engines.ai.compound_actions import best_without_needless_step
from engines.ai.decision import Question, think
from engines.ai.observation import Observation
from engines.ai.plan_search import PlanSearch, search_of
from engines.ai.search import Search
from engines.contract.levels import Budget
from engines.core.types import Json
from engines.gridcannon.greedy import GreedyGuide
from engines.ruleset import Position
from tests.engines.gridcannon.games import positions
from tests.engines.gridcannon.table import position

pytestmark = pytest.mark.search

GRIDCANNON = RULESETS["gridcannon"]
GUIDE = GreedyGuide()
BUDGET = Budget(400)

BOARD = "a3:JD e3:JC b1:-QC c1:-KC d1:-JS e2:-QS e4:-KS"
DEADLY = position(2, cells="d3:TC c3:9C b3:2H", board=BOARD, keep="KD", arms="X1")
"""A forced attack on b3 kills black's last royal (G9, G10, G18)."""
POINTLESS = position(2, cells="b2:2C c2:3C d2:2S b3:2H", arms="X1")
"""No line of fire does anything; and nobody need fear one."""
QUEUED = position(2, cells="d3:TC c3:9C b3:2H", board=BOARD, keep="KD", queue="0 X1 forced_attack")


def asked(laid: Position, seat: int, seed: str = "s") -> PlanSearch:
    """Return the search of a seat."""
    return PlanSearch(Observation(GRIDCANNON, laid.view(seat), seat, seed), GUIDE)


def loaded(laid: Json, seed: str = "s") -> PlanSearch:
    """Return the first seat's search of a position."""
    return PlanSearch(Observation(GRIDCANNON, laid_view(laid), 0, seed), GUIDE)


def laid_view(laid: Json) -> Json:
    """Return what the first seat sees of a position."""
    return GRIDCANNON.load(laid).view(0)


def best(laid: Json) -> str:
    """Return what the first seat does."""
    seen = Observation(GRIDCANNON, laid_view(laid), 0, "s")
    return str(best_without_needless_step(loaded(laid).run(BUDGET).ranked, seen, GUIDE, BUDGET))


@pytest.mark.parametrize("level", ["expert", "master"])
@pytest.mark.parametrize("arms", ["", "AS"])
def test_g14_a_ploy_without_a_legal_use_is_recalled(level: str, arms: str) -> None:
    """One royal can't be switched with another; more may be in the arsenal, but that waits behind it."""
    laid = position(2, cells="b2:9H c2:5D", board="a3:JD", arms=arms, queue="0 X1 switcheroo")
    question = Question(level, Observation(GRIDCANNON, laid_view(laid), 0, "s"))
    legal = [str(action) for action in GRIDCANNON.load(laid).legal(0)]

    assert "recall X1" in legal
    assert not any(action.startswith("switch") for action in legal)
    assert str(think(question, question.untimed).action) == "recall X1"


def test_g14_a_ploy_is_declared_for_its_use_and_then_used() -> None:
    """What wins is found, and not taken back."""
    assert best(DEADLY) == "declare X1 forced_attack"
    assert best(QUEUED) == "force b3"


def test_g14_what_gains_nothing_is_not_declared() -> None:
    """To declare it in order to take it back is no plan."""
    assert best(POINTLESS) == "draw"


def test_equal_views_give_equal_thoughts() -> None:
    """Law 7: of worlds that look alike to a seat none makes it think otherwise; all actions are ranked, and legal."""
    for number, moment in enumerate(positions(2, "plans")):
        if moment.is_over or number % 17:
            continue
        for seat in [seat for seat in range(2) if moment.legal(seat)]:
            worlds = [moment, GRIDCANNON.imagine(moment.view(seat), Random(number))]
            thoughts = [asked(world, seat).run(Budget(15), forced=True) for world in worlds]
            assert thoughts == thoughts[:1] * 2
            ranked = [estimate.action for estimate in thoughts[0].ranked]
            legal = [*moment.legal(seat), *([] if seat in moment.to_act() else [None])]
            assert len(ranked) == len(set(ranked))
            assert set(ranked) == set(legal)


def test_what_goes_on_is_tried_in_as_many_worlds_as_any_other() -> None:
    """The best comes first; visits add up to the iterations, and chances are chances."""
    for number, moment in enumerate(positions(2, "stages")):
        if number % 19 or moment.is_over:
            continue
        thought = asked(moment, moment.seat_to_act()).run(BUDGET)
        visits = [estimate.visits for estimate in thought.ranked]
        assert visits[0] == max(visits)
        assert sum(visits) <= thought.iterations < BUDGET.iterations
        assert all(0 <= estimate.win_probability <= 1 for estimate in thought.ranked)


def test_twice_the_evaluations_are_twice_the_worlds() -> None:
    """A forced look at a single plan is the first stage alone, or as much as the budget allows."""
    single = position(2, cells="c3:9C")
    once, twice, cut = (
        loaded(single).run(budget, forced=True)
        for budget in (Budget(400), Budget(400, evaluations=2), Budget(7, evaluations=2))
    )
    assert twice.iterations == 2 * once.iterations > 0
    assert cut.iterations == 7
    assert loaded(single).run(BUDGET).iterations == 0


def test_whoever_stops_it_the_iterations_repeat_it() -> None:
    """A word to stop is heard at once, and told."""
    stopped = loaded(DEADLY).run(BUDGET, partial(_third, count(1)))
    assert stopped.interrupted
    again = loaded(DEADLY).run(BUDGET.exactly(stopped.iterations))
    assert not again.interrupted
    assert (again.ranked, again.iterations) == (stopped.ranked, stopped.iterations)


def _third(asked_before: "count[int]") -> bool:
    return next(asked_before) == 3


def test_any_two_actions_can_be_compared() -> None:
    """What is no plan, too; all in as many worlds."""
    search = loaded(DEADLY)
    attack, other = GRIDCANNON.parse("declare X1 forced_attack"), GRIDCANNON.parse("declare X1 switcheroo")
    assert search.compare([attack, other], Budget(6)) == 6
    assert search.estimate(attack).visits == search.estimate(other).visits == 6
    assert search.estimate(attack).value == 1 > search.estimate(other).value
    assert search.estimate(GRIDCANNON.parse("draw")).visits == 0
    assert search.counts()[0][0] == 12


def test_who_needs_not_act_and_has_nothing_in_mind_passes() -> None:
    """As before, without a thought."""
    waiting = GRIDCANNON.load(position(2, cells="c3:9C", arms=" | X1"))
    assert asked(waiting, 0).should_pass is False
    assert asked(GRIDCANNON.load(position(2, cells="c3:9C")), 1).should_pass


def test_a_guide_without_plans_is_searched_in_a_tree() -> None:
    """For four there are none."""
    for players, kind in ((2, PlanSearch), (4, Search)):
        seen = Observation(GRIDCANNON, GRIDCANNON.load(position(players)).view(0), 0, "s")
        assert isinstance(search_of(seen, GUIDE), kind)
        assert isinstance(search_of(seen, GRIDCANNON.levels["veteran"].guide), Search)
