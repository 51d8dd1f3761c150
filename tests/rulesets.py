"""A third ruleset, for tests: whatever storage, jobs and HTTP do with it, they do without knowing it.

Race: seats in turn step 1 to 3 or rest; whoever steps to the goal wins. Each seat holds a hidden card, a number from 1
to 6. After a rest the next seat may be given signals by the others. Any seat that isn't to step may dash, once: it
interrupts, shows its card and adds it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar

from engines.dealer import Dealer
from engines.errors import BadAction, BadOptions, BadPosition, IllegalAction, NotYourTurn
from engines.events import Event
from engines.phrase import Phrase
from engines.ruleset import Action, Policy, Position, Ruleset, SearchGuide, Verdict, Weighed, Worlds
from engines.schemas import BOOLEAN, COUNT, constant, many, maybe, ref, shape, union, whole
from engines.types import Json

SIGNALS = ("hurry", "wait")
FIELDS = ("goal", "total", "turn", "resting", "cards", "dashed")


@dataclass(frozen=True)
class Step(Action):
    """So many steps; none is a rest."""

    steps: int

    def __str__(self) -> str:
        return f"step {self.steps}"

    def as_json(self) -> Json:
        return {"type": "step", "steps": self.steps}


@dataclass(frozen=True)
class Dash(Action):
    """An interruption."""

    def __str__(self) -> str:
        return "dash"

    def as_json(self) -> Json:
        return {"type": "dash"}


@dataclass(frozen=True)
class Dealt(Event):
    """A card for one seat's eyes."""

    seat: int
    card: int
    type: ClassVar[str] = "dealt"

    def as_json(self) -> Json:
        return {"type": "dealt", "seat": self.seat, "card": self.card}

    def public(self) -> Json:
        return {"type": "dealt", "seat": self.seat}

    def knowers(self) -> tuple[int, ...]:
        return (self.seat,)


@dataclass(frozen=True)
class Moved(Event):
    """Somebody got on."""

    seat: int
    steps: int
    type: ClassVar[str] = "moved"

    def as_json(self) -> Json:
        return {"type": "moved", "seat": self.seat, "steps": self.steps}


@dataclass
class Track(Position):
    """Where the race stands."""

    goal: int
    cards: list[int]
    total: int = 0
    turn: int = 0
    resting: bool = False
    dashed: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self.players = len(self.cards)

    @property
    def outcome(self) -> Json | None:
        return {"winner": self.turn} if self.total >= self.goal else None

    def copy(self) -> "Track":
        return replace(self)

    def dump(self) -> Json:
        return {"ruleset": "race", **{name: getattr(self, name) for name in FIELDS}}

    def view(self, seat: int | None) -> Json:
        known = [card if number == seat or number in self.dashed else None for number, card in enumerate(self.cards)]
        return {**self.dump(), "dashed": list(self.dashed), "cards": known, "seat": seat}

    def to_act(self) -> list[int]:
        return [] if self.is_over else [self.turn]

    def legal(self, seat: int) -> list[Action]:
        if self.is_over:
            return []
        if seat == self.turn:
            return [Step(steps) for steps in range(4)]
        return [] if seat in self.dashed else [Dash()]

    def check(self, seat: int, action: Action) -> None:
        if isinstance(action, Dash) == (seat == self.turn):
            raise NotYourTurn(Phrase("The seat whose turn it is steps, the others dash."))
        if action not in self.legal(seat):
            raise IllegalAction(Phrase("Three steps at most, and one dash each."), "X1")

    def apply(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None = None) -> None:
        steps = action.steps if isinstance(action, Step) else self.cards[seat]
        self.total += steps
        if isinstance(action, Dash):
            self.dashed = (*self.dashed, seat)
        elif not self.is_over:
            self.turn = (self.turn + 1) % self.players
            self.resting = steps == 0
        if events is not None:
            events.append(Moved(seat, steps))

    def signals(self, seat: int) -> tuple[str, ...]:
        return SIGNALS if self.resting and seat != self.turn and not self.is_over else ()


