"""Ratings: maximum likelihood against another way of finding it, closed forms, and what is not finite."""

from collections import Counter
from itertools import combinations, product
from math import exp, log, log10
from random import Random

import pytest

from engines.analysis.ratings import elo_ratings
from engines.analysis.sprt import DECISION_BOUND, Sprt


def by_minorization(wins: list[list[float]]) -> list[float]:
    """Return Elo ratings of mean 0 by Zermelo's iteration, which shares nothing with Newton's method."""
    count = len(wins)
    worth = [1.0] * count
    for _ in range(4_000):
        for one in range(count):
            met = [(wins[one][other] + wins[other][one], worth[other]) for other in range(count) if other != one]
            worth[one] = sum(wins[one]) / sum(games / (worth[one] + theirs) for games, theirs in met)
    points = [400 * log10(one) for one in worth]
    return [one - sum(points) / count for one in points]


def drawn_at_random(seed: int) -> list[list[float]]:
    """Return the results of some players of different strengths, draws among them."""
    rng = Random(seed)
    strengths = [rng.uniform(-1, 1) for _ in range(rng.randint(2, 9))]
    wins = [[0.0] * len(strengths) for _ in strengths]
    for one, other in product(range(len(strengths)), repeat=2):
        for _ in range(40 if one < other else 0):
            if rng.random() < 0.1:
                wins[one][other], wins[other][one] = wins[one][other] + 0.5, wins[other][one] + 0.5
            elif rng.random() < 1 / (1 + exp(strengths[other] - strengths[one])):
                wins[one][other] += 1
            else:
                wins[other][one] += 1
    return wins


@pytest.mark.parametrize("seed", range(12))
def test_the_likeliest_ratings(seed: int):
    """They agree within a thousandth of a point with another method, and their mean is 0."""
    wins = drawn_at_random(seed)

    found = [rated.rating for rated in elo_ratings(wins) if rated is not None]

    assert found == pytest.approx(by_minorization(wins), abs=1e-3)
    assert sum(found) == pytest.approx(0, abs=1e-6)


def test_two_players():
    """Three wins in four are 191 points; the interval is that of the logarithm of the odds."""
    first, second = elo_ratings([[0, 75], [25, 0]])

    assert first is not None
    assert second is not None
    assert first.rating - second.rating == pytest.approx(400 * log10(3))
    error = 400 / log(10) * (1 / (100 * 0.75 * 0.25)) ** 0.5 / 2  # half of the difference's, as the mean is fixed
    assert (first.high - first.rating, first.rating - first.low) == pytest.approx((1.959964 * error,) * 2)


def test_draws_vary_less():
    """Of 5 wins and 55 draws, the error is that of the mean of so many points; of draws alone, that of one game."""
    first, second = elo_ratings([[0, 32.5], [27.5, 0]], [[0, 55], [55, 0]])
    equal, _ = elo_ratings([[0, 10], [10, 0]], [[0, 20], [20, 0]])

    assert first is not None
    assert second is not None
    assert equal is not None
    mean = 32.5 / 60
    error = ((5 + 55 / 4) / 60 - mean**2) ** 0.5 / 60**0.5 / (mean * (1 - mean))
    assert first.high - first.low == pytest.approx(1.959964 * 400 / log(10) * error)
    assert first.low > 0
    assert equal.high - equal.low == pytest.approx(1.959964 * 400 / log(10) * (0.25**0.5 / (20 * 0.25)))


@pytest.mark.search
@pytest.mark.parametrize("draws", [0.0, 0.4, 0.7])
def test_how_often_an_interval_holds_the_truth(draws: float):
    """In 95 % of the tournaments of four players, each pairing 40 games; chance may make that 93 to 97 of 1,000."""
    rng, strengths, held = Random(f"{draws}"), (0.3, 0.1, -0.1, -0.3), 0
    for _ in range(1000):
        wins, drawn = [[0.0] * 4 for _ in range(4)], [[0] * 4 for _ in range(4)]
        for one, other in combinations(range(4), 2):
            chance = 1 / (1 + exp(strengths[other] - strengths[one]))
            for _ in range(40):
                point = rng.choices((1.0, 0.0, 0.5), (chance - draws / 2, 1 - chance - draws / 2, draws))[0]
                wins[one][other] += point
                wins[other][one] += 1 - point
                drawn[one][other] += point == 0.5
                drawn[other][one] += point == 0.5
        rated = elo_ratings(wins, drawn)[0]
        held += rated is not None and rated.low <= strengths[0] * 400 / log(10) <= rated.high

    assert 930 <= held <= 970


