"""The rulings once more, as plainly as they can be said: what is allowed, and what follows."""

from typing import Final

from tests.engines.gridcannon.table import CELLS, SLOTS, SUITS
from tests.engines.referee import Json, copied
from tests.engines.regicide.dealing import Dealer

PLOYS: Final = {"A": ["reassignment"], "X": ["switcheroo", "forced_attack"]}
HEALTH: Final = {"J": 11, "Q": 12, "K": 13}
WORTH: Final = {"T": 10} | {str(number): number for number in range(2, 10)}


def line(slot: str) -> list[str]:
    """Return a slot's line of fire: the attackers' cells, then the trigger."""
    column, row = slot[0], slot[1]
    if row in "15":
        return [column + other for other in ("234" if row == "1" else "432")]
    return [other + row for other in ("bcd" if column == "a" else "dcb")]


def top(position: Json, cell: str) -> str | None:
    """Return a cell's top card."""
    stack = position["grid"][cell]
    return stack[-1] if stack else None


def red(card: str) -> bool:
    """Tell a card's colour."""
    return card[1] in "DH"


def owner(position: Json, royal: str) -> int:
    """Return the seat whose family a royal is of (G1)."""
    return next(seat for seat, family in enumerate(position["families"]) if royal[1] in SUITS[family])


def lies_on(position: Json, card: str, cell: str) -> bool:
    """Tell whether G8 lets a number lie on a cell."""
    below = top(position, cell)
    return below is None or WORTH[card[0]] >= WORTH[below[0]] or (card[0] == "2" and below[0] == "T")


def royal_slots(position: Json, royal: str) -> list[str]:
    """Return where G7 lets a royal stand."""
    free = [slot for slot in SLOTS if slot not in position["royals"]]
    cells = {cell for slot in free if top(position, cell := line(slot)[0])}
    if not cells:
        return free

    def likeness(cell: str) -> tuple[bool, bool, int]:
        card = position["grid"][cell][-1]
        return card[1] == royal[1], red(card) == red(royal), WORTH[card[0]]

    best = max(map(likeness, cells))
    return [slot for slot in free if line(slot)[0] in cells and likeness(line(slot)[0]) == best]


def armours(position: Json) -> list[str]:
    """Return where the drawn number may be armour (G12)."""
    seat, suits = position["turn"], SUITS[position["families"][position["turn"]]]
    if position["drawn"][1] not in suits:
        return []
    return [
        slot for slot, royal in position["royals"].items() if royal["alive"] and owner(position, royal["card"]) == seat
    ]


def uses(position: Json, ploy: str) -> list[str]:
    """Return the ways to carry out a ploy (G13)."""
    if ploy == "switcheroo":
        taken = [slot for slot in SLOTS if slot in position["royals"]]
        return [f"switch {one} {other}" for place, one in enumerate(taken) for other in taken[place + 1 :]]
    if ploy == "reassignment":
        return [
            f"reassign {source} {target}"
            for source in CELLS
            for target in CELLS
            if source != target and (card := top(position, source)) and lies_on(position, card, target)
        ]
    aimed = {line(slot)[2] for slot, royal in position["royals"].items() if royal["alive"]}
    return [f"force {cell}" for cell in CELLS if cell in aimed and top(position, cell)]


def to_act(position: Json) -> int | None:
    """Return who must act: the queue's head, the owner of a royal that waits, or who is on turn (G6, G7, G14)."""
    if position["phase"] == "over":
        return None
    if position["ploys"]:
        return int(position["ploys"][0]["seat"])
    if position["phase"] == "setup":
        return owner(position, position["opening"][0]["card"])
    return owner(position, position["drawn"]) if position["phase"] == "place_royal" else int(position["turn"])


def required(position: Json) -> list[str]:
    """Return what the seat that must act may do, declarations and recalls apart."""
    if position["ploys"]:
        return uses(position, position["ploys"][0]["ploy"])
    if position["phase"] == "draw":
        return ["draw"]
    if position["phase"] == "place":
        places = [f"place {cell}" for cell in CELLS if lies_on(position, position["drawn"], cell)]
        return places or [f"armour {slot}" for slot in armours(position)] or ["return"]
    royal = position["opening"][0]["card"] if position["phase"] == "setup" else position["drawn"]
    return [f"royal {slot}" for slot in royal_slots(position, royal)]


