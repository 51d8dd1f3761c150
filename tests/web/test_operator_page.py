"""The operator's page: behind a token that stays in its tab, it shows the server, closes games and sets the notice."""

from collections.abc import Iterator
from itertools import cycle

import pytest
from playwright.sync_api import Page, Request, expect

from tests.servers.served import RunningServer
from tests.web.conftest import OPERATOR_TOKEN, Visit
from tests.web.tables import ANA, BEN, barriers, expect_no_sideways_scroll, in_each_look, make
from tests.web.test_lobby import OPEN
from tests.web.test_notice import notice, tell

HELLO = "Back at ten: <b>games</b> go on."
REFUSED = ("401", "403")
"""What Chromium complains of until the right token was sent."""
SIZES = ((320, 640), (1280, 800))
LOOKS = (*zip(SIZES, cycle(("light", "dark"))), *zip(SIZES, cycle(("dark", "light"))))
WORDS = {
    "en": ("The operator's token", "Show the server", "Readiness", "Close the game"),
    "es": ("Token de quien administra", "Ver el servidor", "Disponibilidad", "Cerrar la partida"),
}

HIDE = """(hidden) => {
    Object.defineProperty(document, "hidden", {configurable: true, get: () => hidden});
    document.dispatchEvent(new Event("visibilitychange"));
}"""
"""Let the page believe that its tab was put to the back, or brought to the front."""


@pytest.fixture(autouse=True)
def _nothing_is_left(served: RunningServer) -> Iterator[None]:
    """Take the notice back: the server is shared."""
    yield
    tell(served.url, None)


def enter(page: Page, token: str = OPERATOR_TOKEN, language: str = "en") -> None:
    """Type a token, and send it."""
    page.get_by_label(WORDS[language][0]).fill(token)
    page.get_by_role("button", name=WORDS[language][1]).click()


def asks(request: Request) -> bool:
    """Return whether the page asks how the server is."""
    return request.url.endswith("/v1/operator")


@pytest.mark.parametrize("language", WORDS)
def test_no_barriers(visit: Visit, served: RunningServer, language: str):
    """Before and behind the token, and where a game is to be closed, in either theme; nothing scrolls sideways."""
    game = make(served.url, ANA, BEN)
    page = visit("/operator", locale=language, allowed=REFUSED).page
    _, _, readiness, close = WORDS[language]
    expect(page.get_by_label(WORDS[language][0])).to_be_visible()
    for look in in_each_look(page, LOOKS):
        assert barriers(look) == []

    enter(page, language=language)
    expect(page.get_by_role("region", name=readiness)).to_be_visible()
    for look in in_each_look(page, LOOKS):
        assert barriers(look) == []
        expect_no_sideways_scroll(look)
    page.get_by_role("button", name=game.id).click()
    expect(page.get_by_role("dialog").get_by_role("button", name=close)).to_be_visible()
    for look in in_each_look(page, LOOKS):
        assert barriers(look) == []


def test_the_token_stays_in_the_tab(visit: Visit, served: RunningServer):
    """It is sent as a header alone, outlives a reload, is unknown to another tab, and is forgotten on request."""
    visitor = visit("/operator", allowed=REFUSED)
    page = visitor.page
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request))  # noqa: PLW0108 - a method of a list is none
    field = page.get_by_label("The operator's token")
    expect(field).to_have_attribute("type", "password")

    enter(page)
    expect(page.get_by_role("region", name="Load")).to_be_visible()
    page.reload()
    expect(page.get_by_role("region", name="Load")).to_be_visible()

    assert not [one.url for one in sent if OPERATOR_TOKEN in one.url or OPERATOR_TOKEN in (one.post_data or "")]
    assert [one.headers["authorization"] for one in sent if asks(one)] == [f"Bearer {OPERATOR_TOKEN}"] * 2
    assert OPERATOR_TOKEN not in page.evaluate("JSON.stringify(localStorage) + document.cookie")
    other = page.context.new_page()
    other.goto(f"{served.url}/operator")
    expect(other.get_by_label("The operator's token")).to_be_visible()
    page.get_by_role("button", name="Forget the token").click()
    expect(field).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0


