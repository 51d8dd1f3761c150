"""How true a search's chances are: ``python -m training.calibration regicide.2 --games 400``.

Games are begun by weaker players, and played on by experts from some decision on. What they, or another ``--level``,
claim at each decision, the chance of the best action before any calibration, is held against how the game ended.
Prints a reliability table and the points of the map that repairs it, fitted on the games with even numbers and tried on
the odd ones. With a seed that nothing was fitted on, "as a hint says" is how true this release's hints are.
"""

import multiprocessing
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import inf
from random import Random
from typing import Any, Final

from engines import RULESETS
from engines.ai.calibration import Points, calibrated
from engines.ai.observation import Observation
from engines.ai.search import Search
from engines.contract.default_levels import ROLLOUTS
from engines.contract.levels import EXPERT, Level
from engines.contract.policy import EpsilonPolicy
from engines.core.dealer import SimulationDealer

SLIPS: Final = (0.0, 0.1, 0.2, 0.4)
"""How often the players before the experts slip."""
LONGEST: Final = {"regicide": 40, "gridcannon": 80}
"""Decisions before the experts, at most."""
BINS: Final = 10
KNOTS: Final = 12
"""Points of a map, at most."""

Claims = list[tuple[float, bool]]
"""A chance that was claimed, and whether the game was won."""

Pool = tuple[float, float, int]
"""Claims that go together: the sum of the chances, how many were won, how many there are."""


def thought(level: Level, seen: Observation) -> Search:
    """Return what a level thinks of what it sees, whatever the clock says."""
    search = Search(seen, level.guide)
    search.run(replace(level.budget or EXPERT, seconds=inf))
    return search


def played(name: str, players: int, level: str, seed: str) -> Claims:
    """Play a game; return what *level* claimed at each decision of the experts and what came of it."""
    ruleset, rng = RULESETS[name], Random(f"calibration {name} {players} {seed}")
    dealer, levels = SimulationDealer(rng), ruleset.levels
    weak: Any = EpsilonPolicy(levels["adept"].policy, levels["novice"].policy, rng.choice(SLIPS))
    position: Any = ruleset.new(players, {}, dealer)
    before, number = rng.randrange(LONGEST[name]), 0
    claims = list[tuple[int, float]]()
    while not position.is_over:
        seat, action = position.to_act()[0], None
        if number < before:
            action = weak.choose(position, seat, rng, {})
        else:
            seen = Observation(ruleset, position.view(seat), seat, f"{seed} {number}")
            search = thought(levels["expert"], seen)
            action = search.ranked()[0].action
            claim = search if level == "expert" else thought(levels[level], seen)
            visits, _, won = max(claim.counts()[1:])
            if visits:
                claims.append((seat, won / visits))
        position.apply(seat, action, dealer)
        number += 1
    winners = ruleset.verdict(position.outcome, players).winners
    return [(chance, seat in winners) for seat, chance in claims]


def fitted(claims: Claims) -> Points:
    """Return the rising map that is nearest to what came true: equal shares of the claims, pooled until they rise."""
    ordered = sorted(claims)
    size = max(1, len(ordered) // (4 * KNOTS))
    pools = list[Pool]()
    for start in range(0, len(ordered), size):
        part = ordered[start : start + size]
        said, won = sum(chance for chance, _ in part), float(sum(is_won for _, is_won in part))
        pools.append((said, won, len(part)))
        while len(pools) > 1 and _share(pools[-2]) >= _share(pools[-1]):
            _pool(pools, len(pools) - 2)
    return tuple((round(said / count, 4), round(won / count, 4)) for said, won, count in _merge_pools(pools))


def _merge_pools(pools: list[Pool]) -> Iterable[Pool]:
    """Return no more pools than there may be points: neighbours that say nearly the same go together."""
    pools = pools[:]
    while len(pools) > KNOTS:
        gaps = [_share(above) - _share(below) for below, above in pairwise(pools)]
        _pool(pools, gaps.index(min(gaps)))
    return pools


def _share(pool: Pool) -> float:
    _, won, count = pool
    return won / count


def _pool(pools: list[Pool], place: int) -> None:
    """Let a pool and the next one be one."""
    (said, won, count), (more_said, more_won, more) = pools[place : place + 2]
    pools[place : place + 2] = [(said + more_said, won + more_won, count + more)]


def reliability(claims: Claims, tell: Callable[[float], float]) -> tuple[list[str], float]:
    """Return a line for each tenth of what is told of the claims, and the expected calibration error."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for chance, is_won in claims:
        said = tell(chance)
        bins[min(BINS - 1, int(said * BINS))].append((said, is_won))
    lines, error = list[str](), 0.0
    for place, held in enumerate(bins):
        if held:
            said, was = (sum(one[side] for one in held) / len(held) for side in (0, 1))
            lines.append(f"{place / BINS:.1f}-{(place + 1) / BINS:.1f}  {len(held):7}  said {said:.3f}  was {was:.3f}")
            error += abs(said - was) * len(held) / len(claims)
    return lines, error


def main() -> None:
    """Play, and print."""
    parser = ArgumentParser(prog="python -m training.calibration", description=__doc__)
    parser.add_argument("subject", help="ruleset and number of players: regicide.2")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--level", default="expert", help="who claims; experts play on")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    name, players = asked.subject.split(".")
    with multiprocessing.Pool(asked.processes) as pool:
        seeds = [f"{asked.seed} {number}" for number in range(asked.games)]
        games = pool.map(partial(played, name, int(players), asked.level), seeds, 1)
    even, odd = ([claim for game in games[side::2] for claim in game] for side in (0, 1))
    points, guide = fitted(even), RULESETS[name].levels[asked.level].guide or ROLLOUTS
    for title, claims, tell in (
        ("as claimed, all games", even + odd, float),
        ("as a hint says, all games", even + odd, lambda chance: guide.calibrated(chance, int(players))),
        ("mapped by the even games, odd games", odd, lambda chance: calibrated(chance, points)),
    ):
        lines, error = reliability(claims, tell)
        heading = f"\n{asked.subject}, {asked.level}, {title}: {len(claims)} claims"
        print("\n".join([heading, *lines, f"error {error:.4f}"]))
    print(f"\n{fitted(even + odd)}")


if __name__ == "__main__":
    main()
