"""Measure the calibration of searches: ``python -m training.calibration NAME.PLAYERS --games 400``.

Weaker players begin each game, and experts play on from some decision. The estimates of experts or of another
``--level``, which are the uncalibrated win probabilities of the best action, are compared with the outcome. Prints a
reliability table and the points of an isotonic map, fitted on the even games and tested on the odd ones. With a seed
that was not used in fitting, "as a hint says" shows the calibration of this release's hints.
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

from engines.ai.calibration import Points, calibrated
from engines.ai.observation import Observation
from engines.ai.search import Search
from engines.contract.default_levels import ROLLOUTS
from engines.contract.levels import EXPERT, Level
from engines.contract.policy import EpsilonPolicy
from engines.core.dealer import SimulationDealer
from training.subject import Subject
from training.subjects import SUBJECTS

SLIPS: Final = (0.0, 0.1, 0.2, 0.4)
"""Probability of a random action of the players before the experts."""
BINS: Final = 10
KNOTS: Final = 12
"""Maximum number of points of the map."""

Claims = list[tuple[float, bool]]
"""Estimated probabilities, and whether the game was won."""

Pool = tuple[float, float, int]
"""Pooled claims: sum of probabilities, number of wins, number of claims."""


def thought(level: Level, seen: Observation) -> Search:
    """Return the search result of a level, without its limit of time."""
    search = Search(seen, level.guide)
    search.run(replace(level.budget or EXPERT, seconds=inf))
    return search


def play_for_pairs(name: str, level: str, seed: str) -> Claims:
    """Play a game of a subject; return the estimates of *level* at each decision of the experts, and the result."""
    subject = SUBJECTS[name]
    ruleset, players = subject.ruleset, subject.players
    rng = Random(f"calibration {ruleset.name} {players} {seed}")
    dealer, levels = SimulationDealer(rng), ruleset.levels
    weak: Any = EpsilonPolicy(levels["adept"].policy, levels["novice"].policy, rng.choice(SLIPS))
    position: Any = ruleset.new(players, {}, dealer)
    before, number = rng.randrange(subject.opening), 0
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


def isotonic_fit(claims: Claims) -> Points:
    """Return the rising map nearest to the results: equal shares of the claims, pooled until they rise."""
    ordered = sorted(claims)
    size = max(1, len(ordered) // (4 * KNOTS))
    pools = list[Pool]()
    for start in range(0, len(ordered), size):
        part = ordered[start : start + size]
        claimed, won = sum(chance for chance, _ in part), float(sum(is_won for _, is_won in part))
        pools.append((claimed, won, len(part)))
        while len(pools) > 1 and _share(pools[-2]) >= _share(pools[-1]):
            _pool(pools, len(pools) - 2)
    return tuple((round(claimed / count, 4), round(won / count, 4)) for claimed, won, count in _merge_pools(pools))


def _merge_pools(pools: list[Pool]) -> Iterable[Pool]:
    """Merge neighbouring pools with similar estimates until there are no more than ``KNOTS``."""
    pools = pools[:]
    while len(pools) > KNOTS:
        gaps = [_share(above) - _share(below) for below, above in pairwise(pools)]
        _pool(pools, gaps.index(min(gaps)))
    return pools


def _share(pool: Pool) -> float:
    _, won, count = pool
    return won / count


def _pool(pools: list[Pool], index: int) -> None:
    """Merge a pool with the next one."""
    (claimed, won, count), (more_said, more_won, more) = pools[index : index + 2]
    pools[index : index + 2] = [(claimed + more_said, won + more_won, count + more)]


def reliability(claims: Claims, map_claim: Callable[[float], float]) -> tuple[list[str], float]:
    """Return a line per tenth of the estimates, and the expected calibration error."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for chance, is_won in claims:
        claimed = map_claim(chance)
        bins[min(BINS - 1, int(claimed * BINS))].append((claimed, is_won))
    lines, error = list[str](), 0.0
    for index, held in enumerate(bins):
        if held:
            claimed, was = (sum(one[side] for one in held) / len(held) for side in (0, 1))
            low = index / BINS
            lines.append(f"{low:.1f}-{(index + 1) / BINS:.1f}  {len(held):7}  said {claimed:.3f}  was {was:.3f}")
            error += abs(claimed - was) * len(held) / len(claims)
    return lines, error


def report(subject: Subject, level: str, games: list[Claims]) -> None:
    """Print the tables of a subject, and the points of its map."""
    even, odd = ([claim for game in games[side::2] for claim in game] for side in (0, 1))
    points, guide = isotonic_fit(even), subject.ruleset.levels[level].guide or ROLLOUTS
    for title, claims, map_claim in (
        ("as claimed, all games", even + odd, float),
        ("as a hint says, all games", even + odd, lambda chance: guide.calibrated(chance, subject.players)),
        ("mapped by the even games, odd games", odd, lambda chance: calibrated(chance, points)),
    ):
        lines, error = reliability(claims, map_claim)
        heading = f"\n{subject.name}, {level}, {title}: {len(claims)} claims"
        print("\n".join([heading, *lines, f"error {error:.4f}"]))
    print(f"\n{isotonic_fit(even + odd)}", flush=True)


def main() -> None:
    """Play and print."""
    parser = ArgumentParser(prog="python -m training.calibration", description=__doc__)
    parser.add_argument(
        "subjects", nargs="*", metavar="SUBJECT", help=f"of {', '.join(SUBJECTS)}; all if none is named"
    )
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--level", default="expert", help="who claims; experts play on")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    seeds = [f"{args.seed} {number}" for number in range(args.games)]
    with multiprocessing.Pool(args.processes) as pool:
        for name in args.subjects or SUBJECTS:
            report(SUBJECTS[name], args.level, pool.map(partial(play_for_pairs, name, args.level), seeds, 1))


if __name__ == "__main__":
    main()
