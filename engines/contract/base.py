"""The contract between a game and everything above it: what a ruleset must say, and what it gets if it says no more.

A ruleset is one folder. It says what is true and nothing else: no I/O, no clock but for a search's deadline, no
randomness but the dealer's or a generator handed in. `docs/add-a-ruleset.md` goes through it step by step.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar, Final

from engines.contract.default_levels import LEVELS, ROLLOUTS
from engines.contract.default_notation import check_readable, check_settleable, read_action, settle_options
from engines.contract.events import Event
from engines.contract.lessons import Lesson
from engines.contract.levels import Level
from engines.contract.policy import SearchGuide, Worlds
from engines.contract.position import Action, Position, Verdict
from engines.core.compiled import mypyc_attr
from engines.core.dataclass_schemas import promise, type_of
from engines.core.dealer import Dealer
from engines.core.errors import BadAction
from engines.core.phrase import Naming, Phrase, both, numbered
from engines.core.schemas import constant, union, whole
from engines.core.types import Json

ENTRY: Final = ("action", "text", "label")
"""The fields of a legal action as it is listed (``narration.legal``)."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Ruleset(ABC):
    """One game's rules: the only thing that storage, jobs and HTTP know of a game.

    Compulsory: ``name``, ``title``, ``player_counts``, ``actions``, ``new``, ``load``, ``worlds``, ``verdict``, and
    the position's own methods. All else has a plain default.
    """

    # What must be said

    name: ClassVar[str]
    title: ClassVar[str]
    player_counts: ClassVar[tuple[int, ...]]
    actions: ClassVar[tuple[type[Action], ...]]
    """The types of action."""

    @abstractmethod
    def new(self, players: int, options: object, dealer: Dealer, events: list[Event] | None = None) -> Position:
        """Deal a game for one of ``player_counts``. Raises ``BadOptions``."""

    @abstractmethod
    def load(self, position: object) -> Position:
        """Read a position, strictly. Raises ``BadPosition`` that names the field, or ``BadCard``."""

    @abstractmethod
    def worlds(self, view: Json) -> Worlds[Any]:
        """Return the positions that look like *view*."""

    @abstractmethod
    def verdict(self, outcome: Json, players: int) -> Verdict:
        """Say who has won, and how, from the outcome of a position."""

    # What may be said

    cooperative: ClassVar[bool] = False
    """All win together, or nobody."""
    options: ClassVar[Json] = {"type": "object", "properties": {}, "additionalProperties": False}
    """JSON Schema of ``new``'s options, each with its default."""
    seat_options: ClassVar[Mapping[str, str]] = {}
    """What a seat may ask for by itself: field of a seat -> the option that lists it per seat (null: not asked)."""
    events: ClassVar[tuple[type[Event], ...]] = ()
    """The types of event."""
    foreseen: ClassVar[tuple[str, ...]] = ()
    """The types of event by which an action is explained: what follows for sure, whatever lies hidden, but for the
    fields that luck decides (``Event.chance``)."""
    determined: ClassVar[tuple[str, ...]] = ()
    """More types that follow for sure as long as no event of another type has happened: nothing has turned up yet."""
    unspoken: ClassVar[tuple[str, ...]] = ()
    """The types of event that a story leaves out: they go without saying."""
    signals: ClassVar[tuple[str, ...]] = ()
    """Every word that may be said in place of a chat; ``Position.signals`` says when."""
    signal_words: ClassVar[Mapping[str, Phrase]] = {}
    """How signals are said to people, where the word itself won't do."""
    signal_rule: ClassVar[str | None] = None
    """The number of the ruling on signals, which a refused one names."""
    lessons: ClassVar[tuple[Lesson, ...]] = ()
    """Small positions to learn the game by, the easiest first."""
    levels: ClassVar[Mapping[str, Level]] = LEVELS
    """How AIs think, by level, the weakest first."""
    definitions: ClassVar[Mapping[str, Json]] = {}
    """JSON Schemas that the schemas of actions and events refer to by name, and better ones than the plain ones of
    ``View``, ``Position`` and ``Outcome``."""

    def __init__(self) -> None:
        """Raise ``TypeError`` where what isn't overridden couldn't read the options or the actions."""
        if type(self).check_options is Ruleset.check_options:
            check_settleable(self.options)
        if type(self).parse is Ruleset.parse:
            check_readable(self.actions)

    def check_options(self, players: int, options: object) -> Json:
        """Return *options* with what was left out filled in. Raises ``BadOptions``."""
        return settle_options(options, self.options)

    def parse(self, action: object) -> Action:
        """Read an action, as an object or as text. Raises ``BadAction`` or ``BadCard``; knows spelling, not rules."""
        return read_action(action, self.actions)

    def left_to_luck(self, event: Event, view: Json) -> bool:
        """Tell whether luck is still to decide fields of *event* (``Event.chance``) for who knows *view* before it."""
        return bool(event.chance)

    def read(self, written: object) -> Action:
        """Read an action in any form in which it may be sent. Raises ``BadAction``, ``BadCard``.

        The object, the text, ``{"text": ...}``, or a whole entry of the legal actions as they are listed (``ENTRY``).
        """
        if not isinstance(written, dict) or "type" in written:
            return self.parse(written)
        if len(written) == 1 and isinstance(written.get("text"), str):
            return self.parse(written["text"])
        return self._entry(written) if "action" in written else self.parse(written)

    def _entry(self, entry: Json) -> Action:
        unknown = [name for name in entry if name not in ENTRY]
        if unknown:
            raise BadAction(
                Phrase("A listed action has no field {field!r}: it has {fields}.", field=unknown[0], fields=both(ENTRY))
            )
        action = self.parse(entry["action"])
        if "text" in entry and self.parse(entry["text"]) != action:
            raise BadAction(Phrase("This action is {action}, and its text says something else.", action=str(action)))
        return action

    def clause(self, event: Json, who: str | Phrase, name: Naming = numbered) -> Phrase:
        """Tell an event, as somebody was told it, to a person; *who* names its seat, *name* any other.

        *who* is ``phrase.YOU`` where the seat is the reader's own. It begins and ends within a sentence: without a
        capital, and without a full stop (``phrase.sentence``).
        """
        fields = [f"{name} {value}" for name, value in event.items() if name not in ("type", "seat", "version")]
        return Phrase("{who}: {what}", who=who, what=", ".join([event["type"].replace("_", " "), *fields]))

    def label(self, action: Action, name: Naming = numbered) -> Phrase:
        """Say an action as a button would: with a capital, without a full stop; *name* says who sits at a seat."""
        words = str(action).replace("_", " ")
        return Phrase("{only}", only=words[:1].upper() + words[1:])

    def picture(self, view: Json, name: Naming = numbered) -> list[Phrase]:
        """Draw a view as lines of text; *name* says who sits at a seat."""
        return [Phrase("{line}", line=f"{field}: {value}") for field, value in view.items() if field != "ruleset"]

    # What follows from it

    def imagine(self, view: Json, rng: Random) -> Position:
        """Sample one of the positions that look like *view*, each as likely as it is."""
        world: Position = self.worlds(view).sample(rng)
        return world

    @property
    def guide(self) -> SearchGuide[Any]:
        """The guide of the best level that searches; one that plays at random, if none does."""
        return [ROLLOUTS, *[level.guide for level in self.levels.values() if level.guide is not None]][-1]

    @property
    def action_types(self) -> tuple[str, ...]:
        """The types of action, by name."""
        return tuple([type_of(action) for action in self.actions])

    @property
    def schemas(self) -> Mapping[str, Json]:
        """JSON Schemas of all that is written of a game, by name: what seats and spectators may be sent.

        ``Action``, ``Event`` (as any seat or spectator may be told it), ``View``, ``Position``, ``Outcome``, and what
        these refer to by ``#/$defs/<name>``. The first two are a ``oneOf`` of references to objects that differ in
        their ``type`` (``schemas.union``).
        """
        written = {"type": "object", "required": ["ruleset"], "properties": {"ruleset": constant(self.name)}}
        return {
            "Seat": whole(0, max(self.player_counts) - 1),
            "View": written,
            "Position": written,
            "Outcome": {"type": "object"},
            **union("Action", {type_of(action): action.schema() for action in self.actions}),
            **union("Event", {event.type: event.schema() for event in self.events}),
            **self.definitions,
        }

    def plain_rules(self) -> str:
        """Return what the code says of the rules, as Markdown: for a ruleset without a text of its own."""
        actions = [f"- `{type_of(action)}`: {promise(action)}" for action in self.actions]
        return "\n".join([f"# {self.title}", "", promise(type(self)), "", "## Actions", "", *actions, ""])
