"""Whole games of Regicide, each in one way in which people use a page."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import (
    AI,
    ANA,
    act_button,
    expect_no_sideways_scroll,
    hand,
    is_over,
    make,
    ready,
    version,
    wait_past,
)

MOST_STEPS = 120


def play_out(page: Page, decide: Callable[[Page], None]) -> int:
    """Decide until the game is over, and return how often."""
    for step in range(MOST_STEPS):
        ready(page)
        if is_over(page):
            return step
        seen = version(page)
        decide(page)
        wait_past(page, seen)
    pytest.fail("the game didn't end")


def click_on(page: Page, press: Callable[[str], None]) -> None:
    """Choose cards one after the other until they are an action, then do it; without cards, press a word."""
    for _ in range(8):
        if act_button(page).get_attribute("aria-disabled") == "false":
            break
        if hand(page).count():
            token = hand(page).last.get_attribute("data-token")
            press(f"[data-hand] [data-token='{token}']")
        else:
            press(".actbar [data-token]")
    press("#act")


@pytest.mark.parametrize("locale", ["en", "es"])
def test_by_mouse(visit: Visit, served: RunningServer, locale: str):
    """Each click chooses; only the last one acts. All that is said is in the reader's language."""
    game = make(served.url, ANA, AI)
    page = visit(game.link(), locale=locale).page

    steps = play_out(page, lambda page: click_on(page, lambda where: page.locator(where).first.click()))

    assert game.ask()["status"] == "finished"
    assert sum(one["seat"] == 0 for one in game.ask("/record")["actions"]) == steps
    assert page.locator("html").get_attribute("lang") == locale
    log = page.get_by_role("log").inner_text()
    assert ("Ana plays" in log or "You play" in log) == (locale == "en")
    assert ("juega" in log.lower()) == (locale == "es")


def test_by_keys_alone(visit: Visit, served: RunningServer):
    """Digits choose, Enter acts; Tab is the browser's own and leads to everything else."""
    game = make(served.url, ANA, position=None)
    page = visit(game.link()).page

    def decide(page: Page) -> None:
        for number in range(1, 9):
            if act_button(page).get_attribute("aria-disabled") == "false":
                break
            if page.locator(f"[data-hand] > :nth-child({number}):not(.apart) button[aria-disabled=false]").count():
                page.keyboard.press(str(number))
        else:
            page.locator("[data-hand]").evaluate("element => element.setAttribute('tabindex', '-1')")
        if act_button(page).get_attribute("aria-disabled") != "false":
            tab_to(page, ".actbar [data-token]")
            page.keyboard.press("Space")
        page.keyboard.press("Enter")

    play_out(page, decide)

    assert game.ask()["status"] == "finished"


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until something that *selector* names has the focus."""
    for _ in range(60):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab doesn't lead to {selector}")


def test_by_the_accessibility_tree(visit: Visit, served: RunningServer):
    """Roles and names are enough: no test id, no place on the screen."""
    game = make(served.url, ANA, AI, AI)
    page = visit(game.link()).page

    def decide(page: Page) -> None:
        doing = page.get_by_role("region", name="What you can do")
        expect(page.get_by_role("status").first).to_have_text(
            re.compile("Your turn|enemy strikes|Choose who goes next")
        )
        while (act := doing.get_by_role("button").last).is_disabled():
            cards = page.get_by_role("region", name="Your hand").get_by_role("button", disabled=False, pressed=False)
            (cards.last if cards.count() else doing.get_by_role("button").first).click()
        act.click()

    play_out(page, decide)

    assert game.ask()["status"] == "finished"
    assert page.get_by_role("region", name="The end").get_by_role("heading").inner_text() in ("Defeat", "Victory!")


def test_on_a_phone(visit: Visit, served: RunningServer):
    """By touch, 360 px wide: nothing scrolls sideways, the hand is at the thumb, what is touched is large enough."""
    game = make(served.url, ANA, AI, AI, AI)
    page = visit(game.link(), width=360, height=740, has_touch=True, is_mobile=True).page

    def decide(page: Page) -> None:
        expect_no_sideways_scroll(page)
        for box in page.evaluate(
            "[...document.querySelectorAll('.actbar button, [data-hand] button')].map(one => "
            "{const {x, y, width, height} = one.getBoundingClientRect(); return {x, y, width, height}})"
        ):
            assert min(box["width"], box["height"]) >= 44
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 360
            assert box["y"] + box["height"] <= 742
        click_on(page, lambda where: page.locator(where).first.tap())

    play_out(page, decide)

    assert game.ask()["status"] == "finished"
