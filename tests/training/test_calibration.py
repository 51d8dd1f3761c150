"""The fit of a calibration: rising, few points, and right where what is claimed isn't."""

from random import Random

from engines.ai.calibration import calibrated
from training.calibration import KNOTS, isotonic_fit, play_for_pairs, reliability


def claims(count: int, seed: int) -> list[tuple[float, bool]]:
    """Return chances that are claimed too low: what is said to be won in one of two games is won in three of four."""
    rng = Random(seed)
    said = [rng.random() for _ in range(count)]
    return [(chance, rng.random() < 1 - (1 - chance) ** 2) for chance in said]


def test_a_map_repairs_what_is_claimed_too_low() -> None:
    """On claims that it was not fitted on."""
    points = isotonic_fit(claims(4000, 1))
    fresh = claims(4000, 2)
    assert len(points) <= KNOTS
    assert list(points) == sorted(points)
    assert [true for _, true in points] == sorted(true for _, true in points)
    assert reliability(fresh, float)[1] > 0.1
    assert reliability(fresh, lambda chance: calibrated(chance, points))[1] < 0.04


def test_the_table_counts_each_claim_once() -> None:
    """And the error is weighed by how many there are."""
    lines, error = reliability([(0.05, False), (0.95, True), (1.0, True)], float)
    assert [line.split()[1] for line in lines] == ["1", "2"]
    assert abs(error - (0.05 + 0.05) / 3) < 1e-9


def test_claims_are_held_against_how_their_games_ended() -> None:
    """Each is a chance, and one game has one end."""
    found = play_for_pairs("regicide.1", "expert", "test 3")
    assert len({is_won for _, is_won in found}) <= 1  # alone there is one seat: all claims of a game share its end
    assert all(0 <= chance <= 1 for chance, _ in found)
