"""Notation of Gridcannon's positions, parsed strictly. ``dump`` and ``load`` are inverses."""

from typing import Final, TypeVar

from engines.core.cards import NAMES, Card, names
from engines.core.phrase import Phrase, listed
from engines.core.strict_reading import OUTCOME, Reader
from engines.core.types import Json
from engines.gridcannon.board import (
    CELLS,
    FAMILIES_BY_PLAYERS,
    NO_CARD,
    PLOY_BY_NAME,
    PLOY_CARDS,
    PLOYS,
    SLOT_BY_NAME,
    SLOTS,
    is_number,
    is_royal,
    ploys_of,
)
from engines.gridcannon.state import DRAWING, OVER, PHASES, PLACING, PLACING_ROYAL, SETUP, State

POSITION_FIELDS: Final = (
    "ruleset",
    "players",
    "phase",
    "turn",
    "turns",
    "families",
    "grid",
    "royals",
    "draw_pile",
    "known_bottom",
    "drawn",
    "opening",
    "arsenals",
    "ploys",
    "recalled",
    "turn_limit",
    "outcome",
)
RESULT_BY_REASON: Final = {"last_family": "won", "all_fell": "draw", "exhausted": "draw", "turn_limit": "draw"}
"""The result of a game by its reason (G18, G19, G20)."""

DRAWN_REQUIREMENT_BY_PHASE: Final = {
    PLACING: Phrase("is a number in the phase place"),
    PLACING_ROYAL: Phrase("is a royal in the phase place_royal"),
    OVER: Phrase("is a number, a royal or null"),
}
NOT_DRAWN_REQUIREMENT: Final = Phrase("is null when no card is in hand")
"""Requirement on the field ``drawn`` in the phases that ``DRAWN_REQUIREMENT_BY_PHASE`` doesn't list."""


def dump(state: State) -> Json:
    """Return the position in notation (docs/referee.md). ``load`` is the inverse."""
    families = FAMILIES_BY_PLAYERS[state.players]
    aside = {"aside": names(state.aside)} if state.phase == SETUP else {}
    return {
        "ruleset": "gridcannon",
        "players": state.players,
        "phase": PHASES[state.phase],
        "turn": state.turn,
        "turns": state.turns,
        "families": [families[family] for family in state.families],
        "grid": {name: names(stack) for name, stack in zip(CELLS, state.grid, strict=True)},
        "royals": {SLOTS[slot]: _dump_royal(state, slot) for slot in state.taken_slots()},
        "draw_pile": names(state.draw_pile),
        "known_bottom": state.known_bottom,
        "drawn": None if state.drawn == NO_CARD else NAMES[state.drawn],
        "opening": [{"seat": state.owner(royal), "card": NAMES[royal]} for royal in state.opening],
        **aside,
        "arsenals": [names(arsenal) for arsenal in state.arsenals],
        "ploys": [{"seat": seat, "card": NAMES[card], "ploy": PLOYS[ploy]} for seat, card, ploy in state.ploys],
        "recalled": names(state.recalled),
        "turn_limit": state.turn_limit,
        "outcome": None if state.outcome is None else dict(state.outcome),
    }


def _dump_royal(state: State, slot: int) -> Json:
    return {"card": NAMES[state.royals[slot]], "armour": names(state.armour[slot]), "alive": state.alive[slot]}


S = TypeVar("S", bound=State)


def load(written: object, state: S) -> S:
    """Read a position into *state*, a new state. Raises ``BadPosition``, which names the field, or ``BadCard``."""
    reader = Reader(written)
    _load_seating(state, reader)
    _load_turn(state, reader)
    _load_board(state, reader)
    _load_pile(state, reader)
    _load_drawn(state, reader)
    _load_opening(state, reader)
    _load_ploys(state, reader)
    _load_outcome(state, reader)
    count_lives(state)
    _check_seats(state, reader)
    return state


def _load_seating(state: State, reader: Reader) -> None:
    """Read the number of players and the family of each seat (G1)."""
    setup = reader.raw("phase") == PHASES[SETUP]
    reader.keys((*POSITION_FIELDS, "aside") if setup else POSITION_FIELDS)
    reader.one_of("ruleset", ("gridcannon",))
    players = reader.integer("players", 2, 4)
    if players not in FAMILIES_BY_PLAYERS:
        raise reader.refusal("players", Phrase("is 2 or 4"))
    known = FAMILIES_BY_PLAYERS[players]
    families = reader.sequence("families", players)
    if any(family not in known or families.count(family) > 1 for family in families):
        raise reader.refusal("families", Phrase("names one of {known} for each seat, each once", known=listed(known)))
    state.set_up(players, tuple([known.index(str(family)) for family in families]))


