"""Positions, actions, and the step from one position to the next."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self, TypeVar

from engines.contract.events import Event
from engines.core.dataclass_schemas import object_schema, type_of
from engines.core.dealer import Dealer, SeededDealer
from engines.core.errors import GameOver, IllegalAction, NotYourTurn
from engines.core.mypyc_support import mypyc_attr
from engines.core.phrase import Phrase
from engines.core.strict_reading import MAX_NUMBER, check_seat
from engines.core.types import Json


@mypyc_attr(allow_interpreted_subclasses=True, acyclic=True)
class Action:
    """Something that a seat does: a frozen dataclass, which can be written as JSON and as one line of text.

    Its type is the class's name, ``PickUp`` as ``pick_up``. Its schema follows from the docstring and the annotations
    (``dataclass_schemas``).

    The class isn't an ABC, because a compiled dataclass can't derive from one.
    """

    def __str__(self) -> str:
        """Return the type and the fields in one line, as ``play 3D 3S``. ``parse`` is the inverse."""
        words: list[object] = [type_of(type(self))]
        for name in self._fields():
            value = getattr(self, name)
            words += value if isinstance(value, tuple) else [value]
        return " ".join([str(word).lower() if isinstance(word, bool) else str(word) for word in words])

    def as_json(self) -> Json:
        """Return an object with ``type`` and the fields. ``parse`` is the inverse."""
        written: Json = {"type": type_of(type(self))}
        for name in self._fields():
            value = getattr(self, name)
            written[name] = list(value) if isinstance(value, tuple) else value
        return written

    @classmethod
    def schema(cls) -> Json:
        """Return the JSON Schema of the fields, without ``type``, described by the docstring's first paragraph."""
        return object_schema(cls)

    def _fields(self) -> tuple[str, ...]:
        names: tuple[str, ...] = getattr(self, "__match_args__", ())  # every dataclass has this attribute
        return names


@mypyc_attr(allow_interpreted_subclasses=True)
class Position(ABC):
    """The whole state of one game, hidden cards included: mutable, slotted, cheap to copy."""

    __slots__ = ()

    players: int

    @property
    @abstractmethod
    def outcome(self) -> Json | None:
        """The outcome of the game; None while it runs."""

    @property
    def is_over(self) -> bool:
        """True if the game has ended."""
        return self.outcome is not None

    @abstractmethod
    def copy(self) -> Self:
        """Return an independent copy."""

    @abstractmethod
    def dump(self) -> Json:
        """Return the position in the notation of its ruleset. ``Ruleset.load`` is the inverse."""

    @abstractmethod
    def view(self, seat: int | None) -> Json:
        """Return what *seat*, or a spectator (None), may know. Viewers never receive the position itself."""

    @abstractmethod
    def to_act(self) -> list[int]:
        """Return the seats that must act now; none when the game is over."""

    @abstractmethod
    def legal(self, seat: int) -> list[Action]:
        """Return the legal actions of *seat*, without duplicates, in a stable order."""

    def check(self, seat: int, action: Action) -> None:
        """Raise ``BadAction``, ``NotYourTurn`` or ``IllegalAction`` if *action* isn't allowed.

        Called only while the game runs. The result must depend only on what *seat* knows. By default, every action that
        isn't in ``legal`` is refused without the number of a ruling.
        """
        check_seat(seat, self.players)
        legal = self.legal(seat)
        if not legal:
            raise NotYourTurn(Phrase("There is nothing for you to do now."))
        if action not in legal:
            raise IllegalAction(Phrase("You can't do that now: {action}.", action=str(action)))

    @abstractmethod
    def apply(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None = None) -> None:
        """Carry out a legal action in place; append the events to *events*, if given."""

    def excess(self) -> str | None:
        """Return the ruling that forbids numbers above ``MAX_NUMBER`` if the position has such a number, else None."""
        return None

    def may_act(self) -> list[int]:
        """Return the seats that may interrupt: those that have legal actions but needn't act."""
        busy = self.to_act()
        return [seat for seat in range(self.players) if seat not in busy and self.legal(seat)]

    def signals(self, seat: int) -> tuple[str, ...]:
        """Return the signals that *seat* may give now; most games have none."""
        return ()


P = TypeVar("P", bound=Position)


@dataclass(frozen=True)
class Verdict:
    """How a game ended, in terms that all games share."""

    winners: tuple[int, ...]
    """The seats that have won; empty if the game was lost or drawn."""
    drawn: bool
    kind: str
    """A word for the kind of outcome, such as a medal or a reason. Statistics count outcomes by this word."""
    score: float | None = None
    """How far the team of a cooperative game got, higher is better; None in other games."""


def overflow(position: Position, seat: int, action: Action) -> IllegalAction | None:
    """Return the refusal of an *action* after which a number would be above ``MAX_NUMBER``; None if it is allowed.

    The result doesn't depend on which cards are drawn.
    """
    after = position.copy()
    after.apply(seat, action, SeededDealer(""))
    rule = after.excess()
    if rule is None:
        return None
    return IllegalAction(Phrase("That can't be done: a number of the game would pass {most}.", most=MAX_NUMBER), rule)


def step(position: P, seat: int, action: Action, dealer: Dealer) -> tuple[P, list[Event]]:
    """Return the position after *action*, and the events; *position* isn't changed.

    Raises ``GameOver``, ``BadAction``, ``NotYourTurn`` or ``IllegalAction``.
    """
    if position.is_over:
        raise GameOver(Phrase("The game has ended: nobody can act any more."))
    position.check(seat, action)
    after, events = position.copy(), list[Event]()
    after.apply(seat, action, dealer, events)
    return after, events
