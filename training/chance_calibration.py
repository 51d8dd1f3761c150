"""Measure the calibration of searches: ``python -m training.chance_calibration NAME.PLAYERS --games 400``.

Weaker players begin each game, and experts play on from some decision; with ``--opening experts`` they play whole
games. A claim is the uncalibrated win probability of the best action as estimated by experts or another ``--level``.
Claims are compared with outcomes. Prints a reliability table, the slope and intercept of the log odds (1 and 0 if
claims are true; nan if too few games were lost to tell), and the points of an isotonic map, fitted on the even games
and tested on the odd ones. The interval of the slope is by games, because claims of one game share its end. The row
"as a hint says" has the claims after this release's own map, as hints show them: choose a seed that was not used to
fit that map. An interrupted run is resumed from ``--out``.
"""

import json
import multiprocessing
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import inf, isnan, nan
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np

from engines.ai.calibration import Points, calibrated
from engines.ai.observation import Observation
from engines.ai.plan_search import PlanSearch, search_of
from engines.ai.search import Search
from engines.contract.default_levels import ROLLOUTS
from engines.contract.levels import EXPERT, Level
from engines.contract.policy import EpsilonPolicy
from engines.core.dealer import SimulationDealer
from training.subject import Subject
from training.subjects import SUBJECTS

SLIP_PROBABILITIES: Final = (0.0, 0.1, 0.2, 0.4)
"""Probabilities that the weaker players, which are adepts, act like a novice. One of these is chosen for each game."""
BINS: Final = 10
MAX_ISOTONIC_POINTS: Final = 12
"""Maximum number of points of the isotonic map."""
MIN_DISTANCE_FROM_CERTAINTY: Final = 0.005
"""Minimum distance of estimates from 0 and 1 when odds are fitted. Nearer estimates are moved to this distance."""
NEWTON_STEPS: Final = 20
"""Maximum number of Newton steps of a fit. A fit that has finite parameters takes fewer than ten."""
NEWTON_PRECISION: Final = 1e-6
"""A fit ends when a step changes its parameters by less than this."""
MAX_LOG_ODDS: Final = 500.0
"""Maximum of fitted log odds, so that their exponentials are finite."""
MAX_CONDITION: Final = 1e12
"""Maximum condition number of a fit's curvature. Where no finite parameters fit best, it grows from step to step."""
BOOTSTRAP_SAMPLES: Final = 200
"""Number of bootstrap samples (random games, with repetition) from which the interval of a slope is computed."""

Claims = list[tuple[float, bool]]
"""Estimated probabilities of winning, each with True if the game was won, else False."""

Pool = tuple[float, float, int]
"""Pooled claims: sum of probabilities, number of wins, number of claims."""


def thought(level: Level, seen: Observation) -> Search | PlanSearch:
    """Run a level's search of *seen* without its time limit, and return the search."""
    search = search_of(seen, level.guide)
    search.run(replace(level.budget or EXPERT, seconds=inf))
    return search


def play_for_claims(name: str, level: str, opening: str, seed: str) -> Claims:
    """Play a game of a subject; return the estimates of *level* at each decision of the experts, with the result.

    *opening* names the players who begin: ``weaker`` or ``experts``.
    """
    subject = SUBJECTS[name]
    ruleset, players = subject.ruleset, subject.players
    rng = Random(f"calibration {ruleset.name} {players} {seed}")
    dealer, levels = SimulationDealer(rng), ruleset.levels
    weak: Any = EpsilonPolicy(levels["adept"].policy, levels["novice"].policy, rng.choice(SLIP_PROBABILITIES))
    position: Any = ruleset.new(players, {}, dealer)
    before, number = rng.randrange(subject.opening) if opening == "weaker" else 0, 0
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


def odds_fit(claims: Claims) -> tuple[float, float]:
    """Return the intercept and the slope that map the log odds of claims to those of the results.

    Computed by logistic regression with Newton's method. Both are NaN where no finite ones fit best: if all claims come
    from games that were won, or if one claimed chance separates those that were won from those that were lost.
    """
    claimed, won = np.array(claims, dtype=float).T
    claimed = claimed.clip(MIN_DISTANCE_FROM_CERTAINTY, 1 - MIN_DISTANCE_FROM_CERTAINTY)
    terms = np.stack([np.ones_like(claimed), np.log(claimed / (1 - claimed))])
    found = np.array([0.0, 1.0])
    for _ in range(NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-(found @ terms).clip(-MAX_LOG_ODDS, MAX_LOG_ODDS)))
        curvature = (terms * (chance * (1 - chance))) @ terms.T
        if np.linalg.cond(curvature) > MAX_CONDITION:
            break
        step = np.linalg.solve(curvature, terms @ (won - chance))
        found += step
        if abs(step).max() < NEWTON_PRECISION:
            return float(found[0]), float(found[1])
    return nan, nan


