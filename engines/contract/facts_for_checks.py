"""What laws can't read off a ruleset: ``FACTS`` in the module ``facts`` beside it.

A ruleset without this module has no cards of a usual pack, no numbered rulings, and hides only what its events and
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
    """Return no card: the default of ``Facts.open_cards``."""
    return set()


def whole_event(event: Json, _viewer: Viewer) -> Json:
    """Return the event unchanged: ``Facts.seen_event`` of a game whose events hide nothing."""
    return event


@dataclass(frozen=True)
class Facts:
    """Facts of one ruleset that laws and tests need."""

    rulings: str = ""
    """Letter before the numbers of rulings; if given, every ``IllegalAction`` must name a ruling."""
    notes: frozenset[str] = frozenset()
    """Fields of a position that repeat cards which lie elsewhere."""
    orderless: frozenset[str] = frozenset()
    """Lists whose order is public or has no meaning."""
    by_rank: tuple[str, ...] = ()
    """Paths in a position where the order of ranks is public, so that only cards of one rank can be exchanged."""
    probe: str | None = None
    """Text of an action with a card as ``{}``, which is refused if the seat doesn't hold the card."""
    open_cards: Callable[[Json, Viewer], set[str]] = no_cards
    """The cards of a dumped position whose place a viewer may know."""
    seen_event: Callable[[Json, Viewer], Json] | None = None
    """An event as a viewer may see it, written independently of the event's class; None: as the class says."""
    leaves_traces: bool = False
    """True if leaving any action out of a record is noticed on replay."""
    random_actions: int = 100_000
    """Number of random actions in the long tests."""


@cache
def facts_of(ruleset: Ruleset) -> Facts:
    """Return the facts beside a ruleset, or the defaults."""
    package = type(ruleset).__module__.rpartition(".")[0]
    name = f"{package}.facts"
    if not package or find_spec(name) is None:
        return Facts()
    facts: Facts = import_module(name).FACTS
    return facts
