"""The levels: what an AI makes of a view, the same each time, and never the worst where it can be helped."""

from collections import Counter
from random import Random

import pytest

from engines import RULESETS
from engines.ai.decision import STAND_IN_LEVEL, Question, repeat, think
from engines.ai.observation import Observation
from engines.contract.default_levels import LEVELS
from engines.core.dealer import SeededDealer, SimulationDealer
from engines.regicide.ruleset import Regicide
from engines.ruleset import Position, step
from tests.engines.regicide.boards import board, case

REGICIDE = Regicide()
WORLDS = 6
SEEDS = 20
FEW_SEEDS = 4
HALTS = 30
BELOW_ADEPT = ("novice", "beginner", "apprentice")
ALL_LEVELS = [(name, level) for name, ruleset in RULESETS.items() for level in ruleset.levels]


def is_lost(position: Position, seat: int, text: str, dream: int) -> bool:
    """Tell whether the action is the end in an imagined world, before another seat has done anything (R14, R16)."""
    world = REGICIDE.imagine(position.view(seat), Random(dream))
    world.apply(seat, REGICIDE.parse(text), SimulationDealer(Random(dream)))
    while not world.is_over and world.dump()["phase"] == "suffer":
        fewest = min(world.legal(seat), key=lambda action: (str(action) == "flip", len(str(action))))
        world.apply(seat, fewest, SimulationDealer(Random(dream)))
    return world.outcome is not None and world.outcome["result"] == "lost"


def losses(position: Position, seat: int) -> dict[str, int]:
    """Return in how many of the imagined worlds each legal action loses at once."""
    return {
        str(action): sum(is_lost(position, seat, str(action), dream) for dream in range(WORLDS))
        for action in position.legal(seat)
    }


@pytest.mark.search
@pytest.mark.parametrize("seeds", [FEW_SEEDS, pytest.param(SEEDS, marks=pytest.mark.long)])
@pytest.mark.parametrize("level", BELOW_ADEPT)
@pytest.mark.parametrize("players", REGICIDE.player_counts)
def test_no_level_loses_where_it_is_safe(players: int, level: str, seeds: int) -> None:
    """What loses at once in every world isn't chosen when something else, without luck in drawing, loses in none."""
    tight = 0
    for seed in range(seeds):
        position = REGICIDE.new(players, {}, SeededDealer(str(seed)))
        for number in range(200):
            if position.is_over:
                break
            seat, view = position.to_act()[0], position.view(position.to_act()[0])
            action = think(Question(level, Observation(REGICIDE, view, seat, str(number)))).action
            assert action is not None
            risks = losses(position, seat)
            if any(lost == 0 and "D" not in text for text, lost in risks.items()):
                tight += max(risks.values()) == WORLDS
                assert risks[str(action)] < WORLDS, f"{action} loses, not so others: {risks} in {position.dump()}"
            position, _ = step(position, seat, action, SeededDealer(str(number)))
    assert tight > 0


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("position", "better"),
    [
        case("R14: a Jack's blow wants cards", board(["5C TD", "8C"], enemy="JD"), {"play 5C", "yield"}),
        case("R13: the least that covers", board(["TC TD 2C", "8C"], phase="suffer"), {"discard TC", "discard TD"}),
        case("R10: who is left to choose has cards", board(["", "8C 7C"], phase="choose", table="X1", immune=False,
             yielded=[False, True]), {"choose 0", "choose 1"}),
        case("R12: the last King", board(["9C 2D", ""], enemy="KH", castle="", damage=22), {"play 9C"}),
    ],
)  # fmt: skip
def test_what_every_level_knows(level: str, position: dict[str, object], better: set[str]) -> None:
    """Plain cases, for many seeds."""
    view = REGICIDE.load(position).view(0)

    observations = [Observation(REGICIDE, view, 0, str(seed)) for seed in range(20)]

    assert {str(repeat(Question(level, observation), 60).action) for observation in observations} <= better


@pytest.mark.parametrize("level", BELOW_ADEPT)
def test_no_level_leaves_the_next_seat_without_an_action(level: str) -> None:
    """R16: seat 1 has no card, and may not yield if seat 0 does; a play or the Jester doesn't lose."""
    view = REGICIDE.load(board(["2C X1", ""], shield=10)).view(0)

    assert str(think(Question(level, Observation(REGICIDE, view, 0, "s"))).action) in ("play 2C", "play X1")


