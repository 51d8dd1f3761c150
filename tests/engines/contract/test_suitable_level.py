"""The scale of levels: the share of games that ratings foretell, and the level that suits a person."""

from itertools import pairwise

import pytest

from engines import RULESETS
from engines.contract.default_levels import LEVELS
from engines.contract.levels import Level
from engines.contract.suitable_level import offers, share_of, strength

RANDOM = LEVELS["novice"].policy


def expected_share(person: float, level: float, *, cooperative: bool) -> float:
    """Return the share of games that a person wins against a level, or beside it, by the ratings of both."""
    own, other = strength(person, cooperative=cooperative), strength(level, cooperative=cooperative)
    return share_of((own + other) / 2 if cooperative else own - other)


def test_elo_points_foretell_a_share() -> None:
    """400 points are ten wins to one."""
    assert expected_share(1400, 1000, cooperative=False) == pytest.approx(10 / 11)
    assert expected_share(1000, 1000, cooperative=False) == 0.5


def test_a_team_wins_as_much_as_its_two_do_on_average() -> None:
    """The mean is of log-odds; certain wins and losses count as nearly certain."""
    assert expected_share(40, 40, cooperative=True) == pytest.approx(0.4)
    assert expected_share(20, 80, cooperative=True) == pytest.approx(0.5)
    assert 0 < expected_share(0, 100, cooperative=True) < 1


@pytest.mark.parametrize("name", ["regicide", "gridcannon"])
def test_ratings_rise_strictly(name: str) -> None:
    """No two levels have the same rating."""
    levels = RULESETS[name].levels
    ratings = [level.rating for level in levels.values() if level.rating is not None]
    assert len(ratings) == len(levels)
    assert all(weaker < stronger for weaker, stronger in pairwise(ratings))


@pytest.mark.parametrize("name", ["regicide", "gridcannon"])
def test_a_level_is_offered_to_those_who_win_the_target_there(name: str) -> None:
    """At the limits between two levels both are equally far from the target."""
    ruleset = RULESETS[name]
    found = offers(ruleset.levels, ruleset.target_share, cooperative=ruleset.cooperative)
    assert [offer.level for offer in found] == list(ruleset.levels)
    for weaker, stronger in pairwise(found):
        limit = weaker.low if ruleset.cooperative else weaker.high
        assert limit is not None
        assert limit == (stronger.high if ruleset.cooperative else stronger.low)
        shares = [expected_share(limit, offer.rating, cooperative=ruleset.cooperative) for offer in (weaker, stronger)]
        assert min(shares) < ruleset.target_share < max(shares)


def test_unknown_ratings_offer_nothing() -> None:
    """All levels need a rating."""
    assert offers(LEVELS, 0.5, cooperative=False) == ()
    assert offers({"one": Level(RANDOM, rating=3), "two": Level(RANDOM)}, 0.5, cooperative=False) == ()


def test_a_single_level_suits_everyone() -> None:
    """There is no other to offer."""
    (offer,) = offers({"one": Level(RANDOM, rating=3)}, 0.5, cooperative=False)
    assert offer == ("one", 3, None, None)
