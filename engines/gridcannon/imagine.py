"""Sampling worlds from a view of Gridcannon: all orders of hidden cards are equally likely (G22)."""

from random import Random
from typing import Final

from engines.core.cards import PACK, Card, load_card, names
from engines.core.dealer import SimulationDealer
from engines.core.types import Json
from engines.gridcannon.board import FAMILIES_BY_PLAYERS, REMOVED_PLOY_CARDS, SUIT_FAMILIES_BY_PLAYERS, is_royal
from engines.gridcannon.notation import count_lives, load
from engines.gridcannon.rules import GridcannonPosition
from engines.ruleset import Worlds

ALL_CARDS: Final = frozenset(PACK)


class GridcannonWorlds(Worlds[GridcannonPosition]):
    """The positions consistent with one view. The view is read once; hidden cards are dealt for each sample.

    In a dealt game the draw pile holds all unseen cards. They are sorted before each shuffle, so that a sample can't
    depend on their true order.
    """

    def __init__(self, view: Json) -> None:
        unseen, self._view = sorted(ALL_CARDS - _visible(view)), view
        self._bottom = [load_card(name) for name in view["draw_pile"]["bottom"]]
        self._hidden: int = view["draw_pile"]["count"] - len(self._bottom)
        self._aside, self._royals = 0, list[Card]()
        """``_aside``: number of royals that wait aside in setup; ``_royals``: the cards that they may be."""
        if "aside" in view:
            self._aside = view["aside"]["count"]
            self._royals = [card for card in unseen if is_royal(card)]
            unseen = [card for card in unseen if not is_royal(card)]
        if (
            len(unseen) == self._hidden + len(REMOVED_PLOY_CARDS)
            and view["players"] == 2
            and set(REMOVED_PLOY_CARDS).issubset(unseen)
        ):
            unseen = [card for card in unseen if card not in REMOVED_PLOY_CARDS]
        self._unseen = unseen
        self._seen = load(self._one(), GridcannonPosition())

    def sample(self, rng: Random) -> GridcannonPosition:
        position = self._seen.copy()
        position.draw_pile = self._take(self._unseen, self._hidden, rng) + self._bottom
        position.aside = self._take(self._royals, self._aside, rng)
        if len(self._unseen) > self._hidden or len(self._royals) > self._aside:
            count_lives(position)
        return position

    def _one(self) -> Json:
        """Return one of the positions, in notation."""
        rng = Random(0)
        pile = names(self._take(self._unseen, self._hidden, rng) + self._bottom)
        aside = {"aside": names(self._take(self._royals, self._aside, rng))} if "aside" in self._view else {}
        return {**self._view, "draw_pile": pile, **aside}

    def _take(self, pool: list[Card], count: int, rng: Random) -> list[Card]:
        """Return *count* cards of *pool* in random order.

        A game that began as a puzzle may use fewer cards than *pool* has. Then the result includes the royals that each
        living seat needs to stay in the game.
        """
        dealer, wanted, rest = SimulationDealer(rng), list[Card](), pool[:]
        if len(pool) > count:
            wanted = _needed_royals(self._view, pool, rng)
            rest = [card for card in pool if card not in wanted]
            dealer.shuffle(rest)
        taken = wanted + rest[: count - len(wanted)]
        dealer.shuffle(taken)
        return taken


def _visible(view: Json) -> set[Card]:
    """Return the face-up cards, and the known cards at the bottom of the draw pile."""
    shown = [name for stack in (*view["grid"].values(), *view["arsenals"]) for name in stack]
    shown += [name for royal in view["royals"].values() for name in (royal["card"], *royal["armour"])]
    shown += [entry["card"] for entry in (*view["opening"], *view["ploys"])]
    shown += view["draw_pile"]["bottom"]
    return {load_card(name) for name in ([*shown, view["drawn"]] if view["drawn"] else shown)}


def _needed_royals(view: Json, pool: list[Card], rng: Random) -> list[Card]:
    """Return a royal of *pool* for each seat that must be living but has no visible living royal (G17, G18)."""
    suits = SUIT_FAMILIES_BY_PLAYERS[view["players"]]
    seats = [FAMILIES_BY_PLAYERS[view["players"]].index(family) for family in view["families"]]
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
    """Return the living royals that are visible."""
    shown = [royal["card"] for royal in view["royals"].values() if royal["alive"]]
    shown += [entry["card"] for entry in view["opening"]]
    shown += view["draw_pile"]["bottom"]
    shown += [view["drawn"]] if view["drawn"] else []
    return [card for card in map(load_card, shown) if is_royal(card)]
