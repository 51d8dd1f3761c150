"""G14, as one thought: a ploy is declared if it will be used, and what was declared isn't recalled for a trifle."""

import pytest

from engines import RULESETS
from engines.ai.compound_actions import MIN_GAIN_TO_BACK_OUT, MIN_VISITS, best_without_needless_step
from engines.ai.decision import Question, repeat, think
from engines.ai.observation import Observation
from engines.ai.search import Estimate
from engines.contract.levels import Budget
from engines.contract.position import Action
from engines.core.types import Json
from tests.engines.gridcannon.table import position

GRIDCANNON = RULESETS["gridcannon"]
BUDGET = Budget(iterations=100, stops_early=True)
TREE = GRIDCANNON.levels["veteran"].guide or GRIDCANNON.guide
"""The guide of a search in a tree: that of the stronger levels, among plans, has no need of second thoughts."""

BOARD = "a3:JD e3:JC b1:-QC c1:-KC d1:-JS e2:-QS e4:-KS"
DEADLY = position(2, cells="d3:TC c3:9C b3:2H", board=BOARD, keep="KD", arms="X1")
"""A forced attack on b3 kills black's last royal (G9, G10, G18)."""
POINTLESS = position(2, cells="b2:2C c2:3C d2:2S b3:2H", arms="X1")
"""No line of fire does anything; and nobody need fear one."""
QUEUED = position(2, cells="d3:TC c3:9C b3:2H", board=BOARD, keep="KD", queue="0 X1 forced_attack")


def estimate(text: str | None, value: float, visits: int = 100) -> Estimate:
    """Return what a search might say of an action."""
    return Estimate(None if text is None else GRIDCANNON.parse(text), value, visits, value)


def seen(laid: Json, seat: int = 0, seed: str = "seed") -> Observation:
    """Return what a seat sees of a position."""
    return Observation(GRIDCANNON, GRIDCANNON.load(laid).view(seat), seat, seed)


def best(laid: Json, *ranked: Estimate) -> str:
    """Return what is settled on, of what was ranked so."""
    action: Action | None = best_without_needless_step(ranked, seen(laid), TREE, BUDGET)
    return str(action)


def test_g14_what_is_worth_carrying_out_is_begun() -> None:
    """The forced attack wins."""
    ranked = estimate("declare X1 forced_attack", 0.7), estimate("draw", 0.5)

    assert best(DEADLY, *ranked) == "declare X1 forced_attack"


def test_g14_what_would_be_taken_back_is_not_begun() -> None:
    """However well the first search thought of it: to exchange two royals gains nothing, and the next best is done."""
    ranked = estimate("declare X1 switcheroo", 0.9), estimate("declare X1 forced_attack", 0.8), estimate("draw", 0.5)

    assert best(POINTLESS, *ranked) == "draw"


def test_what_begins_nothing_needs_no_second_thought() -> None:
    """What comes first is done."""
    assert best(POINTLESS, estimate("draw", 0.5), estimate("declare X1 switcheroo", 0.9)) == "draw"


@pytest.mark.parametrize(
    ("gap", "visits", "settled_on"),
    [
        (MIN_GAIN_TO_BACK_OUT / 2, MIN_VISITS, "force b3"),
        (2 * MIN_GAIN_TO_BACK_OUT, MIN_VISITS, "recall X1"),
        (MIN_GAIN_TO_BACK_OUT / 2, MIN_VISITS - 1, "recall X1"),
    ],
)
def test_g14_nobody_recalls_for_a_trifle(gap: float, visits: int, settled_on: str) -> None:
    """Whoever declared knew what for: it takes more than chance to change one's mind."""
    assert best(QUEUED, estimate("recall X1", 0.5), estimate("force b3", 0.5 - gap, visits)) == settled_on


def test_g14_with_others_first_in_the_queue_nothing_is_known_yet() -> None:
    """What a ploy is worth then, nobody can tell: it may be declared."""
    laid = position(2, cells="d3:TC c3:9C b3:2H", arms="X1", queue="1 X2 forced_attack")
    ranked = estimate("declare X1 switcheroo", 0.9), estimate(None, 0.5)

    assert best(laid, *ranked) == "declare X1 switcheroo"


@pytest.mark.parametrize("laid", [DEADLY, POINTLESS])
def test_equal_searches_settle_on_equal_actions(laid: Json) -> None:
    """A record's choice can be repeated: second thoughts follow from the seed, and never from the clock."""
    question = Question("expert", seen(laid))
    first = think(question, question.untimed)

    again = repeat(question, first.iterations)

    assert again == first


def test_g14_an_expert_declares_what_wins() -> None:
    """Through all of it: the search, and the second thought."""
    assert str(think(Question("expert", seen(DEADLY))).action) == "declare X1 forced_attack"
