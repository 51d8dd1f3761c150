"""Reading written positions of Regicide, strictly. ``RegicidePosition.dump`` is the inverse."""

from typing import Final

from engines.cards import Card
from engines.notation import OUTCOME, Reader
from engines.phrase import Phrase
from engines.regicide.rules import RegicidePosition
from engines.regicide.tables import (
    CHOOSE,
    FIRST_JESTER,
    FIRST_ROYAL,
    HAND_LIMIT,
    HEALTH,
    MEDALS,
    NOBODY,
    OVER,
    PHASES,
    PLAY,
    SOLO_JESTERS,
    SUFFER,
)
from engines.types import Json

FIELDS: Final = (
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
OUTCOME_FIELDS: Final = ("result", "reason", "medal", "defeated")
REASONS: Final = {"won": ("castle_fell",), "lost": ("could_not_suffer", "could_not_act")}


def load(written: object) -> RegicidePosition:
    """Read a position. Raises ``BadPosition`` that names the field, or ``BadCard``."""
    reader = Reader(written)
    reader.keys(FIELDS)
    reader.one_of("ruleset", ("regicide",))
    position = RegicidePosition().set_up(reader.integer("players", 1, 4))
    position.phase = PHASES.index(reader.one_of("phase", PHASES))
    position.turn = reader.integer("turn", 0, position.players - 1)
    _load_enemy(reader, position)
    _load_zones(reader, position)
    _load_packets(reader, position)
    _load_marks(reader, position)
    position.end_as(_load_outcome(reader, position))
    _check_phase(reader, position)
    return position


def _load_enemy(reader: Reader, position: RegicidePosition) -> None:
    position.castle = reader.cards("castle")[::-1]
    if reader.raw("enemy") is not None:
        position.enemy = reader.card(reader.raw("enemy"), "enemy")
    for field, cards in (("castle", position.castle), ("enemy", [position.enemy] if position.enemy != NOBODY else [])):
        if any(not FIRST_ROYAL <= card < FIRST_JESTER for card in cards):
            raise reader.refusal(field, Phrase("holds Jacks, Queens and Kings only"))
    position.damage = reader.integer("damage", 0, 0 if position.enemy == NOBODY else HEALTH[position.enemy] - 1)
    position.shield = reader.integer("shield")
    position.immune = reader.boolean("immune")


def _load_zones(reader: Reader, position: RegicidePosition) -> None:
    position.table = reader.cards("table")
    position.tavern = reader.cards("tavern")[::-1]
    position.discard = reader.cards("discard")
    limit = HAND_LIMIT[position.players]
    for seat, written in enumerate(reader.sequence("hands", position.players)):
        hand = [reader.card(name, "hands") for name in reader.listed(written, "hands")]
        if len(hand) > limit:
            raise reader.refusal(
                "hands",
                Phrase(
                    "holds {count} cards for seat {seat}: the limit is {limit}", count=len(hand), seat=seat, limit=limit
                ),
            )
        position.hands[seat] = hand


def _load_packets(reader: Reader, position: RegicidePosition) -> None:
    hidden: set[Card] = set(position.tavern).union(*position.hands)
    for name, packet in reader.mapping("packets").items():
        card = reader.named(name, "packets")
        if card not in hidden:
            raise reader.refusal(
                "packets", Phrase("names {name}, which is neither in a hand nor in the Tavern", name=name)
            )
        position.packets[card] = reader.whole(packet, "packets", 1)


def _load_marks(reader: Reader, position: RegicidePosition) -> None:
    marks = reader.sequence("yielded", position.players)
    for seat, mark in enumerate(marks):
        if not isinstance(mark, bool):
            raise reader.refusal("yielded", Phrase("holds true or false for each seat"))
        position.yielded[seat] = mark
    position.solo_yield = reader.boolean("solo_yield")
    most = SOLO_JESTERS if position.players == 1 else 0
    position.jesters_left = reader.integer("jesters_left", 0, most)
    position.flips = reader.integer("flips", 0, most - position.jesters_left)


def _load_outcome(reader: Reader, position: RegicidePosition) -> Json | None:
    if reader.raw("outcome") is None:
        return None
    outcome = Reader(reader.raw("outcome"), what=OUTCOME)
    outcome.keys(OUTCOME_FIELDS)
    result = outcome.one_of("result", tuple(REASONS))
    reason = outcome.one_of("reason", REASONS[result])
    earned = MEDALS[position.flips] if result == "won" and position.players == 1 else None
    if outcome.raw("medal") != earned:
        raise outcome.refusal("medal", Phrase("is {medal} here", medal=earned or "null"))
    defeated = outcome.integer("defeated", position.defeated, position.defeated)
    return {"result": result, "reason": reason, "medal": earned, "defeated": defeated}


def _check_phase(reader: Reader, position: RegicidePosition) -> None:
    """Refuse a phase that contradicts the rest."""
    outcome, seat = position.outcome, position.turn
    if (outcome is not None) != (position.phase == OVER):
        raise reader.refusal("outcome", Phrase("is there if and only if the phase is over"))
    if (position.enemy == NOBODY) != (outcome is not None and outcome["result"] == "won"):
        raise reader.refusal("enemy", Phrase("is null if and only if the castle has fallen"))
    if position.enemy == NOBODY and position.castle:
        raise reader.refusal("castle", Phrase("is empty when the castle has fallen"))
    if position.phase == CHOOSE and (position.immune or all(card < FIRST_JESTER for card in position.table)):
        raise reader.refusal("phase", Phrase("is choose only when a Jester lies on the table and immunity is gone"))
    if position.phase == PLAY and not position.can_act(seat):
        raise reader.refusal(
            "phase", Phrase("can't be play: seat {seat} could not act, so the game would be lost", seat=seat)
        )
    if position.phase == SUFFER and position.attack == 0:
        raise reader.refusal("phase", Phrase("can't be suffer: nothing is left of the enemy's attack"))
    if position.phase == SUFFER and not position.jesters_left and not position.can_cover(seat):
        raise reader.refusal(
            "phase", Phrase("can't be suffer: the hand of seat {seat} doesn't cover the attack", seat=seat)
        )