def _load_turn(state: State, reader: Reader) -> None:
    state.phase = PHASES.index(reader.one_of("phase", PHASES))
    state.turn = reader.integer("turn", 0, state.players - 1)
    state.turns = reader.integer("turns")
    state.turn_limit = reader.integer("turn_limit")
    if (state.turns == 0) != (state.phase == SETUP):
        raise reader.refusal("turns", Phrase("is 0 in setup and at least 1 after it"))


def _numbers(reader: Reader, field: str, written: object) -> tuple[Card, ...]:
    cards = tuple([reader.card(name, field) for name in reader.listed(written, field)])
    if not all(map(is_number, cards)):
        raise reader.refusal(field, Phrase("holds numbers from 2 to 10 only"))
    return cards


def _load_board(state: State, reader: Reader) -> None:
    grid, royals = reader.mapping("grid"), reader.mapping("royals")
    if set(grid) != set(CELLS):
        raise reader.refusal("grid", Phrase("has the nine cells {cells}", cells=listed(CELLS)))
    state.grid = [_numbers(reader, "grid", grid[name]) for name in CELLS]
    for name, royal in royals.items():
        if name not in SLOT_BY_NAME:
            raise reader.refusal("royals", Phrase("has slots only, such as c1, not {name!r}", name=name))
        _load_royal(state, reader, SLOT_BY_NAME[name], royal)


def _load_royal(state: State, reader: Reader, slot: int, written: object) -> None:
    if not isinstance(written, dict) or set(written) != {"card", "armour", "alive"}:
        raise reader.refusal("royals", Phrase("holds objects with card, armour and alive"))
    card, alive = reader.card(written["card"], "royals"), written["alive"]
    armour = _numbers(reader, "royals", written["armour"])
    if not is_royal(card):
        raise reader.refusal("royals", Phrase("holds royals only, not {card}", card=NAMES[card]))
    if not isinstance(alive, bool):
        raise reader.refusal("royals", Phrase("has true or false for alive"))
    if armour and not alive:
        raise reader.refusal("royals", Phrase("has no armour on the dead: {card} is dead", card=NAMES[card]))
    for layer in armour:
        if not state.matches(card, layer):
            raise reader.refusal(
                "royals",
                Phrase(
                    "has armour of a royal's own family only: {layer} can't be on {card}",
                    layer=NAMES[layer],
                    card=NAMES[card],
                ),
            )
    state.royals[slot], state.alive[slot], state.armour[slot] = card, alive, armour


def _load_pile(state: State, reader: Reader) -> None:
    state.draw_pile = reader.cards("draw_pile")
    state.known_bottom = reader.integer("known_bottom", 0, len(state.draw_pile))
    if state.phase == DRAWING and not state.draw_pile:
        raise reader.refusal("draw_pile", Phrase("can't be empty when a card is to be drawn"))
    if state.phase != SETUP:
        return
    state.aside = reader.cards("aside")
    if not all(map(is_royal, state.aside)):
        raise reader.refusal("aside", Phrase("holds royals only"))
    if any(map(is_royal, state.draw_pile)):
        raise reader.refusal("draw_pile", Phrase("holds no royals in setup: they are aside"))
    if state.known_bottom:
        raise reader.refusal("known_bottom", Phrase("is 0 in setup"))


def _load_drawn(state: State, reader: Reader) -> None:
    written = reader.raw("drawn")
    state.drawn = NO_CARD if written is None else reader.card(written, "drawn")
    fits = {
        PLACING: is_number(state.drawn),
        PLACING_ROYAL: is_royal(state.drawn),
        OVER: state.drawn not in PLOY_CARDS,
    }
    if not fits.get(state.phase, written is None):
        raise reader.refusal("drawn", DRAWN_REQUIREMENT_BY_PHASE.get(state.phase, NOT_DRAWN_REQUIREMENT))


def _load_opening(state: State, reader: Reader) -> None:
    seats = []
    for written in reader.sequence("opening"):
        if not isinstance(written, dict) or set(written) != {"seat", "card"}:
            raise reader.refusal("opening", Phrase("holds objects with seat and card"))
        card = reader.card(written["card"], "opening")
        seat = reader.whole(written["seat"], "opening", 0, state.players - 1)
        if not is_royal(card) or state.owner(card) != seat:
            raise reader.refusal("opening", Phrase("has for each seat a royal of its own family"))
        state.opening.append(card)
        seats.append(seat)
    if (state.phase == SETUP) != bool(seats):
        raise reader.refusal("opening", Phrase("holds the royals still to place in setup, and none after it"))
    if seats != sorted(set(seats)):
        raise reader.refusal("opening", Phrase("goes by seats, each once"))
    if seats and state.turn != seats[0]:
        raise reader.refusal("turn", Phrase("is in setup the seat that places"))


