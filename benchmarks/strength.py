"""How often a level wins: ``python -m benchmarks.strength --ruleset regicide --level expert --players 1 2 --games 50``.

In Regicide all seats are of the level; in Gridcannon one seat, another one each game, plays against ``--against`` at
all others. ``--iterations`` replaces the level's own budget, so that the games can be repeated on any machine.
"""

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from random import Random
from time import perf_counter

from benchmarks.rates import wilson
from engines import RULESETS
from engines.dealer import QuickDealer
from engines.opponents import LEVELS, choose, signal
from engines.ruleset import Position


@dataclass(frozen=True)
class Game:
    """One game to play: who sits where, and how long those who search think, if it isn't as usual."""

    ruleset: str
    levels: tuple[str, ...]
    seed: str
    iterations: int | None


@dataclass(frozen=True)
class Result:
    """How a game went, and what it cost."""

    outcome: dict[str, object]
    decisions: int
    iterations: int
    seconds: float


def play(game: Game) -> Result:
    """Play one game; AIs see views, as at a hosted table."""
    ruleset, rng, began = RULESETS[game.ruleset], Random(game.seed), perf_counter()
    dealer = QuickDealer(rng)
    position = ruleset.new(len(game.levels), {}, dealer)
    decisions = iterations = 0
    while not position.is_over:
        signals = _signals(game, position, rng)
        for seat in dict.fromkeys(position.may_act() + position.to_act()):
            about = (ruleset, game.levels[seat], position.view(seat), seat, str(rng.random()))
            chosen = choose(*about, signals, iterations=game.iterations)
            if chosen.iterations:
                decisions, iterations = decisions + 1, iterations + chosen.iterations
            if chosen.action is not None:
                position.apply(seat, chosen.action, dealer)
                break
    return Result(position.outcome or {}, decisions, iterations, perf_counter() - began)


def _signals(game: Game, position: Position, rng: Random) -> dict[int, str]:
    signals = {}
    for seat, level in enumerate(game.levels):
        if position.signals(seat):
            told = signal(RULESETS[game.ruleset], level, position.view(seat), seat, str(rng.random()))
            if told is not None:
                signals[seat] = told
    return signals


def games(asked: argparse.Namespace, players: int) -> list[Game]:
    """Return the games to play at one player count; the level's seat goes round where it has rivals."""
    others = asked.level if RULESETS[asked.ruleset].cooperative else asked.against
    return [
        Game(
            asked.ruleset,
            tuple(asked.level if seat == number % players else others for seat in range(players)),
            f"strength {players} {number}",
            asked.iterations,
        )
        for number in range(asked.first, asked.first + asked.games)
    ]


def is_won(number: int, players: int, outcome: dict[str, object]) -> bool:
    """Tell whether the level has won game *number*."""
    return outcome["result"] == "won" and outcome.get("winner", number % players) == number % players


def main() -> None:
    """Play and print, a line for each player count."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strength", description=__doc__)
    parser.add_argument("--ruleset", choices=list(RULESETS), default="regicide")
    parser.add_argument("--level", choices=list(LEVELS), default="expert")
    parser.add_argument("--against", choices=list(LEVELS), default="adept", help="who sits at the other seats")
    parser.add_argument("--players", type=int, nargs="+", default=[2])
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--iterations", type=int, help="of each search, instead of the level's budget")
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    with ProcessPoolExecutor(asked.processes) as pool:
        for players in asked.players:
            results = list(pool.map(play, games(asked, players)))
            print(line(asked, players, results), flush=True)


def line(asked: argparse.Namespace, players: int, results: list[Result]) -> str:
    """Return what came of the games at one player count."""
    won = sum(is_won(asked.first + n, players, result.outcome) for n, result in enumerate(results))
    low, high = wilson(won, len(results))
    decisions = max(1, sum(result.decisions for result in results))
    iterations, seconds = sum(result.iterations for result in results), sum(result.seconds for result in results)
    told = f"{asked.ruleset} {asked.level} x {players}: {won} of {len(results)} = {won / len(results):.0%}"
    told += f" [{low:.0%}, {high:.0%}], {iterations / decisions:.0f} iterations and"
    told += f" {1000 * seconds / decisions:.0f} ms a decision"
    if RULESETS[asked.ruleset].cooperative:
        defeated = [result.outcome["defeated"] for result in results]
        told += f", defeated {sum(map(int, map(str, defeated))) / len(results):.2f}"
    medals = Counter(str(result.outcome["medal"]) for result in results if result.outcome.get("medal"))
    return told + (f", {dict(medals)}" if medals else "")


if __name__ == "__main__":
    main()
