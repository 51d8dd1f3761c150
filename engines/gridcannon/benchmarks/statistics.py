"""Statistics of Gridcannon games between policies: strength, lengths, outcomes, first seat, ploys.

``python -m engines.gridcannon.benchmarks.statistics`` prints everything; ``--quick`` plays a tenth. Equal seeds give
equal games, whatever the number of processes.
"""

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from random import Random

from engines.core.confidence import wilson
from engines.core.dealer import SimulationDealer
from engines.gridcannon.actions import Force, Reassign, Switch
from engines.gridcannon.policy import Adept, SafePlayer
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.ruleset import Gridcannon
from engines.ruleset import Action, Policy

GRIDCANNON = Gridcannon()
PLOY_NAME_BY_ACTION: Mapping[type[Action], str] = {
    Reassign: "reassignment",
    Switch: "switcheroo",
    Force: "forced_attack",
}


class Chance(Policy[GridcannonPosition]):
    """Chooses a legal action at random; uses half of its opportunities to interrupt."""

    def choose(
        self,
        position: GridcannonPosition,
        seat: int,
        rng: Random,
        signals: Mapping[int, str],  # unused: the game has no signals
    ) -> Action | None:
        legal = position.legal(seat)
        return None if position.seat_to_act() != seat and rng.random() < 0.5 else rng.choice(legal)


PLAYERS: Mapping[str, Policy[GridcannonPosition]] = {"chance": Chance(), "safe": SafePlayer(), "adept": Adept()}


@dataclass(frozen=True)
class Game:
    """One game to play: levels by seat, and its seed."""

    levels: tuple[str, ...]
    seed: str
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """The result of a game."""

    levels: tuple[str, ...]
    winner: int | None
    reason: str
    turns: int
    actions: int
    ploys: Counter[str]


def play(game: Game) -> Result:
    """Play one game; seats that may interrupt decide first, in random order, then those that must act."""
    rng = Random(game.seed)
    dealer = SimulationDealer(rng)
    position = GRIDCANNON.new(len(game.levels), dict(game.options), dealer)
    actions, ploys = 0, Counter[str]()
    while not position.is_over:
        seat, action = _next(position, game.levels, rng)
        ploys[PLOY_NAME_BY_ACTION.get(type(action), "")] += 1
        position.apply(seat, action, dealer)
        actions += 1
    outcome = position.outcome or {}
    del ploys[""]
    return Result(game.levels, outcome["winner"], outcome["reason"], position.turns, actions, ploys)


def _next(position: GridcannonPosition, levels: Sequence[str], rng: Random) -> tuple[int, Action]:
    interrupters = position.may_act()
    rng.shuffle(interrupters)
    for seat in (*interrupters, *position.to_act()):
        # Policies get a world that is sampled from the seat's view; the random player needs none.
        world = position if levels[seat] == "chance" else GRIDCANNON.worlds(position.view(seat)).sample(rng)
        action = PLAYERS[levels[seat]].choose(world, seat, rng, {})
        if action is not None:
            return seat, action
    raise AssertionError("Nobody acts.")


def rate_text(wins: int, games: int) -> str:
    """Return a rate with its 95 % Wilson interval."""
    low, high = wilson(wins, games)
    return f"{wins} of {games} = {wins / games:.1%} [{low:.1%}, {high:.1%}]"


def strength(pool: ProcessPoolExecutor, players: int, games: int, level: str, other: str) -> None:
    """Print how often one seat of *level* wins against seats of *other*. The seat of *level* changes each game."""
    tables = [tuple(level if seat == game % players else other for seat in range(players)) for game in range(games)]
    results = list(
        pool.map(play, [Game(t, f"{level} {other} {players} {n}") for n, t in enumerate(tables)], chunksize=5)
    )
    won = [result for result in results if result.winner is not None and result.levels[result.winner] == level]
    print(f"\n{level} against {players - 1} x {other}: wins {rate_text(len(won), games)}")
    draws = Counter(result.reason for result in results if result.winner is None)
    print(f"  draws: {dict(draws)}")


def statistics(pool: ProcessPoolExecutor, players: int, games: int, level: str, options: Mapping[str, object]) -> None:
    """Print lengths, outcomes, the first seat's advantage and the ploys of games in which all play at *level*."""
    jobs = [Game((level,) * players, f"{level} {players} {options} {number}", options) for number in range(games)]
    results = list(pool.map(play, jobs, chunksize=5))
    turns = sorted(result.turns for result in results)
    print(f"\n{games} games of {players} x {level} {dict(options) or ''}")
    print(f"  turns: median {turns[games // 2]}, 99th percentile {turns[games * 99 // 100]}, longest {turns[-1]}")
    reasons = Counter(result.reason for result in results)
    print("  endings: " + ", ".join(f"{reason} {count / games:.2%}" for reason, count in reasons.most_common()))
    for seat in range(players):
        print(f"  seat {seat} wins {rate_text(sum(result.winner == seat for result in results), games)}")
    used = sum((result.ploys for result in results), Counter[str]())
    print("  ploys a game: " + ", ".join(f"{name} {used[name] / games:.2f}" for name in PLOY_NAME_BY_ACTION.values()))


def main() -> None:
    """Print the part of the report that the arguments name, or the whole report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the games")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", choices=["strength", "chance", "adept"], help="one part of the report")
    args = parser.parse_args()
    scale = 10 if args.quick else 1
    with ProcessPoolExecutor(args.processes) as pool:
        if args.only in (None, "strength"):
            strength(pool, 2, 500 // scale, "adept", "safe")
            strength(pool, 4, 500 // scale, "adept", "safe")
        for level, games in (("chance", 2000), ("adept", 1000)):
            if args.only in (None, level):
                for players, options in ((2, {}), (2, {"reduced_ploys": True}), (4, {})):
                    statistics(pool, players, games // scale, level, options)


if __name__ == "__main__":
    main()
