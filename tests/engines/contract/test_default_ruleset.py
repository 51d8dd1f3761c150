"""What a ruleset gets that says only what it must: the smallest one, by the laws, at every level, read and told."""

import sys
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Annotated, Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.commands.check_ruleset import laws
from api.commands.check_ruleset.generated_games import through_json
from api.contract.ruleset_schemas import components
from engines import RULESETS
from engines.ai.decision import Question, repeat, think
from engines.ai.observation import Observation
from engines.analysis.arena import Arena, play, result
from engines.analysis.hints import advise
from engines.contract.default_levels import LEVELS, ROLLOUTS
from engines.contract.default_notation import resolve_options
from engines.contract.events import Event
from engines.core.dataclass_schemas import summary_line
from engines.core.dealer import SeededDealer
from engines.core.errors import BadAction, BadOptions, BadPosition, IllegalAction, NotYourTurn
from engines.core.schemas import maybe, one_of, ref, several, whole
from engines.ruleset import Action, Json, Position, step
from examples.race.regicide_race import ruleset
from examples.race.regicide_race.ruleset import Dash, Step, Track
from tests.rulesets import PlainRace

RACE = PlainRace()
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
    laws.law_1_actions_read_back(RACE, position)
    arrived = laws.law_2_a_dump_loads(RACE, position)
    laws.law_4_somebody_can_act_until_the_end(position, arrived)
    for seat in (None, *range(players)):
        laws.law_6_a_view_is_a_view_of_its_worlds(RACE, position, seat, "dream")
    for seat in range(players):
        worlds = [RACE.imagine(position.view(seat), Random(dream)) for dream in range(3)]
        assert [world.legal(seat) for world in worlds] == [position.legal(seat)] * 3
        choices = {repeat(Question(level, observed(world, seat)), 5).action for world in worlds for level in ["adept"]}
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

    assert think(Question("adept", observed(position, 0))).action == Step(3)
    assert think(Question("expert", observed(position, 0))).action == Step(3)


def test_a_hint_in_plain_words():
    """A best action with its reason."""
    hint = advise("adept", observed(Track(12, [3, 4], total=9), 0))

    assert hint.ranked[0].action == Step(3)
    assert str(hint.why) == "Player 1: moved, steps 3: an estimated 100% to win if experts play on"


@pytest.mark.parametrize(
    ("written", "action"),
    [
        ("step 2", Step(2)),
        ("  step   3 ", Step(3)),
        ("dash", Dash()),
        ("STEP 1", Step(1)),
        ("\tDash\n", Dash()),
        ("step 1000000000", Step(10**9)),
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
        *("", "step", "step two", "step ２", "step ²", "step 2 3", "dash 1", "jump"),  # noqa: RUF001
        *("step\N{NO-BREAK SPACE}1", "step\N{EM SPACE}1"),
        *("step 1234567890", "step 1000000001", "step -1000000001", {"type": "step", "steps": 10**9 + 1}),
        *("\N{LATIN SMALL LETTER LONG S}tep 1", "dash\N{NO-BREAK SPACE}"),
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


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cards", [7]),
        ("cards", []),
        ("cards", [1] * 9),
        ("cards", 3),
        ("ruleset", "regicide"),
        ("ruleset", None),
        ("dashed", [0, 0]),
        ("dashed", [2]),
        ("dashed", [True]),
        ("turn", 2),
        ("goal", 0),
        ("total", -1),
        ("resting", 0),
    ],
)
def test_a_broken_position_is_refused(field: str, value: object):
    """The field is named."""
    with pytest.raises(BadPosition, match=repr(field)):
        RACE.load({**Track(12, [3, 4]).dump(), field: value})


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
    assert "total: 9" in map(str, RACE.picture(Track(12, [3], total=9).view(0)))
    assert RACE.plain_rules().startswith("# Race\n\nBe on turn when the goal is reached.")
    assert "- `step`: Step on, or rest: no steps." in RACE.plain_rules()


@dataclass(frozen=True)
class Bid(Action):
    """Bid."""

    seat: int
    sure: bool
    word: str
    colour: Annotated[str, one_of(["red", "blue"])]
    amounts: Annotated[tuple[int, int], several(whole(0))]


@dataclass(frozen=True)
class Nod(Action):
    """Nod, or don't, several times."""

    nods: tuple[bool, ...]


@dataclass(frozen=True)
class Pay(Action):
    """Pay with some coins."""

    coins: tuple[Annotated[int, whole(1, 9)], ...]


@dataclass(frozen=True)
class Say(Action):
    """Say some words."""

    words: tuple[str, ...]


AUCTION = type("Auction", (PlainRace,), {"actions": (Bid, Nod, Pay, Say)})()
"""It reads nothing itself."""


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Bid(1, sure=True, word="añá", colour="red", amounts=(10**9, -(10**9))), None),
        (Bid(0, sure=False, word="true", colour="blue", amounts=()), "bid 0 false true blue"),  # type: ignore[arg-type]
        (Nod((True, False)), "nod true false"),
        (Nod(()), "nod"),
        (Pay((1, 2)), "pay 1 2"),
        (Say(("1", "False", "no\N{NO-BREAK SPACE}break")), None),
    ],
)
def test_what_is_written_plainly_reads_back(action: Action, text: str | None):
    """Law 1, of every type of field."""
    assert text in (None, str(action))
    assert AUCTION.parse(str(action)) == action
    assert AUCTION.parse(through_json(action.as_json())) == action


