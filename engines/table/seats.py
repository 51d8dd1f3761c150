"""Seats of a hosted table, and the events that happen at the table rather than in the game."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Annotated, ClassVar, Final

from engines.contract.base import Ruleset
from engines.contract.events import Event
from engines.core.cross_version_fields import split_fields, to_stored
from engines.core.schemas import COUNT, NOBODY, union
from engines.core.types import Json

SeatNumber = Annotated[int, COUNT]
Nobody = Annotated[None, NOBODY]


OPERATOR: Final = "operator"
INACTIVITY: Final = "inactivity"
ABANDONED_BY: Final = (OPERATOR, INACTIVITY)
"""Who may end a game beside its host: the server's operator, and the time in which nobody did anything."""


@dataclass(frozen=True)
class Started(Event):
    """No seat is open any more; the deal follows."""

    seat: Nobody
    from_position: Annotated[
        bool, {"type": "boolean", "description": "nothing is dealt: the game starts as its creator said"}
    ]


@dataclass(frozen=True)
class Joined(Event):
    """A person took a seat."""

    seat: SeatNumber
    name: str


@dataclass(frozen=True)
class Signalled(Event):
    """A seat gave its signal."""

    type: ClassVar[str] = "signal"
    seat: SeatNumber
    signal: str


@dataclass(frozen=True)
class HandedOver(Event):
    """An AI takes over the seat."""

    seat: SeatNumber
    level: str


@dataclass(frozen=True)
class Abandoned(Event):
    """The game was ended without an outcome, by its host unless *by* says otherwise."""

    seat: Nobody
    by: Annotated[str | None, {"enum": list(ABANDONED_BY)}] = None

    def as_json(self) -> Json:
        """Return all fields; without ``by`` if the host did it."""
        return {"type": self.type, "seat": None, **({} if self.by is None else {"by": self.by})}

    @classmethod
    def schema(cls) -> Json:
        return {**super().schema(), "required": ["seat"]}


EVENT_SCHEMA: Final = union(
    "Event", {event.type: event.schema() for event in (Started, Joined, Signalled, HandedOver, Abandoned)}
)
"""JSON Schemas of the table's events by name, as in ``Ruleset.schemas``."""


FIRST_LAYOUT_FIELDS: Final = frozenset(("kind", "name", "level", "client_seed", "asks", "reserved"))
"""Fields of a seat in the first layout of the store. They are always written (cross_version_fields.py)."""


@dataclass(frozen=True)
class Seat:
    """A place at the table: ``kind`` is ``human``, ``ai`` or ``open``."""

    kind: str
    name: str | None = None
    level: str | None = None
    client_seed: str = ""
    asks: Mapping[str, object] = field(default_factory=dict)
    """The options that the seat chose for itself, by the ruleset's ``seat_options``."""
    reserved: bool = False
    """True if the seat is open only for the player of the previous game."""
    unknown: Json = field(default_factory=dict)
    """Stored fields that only a newer server version knows: they are written back unchanged and have no effect."""

    def dump(self) -> Json:
        """Return all fields of the seat, for storage. ``load`` is the inverse."""
        return {**to_stored(self, FIRST_LAYOUT_FIELDS), "asks": dict(self.asks)}

    @classmethod
    def load(cls, stored: Json) -> "Seat":
        """Read a stored seat. Raises ``TypeError`` if a field is missing."""
        known, unknown = split_fields(stored, cls)
        return cls(**known, unknown=unknown)

    def for_rematch(self, client_seed: str | None) -> "Seat":
        """Return the seat for the next game.

        A person's seat is reserved if *client_seed* is None, else the person takes it with that seed. AIs and open
        seats stay. An AI has no seed: that of a seat which was handed over was its person's.
        """
        if self.kind == "ai":
            return replace(self, client_seed="")
        if self.kind == "open" and not self.reserved:
            return self
        if client_seed is None:
            return replace(self, kind="open", client_seed="", reserved=True)
        return replace(self, kind="human", client_seed=client_seed, reserved=False)

    def as_json(self, number: int) -> Json:
        """Return what every viewer may know of the seat."""
        shown = {"seat": number, "kind": self.kind, "name": self.name, "level": self.level, **self.asks}
        if self.reserved:
            shown["reserved"] = True
        return {key: value for key, value in shown.items() if value is not None}


AI_NAMES: Final = (
    *("Ada", "Blas", "Clara", "Darío", "Elsa", "Félix", "Gala", "Hugo", "Inés", "Jonas", "Kira", "Leo", "Mina"),
    *("Nico", "Olga", "Pablo", "Rita", "Simón", "Tea", "Ugo", "Vera", "Xavi", "Zoe"),
)


def with_ai_names(game_id: str, seats: Sequence[Seat]) -> tuple[Seat, ...]:
    """Return *seats*, where each AI without a name gets one that no other seat has.

    The names depend only on the game's id and the seats.
    """
    first, taken = sha256(game_id.encode()).digest()[0], {seat.name for seat in seats}
    with_names = list[Seat]()
    for number, seat in enumerate(seats):
        if seat.kind == "ai" and seat.name is None:
            order = [AI_NAMES[(first + 5 * number + step) % len(AI_NAMES)] for step in range(len(AI_NAMES))]
            seat = replace(seat, name=next(name for name in order if name not in taken))  # noqa: PLW2901
            taken.add(seat.name)
        with_names.append(seat)
    return tuple(with_names)


@dataclass(frozen=True)
class PendingAi:
    """An AI that must or may decide now: its seat and its level."""

    seat: int
    level: str


def merge_seat_options(ruleset: Ruleset, options: Json, seats: Sequence[Seat]) -> Json:
    """Return *options* with the seats' choices added as lists, one entry per seat (``Ruleset.seat_options``)."""
    lists = {
        option: [seat.asks.get(asked) for seat in seats]
        for asked, option in ruleset.seat_options.items()
        if any(seat.asks.get(asked) is not None for seat in seats)
    }
    return {**options, **lists}


def reorder_seat_options(ruleset: Ruleset, options: Json, order: Sequence[int]) -> Json:
    """Return *options* for seats in another *order*: values that are listed per seat move with the seats."""
    lists = {option: options[option] for option in ruleset.seat_options.values() if option in options}
    return {**options, **{option: [listed[before] for before in order] for option, listed in lists.items()}}
