"""Lobby, invitation, lessons, rules and About: no accessibility violation, nothing to scroll sideways for."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import ANA, expect_no_sideways_scroll, make

LOOKS = ({"color_scheme": "light"}, {"color_scheme": "dark"}, {"color_scheme": "dark", "forced_colors": "active"})
SIZES = ((320, 640), (360, 740), (740, 360), (1280, 800), (2560, 1440))
PATHS = ("/", "/learn?ruleset=regicide", "/v1/rulesets/gridcannon/rules", "/about")


def sound(page: Page) -> None:
    """Nothing is found, and nothing is wider than the window."""
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    expect_no_sideways_scroll(page)


@pytest.mark.parametrize("number", range(len(SIZES)), ids=[f"{width}x{height}" for width, height in SIZES])
def test_no_barriers_at_any_size(visit: Visit, served: RunningServer, number: int):
    """Each size in one of light, dark and forced colours in turn, the smallest and the middle one in all."""
    (width, height), game = SIZES[number], make(served.url, ANA, {"kind": "open"}, ruleset="gridcannon", listed=False)
    looks = LOOKS if number in (0, 3) else LOOKS[number % 3 : number % 3 + 1]
    for look in looks:
        page = visit(None, width=width, height=height, **look).page
        for path in (*PATHS, f"/play?g={game.id}"):
            page.goto(f"{served.url}{path}")
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            sound(page)
