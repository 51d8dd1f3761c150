"""Previews an action: computes those of its effects that are certain, whatever is hidden from the acting seat.

The effects are computed in a world sampled from the seat's view, so they are equal in all positions that the seat can't
tell apart. The ruleset's ``foreseen`` and ``determined`` say which effects are certain.
"""

from dataclasses import dataclass
from random import Random

from engines.contract.base import Ruleset
from engines.contract.events import Event
from engines.contract.position import Action
from engines.core.dealer import SimulationDealer
from engines.core.types import Json


@dataclass(frozen=True)
class Foreseen:
    """An event that is certain to happen. *known* is True if the values of all its fields are certain too."""

    event: Event
    known: bool

    def seen_by(self, viewer: int | None) -> Json:
        """Return what *viewer* may know of the event before it happens."""
        return self.event.seen_by(viewer) if self.known else self.event.foretold()


@dataclass(frozen=True)
class Preview:
    """The events that are certain to happen.

    ``certain`` is True if no other events can happen, and all fields of the events are known.
    """

    events: tuple[Foreseen, ...]
    certain: bool


def preview(ruleset: Ruleset, view: Json, seat: int, action: Action, world_seed: str = "") -> Preview:
    """Return the effects of *action* that are certain for a seat that knows only *view*.

    Events of a type in ``ruleset.foreseen`` are always certain. Events of a type in ``ruleset.determined`` are certain
    until chance has an effect. They are uncertain after an event of a type in neither list, and after an event with
    unknown random fields on which later events depend (``Event.decisive``).

    *world_seed* selects one of the worlds that fit the view. The result is the same for each of them.
    """
    sure, turned_up, certain = list[Foreseen](), False, True
    for event in imagined(ruleset, view, seat, action, world_seed):
        known = not ruleset.left_to_luck(event, view)
        if event.type in ruleset.foreseen or (not turned_up and event.type in ruleset.determined):
            sure.append(Foreseen(event, known))
            turned_up |= event.decisive and not known
            certain &= known
        elif event.type not in ruleset.determined:
            turned_up = True
    return Preview(tuple(sure), certain and not turned_up)


def imagined(ruleset: Ruleset, view: Json, seat: int, action: Action, world_seed: str) -> list[Event]:
    """Sample a world that fits *view*, with the seed *world_seed*; return the events of *action* by *seat* in it."""
    rng, events = Random(world_seed), list[Event]()
    ruleset.imagine(view, rng).apply(seat, action, SimulationDealer(rng), events)
    return events
