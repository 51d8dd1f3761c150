"""Calibration: from what was said to what comes true, on lines between points."""

import pytest

from engines.ai.calibration import calibrated, with_odds_mapped

POINTS = ((0.1, 0.0), (0.3, 0.5), (0.8, 1.0))


@pytest.mark.parametrize(
    ("said", "true"), [(0.0, 0.0), (0.1, 0.0), (0.2, 0.25), (0.3, 0.5), (0.55, 0.75), (0.8, 1.0), (1.0, 1.0)]
)
def test_it_follows_the_lines_between_the_points(said: float, true: float) -> None:
    """Beyond the first and the last one the lines lead to what is sure: 0 and 1."""
    assert calibrated(said, POINTS) == pytest.approx(true)
    assert calibrated(said, ((0.2, 0.4), (0.6, 0.8))) == pytest.approx(
        2 * said if said <= 0.2 else said + 0.2 if said <= 0.6 else (1 + said) / 2
    )


def test_without_points_it_is_taken_at_its_word() -> None:
    """What was never measured is left as it is."""
    assert calibrated(0.37, ()) == 0.37


def test_it_never_falls() -> None:
    """More said is more, or as much."""
    values = [calibrated(said / 1000, POINTS) for said in range(1001)]
    assert values == sorted(values)


def test_odds_are_raised_and_multiplied() -> None:
    """One to three, by a factor of two and squared: two to nine; what is sure stays so."""
    assert with_odds_mapped(0.25, 2.0, 2.0) == pytest.approx(2 / 11)
    assert [with_odds_mapped(sure, 0.87, 1.26) for sure in (0.0, 1.0)] == [0.0, 1.0]
    assert with_odds_mapped(0.37, 1.0, 1.0) == pytest.approx(0.37)
