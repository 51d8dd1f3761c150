"""Hints: what an AI would do, rated; explained by what is sure, whatever lies hidden."""

from itertools import count
from json import dumps, loads
from random import Random

import pytest

from engines import RULESETS
from engines.ai.decision import Question, think
from engines.ai.observation import Observation
from engines.analysis.hints import WAIT_PHRASE, advise, effects
from engines.contract.default_levels import LEVELS
from engines.contract.events import Event
from engines.core.dealer import SeededDealer
from engines.core.phrase import YOU, Naming, Phrase, sentence
from engines.ruleset import Position, Ruleset
from tests.engines.ai.test_search import every_table, moments, opening
from tests.engines.regicide.boards import board
from tests.rulesets import Race

REGICIDE = RULESETS["regicide"]


@every_table
def test_what_is_sure_is_so_in_every_world(ruleset: Ruleset, players: int) -> None:
    """Law 7 for the reasons: an action's effects are told alike in all worlds that look alike."""
    told = set()
    for position in moments(ruleset, players, 3, every=7):
        for seat in range(players):
            view = position.view(seat)
            for action in position.legal(seat):
                first, *others = [
                    [
                        *map(str, effects(ruleset, view, seat, action, str(dream))),
                        *map(str, ruleset.purposes(ruleset.imagine(view, Random(dream)), seat, action)),
                    ]
                    for dream in range(4)
                ]
                assert others == [first] * 3, f"{action} in {view}"
                told.update(first)
    assert len(told) > 20


@pytest.mark.parametrize("name", RULESETS)
def test_foreseen_are_types_that_are_told(name: str) -> None:
    """A misspelled type would explain nothing: each that a ruleset lists happens in some game, with a sentence."""
    ruleset = RULESETS[name]
    left = set(ruleset.foreseen)
    for seed in count():
        players = ruleset.player_counts[seed % len(ruleset.player_counts)]
        rng, position = Random(seed), ruleset.new(players, {}, SeededDealer(str(seed)))
        while not position.is_over:
            heard = list[Event]()
            movers = [seat for seat in range(players) if position.legal(seat)]
            seat = rng.choice(movers)
            position.apply(seat, rng.choice(position.legal(seat)), SeededDealer(str(rng.random())), heard)
            left -= {event.type for event in heard if str(ruleset.clause(event.as_json(), "Ana"))}
        if not left or seed > 300:
            break
    assert left == set()


@pytest.mark.parametrize("level", LEVELS)
def test_a_hint_is_what_the_ai_would_do(level: str) -> None:
    """Every legal action is there once, the level's own first, the others by value; values are shares of games."""
    view = opening()

    hint = advise(level, Observation(REGICIDE, view, 0, "s"), should_stop=iter([False] * 20 + [True]).__next__)

    actions = [estimate.action for estimate in hint.ranked]
    legal = REGICIDE.load(REGICIDE.imagine(view, Random(0)).dump()).legal(0)
    assert set(actions) == set(legal)
    assert len(actions) == len(legal)
    assert all(0 <= estimate.win_probability <= 1 for estimate in hint.ranked)
    others = [estimate.win_probability for estimate in hint.ranked[1:]]
    assert others == sorted(others, reverse=True)
    if RULESETS["regicide"].levels[level].budget is None:
        assert actions[0] == think(Question(level, Observation(REGICIDE, view, 0, "s"))).action
    else:
        assert hint.ranked[0].visits == max(estimate.visits for estimate in hint.ranked)
    assert str(hint.why).count("%") in (1, 2)


def won(position: Position) -> float:
    """Return how sure the best action is to win, as a hint has it."""
    hint = advise(
        "expert", Observation(REGICIDE, position.view(0), 0, "s"), should_stop=iter([False] * 50 + [True]).__next__
    )
    return hint.ranked[0].win_probability


def test_a_value_is_the_chance_to_win() -> None:
    """R12, R14: 1 where the last King falls, 0 where nothing helps; enemies and medals don't count."""
    last_blow = REGICIDE.load(board(["9C 2D 5D", ""], enemy="KH", castle="", damage=22))
    hopeless = REGICIDE.load(board(["2C", "3D"], enemy="KS", castle="KH", tavern="", discard=""))

    assert won(last_blow) == 1
    assert won(hopeless) == 0


def test_a_forced_action_is_rated_too() -> None:
    """And it is said that nothing else can be done."""
    view = {**REGICIDE.load(board(["3C", "8C"])).view(0), "yielded": [False, True]}

    hint = advise("master", Observation(REGICIDE, view, 0, "s"), should_stop=iter([False] * 9 + [True]).__next__)

    assert [(str(estimate.action), estimate.visits) for estimate in hint.ranked] == [("play 3C", 10)]
    assert str(hint.why).endswith("there is nothing else to do")


def test_why_tells_what_happens() -> None:
    """In the ruleset's own words."""
    view = REGICIDE.load(board(["9C 2D 5D", ""], enemy="KH", castle="", damage=22)).view(0)

    hint = advise("adept", Observation(REGICIDE, view, 0, "s"))

    assert str(Phrase.load(loads(dumps(hint.as_json()["why"])))) == str(hint.why), "it is kept until somebody asks"
    assert (
        sentence(str(hint.why))
        == "Player 1 plays 9♣ for 9; the enemy takes 18: 0 left; K♥ falls, exactly, and joins the Tavern: "
        "an estimated 100% to win if experts play on."
    )


def test_no_chance_is_said_of_an_action_with_few_tries() -> None:
    """The best is compared with the best of those that at least half as many simulated games began with."""
    told = set[bool]()
    for ruleset in RULESETS.values():
        for position in moments(ruleset, 2, 3, every=9):
            seat = position.to_act()[0]
            hint = advise("adept", Observation(ruleset, position.view(seat), seat, "s"))
            best, *others = hint.ranked
            tried = [str(hint.label(one.action)) for one in others if 2 * one.visits >= best.visits]
            compared = "against" in str(hint.why)
            assert not compared or f"“{tried[0]}”" in str(hint.why), (hint.ranked, str(hint.why))
            told.add(compared)
    assert told == {True, False}


def test_why_names_who_sits_there() -> None:
    """The reader is "you"; whoever has a name is called by it."""
    view = REGICIDE.load(board(["9C 2D 5D", ""], enemy="KH", castle="", damage=22)).view(0)

    names: list[Naming] = [lambda _seat: YOU, lambda _seat: "Ana"]
    told = [str(advise("adept", Observation(REGICIDE, view, 0, "s"), name=name).why) for name in names]

    assert [words.partition(" 9♣")[0] for words in told] == ["you play", "Ana plays"]


def test_to_wait_is_a_choice_of_those_who_may_interrupt() -> None:
    """It has no action object."""
    race = Race()
    position = race.new(2, {"goal": 50}, SeededDealer("race"))

    hint = advise("novice", Observation(race, position.view(1), 1, "s"))

    shown = hint.as_json()
    assert shown["actions"][0] == {**shown["actions"][0], "action": None, "text": str(WAIT_PHRASE)}
    assert {entry["text"] for entry in shown["actions"]} == {str(WAIT_PHRASE), "dash"}
    assert str(hint.why).startswith("let others act: an estimated")
