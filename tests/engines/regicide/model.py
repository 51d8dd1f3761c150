"""The rulings once more, as plainly as they can be said: what is allowed, and what follows."""

from itertools import combinations

from tests.engines.referee import Json, copied
from tests.engines.regicide.boards import FLIP, LIMITS, PACK, YIELD, lost, won
from tests.engines.regicide.dealing import Dealer

ATTACK = {"J": 10, "Q": 15, "K": 20}
WORTH = {"X": 0, "A": 1, "T": 10} | ATTACK | {str(number): number for number in range(2, 10)}


def worth(cards: tuple[str, ...] | list[str]) -> int:
    """Return what *cards* are worth together, to play and to discard (R19)."""
    return sum(WORTH[card[0]] for card in cards)


def may_play(cards: tuple[str, ...]) -> bool:
    """Tell whether R3 allows these cards together."""
    ranks = [card[0] for card in cards]
    if len(cards) == 1:
        return True
    if "A" in ranks:
        return len(cards) == 2 and "X" not in ranks
    return len(set(ranks)) == 1 and ranks[0] in "2345" and worth(cards) <= 10


def attack(position: Json) -> int:
    """Return the enemy's attack after shields (R8, R9)."""
    suspended = position["immune"] and position["enemy"][1] == "S"
    return max(0, ATTACK[position["enemy"][0]] - (0 if suspended else position["shield"]))


def may_discard(cards: tuple[str, ...], blow: int) -> bool:
    """Tell whether R13 allows these cards against an attack of *blow*."""
    return worth(cards) >= blow > worth(cards) - max(WORTH[card[0]] for card in cards)


def may_yield(position: Json) -> bool:
    """Tell whether R15 lets the seat on turn yield."""
    turn, yielded = position["turn"], position["yielded"]
    if position["players"] == 1:
        return position["solo_yield"] and not yielded[0]
    return not all(mark for seat, mark in enumerate(yielded) if seat != turn)


def allowed(position: Json) -> list[Json]:
    """Return what the seat on turn may do, tried out set by set."""
    hand = position["hands"][position["turn"]]
    subsets = [cards for size in range(1, len(hand) + 1) for cards in combinations(hand, size)]
    flip = [FLIP] if position["jesters_left"] else []
    if position["phase"] == "play":
        played = [{"type": "play", "cards": list(cards)} for cards in subsets if may_play(cards)]
        return [*played, *([YIELD] if may_yield(position) else []), *flip]
    if position["phase"] == "suffer":
        blow = attack(position)
        return [*({"type": "discard", "cards": list(cards)} for cards in subsets if may_discard(cards, blow)), *flip]
    if position["phase"] == "choose":
        return [{"type": "choose", "seat": seat} for seat in range(position["players"])]
    return []


def ruled(before: Json, action: Json, seed: str) -> Json:
    """Return the position that follows from a legal *action* (R2)."""
    position = copied(before)
    turn, hand = position["turn"], position["hands"][position["turn"]]
    cards = sorted(action.get("cards", []), key=PACK.index)
    hand[:] = [card for card in hand if card not in cards]
    if action["type"] == "play":
        position["yielded"][turn] = False  # R15
        position["table"] += cards
        _play(position, cards, seed)
    elif action["type"] == "yield":
        position["yielded"][turn] = True  # R15
        _strike(position)
    elif action["type"] == "discard":
        position["discard"] += cards  # R13
        _begin(position, (turn + 1) % position["players"])
    elif action["type"] == "choose":
        _begin(position, action["seat"])  # R10
    else:
        _flip(position, hand)
    return _tidied(position)


def _tidied(position: Json) -> Json:
    """Forget the packets of cards that lie open (R21)."""
    hidden = {card for hand in [*position["hands"], position["tavern"]] for card in hand}
    position["packets"] = {card: number for card, number in position["packets"].items() if card in hidden}
    return position


def _pack(position: Json, cards: list[str]) -> None:
    """Number a new packet (R21)."""
    number = max(position["packets"].values(), default=0) + 1
    position["packets"] |= dict.fromkeys(cards, number)


def _play(position: Json, cards: list[str], seed: str) -> None:
    """Steps 2 and 3 (R4-R11)."""
    _tidied(position)
    if cards[0][0] == "X":
        position |= {"immune": False, "phase": "choose"}  # R10
        return
    value, enemy = worth(cards), position["enemy"]
    suits = {card[1] for card in cards}
    acting = suits - {enemy[1]} if position["immune"] else suits  # R9
    if "H" in acting:
        pile = Dealer(seed).shuffled(position["discard"])  # R5, R23
        position["tavern"] += pile[:value]
        position["discard"] = pile[value:]
        _pack(position, pile[:value])
    if "D" in acting:
        _draw(position, value)
    position["shield"] += value if "S" in suits else 0  # R8, R10
    position["damage"] += value * 2 if "C" in acting else value  # R7
    if position["damage"] >= 2 * ATTACK[enemy[0]]:
        _defeat(position)
    else:
        _strike(position)


def _draw(position: Json, value: int) -> None:
    """Draw one by one, clockwise from the player, past full hands (R6)."""
    hands, players = position["hands"], position["players"]
    seat = position["turn"]
    for _ in range(value):
        while any(len(hand) < LIMITS[players] for hand in hands) and len(hands[seat]) == LIMITS[players]:
            seat = (seat + 1) % players
        if len(hands[seat]) == LIMITS[players] or not position["tavern"]:
            return
        hands[seat].append(position["tavern"].pop(0))
        seat = (seat + 1) % players


def _defeat(position: Json) -> None:
    """Clear the table and turn the next enemy up (R12)."""
    enemy, castle = position["enemy"], position["castle"]
    if position["damage"] == 2 * ATTACK[enemy[0]]:
        position["tavern"].insert(0, enemy)
        _pack(position, [enemy])
    else:
        position["discard"].append(enemy)
    position["discard"] += position["table"]
    position |= {"table": [], "damage": 0, "shield": 0, "immune": True, "enemy": castle.pop(0) if castle else None}
    if position["enemy"]:
        _begin(position, position["turn"])
    else:
        medal = ["gold", "silver", "bronze"][position["flips"]] if position["players"] == 1 else None  # R18
        position |= {"phase": "over", "outcome": won(medal)}


def _lose(position: Json, reason: str) -> None:
    """Lose the game for all, at once."""
    position |= {"phase": "over", "outcome": lost(reason, 11 - len(position["castle"]))}


def _begin(position: Json, seat: int) -> None:
    """Begin a turn, if it can be begun (R16)."""
    position |= {"turn": seat, "phase": "play"}
    if not (position["hands"][seat] or may_yield(position) or position["jesters_left"]):
        _lose(position, "could_not_act")


def _strike(position: Json) -> None:
    """Begin step 4, unless there is nothing to suffer (R13, R14)."""
    turn, blow = position["turn"], attack(position)
    if blow == 0:
        _begin(position, (turn + 1) % position["players"])
    elif worth(position["hands"][turn]) < blow and not position["jesters_left"]:
        _lose(position, "could_not_suffer")
    else:
        position["phase"] = "suffer"


def _flip(position: Json, hand: list[str]) -> None:
    """Change the whole hand in solo (R17)."""
    position["discard"] += sorted(hand, key=PACK.index)
    hand[:], position["tavern"] = position["tavern"][:8], position["tavern"][8:]
    position["jesters_left"] -= 1
    position["flips"] += 1
    if position["phase"] == "play":
        _begin(position, 0)
    else:
        _strike(position)
