"""Let two AIs play Gridcannon for two against each other, each deal twice with seats exchanged.

``python -m engines.gridcannon.benchmarks.duel plans expert --seed fresh --out build/duel.jsonl``: a player is a level,
``plans`` (a search among plans) or ``tree`` (a search in a tree), or one of the last two with another network, such as
``plans:build/value.2.bin``. Searches have no time limit. An interrupted run is resumed from its file.

Most of a result is luck of the cards drawn. A game's luck is the sum over all draws of the value of the drawn card to
the first player, minus the mean value of all cards that might have been drawn. This mean is exact, because all hidden
cards are equally likely (G22). The expected luck is 0, whatever network gives the values and whoever plays. So the
result minus luck has the same expectation as the result, with less variance (AIVAT, Burch and others, 2018).
"""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from time import process_time
from typing import Final

from engines.ai.compound_actions import best_without_needless_step
from engines.ai.decision import Question, think
from engines.ai.observation import Observation
from engines.ai.plan_search import search_of
from engines.ai.value_network import ValueNetwork
from engines.core.cards import Card
from engines.core.confidence import wilson
from engines.core.dealer import NO_SHUFFLE, SimulationDealer
from engines.gridcannon.actions import DRAW, Declare, Draw, Recall
from engines.gridcannon.board import is_royal
from engines.gridcannon.greedy import GreedyGuide, load_greedy_network
from engines.gridcannon.policy import GridcannonGuide
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.ruleset import Gridcannon
from engines.gridcannon.value_guide import ValueGuide, is_asked, load_network
from engines.ruleset import Action, Budget

GRIDCANNON: Final = Gridcannon()
LUCK_GUIDE: Final = GreedyGuide()
BUDGETS: Final = {"plans": Budget(160), "tree": Budget(150, stops_early=True)}

Player = Callable[[Observation], Action | None]


@dataclass
class Told:
    """Statistics of a player in one game: CPU milliseconds by decision, numbers of declared and recalled ploys."""

    milliseconds: list[float] = field(default_factory=list)
    declared: int = 0
    recalled: int = 0


@dataclass(frozen=True)
class Result:
    """Result of a game: the first player's score (0, 0.5 or 1) and luck, the turns, and both players' statistics."""

    number: int
    won: float
    luck: float
    turns: int
    told: tuple[Told, Told]


def player(name: str) -> Player:
    """Return the player that *name* describes: a level, ``plans`` or ``tree``; the last two also as ``plans:FILE``.

    FILE is that of another network.
    """
    if name in GRIDCANNON.levels:
        return lambda seen: think(question := Question(name, seen), question.untimed).action
    kind, _, file = name.partition(":")
    network = ValueNetwork(Path(file).read_bytes()) if file else None
    makers = {"plans": (GreedyGuide, load_greedy_network), "tree": (ValueGuide, load_network)}
    make, load = makers[kind]
    guide, budget = make(lambda players: network or load(players)), BUDGETS[kind]

    def choose(seen: Observation) -> Action | None:
        search = search_of(seen, guide)
        return (
            None if search.should_pass else best_without_needless_step(search.run(budget).ranked, seen, guide, budget)
        )

    return choose


def play(players: tuple[Player, Player], seed: str, number: int) -> Result:
    """Play game *number*; each player gets only the view of its seat."""
    dealer, chances = SimulationDealer(Random(f"{seed} {number // 2}")), Random(f"{seed} {number} decisions")
    position, told, luck = GRIDCANNON.new(2, {}, dealer), (Told(), Told()), 0.0
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
                if isinstance(action, Draw):
                    luck += luck_of_draw(position, number % 2)
                position.apply(seat, action, dealer)
                break
    winner = (position.outcome or {})["winner"]
    won = 0.5 if winner is None else float((winner + number) % 2 == 0)
    return Result(number, won, round(luck, 4), position.turns, told)


def luck_of_draw(position: GridcannonPosition, seat: int) -> float:
    """Return the value to *seat* of the card drawn next, minus the mean value of all cards that it might be."""
    hidden = position.draw_pile[: len(position.draw_pile) - position.known_bottom]
    if not position.stands_on_board(position.turn):  # the next royal is drawn (G16)
        hidden = [card for card in hidden if is_royal(card)]
    if not hidden:
        return 0.0
    guide = LUCK_GUIDE.prepare(position, GRIDCANNON.verdict)
    worths = [worth_of_draw(position, card, seat, guide) for card in hidden]
    return worths[0] - fmean(worths)


def worth_of_draw(position: GridcannonPosition, card: Card, seat: int, guide: GridcannonGuide) -> float:
    """Return the value of the position for *seat* after *card* is drawn and laid by one step of lookahead."""
    world = position.copy()
    world.draw_pile.remove(card)
    world.draw_pile.insert(0, card)
    world.apply(world.turn, DRAW, NO_SHUFFLE)
    if not (world.is_over or is_asked(world)):
        mover, action = guide.next(world, Random(0))
        world.apply(mover, action, NO_SHUFFLE)
    return guide.value(world, seat)


def report(names: list[str], results: list[Result]) -> str:
    """Return a report: the first player's win rate, the same after subtracting luck, and both players' statistics."""
    won, games = sum(result.won for result in results), len(results)
    low, high = wilson(int(won), games)
    lines = [f"{names[0]} won {won:g} of {games} = {won / games:.1%} ({low:.1%}-{high:.1%}) against {names[1]}"]
    fair = [one.won - one.luck for one in results]
    pairs = [(one + other) / 2 for one, other in zip(fair[::2], fair[1::2], strict=False)]
    if len(pairs) > 1:
        error = 1.96 * stdev(pairs) / len(pairs) ** 0.5
        lines.append(
            f"less luck {fmean(pairs):.1%} ({fmean(pairs) - error:.1%}-{fmean(pairs) + error:.1%}, by deals); "
            f"a game's result spreads by {stdev([one.won for one in results]):.2f}, less luck by {stdev(fair):.2f}"
        )
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
    """Parse a line of a run's file."""
    found = json.loads(line)
    first, second = (Told(**one) for one in found.pop("told"))
    return Result(**found, told=(first, second))


def main() -> None:
    """Play the missing games, and print the report."""
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
