"""The operator's notice at tables: live, in words alone, over the table so that nothing moves."""

from collections.abc import Iterator
from itertools import cycle

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from engines import RULESETS
from tests.servers.served import RunningServer
from tests.web.conftest import OPERATOR, Visit
from tests.web.tables import ANA, BEN, HTTP, barriers, in_each_look, make, ready, resize
from tests.web.test_end import ended
from tests.web.test_lobby import OPEN
from tests.web.test_stage import LAID_OUT, SHIFTED

HELLO = "The server restarts at ten: <b>games</b> go on after it. <img src=x onerror=alert(1)>"
LONGEST = ("The server restarts at ten; games go on after it. " * 4)[:200]
NAMES = {"en": "Notice from the operator", "es": "Aviso de quien administra"}
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
        expect(said.locator("p")).to_be_in_viewport(ratio=1)
        assert page.evaluate(LAID_OUT) == before
        tell(served.url, None)
        expect(said).to_be_empty()
        assert page.evaluate(LAID_OUT) == before
        assert page.evaluate("window.shifted()") == 0


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
