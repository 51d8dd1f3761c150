"""Facts about a ruleset that checks need: the object ``FACTS`` in the module ``facts`` of the ruleset's package.

The checks are the laws that every ruleset must keep (``regicide check-ruleset``), and tests. A ruleset without the
module gets the defaults: no cards of the usual pack, no numbered rulings, and nothing hidden except what its events and
views hide.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from engines.contract.base import Ruleset
from engines.core.types import Json

Viewer = int | None
"""A seat, or None for a spectator."""


def no_cards(_position: Json, _viewer: Viewer) -> set[str]:
    """Return no cards: the default of ``Facts.open_cards``."""
    return set()


def whole_event(event: Json, _viewer: Viewer) -> Json:
    """Return the event unchanged: ``Facts.seen_event`` of a game whose events hide nothing."""
    return event


@dataclass(frozen=True)
class Facts:
    """Facts of one ruleset that laws and tests need."""

    rulings: str = ""
    """The letter before the numbers of rulings; if it is set, every ``IllegalAction`` must name a ruling."""
    notes: frozenset[str] = frozenset()
    """Names of fields in a position that mention cards but don't contain them: the cards are in other fields."""
    orderless: frozenset[str] = frozenset()
    """Fields of a position whose lists are kept sorted, such as hands, or whose order is public or means nothing.

    Law 6, which exchanges hidden cards and compares the views, ignores the places of cards within these lists.
    """
    by_rank: tuple[str, ...] = ()
    """Prefixes of paths in a position: at these places the rank of each card is public, although its suit is hidden."""
    probe: str | None = None
    """Text of an action with ``{}`` for a card, refused if the seat doesn't hold the card; None if there is none."""
    open_cards: Callable[[Json, Viewer], set[str]] = no_cards
    """Returns the cards of a dumped position whose places a viewer may know."""
    seen_event: Callable[[Json, Viewer], Json] | None = None
    """Returns an event as a viewer may see it, computed independently of the event's class; None: use the class."""
    leaves_traces: bool = False
    """True if a replay detects every action that was left out of a record."""
    random_actions: int = 100_000
    """Number of random actions in the long tests."""


@cache
def facts_of(ruleset: Ruleset) -> Facts:
    """Return the facts of *ruleset*: the defaults if its package has no module ``facts``."""
    package = type(ruleset).__module__.rpartition(".")[0]
    name = f"{package}.facts"
    if not package or find_spec(name) is None:
        return Facts()
    facts: Facts = import_module(name).FACTS
    return facts
