"""Foresight: what follows for sure from an action, whatever lies hidden from the seat that takes it.

It is found in a world that is imagined from the seat's view, so it is the same in all positions that the seat can't
tell apart. What it may say of that world, the ruleset's ``foreseen`` and ``determined`` decide.
"""

from dataclasses import dataclass
from random import Random

from engines.dealer import QuickDealer
from engines.events import Event
from engines.position import Action
from engines.ruleset import Ruleset
from engines.types import Json


@dataclass(frozen=True)
class Preview:
    """The events that follow for sure, and whether no others will."""

    events: tuple[Event, ...]
    certain: bool


def preview(ruleset: Ruleset, view: Json, seat: int, action: Action, dream: str = "") -> Preview:
    """Return what *action* does for sure, by what *view* shows: the same in any *dream* of it.

    Until something hidden turns up that is everything; from then on it is what happens however that turned out.
    """
    sure, certain = list[Event](), True
    for event in imagined(ruleset, view, seat, action, dream):
        if event.type in ruleset.foreseen or (certain and event.type in ruleset.determined):
            sure.append(event)
        elif event.type not in ruleset.determined:
            certain = False
    return Preview(tuple(sure), certain)


def imagined(ruleset: Ruleset, view: Json, seat: int, action: Action, dream: str) -> list[Event]:
    """Return what happens when *seat* does *action* in a *dream* of what *view* shows."""
    rng, events = Random(dream), list[Event]()
    ruleset.imagine(view, rng).apply(seat, action, QuickDealer(rng), events)
    return events
