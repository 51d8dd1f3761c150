"""What a ruleset gets that says only what it must: the smallest one, by the laws, at every level, read and told."""

from pathlib import Path
from random import Random
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines import RULESETS
from engines.arena import Arena, play, result
from engines.dealer import SeededDealer
from engines.errors import BadAction, BadOptions, BadPosition, IllegalAction, NotYourTurn
from engines.events import Event
from engines.hints import advise
from engines.observation import Observation
from engines.opponents import choose
from engines.rollouts import LEVELS
from engines.ruleset import Action, Position, step
from examples.race import ruleset
from examples.race.ruleset import Dash, Race, Step, Track
from tests.contract import laws
from tests.contract.games import through_json

RACE = Race()
LONG = {"goal": 40}


def walk(seed: int, players: int, steps: int) -> Track:
    """Return where a race by chance has come to."""
    rng, position = Random(seed), RACE.new(players, LONG, SeededDealer(str(seed)))
    for _ in range(steps):
        seat = rng.choice([*position.to_act(), *position.may_act()])
        after, _ = step(position, seat, rng.choice(position.legal(seat)), SeededDealer("unused"))
        if after.is_over:
            break
        position = after
    return position


@given(seed=st.integers(0, 99), players=st.sampled_from(RACE.player_counts), steps=st.integers(0, 20))
def test_the_laws_hold(seed: int, players: int, steps: int):
    """Laws 1, 2, 4, 6 and 7: what is plain by default is right by default."""
    position = walk(seed, players, steps)
    laws.law_1_what_is_written_reads_back(RACE, position)
    arrived = laws.law_2_a_dump_loads(RACE, position)
    laws.law_4_somebody_can_act_until_the_end(position, arrived)
    for seat in (None, *range(players)):
        laws.law_6_a_view_is_a_view_of_its_worlds(RACE, position, seat, "dream")
    for seat in range(players):
        worlds = [RACE.imagine(position.view(seat), Random(dream)) for dream in range(3)]
        assert [world.legal(seat) for world in worlds] == [position.legal(seat)] * 3
        choices = {choose(level, observed(world, seat), iterations=5).action for world in worlds for level in ["adept"]}
        assert len(choices) == 1


def observed(position: Position, seat: int) -> Observation:
    """Return what *seat* sees."""
    return Observation(RACE, position.view(seat), seat, "seed")


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_plays(level: str, monkeypatch: pytest.MonkeyPatch):
    """In an arena, against itself and others, to the end."""
    monkeypatch.setitem(RULESETS, "race", RACE)
    arena = Arena("race", (level, "novice"), games=2, options={"goal": 6}, seed="s")

    played = {number: play(arena, number) for number in range(2)}

    told = result(arena, {number: game for number, game in played.items() if game is not None}, 1.0)
    assert (told["games"], told["outcomes"]) == (2, {"arrived": 2})


def test_the_stronger_level_wins(monkeypatch: pytest.MonkeyPatch):
    """Rollouts at random are enough to see a step to the goal."""
    position = Track(12, [3, 4], total=9)

    assert choose("adept", observed(position, 0)).action == Step(3)
    assert choose("expert", observed(position, 0)).action == Step(3)


def test_a_hint_in_plain_words():
    """A best action with its reason."""
    hint = advise("adept", observed(Track(12, [3, 4], total=9), 0))

    assert hint.ranked[0].action == Step(3)
    assert str(hint.why).startswith("seat 0: moved, steps 3: an estimated 100% to win, against")


@pytest.mark.parametrize(
    ("written", "action"),
    [
        ("step 2", Step(2)),
        ("  step   3 ", Step(3)),
        ("dash", Dash()),
        ({"type": "step", "steps": 0}, Step(0)),
        ({"type": "dash"}, Dash()),
        ("step 9", Step(9)),  # spelt well; the rules refuse it
    ],
)
def test_actions_are_read_by_their_dataclasses(written: object, action: Action):
    """As text and as objects."""
    assert RACE.parse(written) == action


@pytest.mark.parametrize(
    "written",
    [
        *("", "step", "step two", "step ２", "step ²", "step 2 3", "dash 1", "jump", "STEP 1", "step 1234567890"),  # noqa: RUF001
        *(
            {},
            {"type": "step"},
            {"type": "step", "steps": "2"},
            {"type": "step", "steps": True},
            {"type": "dash", "x": 1},
        ),
        *({"type": "step", "steps": 1.0}, {"type": ["step"]}, 7, None, ["step 1"]),
    ],
)
def test_what_is_no_action_is_refused(written: object):
    """Whatever it is."""
    with pytest.raises(BadAction):
        RACE.parse(written)


@pytest.mark.parametrize("options", [{"goal": 0}, {"goal": 101}, {"goal": "9"}, {"goal": True}, {"gaol": 9}, 3, None])
def test_options_are_read_by_their_schema(options: object):
    """And by its defaults."""
    assert RACE.check_options(2, {}) == {"goal": 12}
    assert RACE.check_options(2, {"goal": 100}) == {"goal": 100}
    with pytest.raises(BadOptions):
        RACE.check_options(2, options)


@pytest.mark.parametrize(
    ("seat", "action", "refusal"),
    [(2, Step(1), BadAction), (-1, Dash(), BadAction), (1, Dash(), NotYourTurn), (0, Dash(), IllegalAction)],
)
def test_what_is_not_legal_is_refused(seat: int, action: Action, refusal: type[Exception]):
    """Without a ruling, since nothing names one."""
    with pytest.raises(refusal) as refused:
        step(Track(12, [3, 4], dashed=[1]), seat, action, SeededDealer(""))
    assert "rule" not in refused.value.as_json()  # type: ignore[attr-defined]


def test_a_broken_position_is_refused():
    """The field is named."""
    with pytest.raises(BadPosition, match="cards"):
        RACE.load({**Track(12, [3]).dump(), "cards": [7]})


def test_schemas_come_from_the_dataclasses():
    """From annotations and docstrings; what is sent fits, with the hidden card and without it."""
    schemas = dict(RACE.schemas)
    assert schemas["StepAction"]["description"] == "Step on, or rest: no steps."
    assert schemas["StepAction"]["properties"]["steps"] == {"type": "integer", "minimum": 0, "maximum": 3}
    assert schemas["DealtEvent"]["required"] == ["type", "seat"]
    heard: list[Event] = []
    RACE.new(2, {}, SeededDealer("s"), heard)
    for told in [view(event) for event in heard for view in (lambda e: e.as_json(), lambda e: e.public())]:
        assert fits("Event", told, schemas), told
    assert not fits("Event", {"type": "dealt", "seat": 0, "card": 7}, schemas)


def fits(name: str, value: Any, schemas: Any) -> bool:
    """Tell whether *value* is what the schema says."""
    return jsonschema_rs.validator_for({"$ref": f"#/$defs/{name}", "$defs": schemas}).is_valid(through_json(value))


def test_what_is_told_plainly():
    """Events, views and rules have words, if plain ones."""
    assert str(RACE.clause({"type": "moved", "seat": 0, "steps": 2}, "Ana")) == "Ana: moved, steps 2"
    assert "total: 9" in RACE.picture(Track(12, [3], total=9).view(0)).splitlines()
    assert RACE.plain_rules().startswith("# Race\n\nBe on turn when the goal is reached.")
    assert "- `step`: Step on, or rest: no steps." in RACE.plain_rules()


def test_the_example_is_small():
    """It says what it must, and nothing else."""
    assert len(Path(ruleset.__file__).read_text("utf-8").splitlines()) <= 120
