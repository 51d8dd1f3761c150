"""Lobby, invitation, lessons, rules and About: no accessibility violation, nothing to scroll sideways for."""

from itertools import cycle

import pytest
from playwright.sync_api import expect

from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import ANA, barriers, expect_no_sideways_scroll, expect_none, in_each_look, make

SIZES = ((320, 640), (360, 740), (740, 360), (1280, 800), (2560, 1440))
LOOKS = tuple(zip(SIZES, cycle(("light", "dark")), strict=False))
"""Each size in one of the colour schemes: no style depends on both."""
FORCED = (((320, 640), "dark"), ((1280, 800), "dark"))

PATHS = ("/", "/learn?ruleset=regicide", "/v1/rulesets/gridcannon/rules", "/about", "invitation")


@pytest.mark.parametrize("path", PATHS)
def test_no_barriers_at_any_size(visit: Visit, served: RunningServer, path: str):
    """In light, dark and forced colours."""
    if path == "invitation":
        game = make(served.url, ANA, {"kind": "open"}, ruleset="gridcannon", listed=False)
        path = f"/play?g={game.id}"
    page = visit(path).page
    expect(page.get_by_role("heading", level=1)).to_be_visible()

    for look in in_each_look(page, LOOKS):
        assert barriers(look) == []
        expect_no_sideways_scroll(look)
    page.emulate_media(forced_colors="active")
    for look in in_each_look(page, FORCED):
        assert barriers(look) == []


def test_an_invitation_takes_the_whole_window(visit: Visit, served: RunningServer):
    """Its header is as wide as the window, and nothing on the letter is wider than the letter."""
    page = visit(make(served.url, ANA, {"kind": "open"}, ruleset="gridcannon").link()).page
    letter = "document.querySelector('.letter').getBoundingClientRect()"
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.locator("svg.qr").wait_for()

    for _ in in_each_look(page, LOOKS):
        header = page.get_by_role("banner").bounding_box()
        assert header is not None
        assert header["width"] == page.evaluate("document.documentElement.clientWidth")
        expect_none(
            page,
            f"[...document.querySelectorAll('.letter > *')].filter((one) => "
            f"one.getBoundingClientRect().right > {letter}.right + 1).map((one) => one.className)",
        )
