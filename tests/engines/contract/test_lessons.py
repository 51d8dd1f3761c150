"""Lessons can be played as they say: every position loads, and the solution is legal and shows what it promises."""

import pytest

from engines import RULESETS
from engines.contract.lessons import Lesson
from engines.core.types import Json
from engines.ruleset import Ruleset
from tests.engines.referee import after, ask, legal

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
}
"""What happens on the way, by lesson."""


def lessons() -> list[tuple[Ruleset, Lesson]]:
    """Return every lesson of every ruleset."""
    return [(ruleset, lesson) for ruleset in RULESETS.values() for lesson in ruleset.lessons]


each_lesson = pytest.mark.parametrize(("ruleset", "lesson"), lessons(), ids=lambda one: getattr(one, "name", None))


@each_lesson
def test_a_lesson_shows_its_one_thing(ruleset: Ruleset, lesson: Lesson):
    """The referee accepts each action of the solution, and what the lesson is about happens."""
    position, happened = lesson.position, list[Json]()
    for text in lesson.solution:
        assert ruleset.parse(text).as_json() in legal(position, 0)
        answer = ask({"op": "apply", "position": position, "seat": 0, "action": text, "seed": lesson.name})
        position, happened = answer["position"], [*happened, *answer["events"]]

    wanted = SHOWN[lesson.name]
    assert [event for event in happened if wanted.items() <= event.items()], happened


@each_lesson
def test_a_lesson_leaves_a_choice(ruleset: Ruleset, lesson: Lesson):
    """There is something to find: more than one thing may be done, or it is all that this rule leaves."""
    forced = {"place", "armour", "royal"}
    assert (len(legal(lesson.position, 0)) > 1) == (lesson.name not in forced)


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
def test_there_are_enough(ruleset: Ruleset):
    """Six to ten each, by names of their own."""
    names = [lesson.name for lesson in ruleset.lessons]
    assert 6 <= len(names) == len(set(names)) <= 10
    assert {lesson.position["ruleset"] for lesson in ruleset.lessons} == {ruleset.name}


def test_a_lesson_can_fail():
    """In the lesson of the family of one's own the other cell fells one's Jack."""
    lesson = next(lesson for _, lesson in lessons() if lesson.name == "own-family")
    assert not after(lesson.position, 0, "place c4")["royals"]["c1"]["alive"]
