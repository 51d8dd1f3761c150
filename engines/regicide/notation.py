"""Notation of Regicide's positions, parsed strictly. ``dump`` and ``load`` are inverses."""

from typing import Final, TypeVar

from engines.core.cards import NAMES, Card, names
from engines.core.phrase import Phrase
from engines.core.strict_reading import MAX_NUMBER, OUTCOME, Reader
from engines.core.types import Json
from engines.regicide.state import State
from engines.regicide.tables import (
    CHOOSE,
    FIRST_JESTER,
    FIRST_ROYAL,
    HAND_LIMIT,
    HEALTH,
    MEDALS,
    NO_ENEMY,
    OVER,
    PHASES,
    PLAY,
    SOLO_JESTERS,
    SUFFER,
)

POSITION_FIELDS: Final = (
    "ruleset",
    "players",
    "phase",
    "turn",
    "castle",
    "enemy",
    "damage",
    "shield",
    "immune",
    "table",
    "tavern",
    "discard",
    "hands",
    "packets",
    "yielded",
    "solo_yield",
    "jesters_left",
    "flips",
    "outcome",
)
CROWDED_ABOVE: Final = MAX_NUMBER // 2
"""A loaded game with a greater shield or packet number is ``State.crowded``.

In other games no number can reach ``MAX_NUMBER``.
"""
OUTCOME_FIELDS: Final = ("result", "reason", "medal", "defeated")
REASONS_BY_RESULT: Final = {"won": ("castle_fell",), "lost": ("could_not_suffer", "could_not_act")}


S = TypeVar("S", bound=State)


def dump(state: State) -> Json:
    """Return the whole state as JSON. ``load`` is the inverse."""
    return {
        "ruleset": "regicide",
        "players": state.players,
        "phase": PHASES[state.phase],
        "turn": state.turn,
        "castle": names(reversed(state.castle)),
        "enemy": None if state.enemy == NO_ENEMY else NAMES[state.enemy],
        "damage": state.damage,
        "shield": state.shield,
        "immune": state.immune,
        "table": names(state.table),
        "tavern": names(reversed(state.tavern)),
        "discard": names(state.discard),
        "hands": [names(hand) for hand in state.hands],
        "packets": {NAMES[card]: packet for card, packet in state.packets.items()},
        "yielded": state.yielded[:],
        "solo_yield": state.solo_yield,
        "jesters_left": state.jesters_left,
        "flips": state.flips,
        "outcome": state.outcome,
    }


def load(written: object, state: S) -> S:
    """Read a position into *state*, a new state. Raises ``BadPosition``, which names the field, or ``BadCard``."""
    reader = Reader(written)
    reader.keys(POSITION_FIELDS)
    reader.one_of("ruleset", ("regicide",))
    state.set_up(reader.integer("players", 1, 4))
    state.phase = PHASES.index(reader.one_of("phase", PHASES))
    state.turn = reader.integer("turn", 0, state.players - 1)
    _load_enemy(reader, state)
    _load_zones(reader, state)
    _load_packets(reader, state)
    _load_marks(reader, state)
    _load_outcome(reader, state)
    _check_phase(reader, state)
    return state


def _load_enemy(reader: Reader, state: State) -> None:
    state.castle = reader.cards("castle")[::-1]
    if reader.raw("enemy") is not None:
        state.enemy = reader.card(reader.raw("enemy"), "enemy")
    for field, cards in (("castle", state.castle), ("enemy", [state.enemy] if state.enemy != NO_ENEMY else [])):
        if any(not FIRST_ROYAL <= card < FIRST_JESTER for card in cards):
            raise reader.refusal(field, Phrase("holds Jacks, Queens and Kings only"))
    state.damage = reader.integer("damage", 0, 0 if state.enemy == NO_ENEMY else HEALTH[state.enemy] - 1)
    state.shield = reader.integer("shield")
    state.immune = reader.boolean("immune")


