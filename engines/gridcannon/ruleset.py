"""The ruleset of the Gridcannon variant."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final

from engines.core.dealer import Dealer
from engines.core.errors import BadOptions
from engines.core.phrase import Naming, Phrase, numbered
from engines.core.types import Json
from engines.gridcannon.actions import ACTIONS, parse
from engines.gridcannon.beginner_players import APPRENTICE, BEGINNER, LEARNER, NEWCOMER, NOVICE
from engines.gridcannon.dealing import OPTIONS_SCHEMA, deal, read_families, resolve_options
from engines.gridcannon.events import EVENTS, Drawn
from engines.gridcannon.greedy import GreedyGuide, greedy_network_file
from engines.gridcannon.imagine import GridcannonWorlds
from engines.gridcannon.lessons import LESSONS
from engines.gridcannon.narration import clause, label, picture
from engines.gridcannon.notation import load
from engines.gridcannon.policy import Adept, GridcannonGuide
from engines.gridcannon.purpose import purposes
from engines.gridcannon.puzzle_rules import GridcannonPuzzles
from engines.gridcannon.rl_environment import GridcannonEnvironment
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.schema import DEFINITIONS
from engines.gridcannon.value_guide import ValueGuide, network_file
from engines.ruleset import (
    EXPERT,
    MASTER,
    Action,
    Budget,
    EpsilonPolicy,
    Event,
    Lesson,
    Level,
    PuzzleRules,
    Ruleset,
    Verdict,
)

ENVIRONMENT: Final = GridcannonEnvironment()
ADEPT: Final = Adept()
GUIDE: Final = GridcannonGuide()
VALUE_GUIDE: Final = ValueGuide()
GREEDY_GUIDE: Final = GreedyGuide()


class Gridcannon(Ruleset):
    """The ruleset of the Gridcannon variant for two or four players, each for themself (rulings G1-G23)."""

    name: ClassVar[str] = "gridcannon"
    title: ClassVar[str] = "Gridcannon"
    about: ClassVar[Phrase | None] = Phrase("Six royals each, and the grid is your cannon. You against an expert AI.")
    player_counts: ClassVar[tuple[int, ...]] = (2, 4)
    cooperative: ClassVar[bool] = False
    options: ClassVar[Json] = OPTIONS_SCHEMA
    seat_options: ClassVar[Mapping[str, str]] = {"family": "families"}
    actions: ClassVar[tuple[type[Action], ...]] = ACTIONS
    events: ClassVar[tuple[type[Event], ...]] = EVENTS
    definitions: ClassVar[Mapping[str, Json]] = DEFINITIONS
    levels: ClassVar[Mapping[str, Level]] = {
        "newcomer": Level(NEWCOMER, rating=1248),
        "learner": Level(LEARNER, rating=1352),
        "novice": Level(NOVICE, rating=1468),
        "beginner": Level(BEGINNER, rating=1612),
        "apprentice": Level(APPRENTICE, rating=1730),
        "adept": Level(ADEPT, rating=1790),
        "skilled": Level(EpsilonPolicy(GUIDE, ADEPT, 0.15), rating=1930),
        "veteran": Level(ADEPT, VALUE_GUIDE, Budget(iterations=15, stops_early=True), rating=2020),
        "expert": Level(
            ADEPT,
            GREEDY_GUIDE,
            replace(EXPERT, iterations=160),
            rating=2125,
            earlier_budgets=(replace(EXPERT, iterations=150),),
        ),
        "master": Level(
            ADEPT,
            GREEDY_GUIDE,
            replace(MASTER, iterations=320, evaluations=2),
            rating=2155,
            earlier_budgets=(replace(MASTER, iterations=300, evaluations=2),),
        ),
    }
    lessons: ClassVar[tuple[Lesson, ...]] = LESSONS
    puzzles: ClassVar[PuzzleRules[Any] | None] = GridcannonPuzzles()
    foreseen: ClassVar[tuple[str, ...]] = (
        *("laid", "royal_placed", "fired", "killed", "armour_stripped", "armour_laid", "returned", "declared"),
        *("recalled", "reassigned", "switched", "forced", "seat_out", "drawn"),
    )
    determined: ClassVar[tuple[str, ...]] = (
        *("pile_shuffled", "turn_began", "mixed_in", "taken_up", "refreshed", "ploy_gained", "ended"),
    )
    unspoken: ClassVar[tuple[str, ...]] = ("pile_shuffled", "turn_began", "taken_up")

    def check_options(self, players: int, options: object) -> Json:
        return resolve_options(players, options)

    def new(
        self, players: int, options: object, dealer: Dealer, events: list[Event] | None = None
    ) -> GridcannonPosition:
        """Deal a game for two or four players (G1-G5). Raises ``BadOptions``."""
        if players not in self.player_counts:
            raise BadOptions(Phrase("Gridcannon is for 2 or 4 players, not {players}.", players=players))
        settled = resolve_options(players, options)
        position = GridcannonPosition().set_up(players, read_families(players, settled["families"]))
        deal(position, settled, dealer, events)
        return position

    def load(self, position: object) -> GridcannonPosition:
        return load(position, GridcannonPosition())

    def parse(self, action: object) -> Action:
        return parse(action)

    def worlds(self, view: Json) -> GridcannonWorlds:
        """Return the positions consistent with *view* (G22)."""
        return GridcannonWorlds(view)

    def check_files(self) -> None:
        """Check the files of the value networks. Raises ``UnusableFile``."""
        for players in self.player_counts:
            network_file(players)
        greedy_network_file()

    def verdict(self, outcome: Json, players: int) -> Verdict:
        """Return the winner, which is one seat or none (G18-G20)."""
        winner = outcome["winner"]
        return Verdict(() if winner is None else (winner,), drawn=winner is None, kind=outcome["reason"])

    def left_to_luck(self, event: Event, view: Json) -> bool:
        """Return whether *event* draws a card and some card of the draw pile is unknown to the seats (G22)."""
        pile = view["draw_pile"]
        return isinstance(event, Drawn) and len(pile["bottom"]) < pile["count"]

    def environment(self) -> GridcannonEnvironment:
        return ENVIRONMENT

    def clause(self, event: Json, who: str | Phrase, name: Naming = numbered) -> Phrase:
        return clause(event, who)

    def purposes(self, position: Any, seat: int, action: Action, name: Naming = numbered) -> list[Phrase]:
        return purposes(position, seat, action, name)

    def label(self, action: Action, name: Naming = numbered) -> Phrase:
        return label(action)

    def picture(self, view: Json, name: Naming = numbered) -> list[Phrase]:
        return picture(view, name)
