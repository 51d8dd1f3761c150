"""The drawer beside the table: it grows with the window, and whoever goes by keys sees where the focus is."""

import pytest
from playwright.sync_api import Page, expect

from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import ANA, BEN, TWO, make, ready, resize

HEADINGS = """() => [...document.querySelectorAll(".side h2")].map((one) =>
    parseFloat(getComputedStyle(one).fontSize) / parseFloat(getComputedStyle(one.closest(".side")).fontSize))"""
"""How many times larger than the drawer's text each of its headings is."""


def opened(visit: Visit, served: RunningServer, size: tuple[int, int]) -> Page:
    """Open the drawer by its key; the log has the focus then."""
    page = visit(make(served.url, ANA, BEN, position=TWO).link(), width=size[0], height=size[1]).page
    ready(page)
    page.keyboard.press("l")
    expect(page.get_by_role("log")).to_be_focused()
    expect(page.get_by_role("slider")).to_be_attached()  # what is loaded with the drawer
    return page


def test_headings_grow_with_the_window(visit: Visit, served: RunningServer):
    """At each size they are larger than the text below them."""
    page = opened(visit, served, (1280, 800))
    for size in ((1280, 800), (2560, 1440), (360, 740), (740, 360)):
        resize(page, size)
        assert page.evaluate(HEADINGS) == [pytest.approx(1.3, abs=0.02)] * 2


RING = """(one) => {
    const {outlineStyle, outlineWidth, outlineOffset} = getComputedStyle(one);
    const {left, top, right, bottom} = one.getBoundingClientRect();
    const wide = parseFloat(outlineWidth);
    const by = wide + parseFloat(outlineOffset);
    const clips = [];
    for (let over = one.parentElement; over; over = over.parentElement) {
        const box = over.getBoundingClientRect();
        if (getComputedStyle(over).overflow !== "visible") clips.push(box);
    }
    clips.push({left: 0, top: 0, right: innerWidth, bottom: innerHeight});
    const whole = clips.every((box) => left - by >= box.left && top - by >= box.top && right + by <= box.right
        && bottom + by <= box.bottom);
    return {style: outlineStyle, wide, whole};
}"""
"""The ring of what has the focus, and whether nothing that scrolls, nor the window, cuts it off."""


@pytest.mark.parametrize("size", [(1280, 800), (360, 740), (740, 360), (2560, 1440)])
def test_the_focus_on_the_log_is_seen(visit: Visit, served: RunningServer, size: tuple[int, int]):
    """On all four sides, though the log and the drawer scroll."""
    log = opened(visit, served, size).get_by_role("log")

    assert log.evaluate(RING) == {"style": "solid", "wide": 3, "whole": True}


def test_escape_closes_the_drawer(visit: Visit, served: RunningServer):
    """At the second press, if cards are chosen; the focus returns to the button that opens the drawer."""
    page = visit(make(served.url, ANA, BEN, position=TWO).link()).page
    ready(page)
    drawer = page.locator(".side.open")
    page.keyboard.press("l")
    expect(drawer).to_be_visible()
    page.locator("[data-token='5C']").click()
    page.keyboard.press("Escape")
    expect(page.locator("[data-token='5C']")).to_have_attribute("aria-pressed", "false")
    expect(drawer).to_be_visible()

    page.locator("#log").focus()
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    expect(page.get_by_role("button", name="Log")).to_be_focused()