def slope_interval(games: list[Claims]) -> tuple[float, float]:
    """Return the 95 % interval of the slope of ``odds_fit``, from samples of whole games.

    NaN if a sample has no finite slope: too few games were won, or lost.
    """
    rng = Random(len(games))
    slopes = [odds_fit(flat(rng.choices(games, k=len(games))))[1] for _ in range(BOOTSTRAP_SAMPLES)]
    if any(map(isnan, slopes)):
        return nan, nan
    slopes.sort()
    return slopes[BOOTSTRAP_SAMPLES // 40], slopes[-1 - BOOTSTRAP_SAMPLES // 40]


def isotonic_fit(claims: Claims) -> Points:
    """Return an increasing map from claims to win rates.

    The sorted claims are divided into bins of equal size. Neighbouring bins are merged until their win rates increase
    and at most ``MAX_ISOTONIC_POINTS`` are left.
    """
    ordered = sorted(claims)
    size = max(1, len(ordered) // (4 * MAX_ISOTONIC_POINTS))
    pools = list[Pool]()
    for start in range(0, len(ordered), size):
        part = ordered[start : start + size]
        claimed, won = sum(chance for chance, _ in part), float(sum(is_won for _, is_won in part))
        pools.append((claimed, won, len(part)))
        while len(pools) > 1 and _share(pools[-2]) >= _share(pools[-1]):
            _pool(pools, len(pools) - 2)
    return tuple((round(claimed / count, 4), round(won / count, 4)) for claimed, won, count in _merge_pools(pools))


def _merge_pools(pools: list[Pool]) -> Iterable[Pool]:
    """Merge the neighbouring pools with the most similar win rates until there are at most ``MAX_ISOTONIC_POINTS``."""
    pools = pools[:]
    while len(pools) > MAX_ISOTONIC_POINTS:
        gaps = [_share(above) - _share(below) for below, above in pairwise(pools)]
        _pool(pools, gaps.index(min(gaps)))
    return pools


def _share(pool: Pool) -> float:
    _, won, count = pool
    return won / count


def _pool(pools: list[Pool], index: int) -> None:
    """Merge the pool at *index* with the next one, in place."""
    (claimed, won, count), (more_said, more_won, more) = pools[index : index + 2]
    pools[index : index + 2] = [(claimed + more_said, won + more_won, count + more)]


def reliability(claims: Claims) -> tuple[list[str], float]:
    """Return a line of text for each tenth of the probabilities that has claims, and the expected calibration error."""
    bins: list[Claims] = [[] for _ in range(BINS)]
    for chance, is_won in claims:
        bins[min(BINS - 1, int(chance * BINS))].append((chance, is_won))
    lines, error = list[str](), 0.0
    for index, held in enumerate(bins):
        if held:
            claimed, was = (sum(one[side] for one in held) / len(held) for side in (0, 1))
            low = index / BINS
            lines.append(f"{low:.1f}-{(index + 1) / BINS:.1f}  {len(held):7}  said {claimed:.3f}  was {was:.3f}")
            error += abs(claimed - was) * len(held) / len(claims)
    return lines, error


def mapped(games: list[Claims], map_claim: Callable[[float], float]) -> list[Claims]:
    """Return *games* with the probability of each claim mapped by *map_claim*."""
    return [[(map_claim(chance), is_won) for chance, is_won in game] for game in games]


def report(subject: Subject, level: str, games: list[Claims]) -> None:
    """Print the reliability tables of a subject, and the points of its isotonic map."""
    points, guide = isotonic_fit(flat(games[::2])), subject.ruleset.levels[level].guide or ROLLOUTS
    for title, held in (
        ("as claimed, all games", games),
        ("as a hint says, all games", mapped(games, lambda chance: guide.calibrated(chance, subject.players))),
        ("mapped by the even games, odd games", mapped(games[1::2], lambda chance: calibrated(chance, points))),
    ):
        claims = flat(held)
        lines, error = reliability(claims)
        (intercept, slope), (low, high) = odds_fit(claims), slope_interval(held)
        failed = sum(not all(is_won for _, is_won in game) for game in held)
        print(f"\n{subject.name}, {level}, {title}: {len(held)} games, {failed} with a claim that failed")
        print(f"{len(claims)} claims", *lines, sep="\n")
        print(f"error {error:.4f}  slope {slope:.3f} ({low:.3f}-{high:.3f})  intercept {intercept:.3f}")
    print(f"\n{isotonic_fit(flat(games))}", flush=True)


def flat(games: list[Claims]) -> Claims:
    """Return the claims of all *games*."""
    return [claim for game in games for claim in game]


def resumed(play: Callable[[str], Claims], seeds: list[str], out: Path, processes: int) -> list[Claims]:
    """Return the claims of each seed's game. Games that aren't in the file *out* yet are played and added to it."""
    out.touch()
    found = {one["seed"]: one["claims"] for one in map(json.loads, out.read_text(encoding="utf-8").splitlines())}
    missing = [seed for seed in seeds if seed not in found]
    with multiprocessing.Pool(processes) as pool, out.open("a", encoding="utf-8") as file:
        for seed, claims in zip(missing, pool.imap(play, missing), strict=True):
            found[seed] = claims
            print(json.dumps({"seed": seed, "claims": claims}), file=file, flush=True)
    return [[(chance, is_won) for chance, is_won in found[seed]] for seed in seeds]


def main() -> None:
    """Play the missing games, and print the reports."""
    parser = ArgumentParser(prog="python -m training.chance_calibration", description=__doc__)
    parser.add_argument(
        "subjects", nargs="*", metavar="SUBJECT", help=f"of {', '.join(SUBJECTS)}; all if none is named"
    )
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument(
        "--level", default="expert", help="level whose chances are measured; experts play the games to the end"
    )
    parser.add_argument("--opening", choices=("weaker", "experts"), default="weaker", help="who begins the games")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("build"), help="folder of the games that were played")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.subjects or SUBJECTS:
        seeds = [f"{args.seed} {number}" for number in range(args.games)]
        out = args.out / f"calibration-{name}-{args.level}-{args.opening}-{args.seed}.jsonl"
        play = partial(play_for_claims, name, args.level, args.opening)
        report(SUBJECTS[name], args.level, resumed(play, seeds, out, args.processes))


if __name__ == "__main__":
    main()
