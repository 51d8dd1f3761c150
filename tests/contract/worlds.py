"""Worlds that look alike, found without ``imagine``: by exchanging cards and asking whether the view shows it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations, product
from json import dumps
from math import factorial, prod
from random import Random
from typing import Any

from engines import RULESETS
from engines.core.cards import BY_NAME
from engines.core.errors import Refusal
from engines.core.types import Json
from engines.ruleset import Position, Ruleset
from tests.contract.laws import cards_of
from tests.contract.rulesets import facts

ORDERLESS = frozenset[str]().union(*(facts(name).orderless for name in RULESETS))
"""Lists whose order tells nothing."""


def exchanged(written: Any, names: Mapping[str, str]) -> Any:
    """Return *written* with each card replaced by what *names* has for it. Keys stay: what they say is public."""
    if isinstance(written, str):
        return names.get(written, written)
    if isinstance(written, dict):
        return {key: exchanged(value, names) for key, value in written.items()}
    if isinstance(written, list):
        return [exchanged(value, names) for value in written]
    return written


def places(written: Any, path: str = "", *, ordered: bool = True) -> Iterator[tuple[str, str]]:
    """Yield (card, place) for everything in *written*: places that differ in nothing but an idle order are one."""
    if isinstance(written, str) and written in BY_NAME:
        yield written, path
    elif isinstance(written, dict):
        for name, value in written.items():
            yield from places(value, f"{path}/{name}", ordered=ordered and name not in ORDERLESS)
    elif isinstance(written, list):
        for number, value in enumerate(written):
            counted = ordered or isinstance(value, (list, dict))
            yield from places(value, f"{path}/{number}" if counted else path, ordered=ordered)


def told_apart_by(dump: Json) -> str:
    """Return a text that is equal for worlds which differ in nothing but an idle order."""
    return dumps(sorted(places(dump)))


def look_alike(ruleset: Ruleset, position: Position, seat: int | None, names: Mapping[str, str]) -> Position | None:
    """Return *position* with cards exchanged, if that is a position and *seat* sees no difference."""
    try:
        other = ruleset.load(exchanged(position.dump(), names))
    except Refusal:
        return None
    return other if other.view(seat) == position.view(seat) else None


def orbits(ruleset: Ruleset, position: Position, seat: int | None) -> list[list[str]]:
    """Return the cards that *seat* can't place, in groups: within one any two may be exchanged, perhaps by steps."""
    cards = cards_of(ruleset, position)
    group = {card: {card} for card in cards}
    truth, lies = told_apart_by(position.dump()), dict(places(position.dump()))
    ranked = {card for card in cards if lies[card].startswith(facts(ruleset.name).by_rank)}
    for one, other in combinations(cards, 2):
        if group[one] is group[other] or ({one, other} & ranked and one[0] != other[0]):
            continue
        world = look_alike(ruleset, position, seat, {one: other, other: one})
        if world is not None and told_apart_by(world.dump()) != truth:
            group[one] |= group[other]
            for card in group[other]:
                group[card] = group[one]
    return sorted({tuple(sorted(cards)): sorted(cards) for cards in group.values() if len(cards) > 1}.values())


def size(groups: Sequence[Sequence[str]]) -> int:
    """Return in how many ways the cards can be exchanged within their groups."""
    return prod(factorial(len(group)) for group in groups)


def every_world(ruleset: Ruleset, position: Position, seat: int | None, groups: Sequence[Sequence[str]]) -> list[str]:
    """Return every world that looks like *position* to *seat*, each as often as cards can be exchanged to reach it."""
    found = []
    for orders in product(*(permutations(group) for group in groups)):
        names = {
            card: name
            for group, order in zip(groups, orders, strict=True)
            for card, name in zip(group, order, strict=True)
        }
        world = look_alike(ruleset, position, seat, names)
        if world is not None:
            found.append(told_apart_by(world.dump()))
    return found


def some_world(
    ruleset: Ruleset, position: Position, seat: int | None, groups: Sequence[Sequence[str]], rng: Random
) -> Position | None:
    """Return a world by chance; None if what chance brought can't be, or looks different."""
    names = {card: name for group in groups for card, name in zip(group, rng.sample(group, len(group)), strict=True)}
    return look_alike(ruleset, position, seat, names)
