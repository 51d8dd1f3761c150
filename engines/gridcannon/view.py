"""What may be known of a game, and the games that look so: all is public but the order of the draw pile (G22)."""

from random import Random
from typing import Final

from engines.cards import PACK, Card, load_card, names, sorted_names
from engines.gridcannon.board import FAMILIES, FAMILY_OF_SUIT, REMOVED, is_royal
from engines.gridcannon.notation import dump
from engines.gridcannon.state import State
from engines.ruleset import Json

ALL: Final = frozenset(PACK)


def seen(state: State) -> Json:
    """Return what everybody may know: the position, its hidden zones as counts, its unordered lists sorted."""
    view = dump(state)
    bottom = state.draw_pile[len(state.draw_pile) - state.known_bottom :]
    view["draw_pile"] = {"count": len(state.draw_pile), "bottom": names(bottom)}
    if "aside" in view:
        view["aside"] = {"count": len(state.aside)}
    view["arsenals"] = [sorted_names(arsenal) for arsenal in state.arsenals]
    view["recalled"] = sorted_names(state.recalled)
    return view


def imagined(view: Json, rng: Random) -> Json:
    """Sample a position that looks like *view*, in the notation of positions.

    In a dealt game the draw pile holds all cards that aren't seen, so that every order of them is as likely. What is
    unseen is sorted before it is shuffled: the sample can't depend on the truth.
    """
    unseen = sorted(ALL - _visible(view))
    hidden = view["draw_pile"]["count"] - len(view["draw_pile"]["bottom"])
    if "aside" not in view:
        pile = _sample(view, unseen, hidden, rng)
        return {**view, "draw_pile": names(pile) + view["draw_pile"]["bottom"]}
    pile = _sample(view, [card for card in unseen if not is_royal(card)], hidden, rng)
    aside = _sample(view, [card for card in unseen if is_royal(card)], view["aside"]["count"], rng)
    return {**view, "draw_pile": names(pile), "aside": names(aside)}


def _visible(view: Json) -> set[Card]:
    """Return every card that lies open, or is known at the bottom of the draw pile."""
    shown = [name for stack in (*view["grid"].values(), *view["arsenals"]) for name in stack]
    shown += [name for royal in view["royals"].values() for name in (royal["card"], *royal["armour"])]
    shown += [entry["card"] for entry in (*view["opening"], *view["ploys"])]
    shown += view["draw_pile"]["bottom"]
    return {load_card(name) for name in ([*shown, view["drawn"]] if view["drawn"] else shown)}


def _sample(view: Json, pool: list[Card], count: int, rng: Random) -> list[Card]:
    """Return *count* cards of *pool* in random order.

    Cards are left over if the deck was reduced (G2), or if the game began as a puzzle that doesn't use them all: then
    the royals that some seat must still have, or it would be out, are among those taken.
    """
    if len(pool) == count + len(REMOVED) and view["players"] == 2 and set(REMOVED).issubset(pool):
        pool = [card for card in pool if card not in REMOVED]
    wanted = _wanted(view, pool, rng) if len(pool) > count else []
    rest = [card for card in pool if card not in wanted]
    rng.shuffle(rest)
    taken = wanted + rest[: count - len(wanted)]
    rng.shuffle(taken)
    return taken


def _wanted(view: Json, pool: list[Card], rng: Random) -> list[Card]:
    """Return a royal of *pool* for each seat that lives, but has no royal in sight (G17, G18)."""
    suits = FAMILY_OF_SUIT[view["players"]]
    seats = [FAMILIES[view["players"]].index(family) for family in view["families"]]
    owner = {card: seats.index(suits[card & 3]) for card in PACK if is_royal(card)}
    living = {owner[card] for card in _in_sight(view)}
    lives = [seat for seat, arsenal in enumerate(view["arsenals"]) if arsenal]
    lives += [queued["seat"] for queued in view["ploys"]]
    if view["phase"] in ("draw", "place"):
        lives.append(view["turn"])
    others = [seat for seat in range(view["players"]) if seat not in living and seat not in lives]
    rng.shuffle(others)
    wanted = list[Card]()
    for seat in (*lives, *others):
        own = [card for card in pool if owner.get(card) == seat]
        if seat not in living and own and (seat in lives or (view["phase"] != "over" and len(living) < 2)):
            wanted.append(rng.choice(own))
            living.add(seat)
    return wanted


def _in_sight(view: Json) -> list[Card]:
    """Return the living royals that everybody sees."""
    shown = [royal["card"] for royal in view["royals"].values() if royal["alive"]]
    shown += [entry["card"] for entry in view["opening"]]
    shown += view["draw_pile"]["bottom"]
    shown += [view["drawn"]] if view["drawn"] else []
    return [card for card in map(load_card, shown) if is_royal(card)]
