"""The operator's notice at tables: live, in words alone, over the table so that nothing moves."""

from collections.abc import Iterator
from itertools import cycle

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from engines import RULESETS
from tests.servers.served import RunningServer
from tests.web.conftest import OPERATOR, Visit
from tests.web.tables import AI, ANA, BEN, HTTP, barriers, in_each_look, make, ready, resize
from tests.web.test_end import ended
from tests.web.test_lobby import OPEN
from tests.web.test_stage import LAID_OUT, SHIFTED

HELLO = "The server restarts at ten: <b>games</b> go on after it. <img src=x onerror=alert(1)>"
LONGEST = ("The server restarts at ten; games go on after it. " * 4)[:200]
NAMES = {"en": "Notice from the operator", "es": "Aviso de quien administra"}
UNFOLD = {"en": "Show the whole notice", "es": "Ver el aviso entero"}
SMALL = ((360, 740), (390, 844), (740, 360), (640, 360))
"""Windows in which a table has no room to spare."""
WIDE = ((1280, 800), (1440, 900))
SIZES = ((360, 740), (740, 360), (1280, 800), (2560, 1440))
LOOKS = tuple((size, scheme) for size in ((360, 740), (1280, 800)) for scheme in ("light", "dark"))

BOLD = """() => [...document.fonts].some(({weight}) => weight === "600")"""
"""The bold face is there, which a table loads late: words in it may be wider."""


def tell(url: str, text: str | None) -> None:
    """Set the notice, as the operator; None takes it back."""
    HTTP.put(f"{url}/v1/operator/banner", json={"text": text}, headers=OPERATOR).raise_for_status()


@pytest.fixture(autouse=True)
def _nothing_is_left(served: RunningServer) -> Iterator[None]:
    """Take the notice back: the server is shared."""
    yield
    tell(served.url, None)


def notice(page: Page, language: str = "en") -> Locator:
    """Return where the notice is said."""
    return page.get_by_role("status", name=NAMES[language])


CUT = "(words) => words.scrollHeight > words.clientHeight + 1"
"""Whether a part of the text can't be seen."""


def unfold(page: Page, language: str = "en") -> None:
    """Show the whole of a notice that is cut off, as its reader does."""
    button = notice(page, language).get_by_role("button", name=UNFOLD[language])
    expect(button).to_have_attribute("aria-expanded", "false")
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")


@pytest.mark.parametrize(("ruleset", "language"), list(zip(RULESETS, cycle(NAMES), strict=False)))
def test_it_comes_and_goes_and_nothing_moves(visit: Visit, served: RunningServer, ruleset: str, language: str):
    """The longest one is wholly in the window, at each size, and hand, board and act button stay where they are."""
    page = visit(make(served.url, ANA, BEN, ruleset=ruleset).link(), locale=language).page
    ready(page)
    page.wait_for_function(BOLD)
    said = notice(page, language)
    page.evaluate(SHIFTED)

    for width, height in SIZES:
        resize(page, (width, height))
        before = page.evaluate(LAID_OUT)
        page.evaluate("window.shifted()")
        tell(served.url, LONGEST)
        expect(said).to_contain_text(LONGEST)
        if (width, height) in SMALL:
            unfold(page, language)
        expect(said.locator("p")).to_be_in_viewport(ratio=1)
        assert said.locator("p").evaluate(CUT) is False
        assert page.evaluate(LAID_OUT) == before
        tell(served.url, None)
        expect(said).to_be_empty()
        assert page.evaluate(LAID_OUT) == before
        assert page.evaluate("window.shifted()") == 0


