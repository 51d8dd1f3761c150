"""The contract between a ruleset and everything above it.

A ruleset is one folder: actions, rules, view, policy. Engines say what is true and nothing else: no I/O, no clock but
for a search's deadline, no randomness but the dealer's or a generator handed in.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Generic, Self, TypeVar

from engines.compiled import mypyc_attr
from engines.dealer import Dealer
from engines.errors import GameOver
from engines.events import Event
from engines.phrase import Phrase
from engines.types import Json


@mypyc_attr(allow_interpreted_subclasses=True)
class Action:
    """Something that a seat does: a frozen dataclass, spelled as JSON and as one line of text.

    It isn't an ABC: compiled, a dataclass can't derive from one.
    """

    def __str__(self) -> str:
        """Spell the action in one line, as in ``play 3D 3S``. ``Ruleset.parse`` is the inverse."""
        raise NotImplementedError

    def as_json(self) -> Json:
        """Spell the action as an object with its ``type``. ``Ruleset.parse`` is the inverse."""
        raise NotImplementedError


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

    @abstractmethod
    def check(self, seat: int, action: Action) -> None:
        """Refuse what isn't allowed: ``BadAction``, ``NotYourTurn``, or ``IllegalAction`` with its rule.

        Asked only while the game runs. Says the same to everybody who can't tell two positions apart.
        """

    @abstractmethod
    def apply(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None = None) -> None:
        """Carry out an action that is trusted to be legal; append what happened to *events* if it is a list."""

    def may_act(self) -> list[int]:
        """Return the seats that may interrupt: those with a legal action that needn't act."""
        busy = self.to_act()
        return [seat for seat in range(self.players) if seat not in busy and self.legal(seat)]

    def signals(self, seat: int) -> tuple[str, ...]:
        """Return the signals that *seat* may give now; most games have none."""
        return ()


P = TypeVar("P", bound=Position)


