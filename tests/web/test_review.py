"""The review of an ended game: the graph, its mistakes, a press that goes to the table as it was."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.api.puzzles import position
from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import (
    ANA,
    BEN,
    Json,
    Made,
    barriers,
    expect_no_sideways_scroll,
    expect_none,
    in_each_look,
    make,
    ready,
)

BLUNDER = position([["2S", "5C"], ["7C", "3D"]], castle=[], enemy="KS", damage=31, tavern=["2C", "3C"])
"""``play 5C`` wins; after ``play 2S`` the blow can't be covered."""


def lost(url: str) -> Made:
    """Make a game of people that Ana has lost by a blunder, in her first decision."""
    made = make(url, ANA, BEN, position=BLUNDER)
    made.act("play 2S")
    assert made.ask()["outcome"]["result"] == "lost"
    return made


def reviewed(page: Page, button: str = "Review") -> None:
    """Ask for the review, and wait for it."""
    page.locator(".end").get_by_role("button", name=button, exact=True).click()
    page.locator(".graph").wait_for()


def looks_back(page: Page) -> None:
    """The table is shown as it was when Ana blundered."""
    expect(page.locator("main .status")).to_have_text("The table as it was at step 0.")


def test_a_blunder_is_marked(visit: Visit, served: RunningServer):
    """Accuracy, the graph, the blunder with its reason; a press on either shows the table as it was then."""
    page = visit(lost(served.url).link()).page
    ready(page)
    reviewed(page)

    review = page.get_by_role("region", name="Review")
    expect(review).to_contain_text("Accuracy 0 %")
    expect(review).to_contain_text("1 blunder")
    expect(review.locator(".graph .mark.blunder")).to_have_count(1)
    expect(review.locator("svg.graph")).to_have_accessible_name(
        "The chance to win over the game, in %: 0 at first, 0 at last."
    )
    expect(review.get_by_role("listitem")).to_contain_text("Better: 5♣ (100 %). You played 2♠ (0 %).")
    expect(review.locator("[data-better]").get_by_role("img")).to_have_accessible_name("5 of clubs")
    expect(review.locator("[data-played]").get_by_role("img")).to_have_accessible_name("2 of spades")
    blunder = review.get_by_role("listitem").get_by_role("button")
    expect(blunder).to_contain_text("Step 0: Play 2♠")
    expect(review.get_by_role("listitem")).to_contain_text("You play 5♣ for 5; the enemy takes 10: 0 left")

    blunder.click()
    looks_back(page)
    expect(blunder).to_have_attribute("aria-current", "step")
    hand = page.get_by_role("group", name="Your hand")
    expect(hand.locator(".card")).to_have_count(2)
    expect(hand.locator("[data-better]")).to_have_accessible_name("5 of clubs")
    expect(hand.locator("[data-played]")).to_have_accessible_name("2 of spades")
    page.get_by_role("button", name="Back to the present").click()
    expect(page.locator("main .status")).to_have_text("The game is over.")
    expect(hand.locator("[data-better], [data-played]")).to_have_count(0)
    page.locator(".graph").click()
    looks_back(page)


def test_by_keys_alone(visit: Visit, served: RunningServer):
    """The button, and each mistake, is reached with Tab and pressed with Enter."""
    page = visit(lost(served.url).link()).page
    ready(page)
    page.get_by_role("button", name="Review my decisions").focus()
    page.keyboard.press("Enter")
    blunder = page.get_by_role("button", name="Step 0")
    blunder.wait_for()
    blunder.focus()
    page.keyboard.press("Enter")

    looks_back(page)


def test_in_spanish(visit: Visit, served: RunningServer):
    """The page's words and the server's; who changes the language later reads it in that."""
    page = visit(lost(served.url).link(), locale="es").page
    ready(page)
    reviewed(page, "Análisis")

    review = page.get_by_role("region", name="Análisis")
    expect(review).to_contain_text("Precisión 0 %")
    expect(review).to_contain_text("Paso 0: Juega 2♠")
    expect(review).to_contain_text("error grave")
    expect(review).to_contain_text("Juegas 5♣: ataque de 5")
    page.locator(".menu summary").click()
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("region", name="Review")).to_contain_text("You play 5♣ for 5")


