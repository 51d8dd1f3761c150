"""The levels below the adept look at less: what each of them overlooks, and when they use ploys."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from random import Random

import pytest

from engines import RULESETS
from engines.ai.decision import Question, think
from engines.ai.observation import Observation
from engines.analysis.arena import Arena, play
from engines.core.dealer import SimulationDealer
from engines.gridcannon.actions import Declare
from engines.gridcannon.rules import GridcannonPosition
from engines.ruleset import Action
from tests.engines.gridcannon.table import position

GRIDCANNON = RULESETS["gridcannon"]
BELOW_ADEPT = ("newcomer", "learner", "novice", "beginner", "apprentice")
LADDER = (*BELOW_ADEPT, "adept")
GAMES = 30
FIRST_TURNS = 10


def choices(level: str, laid: dict[str, object], seeds: int = 20) -> set[str]:
    """Return what a level does at seat 0, with any of some seeds."""
    view = GRIDCANNON.load(laid).view(0)
    observations = [Observation(GRIDCANNON, view, 0, str(seed)) for seed in range(seeds)]
    return {str(think(Question(level, observation)).action) for observation in observations}


def chosen(table: GridcannonPosition, level: str, rng: Random) -> Iterator[tuple[int, Action]]:
    """Yield the actions of the seats that act now, *level* at seat 0, those that may interrupt first."""
    for seat in [*table.may_act(), *table.to_act()]:
        action = GRIDCANNON.levels[level if seat == 0 else "adept"].policy.choose(table, seat, rng, {})
        if action is not None:
            yield seat, action


def declarations(level: str, game: int) -> Counter[str]:
    """Play a game of *level* against an adept; count when the level declares ploys (G14)."""
    rng = Random(f"ploys {game}")
    dealer, found = SimulationDealer(rng), Counter[str]()
    table = GRIDCANNON.new(2, {}, dealer)
    assert isinstance(table, GridcannonPosition)
    while not table.is_over:
        seat, action = next(chosen(table, level, rng))
        if isinstance(action, Declare):
            who = "own" if seat == 0 else "adept's"
            found[f"{who}, {'early' if table.turns <= FIRST_TURNS else 'late'}"] += 1
            found[f"{who}, interrupting"] += table.seat_to_act() != seat
        table.apply(seat, action, dealer)
    return found


@pytest.mark.search
@pytest.mark.parametrize("level", BELOW_ADEPT)
def test_g14_no_level_below_the_adept_interrupts_or_uses_ploys_early(level: str) -> None:
    """Adepts do both. The two lowest never use a ploy, the others later."""
    found = Counter[str]()
    for game in range(GAMES):
        found += declarations(level, game)

    assert found["own, early"] == found["own, interrupting"] == 0
    assert found["adept's, early"] > 0
    assert found["adept's, interrupting"] > 0
    assert (found["own, late"] > 0) == (level not in ("newcomer", "learner"))


def test_g9_who_believes_in_guards_lays_cards_where_they_fire_at_its_own() -> None:
    """A 9 on c2 fits the Jack on c1, and completes the line that kills it: the three lowest lay it there."""
    laid = position(cells="c2:5H c3:8H c4:2H", board="c1:JH e3:QC", drawn="9D", turns=5)

    assert {level for level in LADDER if choices(level, laid) == {"place c2"}} == {"newcomer", "learner", "novice"}


@pytest.mark.parametrize("level", LADDER)
def test_g9_every_level_shoots(level: str) -> None:
    """A card that fells a rival's royal, and none of its own, is laid."""
    laid = position(cells="c2:5H c3:8H c4:2H", board="c1:JC e3:JH", drawn="9D", turns=5)

    assert choices(level, laid) == {"place c4"}


@pytest.mark.search
@pytest.mark.parametrize(("weaker", "stronger"), list(pairwise(LADDER)))
def test_each_level_beats_the_one_below(weaker: str, stronger: str) -> None:
    """Of the same deals in every run, on compiled and on interpreted engines."""
    arena = Arena("gridcannon", (stronger, weaker), GAMES, GRIDCANNON.check_options(2, {}), "ladder")

    wins = Counter(winner(arena, number) for number in range(GAMES))

    assert wins[0] > wins[1] > 0


def winner(arena: Arena, number: int) -> int | None:
    """Return the contender that wins a game, None in a draw."""
    result = play(arena, number)
    assert result is not None
    seat = result.outcome["winner"]
    return None if seat is None else arena.contender(number, seat)
