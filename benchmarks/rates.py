"""How often the levels win, by playing, with what chance leaves open."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

from engines import RULESETS
from engines.arena import Arena, play, result
from engines.ruleset import Json


@dataclass(frozen=True)
class Rate:
    """What a level reached over a number of games."""

    level: str
    players: int
    told: Json
    """The result of its arena."""


def rates(levels: list[str], games: int, processes: int) -> list[Rate]:
    """Return the rate of a team of each level at each player count."""
    found = []
    with ProcessPoolExecutor(processes) as pool:
        for players in RULESETS["regicide"].player_counts:
            for level in levels:
                arena = Arena("regicide", (level,) * players, games, {}, f"{level} {players}")
                played = pool.map(partial(play, arena), range(games), chunksize=max(1, games // 20))
                told = result(arena, {number: game for number, game in enumerate(played) if game}, seconds=0)
                found.append(Rate(level, players, told))
    return found
