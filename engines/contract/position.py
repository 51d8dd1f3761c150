"""A game's state and what changes it: positions, actions, and the one step from a position to the next."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self, TypeVar

from engines.contract.events import Event
from engines.core.compiled import mypyc_attr
from engines.core.dataclass_schemas import object_schema, type_of
from engines.core.dealer import Dealer, SeededDealer
from engines.core.errors import GameOver, IllegalAction, NotYourTurn
from engines.core.notation import LARGEST, check_seat
from engines.core.phrase import Phrase
from engines.core.types import Json


@mypyc_attr(allow_interpreted_subclasses=True, acyclic=True)
class Action:
    """Something that a seat does: a frozen dataclass, written as JSON and as one line of text.

    Its type is the name of the class, ``PickUp`` as ``pick_up``; its docstring and its annotations are what the
    schema says of it (``dataclass_schemas``).

    It isn't an ABC: compiled, a dataclass can't derive from one.
    """

    def __str__(self) -> str:
        """Write the action in one line, its type and what its fields hold: ``play 3D 3S``. ``parse`` is the inverse."""
        words: list[object] = [type_of(type(self))]
        for name in self._fields():
            value = getattr(self, name)
            words += value if isinstance(value, tuple) else [value]
        return " ".join([str(word).lower() if isinstance(word, bool) else str(word) for word in words])

    def as_json(self) -> Json:
        """Write the action as an object: its ``type`` and its fields. ``parse`` is the inverse."""
        written: Json = {"type": type_of(type(self))}
        for name in self._fields():
            value = getattr(self, name)
            written[name] = list(value) if isinstance(value, tuple) else value
        return written

    @classmethod
    def schema(cls) -> Json:
        """Return the JSON Schema of its fields, described by the docstring; its type is added to them."""
        return object_schema(cls)

    def _fields(self) -> tuple[str, ...]:
        names: tuple[str, ...] = getattr(self, "__match_args__", ())  # what a dataclass has
        return names


@mypyc_attr(allow_interpreted_subclasses=True)
class Position(ABC):
    """The whole state of one game, hidden cards included: mutable, slotted, cheap to copy."""

    __slots__ = ()

    players: int

    @property
    @abstractmethod
    def outcome(self) -> Json | None:
        """How the game ended, or None while it runs."""

    @property
    def is_over(self) -> bool:
        """The game has ended."""
        return self.outcome is not None

    @abstractmethod
    def copy(self) -> Self:
        """Return an independent equal."""

    @abstractmethod
    def dump(self) -> Json:
        """Write the position in the notation of its ruleset. ``Ruleset.load`` is the inverse."""

    @abstractmethod
    def view(self, seat: int | None) -> Json:
        """Return what *seat* may know, or a spectator (None): the only way out for a position."""

    @abstractmethod
    def to_act(self) -> list[int]:
        """Return the seats that must act now; none when the game is over."""

    @abstractmethod
    def legal(self, seat: int) -> list[Action]:
        """Return everything that *seat* may do now, without duplicates, in a stable order."""

    def check(self, seat: int, action: Action) -> None:
        """Refuse what isn't allowed: ``BadAction``, ``NotYourTurn``, or ``IllegalAction``, which may name a ruling.

        Asked only while the game runs. Says the same to everybody who can't tell two positions apart. Plainly: what
        isn't among the legal actions is refused, without a ruling.
        """
        check_seat(seat, self.players)
        legal = self.legal(seat)
        if not legal:
            raise NotYourTurn(Phrase("There is nothing for you to do now."))
        if action not in legal:
            raise IllegalAction(Phrase("You can't do that now: {action}.", action=str(action)))

    @abstractmethod
    def apply(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None = None) -> None:
        """Carry out an action that is trusted to be legal; append what happened to *events* if it is a list."""

    def excess(self) -> str | None:
        """Return the ruling by which a number of the position has passed ``LARGEST``; None if none has."""
        return None

    def may_act(self) -> list[int]:
        """Return the seats that may interrupt: those with a legal action that needn't act."""
        busy = self.to_act()
        return [seat for seat in range(self.players) if seat not in busy and self.legal(seat)]

    def signals(self, seat: int) -> tuple[str, ...]:
        """Return the signals that *seat* may give now; most games have none."""
        return ()


P = TypeVar("P", bound=Position)


@dataclass(frozen=True)
class Verdict:
    """How a game ended, in words that games have in common."""

    winners: tuple[int, ...]
    """The seats that have won; none if it was lost, or drawn."""
    drawn: bool
    kind: str
    """One of a few words by which such ends are counted: a medal, a reason."""
    score: float | None = None
    """How far a team came, where all play together."""


def overflow(position: Position, seat: int, action: Action) -> IllegalAction | None:
    """Return the refusal of a possible *action* by which a number would pass ``LARGEST``; None if none would.

    What cards turn up makes no difference to that.
    """
    after = position.copy()
    after.apply(seat, action, SeededDealer(""))
    rule = after.excess()
    if rule is None:
        return None
    return IllegalAction(Phrase("That can't be done: a number of the game would pass {most}.", most=LARGEST), rule)


def step(position: P, seat: int, action: Action, dealer: Dealer) -> tuple[P, list[Event]]:
    """Return the position after *action* and what happened; spare *position*.

    Raises ``GameOver``, ``BadAction``, ``NotYourTurn`` or ``IllegalAction``.
    """
    if position.is_over:
        raise GameOver(Phrase("The game has ended: nobody can act any more."))
    position.check(seat, action)
    after, events = position.copy(), list[Event]()
    after.apply(seat, action, dealer, events)
    return after, events