COVERED = """(said) => {
    const box = said.querySelector(".notice").getBoundingClientRect();
    const all = [...document.querySelectorAll("main :is(.card, button, a, summary, .castle li, .gc-seat, .since)")];
    return all.filter((one) => {
        const {left, top, right, bottom, width} = one.getBoundingClientRect();
        return width > 1 && Math.min(right, box.right) - Math.max(left, box.left) > 1
            && Math.min(bottom, box.bottom) - Math.max(top, box.top) > 1;
    }).map((one) => one.outerHTML);
}"""
"""The cards, controls and strip over which the notice lies."""


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("ruleset", RULESETS)
def test_it_covers_nothing_but_names(visit: Visit, served: RunningServer, ruleset: str, players: int):
    """However long it is, until its reader unfolds it; a wide window has room for all of it."""
    made = make(served.url, ANA, *[AI] * (players - 1), ruleset=ruleset)
    page = visit(made.link()).page
    ready(page)
    tell(served.url, LONGEST)
    expect(notice(page)).to_contain_text(LONGEST)

    for size in SMALL:
        resize(page, size)
        expect(notice(page).get_by_role("button", name=UNFOLD["en"])).to_be_visible()
        assert notice(page).evaluate(COVERED) == []
        expect(notice(page).get_by_role("button", name="Put the notice away")).to_be_in_viewport(ratio=1)
    for size in WIDE:
        resize(page, size)
        expect(notice(page).get_by_role("button", name=UNFOLD["en"])).to_have_count(0)
        assert notice(page).evaluate(COVERED) == []
        expect(notice(page).locator("p")).to_be_in_viewport(ratio=1)


BELOW = """() => [...document.querySelectorAll(".menu .sheet > *")].filter((one) => {
    const {left, top, width, height} = one.getBoundingClientRect();
    return !document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 10))?.closest(".sheet");
}).map((one) => one.outerHTML)"""
"""The entries of the menu over which something lies."""


def test_an_open_menu_lies_over_it(visit: Visit, served: RunningServer):
    """At each size, though it is unfolded; closed, the menu leaves it as it was."""
    page = visit(make(served.url, ANA, BEN).link(), width=390, height=844).page
    ready(page)
    tell(served.url, LONGEST)
    unfold(page)

    for size in (*SMALL[:2], (1024, 768), (1280, 800)):
        resize(page, size)
        page.locator(".menu summary").click()
        expect(page.locator(".menu .sheet > *").first).to_be_visible()
        assert page.evaluate(BELOW) == []
        page.keyboard.press("Escape")
        expect(page.locator(".menu .sheet")).to_be_hidden()
        notice(page).locator("p").click(trial=True)


def test_it_is_text_and_no_barrier(visit: Visit, served: RunningServer):
    """Whatever looks like HTML is shown as it was written; axe finds nothing, in either theme."""
    page = visit(make(served.url, ANA, BEN).link()).page
    ready(page)

    tell(served.url, HELLO)

    expect(notice(page)).to_contain_text(HELLO)
    assert notice(page).locator("img").count() == 0
    for look in in_each_look(page, LOOKS):
        assert barriers(look) == []


def test_who_comes_later_reads_it_too(visit: Visit, served: RunningServer):
    """At a table, at the end of a game, which has no stream, and before a game that waits for a friend."""
    tell(served.url, HELLO)

    for made in (make(served.url, ANA, BEN), ended(served.url, "regicide won"), make(served.url, ANA, OPEN)):
        page = visit(made.link()).page
        expect(notice(page)).to_contain_text(HELLO)
        assert barriers(page) == []


def test_it_is_put_away_until_there_is_another(visit: Visit, served: RunningServer):
    """By each reader alone; what lay under it can be pressed again."""
    page = visit(make(served.url, ANA, BEN).link()).page
    ready(page)
    tell(served.url, HELLO)

    notice(page).get_by_role("button", name="Put the notice away").click()
    expect(notice(page)).to_be_empty()

    tell(served.url, LONGEST)
    expect(notice(page)).to_contain_text(LONGEST)


def test_it_is_gone_if_it_was_taken_back_before_the_stream_began(visit: Visit, served: RunningServer):
    """No stream tells that: the game was read with it, by a process of the server that hears of it a little later."""
    made = make(served.url, ANA, BEN)
    page = visit(None).page
    held: list[Route] = []

    def read_early(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "notice": HELLO})

    def hold(route: Route) -> None:
        held.append(route)

    page.route(f"**/v1/games/{made.id}", read_early)
    page.route("**/stream", hold)
    with page.expect_request("**/stream"):
        page.goto(f"{served.url}{made.link()}")
    expect(notice(page)).to_contain_text(HELLO)

    held[0].continue_()

    expect(notice(page)).to_be_empty()
