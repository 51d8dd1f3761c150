"""Let two searches of Gridcannon for two play each other, each deal twice with seats exchanged.

``python -m engines.gridcannon.benchmarks.duel plans expert --seed fresh --out build/duel.jsonl``: a player is a level,
``plans`` or ``tree`` (the search among plans, that in a tree), or either of these with another network, as
``plans:build/value.2.bin``. No clock limits them. An interrupted run goes on where its file ends.
"""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from time import process_time
from typing import Final

from engines.ai.compound_actions import confirmed
from engines.ai.decision import Question, think
from engines.ai.observation import Observation
from engines.ai.plan_search import search_of
from engines.ai.value_network import ValueNetwork
from engines.core.confidence import wilson
from engines.core.dealer import SimulationDealer
from engines.gridcannon.actions import Declare, Recall
from engines.gridcannon.greedy import GreedyGuide
from engines.gridcannon.ruleset import Gridcannon
from engines.gridcannon.value import ValueGuide, load_network
from engines.ruleset import Action, Budget

GRIDCANNON: Final = Gridcannon()
BUDGETS: Final = {"plans": Budget(200), "tree": Budget(150, stops_early=True)}

Player = Callable[[Observation], Action | None]


@dataclass
class Told:
    """What a player did in a game: milliseconds of CPU of its decisions, ploys declared and recalled."""

    milliseconds: list[float] = field(default_factory=list)
    declared: int = 0
    recalled: int = 0


@dataclass(frozen=True)
class Result:
    """What the first player won, 0.5 for a draw, after how many turns; what both did."""

    number: int
    won: float
    turns: int
    told: tuple[Told, Told]


def player(name: str) -> Player:
    """Return the player of this name."""
    if name in GRIDCANNON.levels:
        return lambda seen: think(question := Question(name, seen), question.untimed).action
    kind, _, file = name.partition(":")
    network = ValueNetwork(Path(file).read_bytes()) if file else load_network(2)
    guide, budget = {"plans": GreedyGuide, "tree": ValueGuide}[kind](lambda _: network), BUDGETS[kind]

    def choose(seen: Observation) -> Action | None:
        search = search_of(seen, guide)
        return None if search.should_pass else confirmed(search.run(budget).ranked, seen, guide, budget)

    return choose


def play(players: tuple[Player, Player], seed: str, number: int) -> Result:
    """Play a game; each seat gets its view alone."""
    dealer, chances = SimulationDealer(Random(f"{seed} {number // 2}")), Random(f"{seed} {number} decisions")
    position, told = GRIDCANNON.new(2, {}, dealer), (Told(), Told())
    while not position.is_over:
        for seat in (*position.may_act(), *position.to_act()):
            who = (seat + number) % 2
            seen = Observation(GRIDCANNON, position.view(seat), seat, str(chances.random()))
            began = process_time()
            action = players[who](seen)
            told[who].milliseconds.append(round(1000 * (process_time() - began), 1))
            if action is not None:
                told[who].declared += isinstance(action, Declare)
                told[who].recalled += isinstance(action, Recall)
                position.apply(seat, action, dealer)
                break
    winner = (position.outcome or {})["winner"]
    won = 0.5 if winner is None else float((winner + number) % 2 == 0)
    return Result(number, won, position.turns, told)


def report(names: list[str], results: list[Result]) -> str:
    """Return what the first player won, and how both played."""
    won, games = sum(result.won for result in results), len(results)
    low, high = wilson(int(won), games)
    lines = [f"{names[0]} won {won:g} of {games} = {won / games:.1%} ({low:.1%}-{high:.1%}) against {names[1]}"]
    for who, name in enumerate(names):
        told = [result.told[who] for result in results]
        count = sum(len(one.milliseconds) for one in told)
        times = sorted(time for one in told for time in one.milliseconds)
        declared, recalled = sum(one.declared for one in told), sum(one.recalled for one in told)
        lines.append(
            f"{name}: {sum(times) / count:.1f} ms a decision, one in a hundred takes "
            f"{times[count * 99 // 100]:.0f}, longest {times[-1]:.0f}; {declared} declared, {recalled} recalled"
        )
    return "\n".join(lines)


def read(line: str) -> Result:
    """Return the result on a line of a run's file."""
    found = json.loads(line)
    first, second = (Told(**one) for one in found.pop("told"))
    return Result(**found, told=(first, second))


def main() -> None:
    """Play or go on, and print."""
    parser = ArgumentParser(prog="python -m engines.gridcannon.benchmarks.duel", description=__doc__)
    parser.add_argument("players", nargs=2)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.touch()
    results = [read(line) for line in args.out.read_text("utf-8").splitlines()]
    players = player(args.players[0]), player(args.players[1])
    with args.out.open("a", encoding="utf-8") as file:
        for number in range(len(results), args.games):
            results.append(play(players, args.seed, number))
            print(json.dumps(asdict(results[-1])), file=file, flush=True)
    print(report(args.players, results))


if __name__ == "__main__":
    main()
