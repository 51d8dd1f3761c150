"""The level that a person is offered is the same in the browser and in the terminal."""

from itertools import product

import pytest

from api.commands.play.personal_rating import Result, standing_of
from engines import RULESETS
from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import HTTP

STANDING = "async ([scale, played]) => (await import('/static/js/shared/reader_rating.js')).standingOf(scale, played)"


@pytest.mark.parametrize("ruleset", RULESETS)
def test_both_rate_alike(visit: Visit, served: RunningServer, ruleset: str):
    """After no game, and after every course of three games at the lowest, a middle and the highest level."""
    scale = HTTP.get(f"{served.url}/v1/rulesets/{ruleset}").json()["scale"]
    levels = [offer["level"] for offer in scale["offers"]]
    against = (levels[0], levels[len(levels) // 2], levels[-1])
    page = visit("/about").page

    for course in courses():
        results = [{"level": level, "result": result} for level, result in zip(against, course, strict=False)]
        browser = page.evaluate(STANDING, [scale, results])
        terminal = standing_of(scale, [Result(ruleset, one["level"], 2, one["result"]) for one in results])

        assert (terminal.level, terminal.games) == (browser["level"], browser["games"])
        for name in ("rating", "low", "high"):
            assert getattr(terminal, name) == pytest.approx(browser[name])


def courses() -> list[tuple[str, ...]]:
    """Return the results of no game, of one, two and three."""
    return [course for games in range(4) for course in product(("won", "lost", "drawn"), repeat=games)]
