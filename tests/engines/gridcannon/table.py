"""Gridcannon tables written in a line, answers read back as text (docs/referee.md, Position and Actions).

``grid("b2:5H,9C c3:7S")`` lists a cell bottom to top; ``royals("c1:KH+3H+5H b1:-QC")`` is a King with two
layers of armour, the 5 laid last, and a dead Queen.
"""

from typing import Any

from tests.engines.referee import Json, after, legal, view

CELLS = [column + row for row in "234" for column in "bcd"]  # in the order of G23
SLOTS = [*("b1", "c1", "d1"), *("e2", "e3", "e4"), *("b5", "c5", "d5"), *("a2", "a3", "a4")]  # in the order of G23
PACK = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"] + ["X1", "X2"]
NUMBERS = [card for card in PACK if card[0] in "23456789T"]
ROYALS = [card for card in PACK if card[0] in "JQK"]

FAMILIES = {2: ["red", "black"], 4: ["C", "D", "H", "S"]}
BOARD = {2: "a3:JD e3:JC", 4: "c5:JC a3:JD c1:JH e3:JS"}  # triggers: d3 b3; c2 d3 c4 b3
SUITS = {"red": "DH", "black": "CS", "C": "C", "D": "D", "H": "H", "S": "S"}


def cards(text: str) -> list[str]:
    """Read cards set apart by spaces or commas."""
    return text.replace(",", " ").split()


def grid(text: str = "") -> dict[str, list[str]]:
    """Read the nine cells; those not named are empty."""
    named = {cell: cards(stack) for cell, stack in (part.split(":") for part in text.split())}
    assert set(named) <= set(CELLS), text
    return {cell: named.get(cell, []) for cell in CELLS}


def royals(text: str) -> dict[str, Json]:
    """Read the occupied slots."""
    board = {}
    for slot, names in (part.split(":") for part in text.split()):
        assert slot in SLOTS, text
        card, *armour = names.removeprefix("-").split("+")
        board[slot] = {"card": card, "armour": armour, "alive": not names.startswith("-")}
    return board


def ploys(text: str) -> list[Json]:
    """Read a queue such as ``1 AH reassignment, 0 X1 switcheroo``."""
    entries = (part.split() for part in text.split(",") if part)
    return [{"seat": int(seat), "card": card, "ploy": ploy} for seat, card, ploy in entries]


def arsenals(text: str, players: int = 2) -> list[list[str]]:
    """Read arsenals such as ``AH X1 | AS``, seat by seat."""
    listed = [cards(part) for part in text.split("|")]
    return listed + [[]] * (players - len(listed))


def _phase(drawn: str | None) -> str:
    if drawn is None:
        return "draw"
    return "place_royal" if drawn in ROYALS else "place"


def _kings(families: list[str], used: set[str]) -> list[str]:
    """Return a royal of every family that nobody has used: with it in the draw pile no family is out."""
    return [next(r + s for r in "KQJ" for s in SUITS[family] if r + s not in used) for family in families]


def position(
    players: int = 2,
    *,
    cells: str = "",
    board: str | None = None,
    pile: str | int = 12,
    keep: str | None = None,
    arms: str = "",
    queue: str = "",
    recalled: str = "",
    **fields: Any,
) -> Json:
    """Build a position in mid-game; the phase follows from ``drawn`` unless it is given.

    A number as *pile* stands for so many numbers that lie nowhere else; under them lies *keep*: unless it is
    given, a royal of every family, so that no family is out. A *pile* that is text is the whole draw pile.
    """
    drawn = fields.get("drawn")
    laid: Json = {
        "ruleset": "gridcannon",
        "players": players,
        "phase": _phase(drawn),
        "turn": 0,
        "turns": 17,
        "families": FAMILIES[players],
        "grid": grid(cells),
        "royals": royals(BOARD[players] if board is None else board),
        "known_bottom": 0,
        "drawn": None,
        "opening": [],
        "arsenals": arsenals(arms, players),
        "ploys": ploys(queue),
        "recalled": cards(recalled),
        "turn_limit": 1000,
        "outcome": None,
    } | fields
    if isinstance(pile, str):
        return laid | {"draw_pile": cards(pile)}
    used = set(map(str, _leaves(laid)))
    kept = _kings(laid["families"], used) if keep is None else cards(keep)
    spare = [card for card in NUMBERS if card not in used | set(kept)]
    return laid | {"draw_pile": spare[:pile] + kept}


def _leaves(value: Any) -> list[Any]:
    """Return all that is neither a list nor an object in *value*."""
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for part in value for leaf in _leaves(part)] if isinstance(value, list) else [value]


def all_cards(laid: Json) -> list[str]:
    """Return the cards of a position, in the order of the fresh pack; barred cards are in the arsenals too."""
    held = _leaves({key: value for key, value in laid.items() if key not in ("recalled", "families")})
    return sorted((card for card in held if card in PACK), key=PACK.index)


def _text(action: Json) -> str:
    """Write an action in its one-line form, a switch's slots in alphabetical order."""
    verb = {"place_royal": "royal"}.get(action["type"], action["type"])
    order = ("card", "ploy", "source", "target", "cell", "slot", "slots")
    values = [action[field] for field in order if field in action]
    return " ".join([str(verb), *(" ".join(sorted(value)) if isinstance(value, list) else value for value in values)])


def moves(laid: Json, seat: int) -> set[str]:
    """Return what *seat* may do, as text, none of it listed twice."""
    listed = [_text(action) for action in legal(laid, seat)]
    assert len(listed) == len(set(listed)), listed
    return set(listed)


def lines(text: str) -> set[str]:
    """Read actions set apart by semicolons."""
    return {line.strip() for line in text.split(";") if line.strip()}


def play(laid: Json, seat: int, action: Json | str, seed: str = "s") -> Json:
    """Let *seat* act, which must be allowed; what follows must hold the same cards and load again."""
    followed = after(laid, seat, action, seed)
    assert all_cards(followed) == all_cards(laid)
    view(followed, None)
    return followed


def parts(laid: Json, *names: str) -> tuple[Any, ...]:
    """Return some of a position's values, to compare them at one stroke."""
    return tuple(laid[name] for name in names)


def outcome(reason: str, winner: int | None = None) -> Json:
    """Return how a game ended."""
    return {"result": "draw" if winner is None else "won", "winner": winner, "reason": reason}
