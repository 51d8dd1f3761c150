"""How often the levels win, by playing, with what chance leaves open."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from math import sqrt
from random import Random

from engines import RULESETS
from engines.dealer import QuickDealer
from engines.opponents import choose, signal

Z = 1.959964
"""95 % of a normal distribution lie so many deviations around its middle."""


@dataclass(frozen=True)
class Rate:
    """What a level reached over a number of games."""

    level: str
    players: int
    games: int
    wins: int
    defeated: float
    """Enemies, on average."""


def wilson(wins: int, games: int) -> tuple[float, float]:
    """Return the Wilson 95 % interval of a rate, from 0 to 1; all of it if there are no games."""
    if not games:
        return 0.0, 1.0
    rate, square = wins / games, Z * Z / games
    middle = rate + square / 2
    reach = Z * sqrt((rate * (1 - rate) + square / 4) / games)
    return max(0.0, (middle - reach) / (1 + square)), min(1.0, (middle + reach) / (1 + square))


def game(level: str, players: int, seed: str) -> tuple[bool, int]:
    """Return whether a team of *level* wins, and how many enemies it defeats. AIs see views, as at a hosted table."""
    ruleset, rng = RULESETS["regicide"], Random(seed)
    dealer = QuickDealer(rng)
    position = ruleset.new(players, {}, dealer)
    while not position.is_over:
        signals: dict[int, str] = {}
        for other in range(players):
            if position.signals(other):
                told = signal(ruleset, level, position.view(other), other, str(rng.random()))
                signals |= {} if told is None else {other: told}
        seat = position.to_act()[0]
        action = choose(ruleset, level, position.view(seat), seat, str(rng.random()), signals).action
        if action is None:
            raise AssertionError("an AI that must act doesn't")
        position.apply(seat, action, dealer)
    outcome = position.outcome or {}
    return outcome["result"] == "won", outcome["defeated"]


def rates(levels: list[str], games: int, processes: int) -> list[Rate]:
    """Return each level's rate at each player count."""
    found = []
    with ProcessPoolExecutor(processes) as pool:
        for players in RULESETS["regicide"].player_counts:
            for level in levels:
                seeds = [f"{level} {players} {number}" for number in range(games)]
                played = list(pool.map(game, repeat(level), repeat(players), seeds, chunksize=max(1, games // 20)))
                wins, defeated = sum(won for won, _ in played), sum(fallen for _, fallen in played)
                found.append(Rate(level, players, games, wins, defeated / max(1, games)))
    return found
