"""What rulesets say of what they write is so: whole games are held against their schemas, field by field."""

from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

from api.commands.check_ruleset.checks import validator, written
from api.commands.check_ruleset.generated_games import Setup, by_chance, by_policy, setups, through_json
from engines import RULESETS
from engines.contract.events import Event
from engines.core.dealer import SeededDealer
from engines.core.types import Json
from engines.ruleset import Position, Ruleset, step
from tests.contract.games import IDS, TABLES

GAMES = 4
"""Played for each choice of options: in turns by adepts, and by chance."""
LONGEST = 250
"""Actions of a game that chance plays: it may not end for long."""


def complaints(ruleset: Ruleset, name: str, value: object) -> list[str]:
    """Return what is wrong with *value* by that schema."""
    return [f"{error.message} at {error.instance_path}" for error in validator(ruleset, name).iter_errors(value)]


def game(setup: Setup, number: int) -> Iterator[tuple[Position, list[Event]]]:
    """Play a game; yield each position with what happened before it."""
    rng, events = Random(number), list[Event]()
    position = setup.ruleset.new(setup.players, setup.options, SeededDealer(str(number)), events)
    yield position, events
    for moves in range(LONGEST):
        if position.is_over:
            return
        taught = number % 3 == 0 or (number % 3 == 1 and moves < 60)
        seat, action = (
            by_policy(setup.ruleset, position, f"{number}/{moves}", "adept") if taught else by_chance(position, rng)
        )
        position, events = step(position, seat, action, SeededDealer(f"{number}/{moves}"))
        yield position, events


@cache
def everything(ruleset: Ruleset, players: int) -> list[tuple[str, Json]]:
    """Return all that was written in games of every choice of options; what is equal is there once."""
    found: dict[str, tuple[str, Json]] = {}
    for setup in setups(ruleset, players):
        for number in range(GAMES):
            for position, events in game(setup, number):
                for name, value in written(position, events):
                    text = f"{name} {value}"
                    if text not in found:  # most were written before: those aren't sent through JSON again
                        found[text] = name, through_json(value)
    return list(found.values())


@pytest.mark.parametrize(("ruleset", "players"), TABLES, ids=IDS)
def test_all_that_is_written_fits(ruleset: Ruleset, players: int):
    """Positions, outcomes, and the actions, events and views of every seat and of spectators."""
    for name, value in everything(ruleset, players):
        assert validator(ruleset, name).is_valid(value), (complaints(ruleset, name, value), value)


CLOSED = {"Action", "Event"}
"""What the dataclasses say exactly; of views, positions and outcomes a ruleset may leave it at a plain schema."""


def may_be_missing(ruleset: Ruleset, kind: str, field: str) -> bool:
    """The event's schema has the field, but doesn't ask for it: hidden from some."""
    schema = next(event.schema() for event in ruleset.events if event.type == kind)
    return field in schema.get("properties", {}) and field not in schema.get("required", ())


@pytest.mark.parametrize(("ruleset", "players"), TABLES, ids=IDS)
def test_nothing_else_fits(ruleset: Ruleset, players: int):
    """Not with a field less, not with a field more, not with another type."""
    rng = Random(players)
    written = [pair for pair in everything(ruleset, players) if pair[0] in CLOSED or pair[0] in ruleset.definitions]
    for name, value in rng.sample(written, min(1000, len(written))):
        field = rng.choice(list(value))
        wrongs = [value | {"more": 1}, value | {field: 1.5}, value | {field: {"odd": 1}}]
        if not (name == "Event" and may_be_missing(ruleset, value["type"], field)):
            wrongs.append({key: other for key, other in value.items() if key != field})
        for wrong in wrongs:
            assert not validator(ruleset, name).is_valid(wrong), (name, wrong)


def test_our_rulesets_say_all_exactly():
    """Their views, positions and outcomes are held against closed schemas too: none is left at a plain one."""
    for ruleset in RULESETS.values():
        if type(ruleset).__module__.startswith("engines."):
            assert {"View", "Position", "Outcome"} <= ruleset.definitions.keys()


@pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
def test_every_kind_has_happened(ruleset: Ruleset):
    """The games have seen every type of event and action, so that each schema has been held against something."""
    seen: dict[str, set[str]] = {"Action": set(), "Event": set()}
    known = {name: kinds(ruleset, name) for name in seen}
    for players in ruleset.player_counts:
        if seen != known:  # else a table's games have had all of them
            for name, value in everything(ruleset, players):
                if name in seen:
                    seen[name].add(value["type"])

    assert seen == known
    assert seen["Action"] == set(ruleset.action_types)


def kinds(ruleset: Ruleset, name: str) -> set[str]:
    """Return the types that a union of the ruleset's schemas tells apart."""
    parts = [ruleset.schemas[part["$ref"].removeprefix("#/$defs/")] for part in ruleset.schemas[name]["oneOf"]]
    return {part["properties"]["type"]["const"] for part in parts}
