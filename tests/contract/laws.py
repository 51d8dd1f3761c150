"""The laws that hold for every ruleset, as plain assertions about one position or one step (docs/architecture.md)."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

import pytest

from engines.contract.events import Event
from engines.core.cards import BY_NAME
from engines.core.dealer import SeededDealer
from engines.core.errors import BadAction, GameOver, IllegalAction, NotYourTurn, Refusal
from engines.core.types import Json
from engines.ruleset import Action, Position, Ruleset, step
from tests.contract.games import Moment, actions_elsewhere, through_json
from tests.contract.rulesets import facts

ENOUGH = 20_000
"""No game takes so many actions."""


def names_in(written: Any, notes: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield every card that stands anywhere in *written*, keys and the fields called *notes* apart."""
    if isinstance(written, str):
        if written in BY_NAME:
            yield written
    elif isinstance(written, dict):
        for key, value in written.items():
            if key not in notes:
                yield from names_in(value, notes)
    elif isinstance(written, list):
        for value in written:
            yield from names_in(value, notes)


def mentioned(written: Any) -> set[str]:
    """Return every card that *written* speaks of, keys and words of a sentence included."""
    return set(re.findall(r"\b(?:[A2-9TJQK][CDHS]|X[12])\b", str(written)))


def cards_of(ruleset: Ruleset, position: Position) -> list[str]:
    """Return the cards that lie somewhere in *position*, sorted; as keys of an object cards never lie anywhere."""
    return sorted(names_in(position.dump(), facts(ruleset.name).notes))


def events_seen(events: Sequence[Event], seat: int | None) -> list[Json]:
    """Return the events as *seat* is told of them, or a spectator (None)."""
    return [event.as_json() if seat in event.knowers() else event.public() for event in events]


def refusal(position: Position, seat: int, action: Action) -> Json | None:
    """Return what ``check`` says against *action*; None if it's allowed."""
    try:
        position.check(seat, action)
    except Refusal as refused:
        return refused.as_json()
    return None


@cache
def _reads_back(ruleset: Ruleset, action: Action) -> bool:
    written, text = action.as_json(), str(action)
    assert written["type"] in ruleset.action_types
    assert text == " ".join(text.split()), f"{text!r} isn't one tidy line"
    assert ruleset.parse(through_json(written)) == action
    assert ruleset.parse(text) == action
    return True


def law_1_what_is_written_reads_back(ruleset: Ruleset, position: Position) -> None:
    """``parse`` is the inverse of both spellings of every legal action."""
    for seat in range(position.players):
        for action in position.legal(seat):
            assert _reads_back(ruleset, action)


def law_2_a_dump_loads(ruleset: Ruleset, position: Position) -> Position:
    """A position survives a wire; return what arrives."""
    dump = position.dump()
    assert through_json(dump) == dump
    arrived = ruleset.load(through_json(dump))
    assert arrived.dump() == dump
    assert (arrived.is_over, arrived.outcome) == (position.is_over, position.outcome)
    return arrived


def law_3_a_step_spares_its_argument(ruleset: Ruleset, moment: Moment) -> tuple[Position, list[Event]]:
    """A step changes no argument and depends on nothing that isn't in the dump; return what it returns."""
    assert moment.action is not None
    position, seat, action = moment.position, moment.seat, moment.action
    before = position.dump()
    after, heard = step(position, seat, action, SeededDealer(moment.dealing))
    assert position.dump() == before
    twin = ruleset.load(through_json(before))
    again, heard_again = step(twin, seat, ruleset.parse(str(action)), SeededDealer(moment.dealing))
    assert (again.dump(), heard_again) == (after.dump(), heard)
    twin.apply(seat, action, SeededDealer(moment.dealing))
    assert twin.dump() == after.dump(), "it matters whether somebody listens"
    return after, heard


def law_3_a_refusal_changes_nothing(ruleset: Ruleset, position: Position, rng: Random, tries: int) -> None:
    """Actions from anywhere are refused with a reason unless they're legal, and leave the position as it was."""
    before = position.dump()
    for action in rng.choices(actions_elsewhere(ruleset), k=tries):
        seat = rng.randrange(-1, position.players + 1)
        if 0 <= seat < position.players and not position.is_over and action in position.legal(seat):
            continue
        with pytest.raises(Refusal) as refused:
            step(position, seat, action, SeededDealer("never used"))
        assert isinstance(refused.value, (BadAction, GameOver, IllegalAction, NotYourTurn))
        assert refused.value.detail.strip().endswith("."), "a refusal is a sentence"
        assert not isinstance(refused.value, IllegalAction) or names_its_ruling(ruleset, refused.value)
        assert position.is_over == isinstance(refused.value, GameOver)
    assert position.dump() == before


def names_its_ruling(ruleset: Ruleset, refused: IllegalAction) -> bool:
    """A refusal names a ruling of its ruleset, or none if that has none."""
    letter = facts(ruleset.name).rulings
    return re.fullmatch(rf"{letter}\d+", refused.rule or "") is not None if letter else refused.rule is None