@pytest.mark.parametrize(
    ("wins", "finite"),
    [
        ([[0, 5], [0, 0]], []),
        ([[0, 0], [0, 0]], []),
        ([[0, 3, 5], [2, 0, 5], [0, 0, 0]], [0, 1]),
        ([[0, 5, 0], [0, 0, 5], [5, 0, 0]], [0, 1, 2]),
        ([[0, 0.5], [0.5, 0]], [0, 1]),
        ([], []),
    ],
)
def test_what_is_not_finite(wins: list[list[float]], finite: list[int]):
    """Who has lost or won all games has no rating; the others have, among themselves."""
    assert [place for place, rated in enumerate(elo_ratings(wins)) if rated is not None] == finite


def test_one_win_in_a_thousand():
    """Newton's first steps would go too far here."""
    first, second = elo_ratings([[0, 1], [999, 0]])

    assert first is not None
    assert second is not None
    assert second.rating - first.rating == pytest.approx(400 * log10(999))


def test_a_test_of_two_players():
    """Equal pairs say nothing new; many won pairs accept the higher difference, many lost ones the lower."""
    test = Sprt(0, 10)

    assert test.verdict(test.ratio({})) is None
    assert test.verdict(test.ratio({1.0: 10, 2.0: 1, 0.0: 1})) is None
    assert test.verdict(test.ratio({2.0: 400, 1.5: 400, 1.0: 400})) == "high"
    assert test.verdict(test.ratio({0.0: 400, 0.5: 400, 1.0: 400})) == "low"


def likeliest(counts: list[float], mean: float) -> float:
    """Return the greatest log-likelihood of a distribution of five scores with a mean, by walking uphill.

    Steps are along three directions that change neither the sum nor the mean.
    """
    shares, size = [0.2] * 5, 0.02
    while sum(share * place / 4 for place, share in enumerate(shares)) < mean:  # from the middle to the mean
        shares = [share + 0.0001 * (place - 2) for place, share in enumerate(shares)]
    shares[4] += mean - sum(share * place / 4 for place, share in enumerate(shares))
    shares[0] += 1 - sum(shares)

    def value(candidate: list[float]) -> float:
        if min(candidate) <= 0:
            return -1e9
        return sum(count * log(share) for count, share in zip(counts, candidate, strict=True))

    ways = [
        [1, -2, 1, 0, 0],
        [0, 1, -2, 1, 0],
        [0, 0, 1, -2, 1],
        [1, -1, -1, 1, 0],
        [0, 1, -1, -1, 1],
        [1, 0, -2, 0, 1],
    ]
    while size > 1e-9:
        better = [
            candidate
            for way in ways
            for sign in (1, -1)
            if value(candidate := [share + sign * size * step for share, step in zip(shares, way, strict=True)])
            > value(shares)
        ]
        shares, size = (max(better, key=value), size) if better else (shares, size / 2)
    return value(shares)


@pytest.mark.parametrize("counts", [[10, 15, 35, 25, 15], [3, 1, 8, 2, 9], [1, 40, 2, 30, 1]])
def test_the_ratio_of_a_test(counts: list[float]):
    """That of the likeliest distributions whose means are the hypotheses', 0.5 and 0.5144 (10 Elo), found by search."""
    higher = 1 / (1 + 10 ** (-10 / 400))
    pairs = {place / 2: int(count) for place, count in enumerate(counts)}

    assert Sprt(0, 10).ratio(pairs) == pytest.approx(likeliest(counts, higher) - likeliest(counts, 0.5), abs=1e-4)
    assert pytest.approx(2.944, abs=1e-3) == DECISION_BOUND


@pytest.mark.search
@pytest.mark.parametrize(("elo", "wrong"), [(0, "high"), (60, "low")])
def test_how_often_a_test_is_wrong(elo: float, wrong: str):
    """In at most 5 % of the tests, if the difference is one of the hypotheses; of 300, chance may make that 8 %."""
    test, rng, mistakes = Sprt(0, 60), Random(elo), 0
    wins = 1 / (1 + 10 ** (-elo / 400))
    for _ in range(300):
        pairs, verdict = Counter[float](), None
        while verdict is None:
            luck = rng.gauss(0, 0.2)  # a deal favours a side, and the sides are exchanged
            pairs[float((rng.random() < wins + luck) + (rng.random() < wins - luck))] += 1
            verdict = test.verdict(test.ratio(pairs))
        mistakes += verdict == wrong

    assert mistakes <= 0.08 * 300