@pytest.mark.parametrize(
    "written",
    [
        *("nod 1", "nod True", "say\N{EM SPACE}x", "bid 0 true x"),
        *({"type": "say", "words": [word]} for word in ("two words", "", "line\n", 1, None)),
        *({"type": "nod", "nods": nods} for nods in ([1], ["true"], "true", [[True]], None)),
    ],
)
def test_what_has_no_text_is_refused(written: object):
    """A word holds no white space: else what is written wouldn't read back."""
    with pytest.raises(BadAction):
        AUCTION.parse(written)


@pytest.mark.parametrize(
    "annotation",
    [
        Annotated[int, maybe(whole(0))],
        Annotated[int, ref("Cell")],
        Annotated[int, "no schema"],
        Annotated[int, ["no schema"]],
        Annotated[int, {}],
        Annotated[tuple[int, ...], {"type": "array"}],
        tuple[tuple[int, ...], ...],
        tuple[int, str],
        tuple,
        tuple[()],
        list[int],
        float,
        Json,
    ],
)
def test_a_field_that_cannot_be_read_is_said_at_once(annotation: Any):
    """When the ruleset is made, not when somebody acts."""
    guess = make_dataclass("Guess", [("what", annotation)], bases=(Action,), frozen=True)

    with pytest.raises(TypeError, match=r"annotate the field|what can't be read: a field holds a whole number"):
        type("Guessing", (PlainRace,), {"actions": (guess,)})()


def test_only_the_last_field_may_be_a_tuple():
    """It takes all words that are left."""
    guess = make_dataclass("Guess", [("some", tuple[int, ...]), ("more", int)], bases=(Action,), frozen=True)

    with pytest.raises(TypeError, match=r"Guess.some can't be read"):
        type("Guessing", (PlainRace,), {"actions": (guess,)})()


SETTLED: Json = {
    "properties": {
        "deck": {"enum": [32, 52, None], "default": 52},
        "suit": {"type": "string", "enum": ["clubs", "hearts"], "default": "clubs"},
        "bonus": {"type": "integer", "enum": [1, 5], "default": 1},
        "open": {"type": "boolean", "default": False},
    }
}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"deck": 52, "suit": "clubs", "bonus": 1, "open": False}),
        ({"deck": None, "bonus": 5}, {"deck": None, "suit": "clubs", "bonus": 5, "open": False}),
        ({"bonus": 2}, None),
        ({"bonus": True}, None),
        ({"bonus": [1]}, None),
        ({"suit": "spades"}, None),
        ({"deck": "52"}, None),
        ({"open": 1}, None),
    ],
)
def test_options_out_of_a_list(options: Json, expected: Json | None):
    """An enum counts first, whatever the type."""
    if expected is None:
        with pytest.raises(BadOptions):
            resolve_options(options, SETTLED)
    else:
        assert resolve_options(options, SETTLED) == expected


@pytest.mark.parametrize(
    ("about", "said"),
    [
        (whole(0), "options g: give it a default"),
        ({"type": "string", "default": "x"}, "override check_options"),
        ({"type": ["integer", "null"], "default": None}, "override check_options"),
        ({"default": 1}, "override check_options"),
    ],
)
def test_options_that_cannot_be_read_are_said_at_once(about: Json, said: str):
    """When the ruleset is made, unless it reads them itself."""
    broken: dict[str, Any] = {"options": {"properties": {"g": about}}}

    with pytest.raises(TypeError, match=said):
        type("Broken", (PlainRace,), broken)()

    type("Mended", (PlainRace,), {**broken, "check_options": lambda *_: {}})()


def test_no_properties_are_no_options():
    """Whoever leaves them out has none."""
    assert resolve_options({}, {"type": "object"}) == {}
    with pytest.raises(BadOptions):
        resolve_options({"goal": 1}, {"type": "object"})


def test_a_ruleset_where_no_level_searches_has_a_guide():
    """The one of the plain levels."""
    simple = type("Simple", (PlainRace,), {"levels": {"novice": LEVELS["novice"]}})()

    assert simple.guide is ROLLOUTS


def test_a_ruleset_without_events_has_valid_schemas(monkeypatch: pytest.MonkeyPatch):
    """Nothing is an event of it; in the contract too."""
    silent = type("Silent", (PlainRace,), {"name": "silent", "events": ()})()
    monkeypatch.setitem(RULESETS, "silent", silent)

    assert not fits("Event", {"type": "moved", "seat": 0, "steps": 1}, dict(silent.schemas))
    assert [name for name, schema in components().items() if not jsonschema_rs.meta.is_valid(schema)] == []


def test_a_module_without_a_file_is_not_compiled(monkeypatch: pytest.MonkeyPatch):
    """What is declared at a prompt has its docstring there."""
    kind = type("Wave", (Action,), {"__doc__": "Wave.", "__module__": "prompt"})
    monkeypatch.setitem(sys.modules, "prompt", ModuleType("prompt"))

    assert summary_line(kind) == "Wave."


def test_the_example_is_small():
    """It says what it must, and nothing else."""
    assert len(Path(ruleset.__file__).read_text("utf-8").splitlines()) <= 150