def law_4_somebody_can_act_until_the_end(position: Position, arrived: Position) -> None:
    """Those that must act can, nobody can when it's over; lists are without duplicates, the same for equals."""
    legal = [position.legal(seat) for seat in range(position.players)]
    busy, may = position.to_act(), position.may_act()
    assert any(legal) == bool(busy) == (not position.is_over)
    assert sorted({*busy, *may}) == sorted([*busy, *may]) == [seat for seat, actions in enumerate(legal) if actions]
    assert all(len(actions) == len(set(actions)) == len(set(map(str, actions))) for actions in legal)
    assert [arrived.legal(seat) for seat in range(position.players)] == legal
    assert (arrived.to_act(), arrived.may_act()) == (busy, may)


def law_4_check_accepts_what_is_listed(ruleset: Ruleset, position: Position, rng: Random, tries: int) -> None:
    """``check`` and ``legal`` say the same, of listed actions and of *tries* others."""
    if position.is_over:
        return
    for seat in range(position.players):
        legal = position.legal(seat)
        for action in rng.sample(legal, min(tries, len(legal))):
            position.check(seat, action)
        for action in rng.choices(actions_elsewhere(ruleset), k=tries):
            assert (refusal(position, seat, action) is None) == (action in legal), f"{seat}: {action}"


def law_5_cards_are_conserved(ruleset: Ruleset, position: Position, pack: list[str]) -> None:
    """Every card of *pack* lies in one place; that no hand is over its limit, ``load`` sees to."""
    cards = cards_of(ruleset, position)
    assert len(set(cards)) == len(cards)
    assert cards == pack


def law_6_a_view_is_a_view_of_its_worlds(ruleset: Ruleset, position: Position, seat: int | None, dream: str) -> None:
    """What is imagined from a view looks the same, is a valid position, and holds the same cards."""
    view = position.view(seat)
    assert through_json(view) == view
    world = ruleset.imagine(through_json(view), Random(dream))
    assert world.view(seat) == view
    assert ruleset.load(through_json(world.dump())).view(seat) == view
    assert cards_of(ruleset, world) == cards_of(ruleset, position)
    assert ruleset.imagine(view, Random(dream)).dump() == world.dump()


def law_7_worlds_that_look_alike_act_alike(ruleset: Ruleset, worlds: Sequence[Position], seat: int, dream: str) -> None:
    """A seat that can't tell *worlds* apart gets equal answers in all of them, and its AI does the same."""
    one, *others = worlds
    rng = Random(dream)
    asked = [*rng.choices(actions_elsewhere(ruleset), k=10), *one.legal(seat)[-3:]]
    asked = [] if one.is_over else asked
    for other in others:
        assert other.legal(seat) == one.legal(seat)
        assert other.signals(seat) == one.signals(seat)
        assert (other.to_act(), other.may_act(), other.outcome) == (one.to_act(), one.may_act(), one.outcome)
        for action in asked:
            assert refusal(other, seat, action) == refusal(one, seat, action)
    seen = mentioned(one.view(seat))
    for action in asked:
        assert mentioned(refusal(one, seat, action)) <= seen | mentioned(action)
    for policy in {level.policy for level in ruleset.levels.values()}:
        if one.legal(seat):
            moves = [policy.choose(world, seat, Random(dream), {}) for world in worlds]
            assert moves == moves[:1] * len(worlds)
            assert moves[0] in one.legal(seat) or (moves[0] is None and seat not in one.to_act())
        if one.signals(seat):
            signals = [policy.signal(world, seat, Random(dream)) for world in worlds]
            assert signals == signals[:1] * len(worlds)
            assert signals[0] in (None, *one.signals(seat))


def law_7_events_tell_what_may_be_seen(worlds: Sequence[Position], viewer: int | None, rng: Random) -> int:
    """If worlds look alike before and after an action, what the viewer is told of it is the same.

    The order of what it alone is told may differ: a hand doesn't show in which order it was drawn. Whatever card an
    event names to a viewer, it sees before, after, or in the action. Returns how many pairs were alike to the end.
    """
    busy = worlds[0].to_act() + worlds[0].may_act()
    seat = rng.choice(busy)
    common = [action for action in worlds[0].legal(seat) if all(action in world.legal(seat) for world in worlds)]
    if not common:
        return 0
    action, dealing = rng.choice(common), str(rng.random())
    seen: list[tuple[Json, list[list[Json]]]] = []
    for world in worlds:
        after, heard = step(world, seat, action, SeededDealer(dealing))
        view, events = after.view(viewer), events_seen(heard, viewer)
        assert mentioned(events) <= mentioned(world.view(viewer)) | mentioned(view) | mentioned(action)
        seen.append((view, [events_seen(heard, None), sorted(events, key=str)]))
    alike = [there for there in seen[1:] if there[0] == seen[0][0]]
    assert alike == seen[:1] * len(alike)
    return len(alike)
