"""Whole games of Regicide, each in one way in which people use a page."""

import re
from itertools import cycle

from playwright.sync_api import expect

from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import (
    AI,
    ANA,
    OVERTAKEN,
    SIZES,
    Look,
    actions_sent,
    expect_no_sideways_scroll,
    expect_none,
    make,
    play_out,
    point,
    resize,
    tab_to,
    tap,
)

MOST_STEPS = 120

OUT_OF_REACH = """[...document.querySelectorAll(".actbar button, [data-hand] button")].filter((one) => {
    const { left, right, bottom, width, height } = one.getBoundingClientRect();
    return Math.min(width, height) < 44 || left < 0 || right > innerWidth || bottom > innerHeight + 2;
}).map((one) => one.outerHTML)"""


def last(tokens: list[str]) -> str:
    """Pick the last card; a word, when there is no card to choose, is the first one."""
    return tokens[-1] if len(tokens[-1]) == len("5C") else tokens[0]


def test_by_mouse_in_spanish(visit: Visit, served: RunningServer):
    """Each click chooses; only the last one acts. All that is said is in the reader's language."""
    game = make(served.url, ANA, AI)
    visitor = visit(game.link(), locale="es")
    page = visitor.page

    steps = play_out(page, lambda look: point(look, last), MOST_STEPS)

    assert game.ask()["status"] == "finished"
    assert sum(one["seat"] == 0 for one in game.ask("/record")["actions"]) == steps
    assert actions_sent(page, visitor.answers, steps) == [200] * steps
    expect(page.locator("html")).to_have_attribute("lang", "es")
    expect(page.get_by_role("log")).to_contain_text(re.compile("juega", re.IGNORECASE))
    expect(page.get_by_role("log")).not_to_contain_text(re.compile("Ana plays|You play"))


def test_by_keys_alone(visit: Visit, served: RunningServer):
    """Digits choose, Enter acts; Tab is the browser's own and leads to everything else."""
    game = make(served.url, ANA, position=None)
    page = visit(game.link()).page

    def decide(look: Look) -> None:
        while not look.settled:
            token, key = look.tokens[0], look.keys[0]
            if key:
                page.keyboard.press(key)
            else:
                tab_to(page, ".actbar [data-token]")
                page.keyboard.press("Space")
            look = look.wait_chosen(look.token(token))
        page.keyboard.press("Enter")

    play_out(page, decide, MOST_STEPS)

    assert game.ask()["status"] == "finished"


def test_by_the_accessibility_tree(visit: Visit, served: RunningServer):
    """Roles and names are enough: no test id, no place on the screen."""
    game = make(served.url, ANA, AI, AI)
    page = visit(game.link(), allowed=OVERTAKEN).page  # AIs signal whenever they like

    def decide(look: Look) -> None:
        buttons = look.table.get_by_role("region", name="What you can do").get_by_role("button")
        hand = look.table.get_by_role("group", name="Your hand")
        expect(page.get_by_role("status").first).to_have_text(
            re.compile("Your turn|enemy attacks|Choose who goes next")
        )
        while not look.is_enabled(buttons.last):
            cards = hand.get_by_role("button", disabled=False, pressed=False)
            region, wanted = (hand, cards.last) if cards.count() else (look.table, buttons.first)
            one = region.get_by_role("button", name=look.name(wanted), exact=True).first
            look.press(one)
            look = look.wait_chosen(one)
        look.press(buttons.last)

    play_out(page, decide, MOST_STEPS)

    assert game.ask()["status"] == "finished"
    expect(page.get_by_role("region", name="The end").get_by_role("heading")).to_have_text(
        re.compile("^(Defeat|Victory!)$")
    )


def test_by_touch_at_every_size(visit: Visit, served: RunningServer):
    """The window turns and grows while one plays: what is touched is in view and large enough."""
    game = make(served.url, ANA, AI, AI, AI)
    page = visit(game.link(), width=360, height=740, has_touch=True, is_mobile=True, allowed=OVERTAKEN).page

    sizes = cycle(SIZES)

    def decide(look: Look) -> None:
        resize(page, next(sizes))
        expect_no_sideways_scroll(page)
        expect_none(page, OUT_OF_REACH)
        point(look, last, tap)

    play_out(page, decide, MOST_STEPS)

    assert game.ask()["status"] == "finished"