def test_who_watched_chooses_a_seat(visit: Visit, served: RunningServer):
    """Without a token; the table is shown with the eyes of that seat."""
    page = visit(f"/play?g={lost(served.url).id}").page
    ready(page)
    review = page.get_by_role("region", name="Review")
    expect(review.get_by_label("Whose decisions")).to_have_value("0")
    reviewed(page)
    expect(review).to_contain_text("Ana: Accuracy 0 %")

    review.get_by_role("button", name="Step 0").click()
    looks_back(page)
    expect(page.get_by_label("View as")).to_have_value("0")
    review.get_by_label("Whose decisions").select_option("1")
    page.get_by_role("button", name="Review these decisions").click()
    expect(review).to_contain_text("There was never a choice.")


def test_one_that_waits_grows_and_is_cancelled(visit: Visit, served: RunningServer):
    """Its place, how far it is and what it has found so far; a button ends it, and so does leaving the page."""
    page, begun = visit(None).page, {"id": "8c1f0d6b2a9e4f7780aa", "kind": "review", "result": None, "problem": None}
    waiting: Json = {**begun, "status": "queued", "progress": 0, "ahead": 1, "partial": None}
    decision = {"version": 0, "text": "play 2S", "label": "Play 2♠", "best": "play 5C", "best_label": "Play 5♣"}
    judged = {**decision, "chance": 0.77, "best_chance": 0.91, "loss": 0.14, "kind": "mistake", "why": "Because."}
    partial = {"seat": 0, "level": "expert", "accuracy": 0.5, "decisions": [judged]}
    running: Json = {**waiting, "status": "running", "progress": 1, "ahead": None, "partial": partial}
    page.route("**/reviews", lambda route: route.fulfill(status=202, json=waiting))
    states: list[Json] = [waiting]
    ended = list[str]()

    def look(route: Route) -> None:
        if route.request.method == "DELETE":
            ended.append("cancelled")
        route.fulfill(json={**states[0], "status": ended[0] if ended else states[0]["status"]})

    page.route("**/v1/jobs/**", look)
    page.goto(f"{served.url}{lost(served.url).link()}")
    ready(page)
    page.locator(".end").get_by_role("button", name="Review", exact=True).click()
    expect(page.get_by_text("1 review before yours")).to_be_visible()
    states[0] = running
    expect(page.get_by_text("1 of 1 decisions")).to_be_visible()
    expect(page.get_by_text("Better: 5♣ (91 %). You played 2♠ (77 %).")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("button", name="Review my decisions")).to_be_visible()
    expect(page.locator(".graph")).to_have_count(0)

    ended.clear()
    page.get_by_role("button", name="Review my decisions").click()
    expect(page.get_by_text("1 of 1 decisions")).to_be_visible()
    with page.expect_request(lambda request: request.method == "DELETE"):
        page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")


def test_for_everybody(visit: Visit, served: RunningServer):
    """No accessibility violation, and nothing to scroll sideways for."""
    page = visit(lost(served.url).link()).page
    ready(page)
    reviewed(page)
    page.get_by_role("button", name="Step 0").click()
    looks_back(page)

    for look in in_each_look(page):
        assert barriers(look) == []
        expect_no_sideways_scroll(look)


ROWS = """() => [...document.querySelectorAll(".player button")].filter((one) => one.getClientRects().length)
    .map((one) => one.getBoundingClientRect().top)"""


@pytest.mark.parametrize("width", [360, 320])
@pytest.mark.parametrize("locale", ["en", "es"])
def test_the_buttons_of_the_replay_are_in_one_row(visit: Visit, served: RunningServer, width: int, locale: str):
    """On a phone: in the drawer, and below the table."""
    page = visit(lost(served.url).link(), width=width, height=740, locale=locale).page
    ready(page)
    page.locator("[data-end=lost] .acts").wait_for()
    for key in ("l", "["):
        page.keyboard.press(key)
        expect(page.locator(".player .share")).to_be_visible()
        expect_none(page, f"[...new Set(({ROWS})())].slice(1)")


def test_on_a_phone_the_table_is_seen(visit: Visit, served: RunningServer):
    """There the drawer lies over the table: a press on a mistake closes it."""
    page = visit(lost(served.url).link(), width=360, height=740).page
    ready(page)
    reviewed(page)
    expect(page.locator(".graph")).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Step 0").click()
    looks_back(page)

    expect(page.locator(".side.open")).to_have_count(0)
    expect(page.locator(".hand [data-better]")).to_be_in_viewport()