def allowed(position: Json, seat: int) -> list[str]:
    """Return what a seat may do, as texts."""
    if position["phase"] == "over":
        return []
    declared = [
        f"declare {card} {ploy}"
        for card in position["arsenals"][seat]
        if position["phase"] != "setup" and card not in position["recalled"]
        for ploy in PLOYS[card[0]]
        if uses(position, ploy)
    ]
    recalls = [f"recall {queued['card']}" for queued in position["ploys"] if queued["seat"] == seat]
    return [*(required(position) if seat == to_act(position) else []), *declared, *recalls]


def ruled(before: Json, seat: int, text: str, seed: str) -> Json:
    """Return the position that follows from a legal action."""
    position: Json = copied(before)
    dealer = Dealer(seed)
    verb, *words = text.split()
    living = [other for other in range(position["players"]) if lives(position, other)]
    if verb == "declare":
        position["arsenals"][seat].remove(words[0])
        position["ploys"].append({"seat": seat, "card": words[0], "ploy": words[1]})
    elif verb == "recall":
        position["ploys"] = [queued for queued in position["ploys"] if queued["card"] != words[0]]
        position["arsenals"][seat].append(words[0])
        position["recalled"].append(words[0])
    elif verb == "draw":
        _draw(position, dealer)
    else:
        position["recalled"] = []  # G15
        _change(position, verb, words, living, dealer)
    return position


def lives(position: Json, seat: int) -> bool:
    """Tell whether a family has a living royal on the board, in the draw pile, or waiting to be placed (G17)."""
    board = [royal["card"] for royal in position["royals"].values() if royal["alive"]]
    waiting = [entry["card"] for entry in position["opening"]] + position.get("aside", [])
    cards = [*board, *position["draw_pile"], *waiting, position["drawn"] or "AC"]
    return any(card[0] in HEALTH and owner(position, card) == seat for card in cards)


def _draw(position: Json, dealer: Dealer) -> None:
    """Draw a card, or the next royal for a seat that has none on the board (G6, G16)."""
    seat, pile = position["turn"], position["draw_pile"]
    board = [royal["card"] for royal in position["royals"].values() if royal["alive"]]
    if not any(owner(position, card) == seat for card in board):
        passed = pile[: next(place for place, card in enumerate(pile) if card[0] in HEALTH)]
        position["known_bottom"] = min(position["known_bottom"], len(pile) - len(passed)) + len(passed)
        pile[:] = pile[len(passed) :] + passed
    card = pile.pop(0)
    position["known_bottom"] = min(position["known_bottom"], len(pile))
    if card[0] in PLOYS:
        position["arsenals"][seat].append(card)
        _next_turn(position, dealer)
    else:
        position |= {"drawn": card, "phase": "place_royal" if card[0] in HEALTH else "place"}


def _change(position: Json, verb: str, words: list[str], living: list[int], dealer: Dealer) -> None:
    """Carry out what changes the board."""
    mixed: list[str] = []
    if verb == "royal":
        _stand(position, words[0], dealer)
        return
    if verb == "armour":
        position["royals"][words[0]]["armour"].append(position["drawn"])
    elif verb == "return":
        mixed = [position["drawn"]]
    elif verb == "place":
        position["grid"][words[0]].append(position["drawn"])
    if verb in ("armour", "return", "place"):
        position["drawn"] = None
        mixed += _fire(position, words[0]) if verb == "place" else []
        _settle(position, living, mixed, dealer, turn_ends=True)
        return
    ploy = position["ploys"].pop(0)["card"]
    if verb == "switch":
        board = position["royals"]
        board[words[0]], board[words[1]] = board[words[1]], board[words[0]]
    elif verb == "reassign":
        position["grid"][words[1]].append(position["grid"][words[0]].pop())
    mixed = [] if verb == "switch" else _fire(position, words[-1])
    _settle(position, living, [*mixed, ploy], dealer, turn_ends=False)


