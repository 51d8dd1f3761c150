"""Games of any ruleset, each determined by a few numbers, so that a failing game can be repeated."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from json import dumps, loads
from random import Random
from typing import Any

from engines.ai.decision import Question, repeat
from engines.ai.observation import Observation
from engines.contract.default_levels import LEVELS
from engines.core.dealer import SeededDealer
from engines.core.errors import BadOptions
from engines.core.types import Json
from engines.ruleset import Action, Position, Ruleset, step

FEW_SEARCH_ITERATIONS = 6
"""Iterations of a search whose strength does not matter."""

MAX_FIRST_AI_ACTIONS = 60
"""Maximum number of AI actions at the beginning of a walk. With random actions alone few games get far."""


class LawBroken(AssertionError):
    """A law does not hold. The message says what breaks it."""


class AiFault(LawBroken):
    """An AI chooses an action that isn't legal, or none though it must act. The message names its level."""


@dataclass(frozen=True)
class Setup:
    """A ruleset, a number of players and options."""

    ruleset: Ruleset
    players: int
    options: Json

    def __str__(self) -> str:
        return "-".join([self.ruleset.name, str(self.players), dumps(self.options, separators=(",", ":"))])

    def deal(self, seed: str) -> Position:
        """Return the first position."""
        return self.ruleset.new(self.players, self.options, SeededDealer(seed))


@dataclass(frozen=True)
class Moment:
    """A position and its next action, which is None at the end. *dealing* is the seed of the action's shuffles."""

    position: Position
    seat: int
    action: Action | None
    dealing: str


@dataclass(frozen=True)
class Walk:
    """A game: first *taught* actions by AIs, then at most *steps* random legal actions of any seat."""

    setup: Setup
    seed: int
    taught: int
    steps: int

    def moments(self) -> Iterator[Moment]:
        """Yield each position before a random action, and the last position."""
        rng = Random(self.seed)
        position = opened(self.setup, str(self.seed), self.taught, rng)
        for number in range(self.steps):
            if position.is_over:
                break
            seat, action = by_chance(position, rng)
            dealing = f"{self.seed}/{number}"
            yield Moment(position, seat, action, dealing)
            position, _ = step(position, seat, action, SeededDealer(dealing))
        yield Moment(position, 0, None, "")

    def last(self) -> Position:
        """Return the position where the walk ends."""
        *_, moment = self.moments()
        return moment.position


def opened(setup: Setup, seed: str, taught: int, rng: Random) -> Position:
    """Return the position after at most *taught* AI actions. An AI action that would end the game is not taken."""
    position = setup.deal(seed)
    for number in range(taught):
        seat, action = by_policy(setup.ruleset, position, f"{seed}/{number}", rng.choice(list(LEVELS)))
        after, _ = step(position, seat, action, SeededDealer(f"taught {seed}/{number}"))
        if after.is_over:
            break
        position = after
    return position


def by_chance(position: Position, rng: Random) -> tuple[int, Action]:
    """Return a random seat that can act, and one of its actions."""
    seats = position.to_act() + position.may_act()
    seat = rng.choice(seats)
    return seat, rng.choice(position.legal(seat))


def by_policy(ruleset: Ruleset, position: Position, seed: str, level: str) -> tuple[int, Action]:
    """Return a seat, and the action that an AI of *level* chooses there. Seats that may interrupt are asked first.

    Raises ``AiFault``.
    """
    for seat in position.may_act() + position.to_act():
        action = repeat(
            Question(level, Observation(ruleset, position.view(seat), seat, f"{seed}/{seat}")), FEW_SEARCH_ITERATIONS
        ).action
        require_choice(position, seat, action, f"level {level}")
        if action is not None:
            return seat, action
    raise LawBroken("no seat must act, and the game isn't over")


def require_choice(position: Position, seat: int, action: Action | None, who: str) -> None:
    """Raise ``AiFault`` unless *action*, which *who* has chosen, is one of ``legal``, or None for who needn't act."""
    if action is None:
        if seat in position.to_act():
            raise AiFault(f"{who} chooses no action for seat {seat}, which must act")
    elif action not in position.legal(seat):
        raise AiFault(f"{who} chooses for seat {seat} the action {action}, which isn't legal")


def through_json(value: Any) -> Any:
    """Return *value* written as JSON and read back."""
    return loads(dumps(value))


def values(schema: Json, players: int) -> Iterator[object]:
    """Yield values that an option's schema allows: default, listed values, both booleans, and the ends of a range."""
    yield from [schema[key] for key in ("default", "const", "minimum", "maximum") if key in schema]
    yield from schema.get("enum", ())
    for part in [*schema.get("anyOf", ()), *schema.get("oneOf", ())]:
        yield from values(part, players)
    if schema.get("type") == "boolean":
        yield from (False, True)
    if schema.get("type") == "array":
        yield from ([value, *[None] * (players - 1)] for value in values(schema["items"], players))


@cache
def setups(ruleset: Ruleset, players: int) -> tuple[Setup, ...]:
    """Return the setup with default options, and one setup for each allowed value of each option."""
    properties = ruleset.options.get("properties", {})
    asked = [{}, *({name: value} for name, schema in properties.items() for value in values(schema, players))]
    found = {}
    for options in asked:
        try:
            filled = ruleset.check_options(players, options)
        except BadOptions:
            continue
        found[dumps(filled, sort_keys=True)] = Setup(ruleset, players, filled)
    return tuple(found.values())


@cache
def actions_elsewhere(ruleset: Ruleset) -> tuple[Action, ...]:
    """Return actions that are legal in some position. Most of them are illegal in any given position."""
    found: dict[str, Action] = {}
    for players in ruleset.player_counts:
        for number, setup in enumerate(setups(ruleset, players) * 2):
            for moment in Walk(setup, number, taught=10 * number % MAX_FIRST_AI_ACTIONS, steps=30).moments():
                for seat in range(players):
                    found |= {str(action): action for action in moment.position.legal(seat)}
    return tuple(found[text] for text in sorted(found))


INVALID_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 99, 10**30, 1.5, "", " ", "zz", "Z9", "٣C", "²", "\ud800", "3C 3C", "X9",
    [], {}, [[]], [None], ["3C", "3C"], ["3C", "3c"], ["", ""], [1], {"type": []}, {"type": {}},
)  # fmt: skip
"""Values that are invalid in almost every place of an action. ``mangled`` inserts them into actions."""


def mangled(action: Action, rng: Random) -> object:
    """Return *action* with a random error, as a JSON value or as a text."""
    written = through_json(action.as_json())
    words = str(action).split()
    odd, key, place = rng.choice(INVALID_VALUES), rng.choice(list(written)), rng.randrange(len(words))
    return rng.choice(
        [
            odd,
            written | {key: odd},
            written | {str(odd): odd},
            {name: value for name, value in written.items() if name != key},
            written | {key: [written[key]]},
            " ".join([*words, str(odd)]),
            " ".join([*words[:place], str(odd), *words[place + 1 :]]),
            " ".join(words[:place]),
            " ".join([*words, words[-1]]),
        ]
    )
