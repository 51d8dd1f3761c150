"""Dragging a card, beside pressing it: it chooses, and takes a choice back; it never acts."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import ANA, BEN, TWO, act_button, expect_version, make, ready
from tests.web.test_gridcannon import ABOUT_TO_FIRE, square

Point = tuple[float, float]
STEPS = 4
LOADED = "() => performance.getEntriesByType('resource').some(({name}) => name.endsWith('/drag.js'))"


def middle(target: Locator) -> Point:
    """Return the middle of something on the page."""
    box = target.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag_by_mouse(page: Page, start: Point, end: Point) -> None:
    """Press, move, let go."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=STEPS)
    page.mouse.up()


def drag_by_finger(page: Page, start: Point, end: Point) -> None:
    """Touch, move, lift."""
    devtools = page.context.new_cdp_session(page)

    def touch(kind: str, *points: Point) -> None:
        touched = [{"x": x, "y": y} for x, y in points]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched})

    touch("touchStart", start)
    for step in range(1, STEPS + 1):
        right, down = ((other - one) * step / STEPS for one, other in zip(start, end, strict=True))
        touch("touchMove", (start[0] + right, start[1] + down))
    touch("touchEnd")
    devtools.detach()


WAYS = [
    pytest.param(drag_by_mouse, {}, id="mouse"),
    pytest.param(drag_by_finger, {"width": 360, "height": 740, "has_touch": True, "is_mobile": True}, id="touch"),
]


def loaded(page: Page) -> None:
    """Wait until the page can be dragged on: that isn't part of the first paint."""
    ready(page)
    page.wait_for_function(LOADED)
    page.evaluate("import('/static/js/table/drag.js').then(() => undefined)")


@pytest.mark.parametrize(("drag", "options"), WAYS)
def test_a_card_of_the_hand(visit: Visit, served: RunningServer, drag, options):
    """Out of the hand it is chosen; back into it, it isn't any more; in both cases nothing is done."""
    game = make(served.url, ANA, BEN, position=TWO)
    page = visit(game.link(), **options).page
    loaded(page)
    card = page.locator("[data-hand] [data-token='5C']")

    drag(page, middle(card), middle(page.locator(".enemy")))
    expect(card).to_have_attribute("aria-pressed", "true")
    expect(act_button(page)).to_contain_text("5♣")
    drag(page, middle(card), middle(page.locator("[data-hand] [data-token='6D']")))
    expect(card).to_have_attribute("aria-pressed", "false")

    expect_version(page, 0)
    assert game.ask()["version"] == 0


@pytest.mark.parametrize(("drag", "options"), WAYS)
def test_the_drawn_card(visit: Visit, served: RunningServer, drag, options):
    """On a square that may be chosen it chooses that; elsewhere it goes back. What would be hit is seen on the way."""
    game = make(served.url, ANA, BEN, ruleset="gridcannon", position=ABOUT_TO_FIRE)
    page = visit(game.link(), **options).page
    loaded(page)
    drawn = page.locator(".gc-drawn .card")

    drag(page, middle(drawn), middle(page.locator(".brand, .top .seats").last))
    expect(page.locator(".gc-board [aria-pressed=true]")).to_have_count(0)
    drag(page, middle(drawn), middle(square(page, "b2")))
    expect(square(page, "b2")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".gc-fire g")).to_have_count(2)
    expect(drawn).to_have_css("translate", "none")

    expect_version(page, 0)
    assert game.ask()["version"] == 0
