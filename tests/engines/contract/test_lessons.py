"""Lessons can be played as they say: every position loads, and the solution is legal and shows what it promises."""

import pytest

from engines.contract.lessons import Lesson
from engines.core.types import Json
from engines.ruleset import Ruleset
from tests.engines.referee import after, ask, legal
from tests.own import OWN_RULESETS

WHOLE_TURNS: dict[str, Json] = {
    "regicide": {"type": "discarded", "cards": ["5D"]},  # R13
    "gridcannon": {"type": "killed", "card": "JC"},  # G9, G10
}
SHOWN: dict[str, Json] = {
    "clubs": {"type": "enemy_hit", "damage": 10, "left": 0},  # R7
    "exact-kill": {"type": "enemy_defeated", "enemy": "JD", "exact": True},  # R12
    "diamonds": {"type": "drawn"},  # R6
    "spades": {"type": "shielded", "amount": 10, "attack": 0},  # R8
    "hearts": {"type": "healed"},  # R5
    "immunity": {"type": "enemy_defeated", "exact": True},  # R9
    "companion": {"type": "enemy_hit", "damage": 22, "left": 0},  # R3
    "suffer": {"type": "discarded", "cards": ["TH"]},  # R13
    "jester": {"type": "immunity_cancelled"},  # R10
    "place": {"type": "laid", "cell": "c2"},  # G8
    "line-of-fire": {"type": "killed", "card": "JC"},  # G9, G10
    "queens": {"type": "killed", "card": "QS"},  # G9
    "own-family": {"type": "laid", "cell": "b4"},  # G9
    "armour": {"type": "armour_laid", "slot": "a3"},  # G12
    "royal": {"type": "royal_placed", "slot": "c5"},  # G7
    "reassignment": {"type": "killed", "card": "JC"},  # G13
    "forced-attack": {"type": "killed", "card": "JC"},  # G13
    "yield": {"type": "yielded"},  # R4
    "combo": {"type": "enemy_hit", "damage": 12, "left": 0},  # R2
    "flip": {"type": "jester_flipped"},  # R18
    "switcheroo": {"type": "switched"},  # G13
}
"""What happens on the way, by lesson."""


def lessons() -> list[tuple[Ruleset, Lesson]]:
    """Return every lesson of every ruleset."""
    return [(ruleset, lesson) for ruleset in OWN_RULESETS.values() for lesson in ruleset.lessons]


each_lesson = pytest.mark.parametrize(("ruleset", "lesson"), lessons(), ids=lambda one: getattr(one, "name", None))


@each_lesson
def test_a_lesson_shows_its_one_thing(ruleset: Ruleset, lesson: Lesson):
    """The referee accepts each action of the solution, and what the lesson is about happens."""
    position, happened = lesson.position, list[Json]()
    for text in lesson.solution:
        assert ruleset.parse(text).as_json() in legal(position, 0)
        answer = ask({"op": "apply", "position": position, "seat": 0, "action": text, "seed": lesson.name})
        position, happened = answer["position"], [*happened, *answer["events"]]

    wanted = SHOWN.get(lesson.name) or WHOLE_TURNS[ruleset.name]
    assert [event for event in happened if wanted.items() <= event.items()], happened


@each_lesson
def test_a_lesson_leaves_a_choice(ruleset: Ruleset, lesson: Lesson):
    """There is something to find: more than one thing may be done, or it is all that this rule leaves."""
    forced = {"place", "armour", "royal"} | ({"turn"} if ruleset.name == "gridcannon" else set())  # a draw
    leaves_a_choice = lesson.name not in forced
    assert (len(legal(lesson.position, 0)) > 1) == leaves_a_choice
    assert (lesson.if_wrong is not None) == leaves_a_choice, "whoever acts otherwise reads why not"


@pytest.mark.parametrize("ruleset", OWN_RULESETS.values(), ids=OWN_RULESETS)
def test_there_are_enough(ruleset: Ruleset):
    """A whole turn first, then each rule, by names of their own."""
    names = [lesson.name for lesson in ruleset.lessons]
    assert names[0] == "turn"
    assert 6 <= len(names) == len(set(names)) <= 16
    assert {lesson.position["ruleset"] for lesson in ruleset.lessons} == {ruleset.name}


def test_a_lesson_can_fail():
    """In the lesson of the family of one's own the other cell fells one's Jack."""
    lesson = next(lesson for _, lesson in lessons() if lesson.name == "own-family")
    assert not after(lesson.position, 0, "place c4")["royals"]["c1"]["alive"]


@each_lesson
def test_a_lesson_can_occur(ruleset: Ruleset, lesson: Lesson):
    """Each card of the deck is in it once, royals come by rank, and as many Jesters as so many players have."""
    position = lesson.position
    if ruleset.name == "regicide":
        ranks = "".join(card[0] for card in position["castle"])
        assert ranks == "".join(sorted(ranks, key="JQK".index))
        piles = [*position["hands"], position["tavern"], position["discard"], position["table"], position["castle"]]
        cards = [card for pile in piles for card in pile] + [position["enemy"]]
        jesters = max(0, position["players"] - 2)
    else:
        royals = [card for royal in position["royals"].values() for card in (royal["card"], *royal["armour"])]
        piles = [*position["grid"].values(), position["draw_pile"], royals, *position["arsenals"]]
        cards = [card for pile in piles for card in pile] + ([position["drawn"]] if position["drawn"] else [])
        jesters = 2
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"] + ["X1", "X2"][:jesters]
    assert sorted(cards) == sorted(deck)
