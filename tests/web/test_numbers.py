"""The numbers that the table holds on any machine; how long things take is measured by ``tests.web.numbers``."""

from itertools import cycle

import pytest
from playwright.sync_api import expect

from engines import RULESETS
from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.numbers import (
    CLICKS,
    LOG_LINES,
    PAINT_BYTES,
    SETTLED,
    VERSIONS,
    first_move,
    first_paint,
    long_game,
    weights,
)
from tests.web.tables import AI, ANA, OVERTAKEN, make, ready

HEAP_BYTES = 1_000_000
"""How much a heap that doesn't grow may waver: about 5 kB for each version would be more."""


@pytest.mark.parametrize(("ruleset", "language"), list(zip(RULESETS, cycle(("en", "es")), strict=False)))
def test_the_first_paint_is_small(visit: Visit, served: RunningServer, ruleset: str, language: str):
    """All that a table loads before something can be done at it, as it goes over the wire; nothing is foreign."""
    visitor = visit(None, locale=language)

    assert first_paint(visitor.page, served.url + make(served.url, ANA, AI, ruleset=ruleset).link()) <= PAINT_BYTES

    assert visitor.unforeseen() == []
    assert not [url for url in visitor.asked if "qr" in url]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_three_clicks_to_the_first_move(visit: Visit, served: RunningServer, ruleset: str):
    """Play, a card, act: the first own move is made, with the lowest level at the table."""
    page = visit(None).page

    assert first_move(page, served.url, ruleset)[0] <= CLICKS

    expect(page.get_by_role("log")).to_contain_text("You pl")
    expect(page.get_by_role("list", name="Players")).to_contain_text(next(iter(RULESETS[ruleset].levels)))


def test_a_long_game_stays_small(visit: Visit, served: RunningServer):
    """Over 200 versions: no more nodes and listeners at the end than in the middle, the heap flat, the log windowed."""
    made = long_game(served.url)
    page = visit(made.link(), allowed=OVERTAKEN).page
    ready(page)

    middle, end = weights(page, made, (SETTLED, VERSIONS))

    assert middle.log <= LOG_LINES
    assert end.log <= LOG_LINES
    assert end.nodes <= middle.nodes + (VERSIONS - SETTLED) / 2  # a leak would be one or more for each version
    assert end.listeners <= 1.1 * middle.listeners
    assert end.heap <= middle.heap + HEAP_BYTES
