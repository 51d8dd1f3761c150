"""The ruleset of Regicide."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final

from engines.core.cards import Card
from engines.core.dealer import Dealer
from engines.core.errors import BadOptions
from engines.core.phrase import Naming, Phrase, numbered
from engines.core.strict_reading import read_options
from engines.core.types import Json
from engines.regicide.actions import ACTIONS, parse
from engines.regicide.beginner_players import APPRENTICE, BEGINNER, NOVICE
from engines.regicide.events import EVENTS, Healed
from engines.regicide.imagine import RegicideWorlds
from engines.regicide.lessons import LESSONS
from engines.regicide.narration import SIGNAL_WORDS, clause, label, picture
from engines.regicide.notation import load
from engines.regicide.policy import Adept
from engines.regicide.puzzle_rules import RegicidePuzzles
from engines.regicide.rl_environment import RegicideEnvironment
from engines.regicide.rules import RegicidePosition
from engines.regicide.schema import DEFINITIONS
from engines.regicide.tables import JACKS, KINGS, QUEENS, SIGNALS, SOLO_JESTERS, TAVERN_CARDS
from engines.regicide.value_guide import MASTER_UTILITIES, ValueGuide, network_file
from engines.ruleset import EXPERT, MASTER, Action, Budget, Event, Lesson, Level, PuzzleRules, Ruleset, Verdict

RANDOM_FIRST_SEAT: Final = "random"
ENVIRONMENT: Final = RegicideEnvironment()
ADEPT: Final = Adept()
VALUE_GUIDE: Final = ValueGuide()
MASTER_GUIDE: Final = ValueGuide(utilities=MASTER_UTILITIES)


class Regicide(Ruleset):
    """The ruleset of Regicide, a cooperative game for one to four players."""

    name: ClassVar[str] = "regicide"
    title: ClassVar[str] = "Regicide"
    about: ClassVar[Phrase | None] = Phrase("Team up with an expert AI against twelve royals.")
    player_counts: ClassVar[tuple[int, ...]] = (1, 2, 3, 4)
    cooperative: ClassVar[bool] = True
    options: ClassVar[Json] = {
        "type": "object",
        "properties": {
            "first_seat": {
                "description": "The seat that begins (R1): a seat's number, or random.",
                "anyOf": [{"type": "integer", "minimum": 0, "maximum": 3}, {"const": RANDOM_FIRST_SEAT}],
                "default": 0,
            },
            "solo_yield": {
                "description": "A solo player may yield, but not twice in a row (R15).",
                "type": "boolean",
                "default": False,
            },
        },
        "additionalProperties": False,
    }
    actions: ClassVar[tuple[type[Action], ...]] = ACTIONS
    events: ClassVar[tuple[type[Event], ...]] = EVENTS
    definitions: ClassVar[Mapping[str, Json]] = DEFINITIONS
    signals: ClassVar[tuple[str, ...]] = SIGNALS
    signal_words: ClassVar[Mapping[str, Phrase]] = SIGNAL_WORDS
    signal_rule: ClassVar[str | None] = "R22"
    levels: ClassVar[Mapping[str, Level]] = {
        "novice": Level(NOVICE, rating=2.3),
        "beginner": Level(BEGINNER, rating=16.3),
        "apprentice": Level(APPRENTICE, rating=27.2),
        "adept": Level(ADEPT, rating=35.5),
        "skilled": Level(ADEPT, VALUE_GUIDE, Budget(iterations=6, stops_early=True), rating=56),
        "veteran": Level(ADEPT, VALUE_GUIDE, Budget(iterations=24, stops_early=True), rating=79),
        "expert": Level(ADEPT, VALUE_GUIDE, replace(EXPERT, iterations=1500), rating=95.5, earlier_budgets=(EXPERT,)),
        "master": Level(ADEPT, MASTER_GUIDE, replace(MASTER, iterations=8000), rating=96.8, earlier_budgets=(MASTER,)),
    }
    target_share: ClassVar[float] = 1 / 3
    lessons: ClassVar[tuple[Lesson, ...]] = LESSONS
    puzzles: ClassVar[PuzzleRules[Any] | None] = RegicidePuzzles()
    foreseen: ClassVar[tuple[str, ...]] = (
        *("played", "yielded", "immunity_cancelled", "healed", "shielded", "enemy_hit", "enemy_defeated"),
        *("attacked", "discarded", "jester_flipped", "chosen"),
    )
    determined: ClassVar[tuple[str, ...]] = ("turn_began", "table_cleared", "ended")
    unspoken: ClassVar[tuple[str, ...]] = ("dealt", "turn_began", "table_cleared")

    @property
    def guide(self) -> ValueGuide:
        """The guide of levels without one, and of reviews: an expert's, to which silver and bronze are worth more."""
        return VALUE_GUIDE

    def check_options(self, players: int, options: object) -> Json:
        """Return *options* with defaults filled in. Raises ``BadOptions``."""
        reader = read_options(options, ("first_seat", "solo_yield"))
        first: object = 0
        if reader.holds("first_seat"):
            first = reader.raw("first_seat")
            if first != RANDOM_FIRST_SEAT:
                first = reader.integer("first_seat", 0, players - 1)
        return {"first_seat": first, "solo_yield": reader.holds("solo_yield") and reader.boolean("solo_yield")}

    def new(self, players: int, options: object, dealer: Dealer, events: list[Event] | None = None) -> RegicidePosition:
        """Shuffle Castle and Tavern, deal, and reveal the first Jack (R1, R23). Raises ``BadOptions``."""
        if players not in self.player_counts:
            raise BadOptions(Phrase("Regicide is for 1 to 4 players, not {players}.", players=players))
        chosen = self.check_options(players, options)
        first = dealer.below(players) if chosen["first_seat"] == RANDOM_FIRST_SEAT else chosen["first_seat"]
        position = RegicidePosition().set_up(players)
        position.solo_yield = chosen["solo_yield"]
        position.jesters_left = SOLO_JESTERS if players == 1 else 0
        for rank in (JACKS, QUEENS, KINGS):
            position.castle = _shuffled(rank, dealer) + position.castle
        position.tavern = _shuffled(TAVERN_CARDS[players], dealer)
        position.deal(events)
        position.begin(first, events)
        return position

    def load(self, position: object) -> RegicidePosition:
        return load(position, RegicidePosition())

    def parse(self, action: object) -> Action:
        return parse(action)

    def worlds(self, view: Json) -> RegicideWorlds:
        """Return the positions consistent with *view*, by packets (R21)."""
        return RegicideWorlds(view)

    def check_files(self) -> None:
        """Check the files of the value networks. Raises ``UnusableFile``."""
        for players in self.player_counts:
            network_file(players)

    def verdict(self, outcome: Json, players: int) -> Verdict:
        """Return a win of all seats or of none (R12, R14, R16); the kind of a solo victory is its medal (R18)."""
        winners = tuple(range(players)) if outcome["result"] == "won" else ()
        return Verdict(winners, drawn=False, kind=outcome["medal"] or outcome["result"], score=outcome["defeated"])

    def left_to_luck(self, event: Event, view: Json) -> bool:
        """Return whether *event* heals a part of the discard pile, chosen by a shuffle, and not the whole pile (R5)."""
        return isinstance(event, Healed) and len(event.cards) < len(view["discard"])

    def environment(self) -> RegicideEnvironment:
        return ENVIRONMENT

    def clause(self, event: Json, who: str | Phrase, name: Naming = numbered) -> Phrase:
        return clause(event, who, name)

    def label(self, action: Action, name: Naming = numbered) -> Phrase:
        return label(action, name)

    def picture(self, view: Json, name: Naming = numbered) -> list[Phrase]:
        return picture(view, name)


def _shuffled(cards: tuple[Card, ...] | list[Card], dealer: Dealer) -> list[Card]:
    """Return *cards* shuffled; the top is at the end."""
    pile = list(cards)
    dealer.shuffle(pile)
    pile.reverse()
    return pile