def test_a_wrong_token(visit: Visit):
    """Is refused in words and forgotten; the right one is taken after it."""
    page = visit("/operator", allowed=REFUSED).page

    enter(page, "another-token-than-the-operator-s")
    expect(page.get_by_role("alert")).to_contain_text("This isn't the operator's token.")
    assert page.evaluate("sessionStorage.length") == 0

    enter(page)
    expect(page.get_by_role("region", name="Load")).to_be_visible()
    expect(page.get_by_role("alert")).to_be_empty()


def test_what_it_shows(visit: Visit, served: RunningServer):
    """What the route tells: readiness, load, the store, games by ruleset and status, and those that changed last."""
    game = make(served.url, ANA, OPEN, ruleset="gridcannon")
    page = visit("/operator", allowed=REFUSED).page
    enter(page)

    expect(page.get_by_role("region", name="Readiness")).to_contain_text("Ready: games go on.")
    expect(page.get_by_role("region", name="Load")).to_contain_text("AIs that people wait for0")
    expect(page.get_by_role("region", name="Load")).to_contain_text("MB")
    expect(page.get_by_role("region", name="Games", exact=True)).to_contain_text("Gridcannonwaiting for players")
    expect(page.get_by_role("link", name=game.id)).to_have_attribute("href", f"/play?g={game.id}")
    latest = page.get_by_role("region", name="The games that changed last")
    expect(latest.get_by_role("listitem").filter(has_text=game.id)).to_contain_text("waiting for players · step 0")


def test_a_game_is_closed_once_that_is_confirmed(visit: Visit, served: RunningServer):
    """Cancel leaves it."""
    game = make(served.url, ANA, BEN)
    page = visit("/operator", allowed=REFUSED).page
    enter(page)
    close = page.get_by_role("button", name=f"Close game {game.id}")

    close.click()
    page.get_by_role("dialog", name="Close this game?").get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert game.ask()["status"] == "active"

    close.click()
    page.get_by_role("dialog").get_by_role("button", name="Close the game").click()
    expect(page.get_by_role("status")).to_have_text(f"Game {game.id} is closed.")
    expect(close).to_have_count(0)
    assert game.ask()["status"] == "abandoned"


def test_the_notice_is_set_and_taken_back(visit: Visit, served: RunningServer):
    """At a table it comes and goes with it; here too it is text alone."""
    table = visit(make(served.url, ANA, BEN).link()).page
    page = visit("/operator", allowed=REFUSED).page
    enter(page)
    region = page.get_by_role("region", name="Notice at all tables")
    expect(region.get_by_role("button", name="Take back")).to_be_disabled()

    region.get_by_label("New notice").fill(HELLO)
    region.get_by_role("button", name="Set").click()
    expect(region).to_contain_text(HELLO)
    expect(region.get_by_label("New notice")).to_be_empty()
    expect(page.get_by_role("status")).to_have_text("All tables have the notice.")
    expect(notice(table)).to_contain_text(HELLO)

    region.get_by_role("button", name="Take back").click()
    expect(region).to_contain_text("There is none.")
    expect(notice(table)).to_be_empty()


def test_it_refreshes_itself_while_somebody_looks(visit: Visit, served: RunningServer):
    """A game that begins appears by itself; a tab that is put to the back asks for nothing until it is looked at."""
    page = visit(None, allowed=REFUSED).page
    page.clock.install()
    page.goto(f"{served.url}/operator")
    enter(page)
    expect(page.get_by_role("region", name="Load")).to_be_visible()

    game = make(served.url, ANA, BEN)
    with page.expect_request(asks):
        page.clock.fast_forward(5000)
    expect(page.get_by_role("link", name=game.id)).to_be_visible()

    page.evaluate(HIDE, arg=True)
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request) if asks(request) else None)
    page.clock.fast_forward(60_000)
    assert (
        page.evaluate("fetch('/healthz').then((answer) => answer.status)") == 200
    )  # an earlier request is sent by then
    assert asked == []
    with page.expect_request(asks):
        page.evaluate(HIDE, arg=False)