@dataclass(frozen=True)
class Runner(Policy[Track]):
    """Steps at random; the eager one also signals, and dashes when the goal is near."""

    eager: bool

    def choose(self, position: Track, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        if seat == position.turn:
            return Step(rng.randint(1, 3))
        return Dash() if self.eager and position.total + 6 >= position.goal else None

    def signal(self, position: Track, seat: int, rng: Random) -> str | None:
        return "hurry" if self.eager else None


class Pace(SearchGuide[Track], Runner):
    """What a search goes by: the eager runner, who thinks as much of any number of steps.

    ``SearchGuide`` comes first: compiled, a class gets its memory from its first base, and calls go by that.
    """

    depth: ClassVar[int] = 1
    horizon: ClassVar[int] = 100

    def weigh(self, position: Track, seat: int, signals: Mapping[int, str]) -> Weighed:
        waiting: Weighed = [] if seat == position.turn else [(None, 0.0)]
        return [(action, 0.0) for action in position.legal(seat)] + waiting

    def next(self, position: Track, rng: Random) -> tuple[int, Action]:
        return position.turn, Step(rng.randint(1, 3))

    def value(self, position: Track, seat: int) -> float:
        return float(position.total >= position.goal and position.turn == seat)


TRACK: Json = {
    "ruleset": constant("race"),
    "goal": COUNT,
    "total": COUNT,
    "turn": COUNT,
    "resting": BOOLEAN,
    "cards": many(ref("Card")),
    "dashed": many(COUNT),
}
SCHEMAS: Json = {
    "Card": whole(1, 6),
    **union("Action", {"step": shape({"steps": whole(0, 3)}), "dash": shape({})}),
    **union(
        "Event",
        {
            "dealt": shape({"seat": COUNT, "card": ref("Card")}, optional=["card"]),
            "moved": shape({"seat": COUNT, "steps": COUNT}),
        },
    ),
    "View": shape({**TRACK, "cards": many(maybe(ref("Card"))), "seat": maybe(COUNT)}),
    "Position": shape(TRACK),
    "Outcome": shape({"winner": COUNT}),
}


class Race(Ruleset):
    """The rules."""

    name = "race"
    title = "Race"
    player_counts = (1, 2, 3)
    cooperative = False
    options: ClassVar[Json] = {"type": "object", "properties": {"goal": {"type": "integer"}}}
    action_types = ("step", "dash")
    schemas: ClassVar[Mapping[str, Json]] = SCHEMAS
    policies: ClassVar[Mapping[str, Policy[Track]]] = {"novice": Runner(eager=False), "adept": Runner(eager=True)}
    guide: ClassVar[SearchGuide[Any]] = Pace(eager=True)
    foreseen = ("moved",)

    def check_options(self, players: int, options: object) -> Json:
        if not isinstance(options, dict) or set(options) - {"goal"}:
            raise BadOptions(Phrase("A race has a goal."))
        return {"goal": 12, **options}

    def new(self, players: int, options: object, dealer: Dealer, events: list[Event] | None = None) -> Track:
        cards = [dealer.below(6) + 1 for _ in range(players)]
        if events is not None:
            events.extend(Dealt(seat, card) for seat, card in enumerate(cards))
        return Track(self.check_options(players, options)["goal"], cards)

    def load(self, position: object) -> Track:
        if not isinstance(position, dict) or position.get("ruleset") != "race":
            raise BadPosition(Phrase("A race is what was dumped of it."))
        fields: dict[str, Any] = {name: position[name] for name in FIELDS}
        return Track(**{**fields, "dashed": tuple(fields["dashed"])})

    def parse(self, action: object) -> Action:
        match action:
            case "dash" | {"type": "dash"}:
                return Dash()
            case {"type": "step", "steps": int(steps)}:
                return Step(steps)
            case str(text) if text.startswith("step ") and text[5:].isdigit():
                return Step(int(text[5:]))
        raise BadAction(Phrase("A race knows step and dash."))

    def worlds(self, view: Json) -> "Tracks":
        return Tracks(view, self)

    def verdict(self, outcome: Json, players: int) -> Verdict:
        return Verdict((outcome["winner"],), drawn=False, kind="arrived")

    def clause(self, event: Json, who: str | Phrase) -> Phrase:
        return Phrase("{who}: {type}", who=who, type=event["type"])

    def picture(self, view: Json) -> str:
        return f"{view['total']} of {view['goal']}"


class Tracks(Worlds[Track]):
    """What may be behind a view of a race."""

    def __init__(self, view: Json, race: Race) -> None:
        self._view, self._race = view, race

    def sample(self, rng: Random) -> Track:
        cards: Sequence[int | None] = self._view["cards"]
        return self._race.load({**self._view, "cards": [rng.randint(1, 6) if card is None else card for card in cards]})