@pytest.mark.search
@pytest.mark.parametrize(("ruleset", "level"), ALL_LEVELS)
def test_equal_views_and_seeds_give_equal_choices(ruleset: str, level: str) -> None:
    """Whatever was asked before; the view is left as it was."""
    rules = RULESETS[ruleset]
    position = rules.new(rules.player_counts[-1], {}, SeededDealer("equal"))
    for number in range(30):
        seat = position.to_act()[0]
        view = position.view(seat)
        chosen = [repeat(Question(level, Observation(rules, view, seat, str(number))), 6) for _ in range(2)]
        assert chosen[0] == chosen[1]
        assert view == position.view(seat)
        assert chosen[0].action in position.legal(seat)
        assert chosen[0].action is not None
        position, _ = step(position, seat, chosen[0].action, SeededDealer(str(number)))
        if position.is_over:
            break


@pytest.mark.parametrize("level", BELOW_ADEPT)
def test_nobody_rolls_dice(level: str) -> None:
    """Whatever its seed is, a level without search decides alike: it errs by what it doesn't look at."""
    for deal in range(10):
        view = REGICIDE.new(2, {}, SeededDealer(str(deal))).view(0)
        observations = [Observation(REGICIDE, view, 0, str(seed)) for seed in range(10)]
        assert len({str(think(Question(level, observation)).action) for observation in observations}) == 1


@pytest.mark.parametrize(
    ("signals", "chosen"),
    [({}, 1), ({2: "eager"}, 2), ({1: "reluctant"}, 2), ({1: "reluctant", 2: "reluctant"}, 0)],
)  # R22: who is eager goes before who holds more cards, who is reluctant after
def test_an_adept_weighs_signals(signals: dict[int, str], chosen: int) -> None:
    """An AI that is to choose after a Jester listens."""
    view = REGICIDE.load(board(["TC", "9C 8C 7C", "5C 4C"], phase="choose", table="X1", immune=False)).view(0)

    assert str(think(Question("adept", Observation(REGICIDE, view, 0, "s", signals))).action) == f"choose {chosen}"


@pytest.mark.parametrize(("hand", "expected"), [("TC TD TH", "eager"), ("2C", "reluctant")])
def test_an_adept_signals_what_its_hand_can_do(hand: str, expected: str) -> None:
    """R22: eager if some play doesn't risk the game."""
    view = REGICIDE.load(board(["9C 8C", hand], phase="choose", table="X1", immune=False)).view(1)

    assert (
        think(Question("adept", Observation(REGICIDE, view, 1, "s"), may_signal=True, may_act=False)).signal == expected
    )


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_level_has_its_policy(ruleset: str) -> None:
    """Each ruleset plays at each level; the one that stands in is one of them. Who searches has a guide."""
    levels = RULESETS[ruleset].levels
    assert [level for level in levels if level in LEVELS] == list(LEVELS)
    assert {*levels} - {*LEVELS} == ({"newcomer", "learner"} if ruleset == "gridcannon" else set())
    assert STAND_IN_LEVEL in levels
    assert all((level.guide is None) == (level.budget is None) for level in levels.values())


def test_an_interruption_is_looked_at_before_it_is_thought_about() -> None:
    """G14: whoever has ploys is asked at each halt; where the policy sees nothing to gain, nobody searches."""
    ruleset, dealer, rng = RULESETS["gridcannon"], SeededDealer("halts"), Random(0)
    guide = ruleset.levels["veteran"].guide or ruleset.guide
    searched, position = Counter[bool](), ruleset.new(2, {}, SeededDealer("a game"))
    while sum(searched.values()) < HALTS or not searched[True]:
        position = ruleset.new(2, {}, dealer) if position.is_over else position
        for seat in position.may_act():
            observation = Observation(ruleset, position.view(seat), seat, "at a halt")
            would = guide.choose(ruleset.imagine(observation.view, rng), seat, rng, {}) is not None
            made = think(Question("veteran", observation))
            searched[would] += 1
            assert (made.iterations > 0) == would
            assert would or made.action is None
        mover = position.to_act()[0]
        action = think(Question("adept", Observation(ruleset, position.view(mover), mover, ""))).action
        assert action is not None
        position, _ = step(position, mover, action, dealer)