@mypyc_attr(allow_interpreted_subclasses=True)
class Policy(ABC, Generic[P]):
    """A player without search. It is shown a world imagined from its seat's view, so it can't see more than that.

    It must make nothing of cards that its seat doesn't know: they are dreamt.
    """

    @abstractmethod
    def choose(self, position: P, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        """Return what to do, or None to let others act, which only a seat that needn't act may do."""

    def signal(self, position: P, seat: int, rng: Random) -> str | None:
        """Return the signal to give, one of ``position.signals(seat)``, or None."""
        return None


@mypyc_attr(allow_interpreted_subclasses=True)
class Worlds(ABC, Generic[P]):
    """All positions that look like one view, made ready to be sampled often."""

    @abstractmethod
    def sample(self, rng: Random) -> P:
        """Return one of them, each as likely as it is, for whoever asked to change."""


Weighed = list[tuple[Action | None, float]]
"""Actions, None to let others act, each with a score: one more point makes it e times as likely to be tried."""


@mypyc_attr(allow_interpreted_subclasses=True)
class SearchGuide(Policy[P]):
    """The policy that a search goes by: quick, and it can say what it thinks of actions and of positions."""

    depth: ClassVar[int]
    """So many decisions of a seat a search looks at one by one."""
    horizon: ClassVar[int]
    """So many actions an imagined game goes on beyond them."""
    curiosity: ClassVar[float] = 0.3
    """How much an action that was seldom tried is worth trying, for values from 0 to 1."""

    def ready(self, root: P) -> "SearchGuide[P]":
        """Return the guide of one search, for worlds that are imagined as *root* is; it may remember, but not them."""
        return self

    @abstractmethod
    def weigh(self, position: P, seat: int, signals: Mapping[int, str]) -> Weighed:
        """Return what *seat* may do and is worth a thought, with scores that depend on what the seat knows."""

    @abstractmethod
    def next(self, position: P, rng: Random) -> tuple[int, Action]:
        """Return who acts now, and how, if all play by this policy."""

    @abstractmethod
    def value(self, position: P, seat: int) -> float:
        """Return how well *seat* has done, from 0 to 1; how well it seems to do, if the game isn't over."""

    def chance(self, position: P, seat: int) -> float:
        """Return how likely *seat* is to win, from 0 to 1: what a person wants to know, where ``value`` knows more."""
        return self.value(position, seat)


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


@mypyc_attr(allow_interpreted_subclasses=True)
class Ruleset(ABC):
    """One game's rules: the only thing that storage, jobs and HTTP know of a game."""

    name: ClassVar[str]
    title: ClassVar[str]
    player_counts: ClassVar[tuple[int, ...]]
    cooperative: ClassVar[bool]
    options: ClassVar[Json]
    """JSON Schema of ``new``'s options."""
    seat_options: ClassVar[Mapping[str, str]] = {}
    """What a seat may ask for by itself: field of a seat -> the option that lists it per seat (null: not asked)."""
    action_types: ClassVar[tuple[str, ...]]
    schemas: ClassVar[Mapping[str, Json]]
    """JSON Schemas of all that is written of a game, exact to the field, by name.

    ``Action``, ``Event`` (as any seat or spectator may be told it), ``View``, ``Position``, ``Outcome``, and what these
    refer to by ``#/$defs/<name>``. The first two are a ``oneOf`` of references to objects that differ in their
    ``type`` (``schemas.union``)."""
    signals: ClassVar[tuple[str, ...]] = ()
    """Every word that may be said in place of a chat; ``Position.signals`` says when."""
    signal_rule: ClassVar[str] = ""
    """The number of the ruling on signals, which a refused one names; empty in a game that has none."""
    policies: ClassVar[Mapping[str, Policy[Any]]]
    """The players without search, by level: ``novice`` and ``adept``."""
    guide: ClassVar[SearchGuide[Any]]
    """What a search goes by."""
    iterations: ClassVar[Mapping[str, int]] = {}
    """Of the levels that search less than elsewhere: for how many iterations at most."""
    foresight: ClassVar[Mapping[str, int]] = {}
    """Of the levels that look further ahead than others: how many times as far as the guide's horizon."""
    foreseen: ClassVar[tuple[str, ...]]
    """The types of event by which an action is explained: what follows for sure, whatever lies hidden."""

    @abstractmethod
    def check_options(self, players: int, options: object) -> Json:
        """Return *options* with what was left out filled in. Raises ``BadOptions``."""

    @abstractmethod
    def new(self, players: int, options: object, dealer: Dealer, events: list[Event] | None = None) -> Position:
        """Deal a game for one of ``player_counts``. Raises ``BadOptions``."""

    @abstractmethod
    def load(self, position: object) -> Position:
        """Read a position, strictly. Raises ``BadPosition`` that names the field, or ``BadCard``."""

    @abstractmethod
    def parse(self, action: object) -> Action:
        """Read an action, as an object or as text. Raises ``BadAction`` or ``BadCard``; knows spelling, not rules."""

    @abstractmethod
    def worlds(self, view: Json) -> Worlds[Any]:
        """Return the positions that look like *view*."""

    def imagine(self, view: Json, rng: Random) -> Position:
        """Sample one of the positions that look like *view*, each as likely as it is."""
        world: Position = self.worlds(view).sample(rng)
        return world

    @abstractmethod
    def verdict(self, outcome: Json, players: int) -> Verdict:
        """Say who has won, and how, from the outcome of a position."""

    @abstractmethod
    def clause(self, event: Json, who: str | Phrase) -> Phrase | None:
        """Tell an event, as somebody was told it, to a person; *who* names its seat. None: it goes without saying.

        It begins and ends within a sentence: without a capital, and without a full stop (``phrase.sentence``).
        """

    @abstractmethod
    def picture(self, view: Json) -> str:
        """Draw a view as lines of text."""


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
