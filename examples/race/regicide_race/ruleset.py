"""Race: step 1 to 3, or rest, but not twice in a row; the seat to move when the goal is reached wins.

Each seat has a hidden card from 1 to 6, which it may add once while another seat is to move: a dash.
"""

from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, ClassVar

from engines.ruleset import (
    Action,
    Dealer,
    Event,
    Json,
    Lesson,
    Naming,
    Phrase,
    Position,
    Reader,
    Ruleset,
    SampledWorlds,
    Verdict,
    numbered,
    whole,
)


@dataclass(frozen=True)
class Step(Action):
    """Step on, or rest: no steps."""

    steps: Annotated[int, whole(0, 3)]


@dataclass(frozen=True)
class Dash(Action):
    """Interrupt: show your card and add it."""


@dataclass(frozen=True)
class Dealt(Event):
    """A card is dealt."""

    hidden: ClassVar[tuple[str, ...]] = ("card",)
    card: Annotated[int, whole(1, 6)]


@dataclass(frozen=True)
class Moved(Event):
    """Somebody gets on."""

    steps: int


@dataclass
class Track(Position):
    """Where the race stands."""

    goal: int
    cards: list[int]
    total: int = 0
    turn: int = 0
    resting: bool = False
    dashed: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.players = len(self.cards)

    @property
    def outcome(self) -> Json | None:
        return {"winner": self.turn} if self.total >= self.goal else None

    def copy(self) -> "Track":
        return replace(self, dashed=self.dashed[:])

    def dump(self) -> Json:
        return {"ruleset": "race", **asdict(self)}

    def view(self, seat: int | None) -> Json:
        shown = (seat, *self.dashed)
        return {**self.dump(), "cards": [card if n in shown else None for n, card in enumerate(self.cards)]}

    def to_act(self) -> list[int]:
        return [] if self.is_over else [self.turn]

    def legal(self, seat: int) -> list[Action]:
        if self.is_over or (seat != self.turn and seat in self.dashed):
            return []
        return [Step(steps) for steps in range(self.resting, 4)] if seat == self.turn else [Dash()]

    def apply(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None = None) -> None:
        steps = action.steps if isinstance(action, Step) else self.cards[seat]
        self.total += steps
        if isinstance(action, Dash):
            self.dashed.append(seat)
        elif not self.is_over:
            self.turn, self.resting = (self.turn + 1) % self.players, steps == 0
        if events is not None:
            events.append(Moved(seat, steps))

    def signals(self, seat: int) -> tuple[str, ...]:
        return Race.signals if self.resting and seat != self.turn and not self.is_over else ()


class Race(Ruleset):
    """Be on turn when the goal is reached. Step, or rest; add your hidden card once, while another is on turn."""

    name, title, player_counts = "race", "Race", (1, 2, 3)
    about = Phrase("Step, rest or dash: move last when the goal is reached.")
    options: ClassVar[Json] = {"type": "object", "properties": {"goal": whole(1, 100, default=12)}}
    actions, events, foreseen, signals = (Step, Dash), (Dealt, Moved), ("moved",), ("hurry", "wait")
    signal_words: ClassVar = {"hurry": Phrase("Hurry"), "wait": Phrase("Wait")}
    lessons = (
        Lesson(
            "goal",
            Phrase("Reach the goal"),
            Phrase("Three steps are left, and it is your turn. You may go up to three."),
            Phrase("You moved when the goal was reached: you have won."),
            {"ruleset": "race", "goal": 12, "cards": [2, 5], "total": 9, "turn": 0, "resting": False, "dashed": []},
            ("step 3",),
        ),
    )

    def new(self, players: int, options: object, dealer: Dealer, events: list[Event] | None = None) -> Track:
        cards = [dealer.below(6) + 1 for _ in range(players)]
        if events is not None:
            events.extend(Dealt(seat, card) for seat, card in enumerate(cards))
        return Track(self.check_options(players, options)["goal"], cards)

    def load(self, position: object) -> Track:
        read = Reader(position)
        read.keys(("ruleset", *Track.__match_args__))
        read.one_of("ruleset", [self.name])
        cards = [read.whole(card, "cards", 1, 6) for card in read.sequence("cards", *self.player_counts)]
        dashed = read.seats("dashed", len(cards))
        goal, turn = read.integer("goal", 1), read.integer("turn", 0, len(cards) - 1)
        return Track(goal, cards, read.integer("total"), turn, read.boolean("resting"), dashed)

    def worlds(self, view: Json) -> SampledWorlds[Track]:
        return SampledWorlds(lambda rng: self.load(view | {"cards": [c or rng.randint(1, 6) for c in view["cards"]]}))

    def verdict(self, outcome: Json, players: int) -> Verdict:
        return Verdict((outcome["winner"],), drawn=False, kind="arrived")

    def clause(self, event: Json, who: str | Phrase, name: Naming = numbered) -> Phrase:
        dealt = Phrase("{who}: a hidden card", who=who)
        return dealt if event["type"] == "dealt" else Phrase("{who}: {steps} steps", who=who, steps=event["steps"])

    def label(self, action: Action, name: Naming = numbered) -> Phrase:
        return Phrase("Step {steps}", steps=action.steps) if isinstance(action, Step) else Phrase("Dash")