def _stand(position: Json, slot: str, dealer: Dealer) -> None:
    """Place a royal (G5, G7)."""
    if position["phase"] == "place_royal":
        position["royals"][slot] = {"card": position["drawn"], "armour": [], "alive": True}
        position["drawn"] = None
        _next_turn(position, dealer)
        return
    royal = position["opening"].pop(0)["card"]
    position["royals"][slot] = {"card": royal, "armour": [], "alive": True}
    if position["opening"]:
        position["turn"] = position["opening"][0]["seat"]
        return
    position["draw_pile"] = dealer.shuffled(position["draw_pile"] + position.pop("aside"))
    _begin(position, 0, dealer)


def _fire(position: Json, cell: str) -> list[str]:
    """Fire at every living royal whose trigger a cell is (G9-G11); return the armour that falls."""
    fallen: list[str] = []
    for slot in SLOTS:
        royal = position["royals"].get(slot)
        if royal is None or not royal["alive"] or line(slot)[2] != cell:
            continue
        attackers = [card for other in line(slot)[:2] if (card := top(position, other))]
        rank, suit = royal["card"]
        hits = [c for c in attackers if rank == "J" or (red(c) == red(royal["card"]) if rank == "Q" else c[1] == suit)]
        attack = sum(WORTH[card[0]] for card in hits)
        armour = royal["armour"]
        if attack >= HEALTH[rank] + sum(WORTH[card[0]] for card in armour):
            royal["alive"] = False
            fallen += reversed(armour)
            royal["armour"] = []
        else:
            while armour and attack >= WORTH[armour[-1][0]]:
                attack -= WORTH[armour[-1][0]]
                fallen.append(armour.pop())
    return fallen


def _settle(position: Json, living: list[int], mixed: list[str], dealer: Dealer, *, turn_ends: bool) -> None:
    """Bury the seats that are out, mix cards in, and end the game or the turn (G17, G18, G21)."""
    out = [seat for seat in living if not lives(position, seat)]
    for seat in out:
        if seat == position["turn"] and position["phase"] == "place" and position["drawn"]:
            mixed.append(position["drawn"])
            position["drawn"] = None
        mixed += [queued["card"] for queued in position["ploys"] if queued["seat"] == seat]
        mixed += position["arsenals"][seat]
        position["ploys"] = [queued for queued in position["ploys"] if queued["seat"] != seat]
        position["arsenals"][seat] = []
    if mixed:
        position["draw_pile"] = dealer.shuffled(position["draw_pile"] + mixed)
        position["known_bottom"] = 0
    left = [seat for seat in living if seat not in out]
    if len(left) < 2:
        reason = "last_family" if left else "all_fell"
        _end(position, left[0] if left else None, reason)
    elif turn_ends or (position["turn"] in out and position["phase"] != "place_royal"):
        _next_turn(position, dealer)


def _end(position: Json, winner: int | None, reason: str) -> None:
    """End the game."""
    result = "draw" if winner is None else "won"
    position |= {"phase": "over", "outcome": {"result": result, "winner": winner, "reason": reason}}


def _next_turn(position: Json, dealer: Dealer) -> None:
    """Begin the next living seat's turn, unless the limit is reached (G6, G20)."""
    if 0 < position["turn_limit"] <= position["turns"]:
        _end(position, None, "turn_limit")
        return
    after = [(position["turn"] + step) % position["players"] for step in range(1, position["players"] + 1)]
    _begin(position, next(seat for seat in after if lives(position, seat)), dealer)


def _begin(position: Json, seat: int, dealer: Dealer) -> None:
    """Begin a turn; refresh a small draw pile (G19)."""
    position |= {"turn": seat, "turns": position["turns"] + 1, "phase": "draw"}
    if len(position["draw_pile"]) > 10:
        return
    taken = [card for cell in CELLS for card in position["grid"][cell][:-2]]
    for cell in CELLS:
        position["grid"][cell] = position["grid"][cell][-2:]
    position["draw_pile"] = dealer.shuffled(position["draw_pile"] + taken)
    position["known_bottom"] = 0
    if taken:
        position["recalled"] = []  # G15
    if not position["draw_pile"]:
        _end(position, None, "exhausted")