def _load_ploys(state: State, reader: Reader) -> None:
    for seat, written in enumerate(reader.sequence("arsenals", state.players)):
        cards = tuple([reader.card(name, "arsenals") for name in reader.listed(written, "arsenals")])
        if not PLOY_CARDS.issuperset(cards):
            raise reader.refusal("arsenals", Phrase("holds aces and jokers only"))
        state.arsenals[seat] = cards
    for queued in reader.sequence("ploys"):
        state.ploys.append(_load_ploy(state, reader, queued))
    if state.ploys and state.phase == SETUP:
        raise reader.refusal("ploys", Phrase("is empty in setup"))
    state.recalled = [reader.named(name, "recalled") for name in reader.sequence("recalled")]
    held = [card for arsenal in state.arsenals for card in arsenal]
    if len(set(state.recalled)) < len(state.recalled) or not set(state.recalled).issubset(held):
        raise reader.refusal("recalled", Phrase("holds cards of arsenals, each once"))
    if state.recalled and state.phase == SETUP:
        raise reader.refusal("recalled", Phrase("is empty in setup"))


def _load_ploy(state: State, reader: Reader, written: object) -> tuple[int, Card, int]:
    if not isinstance(written, dict) or set(written) != {"seat", "card", "ploy"}:
        raise reader.refusal("ploys", Phrase("holds objects with seat, card and ploy"))
    seat = reader.whole(written["seat"], "ploys", 0, state.players - 1)
    card, name = reader.card(written["card"], "ploys"), written["ploy"]
    ploy = PLOY_BY_NAME.get(name) if isinstance(name, str) else None
    if ploy is None or ploy not in ploys_of(card):
        raise reader.refusal(
            "ploys",
            Phrase("can't have {card} as {name!r}: {ploys} (G13)", card=NAMES[card], name=name, ploys=listed(PLOYS)),
        )
    return seat, card, ploy


def _load_outcome(state: State, reader: Reader) -> None:
    written = reader.raw("outcome")
    if state.phase != OVER and written is not None:
        raise reader.refusal("outcome", Phrase("is null until the game is over"))
    if state.phase != OVER:
        return
    if written is None:
        raise reader.refusal("outcome", Phrase("says how the game ended, as its phase is 'over'"))
    outcome = Reader(written, what=OUTCOME)
    outcome.keys(("result", "winner", "reason"))
    reason = outcome.one_of("reason", tuple(RESULT_BY_REASON))
    result = outcome.one_of("result", (RESULT_BY_REASON[reason],))
    winner = outcome.integer("winner", 0, state.players - 1) if result == "won" else None
    if result == "draw" and outcome.raw("winner") is not None:
        raise outcome.refusal("winner", Phrase("is null in a draw"))
    state.end_as({"result": result, "winner": winner, "reason": reason})


def count_lives(state: State) -> None:
    """Set ``lives``: the number of each seat's living royals, wherever they are (G17)."""
    state.lives = [0] * state.players
    standing = [royal for slot, royal in enumerate(state.royals) if state.alive[slot]]
    for card in (*standing, *state.draw_pile, *state.aside, *state.opening, state.drawn):
        if is_royal(card):
            state.lives[state.owner(card)] += 1


def _check_seats(state: State, reader: Reader) -> None:
    """Refuse seats that are out of the game but have cards or a turn (G17, G18)."""
    for seat in range(state.players):
        if state.lives[seat]:
            continue
        if state.arsenals[seat]:
            raise reader.refusal("arsenals", Phrase("has cards for seat {seat}, which is out", seat=seat))
        if any(player == seat for player, _, _ in state.ploys):
            raise reader.refusal("ploys", Phrase("has a ploy of seat {seat}, which is out", seat=seat))
    if state.phase in (DRAWING, PLACING) and not state.lives[state.turn]:
        raise reader.refusal("turn", Phrase("is seat {turn}, which is out", turn=state.turn))
    if state.phase != OVER and len(state.living()) < 2:
        raise reader.refusal("outcome", Phrase("is null, but fewer than two families live"))