def _load_zones(reader: Reader, state: State) -> None:
    state.table = reader.cards("table")
    state.tavern = reader.cards("tavern")[::-1]
    state.discard = reader.cards("discard")
    limit = HAND_LIMIT[state.players]
    for seat, written in enumerate(reader.sequence("hands", state.players)):
        hand = [reader.card(name, "hands") for name in reader.listed(written, "hands")]
        if len(hand) > limit:
            raise reader.refusal(
                "hands",
                Phrase(
                    "holds {count} cards for seat {seat}: the limit is {limit}", count=len(hand), seat=seat, limit=limit
                ),
            )
        state.hands[seat] = hand


def _load_packets(reader: Reader, state: State) -> None:
    hidden: set[Card] = set(state.tavern).union(*state.hands)
    for name, packet in reader.mapping("packets").items():
        card = reader.named(name, "packets")
        if card not in hidden:
            raise reader.refusal(
                "packets", Phrase("names {name}, which is neither in a hand nor in the Tavern", name=name)
            )
        state.packets[card] = reader.whole(packet, "packets", 1)
    state.crowded = max(state.shield, *state.packets.values(), 0) > CROWDED_ABOVE


def _load_marks(reader: Reader, state: State) -> None:
    marks = reader.sequence("yielded", state.players)
    for seat, mark in enumerate(marks):
        if not isinstance(mark, bool):
            raise reader.refusal("yielded", Phrase("holds true or false for each seat"))
        state.yielded[seat] = mark
    state.solo_yield = reader.boolean("solo_yield")
    most = SOLO_JESTERS if state.players == 1 else 0
    state.jesters_left = reader.integer("jesters_left", 0, most)
    state.flips = reader.integer("flips", 0, most - state.jesters_left)


def _load_outcome(reader: Reader, state: State) -> None:
    written = None if reader.raw("outcome") is None else _read_outcome(reader, state)
    if (written is not None) != (state.phase == OVER):
        raise reader.refusal("outcome", Phrase("is there if and only if the phase is over"))
    if written is not None:
        state.end_as(written)


def _read_outcome(reader: Reader, state: State) -> Json:
    outcome = Reader(reader.raw("outcome"), what=OUTCOME)
    outcome.keys(OUTCOME_FIELDS)
    result = outcome.one_of("result", tuple(REASONS_BY_RESULT))
    reason = outcome.one_of("reason", REASONS_BY_RESULT[result])
    earned = MEDALS[state.flips] if result == "won" and state.players == 1 else None
    if outcome.raw("medal") != earned:
        raise outcome.refusal("medal", Phrase("is {medal} here", medal=earned or "null"))
    defeated = outcome.integer("defeated", state.defeated, state.defeated)
    return {"result": result, "reason": reason, "medal": earned, "defeated": defeated}


def _check_phase(reader: Reader, state: State) -> None:
    """Refuse a phase that contradicts other fields."""
    outcome, seat = state.outcome, state.turn
    if (state.enemy == NO_ENEMY) != (outcome is not None and outcome["result"] == "won"):
        raise reader.refusal("enemy", Phrase("is null if and only if the castle has fallen"))
    if state.enemy == NO_ENEMY and state.castle:
        raise reader.refusal("castle", Phrase("is empty when the castle has fallen"))
    if state.phase == CHOOSE and (state.immune or all(card < FIRST_JESTER for card in state.table)):
        raise reader.refusal("phase", Phrase("is choose only when a Jester lies on the table and immunity is gone"))
    if state.phase == PLAY and not state.can_act(seat):
        raise reader.refusal(
            "phase", Phrase("can't be play: seat {seat} could not act, so the game would be lost", seat=seat)
        )
    if state.phase == SUFFER and state.attack == 0:
        raise reader.refusal("phase", Phrase("can't be suffer: nothing is left of the enemy's attack"))
    if state.phase == SUFFER and not state.jesters_left and not state.can_cover(seat):
        raise reader.refusal(
            "phase", Phrase("can't be suffer: the hand of seat {seat} doesn't cover the attack", seat=seat)
        )
