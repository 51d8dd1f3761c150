"""What the tests know of a ruleset and its contract doesn't say: a module per ruleset, which has ``FACTS``.

A ruleset without one is taken to have no playing cards, no numbered rulings, and nothing hidden but what its events and
views hide.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from engines import RULESETS
from engines.core.types import Json

Viewer = int | None


def nothing(_position: Json, _viewer: Viewer) -> set[str]:
    """No card lies open, where there are none."""
    return set()


def all_of_it(event: Json, _viewer: Viewer) -> Json:
    """Nothing of an event is hidden."""
    return event


@dataclass(frozen=True)
class Facts:
    """About one ruleset."""

    rulings: str = ""
    """How the numbers of its rulings begin; if it has any, every illegal action names one."""
    notes: frozenset[str] = frozenset()
    """Fields of a position that only speak of cards which lie elsewhere."""
    orderless: frozenset[str] = frozenset()
    """Lists whose order tells nothing, in a view; or whose order everybody knows."""
    by_rank: tuple[str, ...] = ()
    """Where in a position the rules say how ranks lie: only cards of one rank may be exchanged there."""
    probe: str | None = None
    """An action with a card, which is refused if the card isn't the player's."""
    lies_open: Callable[[Json, Viewer], set[str]] = nothing
    """The cards of a position whose place a viewer may know."""
    seen_event: Callable[[Json, Viewer], Json] | None = None
    """An event as a viewer may be told it, said independently; if None, as its class says: hidden, knowers, public."""
    leaves_traces: bool = False
    """Seats act in turn, and every action shows in what follows: none can be left out of a record unnoticed."""
    random_actions: int = 100_000
    """So many are taken in the long tests."""


@cache
def facts(ruleset: str) -> Facts:
    """Return what is known of a ruleset."""
    name = f"{__name__}.{ruleset}"
    if find_spec(name) is None:
        return Facts()
    known: Facts = import_module(name).FACTS
    return known


def as_seen(ruleset: str, event: Json, viewer: Viewer) -> Json:
    """Return an event as *viewer* may be told it."""
    seen_event = facts(ruleset).seen_event
    if seen_event is not None:
        return seen_event(event, viewer)
    kind = next(kind for kind in RULESETS[ruleset].events if kind.type == event["type"])
    fields: Json = {name: tuple(value) if isinstance(value, list) else value for name, value in event.items()}
    del fields["type"]
    return kind(**fields).seen_by(viewer)
