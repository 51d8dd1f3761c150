"""Positions with equal views, found without ``imagine``: cards are exchanged and the views compared."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from json import dumps
from math import factorial, prod, sqrt
from random import Random
from typing import Any, Final, TypeVar

from api.commands.check_ruleset.generated_games import LawBroken, setups
from api.commands.check_ruleset.laws import cards_of, mentioned
from engines.contract.facts_for_checks import facts_of
from engines.core.cards import BY_NAME
from engines.core.errors import Refusal
from engines.core.types import Json
from engines.ruleset import Position, Ruleset

T = TypeVar("T")
SAMPLED_WORLDS: Final = 500
"""Number of worlds that are sampled from a view."""
EXCHANGES_PER_POSITION: Final = 40
"""Number of random exchanges that are tried in a position."""
MAX_FIRST_POSITIONS: Final = 4
"""Maximum number of first positions, with different options, in which an exchange is tried."""


def exchanged(written: Any, names: Mapping[str, str]) -> Any:
    """Return *written* with each card replaced by the one that *names* has for it, if any.

    The keys of objects are unchanged, because they are public.
    """
    if isinstance(written, str):
        return names.get(written, written)
    if isinstance(written, dict):
        return {key: exchanged(value, names) for key, value in written.items()}
    if isinstance(written, list):
        return [exchanged(value, names) for value in written]
    return written


def card_places(ruleset: Ruleset, position: Json) -> list[tuple[str, str]]:
    """Return (card, place) for every card of a dumped position. All places in an orderless list are equal."""
    return list(_card_places(position, "", facts_of(ruleset).orderless, ordered=True))


def _card_places(written: Any, path: str, orderless: frozenset[str], *, ordered: bool) -> Iterator[tuple[str, str]]:
    """Yield (card, path) for every card in *written*. All cards of an orderless list have the same path."""
    if isinstance(written, str) and written in BY_NAME:
        yield written, path
    elif isinstance(written, dict):
        for name, value in written.items():
            yield from _card_places(value, f"{path}/{name}", orderless, ordered=ordered and name not in orderless)
    elif isinstance(written, list):
        for number, value in enumerate(written):
            counted = ordered or isinstance(value, (list, dict))
            yield from _card_places(value, f"{path}/{number}" if counted else path, orderless, ordered=ordered)


def canonical(ruleset: Ruleset, position: Json) -> str:
    """Return a text for a dumped position. Positions that differ only in orderless lists have equal texts."""
    return dumps(sorted(card_places(ruleset, position)))


def look_alike(ruleset: Ruleset, position: Position, seat: int | None, names: Mapping[str, str]) -> Position | None:
    """Return *position* with cards exchanged. Return None if the result is invalid or changes the view of *seat*."""
    try:
        other = ruleset.load(exchanged(position.dump(), names))
    except Refusal:
        return None
    return other if other.view(seat) == position.view(seat) else None


def orbits(ruleset: Ruleset, position: Position, seat: int | None) -> list[list[str]]:
    """Return groups of cards that *seat* can't tell apart. Valid exchanges can swap any two cards of a group."""
    cards = cards_of(ruleset, position)
    group = {card: {card} for card in cards}
    truth, lies = canonical(ruleset, position.dump()), dict(card_places(ruleset, position.dump()))
    ranked = {card for card in cards if lies[card].startswith(facts_of(ruleset).by_rank)}
    for one, other in combinations(cards, 2):
        if group[one] is group[other] or ({one, other} & ranked and one[0] != other[0]):
            continue
        world = look_alike(ruleset, position, seat, {one: other, other: one})
        if world is not None and canonical(ruleset, world.dump()) != truth:
            group[one] |= group[other]
            for card in group[other]:
                group[card] = group[one]
    return sorted({tuple(sorted(cards)): sorted(cards) for cards in group.values() if len(cards) > 1}.values())


def exchanged_nothing(ruleset: Ruleset) -> bool:
    """Return whether law 6 has nothing to try: first positions have hidden cards, but all these positions are skipped.

    A position is skipped if no two hidden cards can be exchanged, or if an exchange is invalid or changes the view.
    """
    hidden = False
    for setup in setups(ruleset, max(ruleset.player_counts))[:MAX_FIRST_POSITIONS]:
        position = setup.deal("exchanges")
        for seat in (None, 0):
            if len({*cards_of(ruleset, position)} - mentioned(position.view(seat))) < 2:
                continue
            hidden = True
            groups = orbits(ruleset, position, seat)
            if groups and None not in exchanges(ruleset, position, seat, groups, "warning"):
                return False
    return hidden


def size(groups: Sequence[Sequence[str]]) -> int:
    """Return the number of ways to exchange cards within their groups."""
    return prod(factorial(len(group)) for group in groups)


def some_world(
    ruleset: Ruleset, position: Position, seat: int | None, groups: Sequence[Sequence[str]], rng: Random
) -> Position | None:
    """Return *position* with each group's cards shuffled. Return None if the result is invalid or changes the view."""
    names = {card: name for group in groups for card, name in zip(group, rng.sample(group, len(group)), strict=True)}
    return look_alike(ruleset, position, seat, names)


def exchanges(
    ruleset: Ruleset, position: Position, seat: int | None, groups: Sequence[Sequence[str]], seed: str
) -> list[Position | None]:
    """Return ``EXCHANGES_PER_POSITION`` results of ``some_world``: a position with its groups shuffled, or None."""
    return [
        some_world(ruleset, position, seat, groups, Random(f"{seed}/{number}"))
        for number in range(EXCHANGES_PER_POSITION)
    ]


def law_6_hidden_cards_lie_evenly(ruleset: Ruleset, position: Position, seat: int | None, seed: str) -> None:
    """In sampled worlds each card whose place *seat* doesn't know lies in each of its possible places equally often.

    A position in which some exchange is invalid or changes the view is skipped: there the place of one card depends on
    those of others, so that its possible places need not be equally likely.
    """
    groups = orbits(ruleset, position, seat)
    if None in exchanges(ruleset, position, seat, groups, seed):
        return
    view, truth = position.view(seat), dict(card_places(ruleset, position.dump()))
    seen = Counter(
        pair
        for number in range(SAMPLED_WORLDS)
        for pair in card_places(ruleset, ruleset.imagine(view, Random(f"even {seed} {number}")).dump())
    )
    for group in groups:
        room = Counter(truth[card] for card in group)
        expected = {(card, place): SAMPLED_WORLDS * many / len(group) for card in group for place, many in room.items()}
        if sum(seen[pair] for pair in expected) != SAMPLED_WORLDS * len(group):
            raise LawBroken(f"worlds of view({seat}) have a card where it can't lie: one of {', '.join(group)}")
        if not follows(seen, expected, (len(group) - 1) * (len(room) - 1)):
            raise LawBroken(
                f"worlds of view({seat}) have some of {', '.join(group)} more often in one place than another"
            )


def follows(seen: Mapping[T, int], expected: Mapping[T, float], freedom: int) -> bool:
    """Return whether the counts *seen* fit the counts *expected*, by a chi-square test with a generous bound.

    *freedom* is the number of degrees of freedom.
    """
    distance = sum((seen[case] - often) ** 2 / often for case, often in expected.items())
    return distance < freedom + 6 * sqrt(2 * freedom) + 10
