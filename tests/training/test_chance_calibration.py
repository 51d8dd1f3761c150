"""The fit of a calibration: rising, few points, and right where what is claimed isn't."""

from math import exp, isnan, log
from pathlib import Path
from random import Random

from engines.ai.calibration import calibrated
from training.chance_calibration import (
    MAX_ISOTONIC_POINTS,
    flat,
    isotonic_fit,
    mapped,
    odds_fit,
    play_for_claims,
    reliability,
    resumed,
    slope_interval,
)


def claims(count: int, seed: int) -> list[tuple[float, bool]]:
    """Return chances that are claimed too low: what is said to be won in one of two games is won in three of four."""
    rng = Random(seed)
    said = [rng.random() for _ in range(count)]
    return [(chance, rng.random() < 1 - (1 - chance) ** 2) for chance in said]


def test_a_map_repairs_what_is_claimed_too_low() -> None:
    """On claims that it was not fitted on."""
    points = isotonic_fit(claims(4000, 1))
    fresh = claims(4000, 2)
    assert len(points) <= MAX_ISOTONIC_POINTS
    assert list(points) == sorted(points)
    assert [true for _, true in points] == sorted(true for _, true in points)
    assert reliability(fresh)[1] > 0.1
    assert reliability(flat(mapped([fresh], lambda chance: calibrated(chance, points))))[1] < 0.04


def test_the_table_counts_each_claim_once() -> None:
    """And the error is weighed by how many there are."""
    lines, error = reliability([(0.05, False), (0.95, True), (1.0, True)])
    assert [line.split()[1] for line in lines] == ["1", "2"]
    assert abs(error - (0.05 + 0.05) / 3) < 1e-9


def test_claims_are_held_against_how_their_games_ended() -> None:
    """Each is a chance, and one game has one end."""
    found = play_for_claims("regicide.1", "expert", "weaker", "test 3")
    assert len({is_won for _, is_won in found}) <= 1  # alone there is one seat: all claims of a game share its end
    assert all(0 <= chance <= 1 for chance, _ in found)


def flattened(chance: float, slope: float) -> float:
    """Return *chance* with its log odds divided by *slope*."""
    return 1 / (1 + exp(-log(chance / (1 - chance)) / slope))


def test_the_slope_says_how_much_too_little_is_claimed() -> None:
    """Of games whose claims are half as sure as they could be; the interval holds it, and 1 is not in it."""
    rng = Random(3)
    games = []
    for _ in range(400):
        true = 0.02 + 0.96 * rng.random()
        games.append([(flattened(true, 2.0), rng.random() < true)] * 3)
    intercept, slope = odds_fit(flat(games))
    low, high = slope_interval(games)
    assert 1 < low < 2 < high < 3
    assert low < slope < high
    assert abs(intercept) < 0.4


def test_games_that_were_all_won_have_no_slope() -> None:
    """Nothing tells how steep it is; nor where every claim of a lost game is below all others."""
    won = [[(0.8 + number / 1000, True)] for number in range(100)]
    for games in (won, [[(0.1, False)], *won]):
        assert isnan(odds_fit(flat(games))[1])
        assert all(map(isnan, slope_interval(games)))


def test_a_slope_by_one_lost_game_has_no_interval() -> None:
    """A third of the samples haven't that game."""
    games = [[(0.8 + number / 1000, number != 50)] for number in range(100)]
    assert not isnan(odds_fit(flat(games))[1])
    assert all(map(isnan, slope_interval(games)))


def test_a_run_goes_on_where_it_ended(tmp_path: Path) -> None:
    """What was played is read; only what is missing is played."""
    out = tmp_path / "games.jsonl"
    first = resumed(play, ["a"], out, 1)
    out.write_text(out.read_text().replace("0.5", "0.25"))
    assert first == [[(0.5, True)]]
    assert resumed(play, ["a", "b"], out, 1) == [[(0.25, True)], [(0.5, False)]]


def play(seed: str) -> list[tuple[float, bool]]:
    """Return one claim, which comes true in the game "a"."""
    return [(0.5, seed == "a")]
