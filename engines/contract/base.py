"""The base class of a ruleset, with defaults for everything that a game needn't define.

A ruleset is one folder of code that reads no clock and does no I/O, except for reading its own files. Random numbers
come only from the dealer or a generator that is passed in. `docs/add-a-ruleset.md` explains how to write a ruleset.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar, Final

from engines.contract.default_levels import LEVELS, ROLLOUTS
from engines.contract.default_notation import check_readable, check_resolvable, read_action, resolve_options
from engines.contract.default_rl_environment import TableEnvironment, listed_actions
from engines.contract.events import Event
from engines.contract.lessons import Lesson
from engines.contract.levels import Level
from engines.contract.position import Action, Position, Verdict
from engines.contract.puzzles import PuzzleRules
from engines.contract.rl_environment import Environment
from engines.contract.search_guide import SearchGuide
from engines.contract.worlds import Worlds
from engines.core.dataclass_schemas import summary_line, type_of
from engines.core.dealer import Dealer
from engines.core.errors import BadAction, BadOptions
from engines.core.mypyc_support import mypyc_attr
from engines.core.phrase import Naming, Phrase, join_and, numbered
from engines.core.schemas import constant, union, whole
from engines.core.types import Json

LEGAL_ENTRY_FIELDS: Final = ("action", "text", "label")
"""Fields of an entry in the list of legal actions (``narration.legal``)."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Ruleset(ABC):
    """The rules of one game: all that storage, jobs and HTTP know of a game.

    Required are ``name``, ``title``, ``player_counts``, ``actions``, ``new``, ``load``, ``worlds``, ``verdict``, and
    the abstract methods of the position. Everything else has a default.
    """

    # Required

    name: ClassVar[str]
    title: ClassVar[str]
    player_counts: ClassVar[tuple[int, ...]]
    actions: ClassVar[tuple[type[Action], ...]]
    """The classes of actions."""

    @abstractmethod
    def new(self, players: int, options: object, dealer: Dealer, events: list[Event] | None = None) -> Position:
        """Deal a game for *players*, one of ``player_counts``; append the events to *events*, if given.

        Raises ``BadOptions``.
        """

    @abstractmethod
    def load(self, position: object) -> Position:
        """Read a position strictly. Raises ``BadPosition``, which names the field, or ``BadCard``."""

    @abstractmethod
    def worlds(self, view: Json) -> Worlds[Any]:
        """Return a sampler of the positions that are consistent with *view* (determinizations)."""

    @abstractmethod
    def verdict(self, outcome: Json, players: int) -> Verdict:
        """Return who has won, and in which way, from the outcome of a position."""

    # Optional

    about: ClassVar[Phrase | None] = None
    """One sentence about the game, for the lobby; None: the first line of the class's docstring."""
    cooperative: ClassVar[bool] = False
    """True if all seats win or lose together."""
    options: ClassVar[Json] = {"type": "object", "properties": {}, "additionalProperties": False}
    """JSON Schema of the options of ``new``, each with its default."""
    seat_options: ClassVar[Mapping[str, str]] = {}
    """By field of a seat, in which its player chooses a value: the option that lists the choices of all seats.

    For example ``{"family": "families"}``. In the list, null stands for a seat that chose no value.
    """
    events: ClassVar[tuple[type[Event], ...]] = ()
    """The classes of events."""
    foreseen: ClassVar[tuple[str, ...]] = ()
    """Types of events that are certain when an action is chosen, whatever cards are hidden from the acting seat.

    Only the fields in ``Event.chance`` may be uncertain.
    """
    determined: ClassVar[tuple[str, ...]] = ()
    """Types of events that are certain as long as nothing random has happened before them in the same action.

    An event whose type is neither in ``foreseen`` nor in ``determined`` counts as random. ``table.preview.preview`` has
    the exact rule.
    """
    unspoken: ClassVar[tuple[str, ...]] = ()
    """Types of the events that a narration omits."""
    signals: ClassVar[tuple[str, ...]] = ()
    """The words that players may signal, instead of a chat. ``Position.signals`` returns those allowed now."""
    signal_words: ClassVar[Mapping[str, Phrase]] = {}
    """Texts of signals for people. A signal without a text is shown as its word."""
    signal_rule: ClassVar[str | None] = None
    """The number of the ruling on signals. The refusal of a signal names it."""
    lessons: ClassVar[tuple[Lesson, ...]] = ()
    """Positions to learn the game by, the easiest first."""
    puzzles: ClassVar[PuzzleRules[Any] | None] = None
    """The rules of the game's puzzles; None if it has none."""
    levels: ClassVar[Mapping[str, Level]] = LEVELS
    """AI levels by name, the weakest first."""
    target_share: ClassVar[float] = 0.5
    """Share of games that a person should win at the level offered to them (``contract/suitable_level.py``)."""
    definitions: ClassVar[Mapping[str, Json]] = {}
    """JSON Schemas by name, to which the schemas of actions and events refer (``schemas.ref``).

    Schemas named ``View``, ``Position`` or ``Outcome`` replace those of ``Ruleset.schemas``.
    """

    def __init__(self) -> None:
        """Raise ``TypeError`` if the default ``check_options`` or ``parse`` is in use and can't handle this ruleset."""
        if type(self).check_options is Ruleset.check_options:
            check_resolvable(self.options)
        if type(self).parse is Ruleset.parse:
            check_readable(self.actions)

    def about_phrase(self) -> Phrase:
        """Return one sentence about the game, for the lobby: ``about``, or the docstring's first paragraph."""
        return self.about or Phrase("{line}", line=summary_line(type(self)))

    def check_options(self, players: int, options: object) -> Json:
        """Return *options* with defaults filled in. Raises ``BadOptions``."""
        return resolve_options(options, self.options)

    def parse(self, action: object) -> Action:
        """Parse an action, given as object or text; only the syntax is checked. Raises ``BadAction`` or ``BadCard``."""
        return read_action(action, self.actions)

    def check_files(self) -> None:  # noqa: B027  most games have no such files
        """Check the files that AIs read when they decide. Raises ``UnusableFile``."""

    def left_to_luck(self, event: Event, view: Json) -> bool:
        """Return whether the ``Event.chance`` fields of *event* can't be known from *view* before the event."""
        return bool(event.chance)

    def read(self, written: object) -> Action:
        """Parse an action in any form in which clients may send it. Raises ``BadAction``, ``BadCard``.

        Accepted are the object, the text, ``{"text": ...}``, and an entry of the list of legal actions
        (``LEGAL_ENTRY_FIELDS``).
        """
        if not isinstance(written, dict) or "type" in written:
            return self.parse(written)
        if len(written) == 1 and isinstance(written.get("text"), str):
            return self.parse(written["text"])
        return self._entry(written) if "action" in written else self.parse(written)

    def _entry(self, entry: Json) -> Action:
        unknown = [name for name in entry if name not in LEGAL_ENTRY_FIELDS]
        if unknown:
            raise BadAction(
                Phrase(
                    "A listed action has no field {field!r}: it has {fields}.",
                    field=unknown[0],
                    fields=join_and(LEGAL_ENTRY_FIELDS),
                )
            )
        action = self.parse(entry["action"])
        if "text" in entry and self.parse(entry["text"]) != action:
            raise BadAction(Phrase("This action is {action}, and its text says something else.", action=str(action)))
        return action

    def clause(self, event: Json, who: str | Phrase, name: Naming = numbered) -> Phrase:
        """Return a clause that describes *event*, the JSON that a viewer receives.

        *who* is the name of the event's seat, or ``phrase.YOU`` if the reader has that seat; *name* names other seats.
        The clause has no initial capital and no full stop (``phrase.sentence`` adds them).
        """
        fields = [f"{name} {value}" for name, value in event.items() if name not in ("type", "seat", "version")]
        return Phrase("{who}: {what}", who=who, what=", ".join([event["type"].replace("_", " "), *fields]))

    def purposes(self, position: Any, seat: int, action: Action, name: Naming = numbered) -> list[Phrase]:
        """Return clauses on the purpose of *action*, for hints: what it prepares or prevents, which no event shows.

        *position* is sampled from the seat's view. The clauses must depend only on what the seat knows.
        """
        return []

    def label(self, action: Action, name: Naming = numbered) -> Phrase:
        """Return the text of a button for *action*, with a capital letter and without a full stop."""
        words = str(action).replace("_", " ")
        return Phrase("{only}", only=words[:1].upper() + words[1:])

    def picture(self, view: Json, name: Naming = numbered) -> list[Phrase]:
        """Return a view drawn as lines of text; *name* names the seats."""
        return [Phrase("{line}", line=f"{field}: {value}") for field, value in view.items() if field != "ruleset"]

    def environment(self) -> Environment:
        """Return the environment for reinforcement learning: a table of all actions, and observations of a seat.

        By default the table is computed from the actions' schemas, and observations are hashed views. Raises
        ``NoEnvironment``, which says what the ruleset lacks.
        """
        return TableEnvironment(listed_actions(self.title, self.actions, max(self.player_counts)))

    # Derived

    def filled_options(self, players: int, options: object) -> Json:
        """Return the result of ``check_options``. Raises ``BadOptions``, also for a seat option of another length."""
        filled = self.check_options(players, options)
        for option in self.seat_options.values():
            listed = filled.get(option, [None] * players)
            if not isinstance(listed, list | tuple) or len(listed) != players:
                raise BadOptions(
                    Phrase(
                        "The option {option} must be a list of {players}: a value per seat.",
                        option=option,
                        players=players,
                    )
                )
        return filled

    def imagine(self, view: Json, rng: Random) -> Position:
        """Return one world sampled from *view*: a position that is consistent with it."""
        world: Position = self.worlds(view).sample(rng)
        return world

    @property
    def guide(self) -> SearchGuide[Any]:
        """The guide of the strongest level that searches; random rollouts if no level searches."""
        return [ROLLOUTS, *[level.guide for level in self.levels.values() if level.guide is not None]][-1]

    @property
    def action_types(self) -> tuple[str, ...]:
        """The names of the types of actions, such as ``pick_up``."""
        return tuple([type_of(action) for action in self.actions])

    @property
    def schemas(self) -> Mapping[str, Json]:
        """JSON Schemas of everything that seats and spectators may receive, by name.

        The names are ``Action``, ``Event`` (as any viewer may receive it), ``View``, ``Position``, ``Outcome``,
        ``Seat``, and those of the schemas that these refer to. ``Action`` and ``Event`` are a ``oneOf`` with the
        discriminator ``type`` (``schemas.union``).
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
        """Return rules in Markdown, from docstrings, for a ruleset without a text of its rules."""
        actions = [f"- `{type_of(action)}`: {summary_line(action)}" for action in self.actions]
        return "\n".join([f"# {self.title}", "", summary_line(type(self)), "", "## Actions", "", *actions, ""])
