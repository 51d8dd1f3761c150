"""Continue the training of Gridcannon's network for two players, on games between greedy players that use it.

``python -m engines.gridcannon.training.greedy_games --games 15000 --out build/value.2.bin`` plays the games that aren't
yet in files of a folder, then trains on all games by TD(0.8). One in ten actions is exploratory; the positions before
such an action aren't trained on what followed it (Watkins).
"""

from argparse import ArgumentParser
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np

from engines.ai.value_network import ValueNetwork, network_sizes
from engines.core.dealer import SimulationDealer
from engines.gridcannon.features import features
from engines.gridcannon.greedy import GreedyGuide
from engines.gridcannon.ruleset import Gridcannon
from engines.gridcannon.training.exploration import explore
from engines.gridcannon.value_guide import is_asked, network_file, outcome_class
from training.network import Network
from training.replay_buffer import Seen
from training.teacher_game_arrays import TeacherGames

EXPLORATION_PROBABILITY: Final = 0.1
"""Probability of an exploratory action at a decision."""
GAMES_IN_FILE: Final = 100
BATCH_SIZE: Final = 512
LEARNING_RATES: Final = (7e-4, 3e-4)
"""First and last learning rate of Adam; in the last pass the rate also falls to a tenth."""
WEIGHT_DECAY: Final = 0.1
TD_LAMBDA: Final = 0.8
PASSES: Final = 4


def greedy_game(network: ValueNetwork, rng: Random) -> tuple[Seen, list[bool], int]:
    """Play a game of greedy players, with exploration.

    Returns the positions at the beginning of turns, for each of them whether an exploratory action followed before the
    next one, and the outcome (``outcome_class``).
    """
    dealer, guide = SimulationDealer(rng), GreedyGuide(lambda _: network)
    position = Gridcannon().new(2, {"turn_limit": 300}, dealer)
    seen, explored = Seen(), list[bool]()
    while not position.is_over:
        if is_asked(position):
            seen.append((features(position), position.turn))
            explored.append(False)
        seat, action = guide.next(position, rng)
        if seen and not position.ploys and rng.random() < EXPLORATION_PROBABILITY:
            must = position.seat_to_act()
            other = explore(position, must, rng)
            if (must, other) != (seat, action):
                explored[-1] = True
                seat, action, guide = must, other, GreedyGuide(lambda _: network)
        position.apply(seat, action, dealer)
    return seen, explored, outcome_class(position)


def play_file(network: ValueNetwork, chances: list[str], path: Path) -> None:
    """Play a game for each of the random seeds *chances*, and write the games into a file."""
    rows, viewpoints, explored = list[list[int]](), list[int](), list[bool]()
    lengths, endings = list[int](), list[int]()
    for chance in chances:
        seen, cut, ending = greedy_game(network, Random(chance))
        rows += [held for held, _ in seen]
        viewpoints += [viewpoint for _, viewpoint in seen]
        explored += cut
        lengths.append(len(seen))
        endings.append(ending)
    unfinished = path.with_suffix(".part.npz")
    np.savez_compressed(
        unfinished,
        held=np.concatenate([np.array(row, np.uint16) for row in rows]),
        counts=np.array([len(row) for row in rows], np.uint8),
        viewpoints=np.array(viewpoints, np.uint8),
        explored=np.array(explored),
        lengths=np.array(lengths),
        endings=np.array(endings, np.uint8),
    )
    unfinished.replace(path)


def read_games(paths: list[Path], sizes: tuple[int, int, int, int]) -> TeacherGames:
    """Return the games in files that ``play_file`` has written; *sizes* are the network's (``network_sizes``)."""
    games = TeacherGames(sizes[0], sizes[3], 2)
    for path in paths:
        with np.load(path) as state:
            found: dict[str, Any] = dict(state)
        rows = [held.tolist() for held in np.split(found["held"], np.cumsum(found["counts"], dtype=np.int64)[:-1])]
        seen = list(zip(rows, found["viewpoints"].tolist(), strict=True))
        start = 0
        for length, ending in zip(found["lengths"].tolist(), found["endings"].tolist(), strict=True):
            end = start + length
            games.add(seen[start:end], found["explored"][start:end].tolist(), ending)
            start = end
    return games


def learn(network: Network, games: TeacherGames, rng: np.random.Generator) -> None:
    """Train the network on all games in several passes, with new TD targets in each."""
    held, places = games.features(), games.learned()
    steps = len(places) // BATCH_SIZE
    for number in range(PASSES):
        targets, order = games.targets(network.shares(held), TD_LAMBDA), rng.permutation(places)
        loss = 0.0
        for step in range(steps):
            chosen = order[step * BATCH_SIZE : (step + 1) * BATCH_SIZE]
            progress = (number * steps + step) / (PASSES * steps)
            rate = LEARNING_RATES[0] * (LEARNING_RATES[1] / LEARNING_RATES[0]) ** progress
            fall = max(0.1, 1 - step / steps) if number == PASSES - 1 else 1.0
            loss += network.train_step(held[chosen], targets[chosen], rate * fall, WEIGHT_DECAY)
        print(f"pass {number + 1}: cross-entropy {loss / steps:.4f}", flush=True)


def main() -> None:
    """Play the missing games, train, and write the network."""
    parser = ArgumentParser(prog="python -m engines.gridcannon.training.greedy_games", description=__doc__)
    parser.add_argument("--games", type=int, default=15_000)
    parser.add_argument("--network", type=Path, help="where it begins; that of the package unless given")
    parser.add_argument("--folder", type=Path, default=Path("build/greedy"), help="the games")
    parser.add_argument("--seed", default="greedy")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    data = args.network.read_bytes() if args.network else network_file(2)
    paths = [args.folder / f"{number:04}.npz" for number in range(args.games // GAMES_IN_FILE)]
    for number, path in enumerate(paths):
        if not path.exists():
            numbers = range(number * GAMES_IN_FILE, (number + 1) * GAMES_IN_FILE)
            play_file(ValueNetwork(data), [f"{args.seed} {game}" for game in numbers], path)
            print(path, flush=True)
    rng = np.random.default_rng(1)
    network = Network.unpacked(data, rng)
    learn(network, read_games(paths, network_sizes(data)), rng)
    args.out.write_bytes(network.packed())


if __name__ == "__main__":
    main()
