"""Measure simple strategies against an AI level in Gridcannon.

``python -m engines.gridcannon.benchmarks.simple_strategies --games 100``: a search must beat strategies of 20 lines.
``hoarder`` keeps its ploys until it has three, ``turtle`` keeps its own royals safe, ``rush`` attacks, and ``guide`` is
the guide of the search. The AI uses all iterations of its level and no clock: games are equal on all machines.
"""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from random import Random
from typing import Final

from benchmarks.results import release_seed
from engines.ai.decision import Question, think
from engines.ai.observation import Observation
from engines.core.confidence import wilson
from engines.core.dealer import SimulationDealer
from engines.gridcannon.actions import Declare, Recall
from engines.gridcannon.board import ATTACK_ON_ROYAL, LINES
from engines.gridcannon.policy import Adept, GridcannonGuide, resulting_position
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.ruleset import Gridcannon
from engines.ruleset import Action, Policy
from workers.local_work_processes import cores

GRIDCANNON: Final = Gridcannon()
ADEPT: Final = Adept()


@dataclass(frozen=True)
class Weighing(Policy[GridcannonPosition]):
    """Chooses the best board by a few weights; declares a ploy whose best use gains more than *margin*."""

    lives: float
    """Weight of an own living royal; a rival's living royal counts as much against the player."""
    caution: float
    """Weight of the danger to an own royal: the attack of its line as a share of the attack that kills."""
    greed: float
    """Weight of the same danger to a rival's royal."""
    margin: float

    def choose(
        self,
        position: GridcannonPosition,
        seat: int,
        rng: Random,  # unused: the policy is deterministic
        signals: Mapping[int, str],  # unused: the game has no signals
    ) -> Action | None:
        legal = position.legal(seat)
        uses = [action for action in legal if not isinstance(action, Declare | Recall)]
        if position.ploys or not legal:
            return self._best(position, seat, uses or legal)[1] if legal else None
        now = self._worth(position, seat)
        found = [
            (self._gain(position, seat, action) - now, number)
            for number, action in enumerate(legal)
            if isinstance(action, Declare)
        ]
        gain, number = max(found, default=(0.0, 0))
        if gain > self.margin:
            return legal[number]
        return self._best(position, seat, uses)[1] if uses else None

    def _gain(self, position: GridcannonPosition, seat: int, declaration: Action) -> float:
        declared = resulting_position(position, seat, declaration)
        uses = [action for action in declared.legal(seat) if not isinstance(action, Declare | Recall)]
        return self._best(declared, seat, uses)[0] if uses else -1e9

    def _best(self, position: GridcannonPosition, seat: int, actions: list[Action]) -> tuple[float, Action]:
        rated = [
            (self._worth(resulting_position(position, seat, action), seat), -number)
            for number, action in enumerate(actions)
        ]
        worth, number = max(rated)
        return worth, actions[-number]

    def _worth(self, position: GridcannonPosition, seat: int) -> float:
        worth, tops = 0.0, position.tops()
        for player, lives in enumerate(position.lives):
            worth += self.lives * lives * (1 if player == seat else -1)
        for slot, royal in enumerate(position.royals):
            if position.alive[slot]:
                near, far, _ = LINES[slot]
                danger = min(
                    1.0,
                    (ATTACK_ON_ROYAL[royal][tops[near]] + ATTACK_ON_ROYAL[royal][tops[far]]) / position.needed(slot),
                )
                worth += self.greed * danger if position.owner(royal) != seat else -self.caution * danger
        return worth


@dataclass(frozen=True)
class Hoarder(Policy[GridcannonPosition]):
    """Plays like ``Adept``, but declares no ploy while its arsenal has fewer than ``least``."""

    least: int

    def choose(self, position: GridcannonPosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        """Return the action of ``Adept``, unless it declares a ploy with fewer than ``least`` cards in the arsenal.

        In that case return the best action apart from declarations and recalls; None if *seat* needn't act.
        """
        action = ADEPT.choose(position, seat, rng, signals)
        if not isinstance(action, Declare) or len(position.arsenals[seat]) >= self.least:
            return action
        return ADEPT.best_required_action(position, seat) if position.seat_to_act() == seat else None


RIVALS: Final[Mapping[str, Policy[GridcannonPosition]]] = {
    "hoarder": Hoarder(3),
    "turtle": Weighing(lives=10, caution=3, greed=0, margin=1),
    "rush": Weighing(lives=10, caution=0.2, greed=3, margin=1),
    "guide": GridcannonGuide(),
}


@dataclass(frozen=True)
class Game:
    """A game of a rival against a level. The rival has seat 0 in games with even numbers, else seat 1."""

    rival: str
    level: str
    number: int
    seed: str


@dataclass(frozen=True)
class Result:
    """The winner (``rival``, ``level``, ``nobody``), the number of turns, and the level's declarations and recalls."""

    won: str
    turns: int
    declared: int
    recalled: int


def play(game: Game) -> Result:
    """Play the game and return its result. Each seat gets only its own view."""
    rng = Random(f"{game.seed} {game.rival} {game.level} {game.number}")
    dealer, rival = SimulationDealer(rng), game.number % 2
    position = GRIDCANNON.new(2, {}, dealer)
    told = Counter[type[Action]]()
    while not position.is_over:
        seat, action = _next(game, position, rival, rng)
        if seat != rival:
            told[type(action)] += 1
        position.apply(seat, action, dealer)
    winner = (position.outcome or {})["winner"]
    won = "nobody" if winner is None else "rival" if winner == rival else "level"
    return Result(won, position.turns, told[Declare], told[Recall])


def _next(game: Game, position: GridcannonPosition, rival: int, rng: Random) -> tuple[int, Action]:
    for seat in (*position.may_act(), *position.to_act()):
        view = position.view(seat)
        if seat == rival:
            action = RIVALS[game.rival].choose(GRIDCANNON.worlds(view).sample(rng), seat, rng, {})
        else:
            question = Question(game.level, Observation(GRIDCANNON, view, seat, str(rng.random())))
            action = think(question, question.untimed).action
        if action is not None:
            return seat, action
    raise AssertionError("Nobody acts.")


def results_line(rival: str, level: str, results: list[Result]) -> str:
    """Return a line with the results of all games."""
    count, wins = len(results), sum(result.won == "rival" for result in results)
    rate = "{:.1%} [{:.1%}, {:.1%}]".format(wins / count, *wilson(wins, count))
    turns = sorted(result.turns for result in results)
    declared, recalled = (sum(getattr(result, name) for result in results) for name in ("declared", "recalled"))
    draws = sum(result.won == "nobody" for result in results)
    return (
        f"{rival:8} wins {wins:3} of {count} against {level} = {rate}, {draws} drawn; "
        f"turns: median {turns[count // 2]}, longest {turns[-1]}; {level} declared {declared}, took back {recalled}"
    )


def main() -> None:
    """Run the benchmark and print the results."""
    parser = ArgumentParser(prog="python -m engines.gridcannon.benchmarks.simple_strategies", description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--level", choices=GRIDCANNON.levels, default="master")
    parser.add_argument("--rival", choices=RIVALS, nargs="*", default=list(RIVALS))
    parser.add_argument("--seed", default=release_seed())
    parser.add_argument("--processes", type=int, default=cores())
    args = parser.parse_args()
    with ProcessPoolExecutor(args.processes) as pool:
        for rival in args.rival:
            games = [Game(rival, args.level, number, args.seed) for number in range(args.games)]
            print(results_line(rival, args.level, list(pool.map(play, games))), flush=True)


if __name__ == "__main__":
    main()
