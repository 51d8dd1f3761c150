"""The lobby: from the start page to a table, alone or with friends, and back to your games."""

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from engines import RULESETS
from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.numbers import FIRST_CARD
from tests.web.tables import (
    AI,
    ANA,
    BEN,
    Made,
    act_button,
    barriers,
    expect_no_sideways_scroll,
    expect_none,
    in_each_look,
    make,
    ready,
)

OPEN = {"kind": "open"}
MORE = re.compile("^More|^Más")
TOO_SMALL = """[...document.querySelectorAll(
    "main button, main select, main input:not([type=checkbox]), main .button"
)].filter((one) => one.getBoundingClientRect().height < 44).map((one) => one.outerHTML)"""


def choice(page: Page, name: str) -> Locator:
    """Return the list of that name."""
    return page.get_by_role("combobox", name=name, exact=True)


def set_up(page: Page, *, game: str = "Gridcannon", name: str = "Ana", seats: tuple[str, ...] = ()) -> None:
    """Open the form, and choose a game, a name and who sits where."""
    page.get_by_text(MORE).click()
    choice(page, "Game").select_option(game)
    if seats:
        choice(page, "Players").select_option(str(len(seats) + 1))
    page.get_by_label("Your name").fill(name)
    for number, kind in enumerate(seats, 2):
        choice(page, f"Player {number}").select_option(kind)


def create(page: Page) -> None:
    """Set up the table, and wait until it is there."""
    page.get_by_role("button", name="Create game").click()
    page.wait_for_url("**/play*")


def test_two_browsers_at_one_private_table(visit: Visit, served: RunningServer):
    """Ana sets it up with an open seat and sends the link; Ben pastes it, sits down, and both place a royal."""
    ana = visit("/").page
    set_up(ana, seats=("open: anyone can join",))
    ana.get_by_label("Private: only people with the link can see it").check()
    create(ana)
    link = ana.get_by_label("Invite somebody").input_value()

    public = make(served.url, AI, OPEN)
    lobby = visit("/")
    expect(lobby.page.locator(f"a[href='/play?g={public.id}']")).to_be_visible()
    game_id = link.split("#")[1].split(".")[0]
    assert game_id not in lobby.page.content()
    ben = lobby.page
    ben.get_by_label("Invite link").fill(link)
    ben.get_by_role("button", name="Join", exact=True).last.click()
    ben.get_by_label("Name", exact=True).fill("Ben")
    ben.get_by_role("button", name="Sit down").click()

    for page, own, other in ((ana, "Ana", "Ben"), (ben, "Ben", "Ana")):
        expect(page.locator(".gc-board")).to_contain_text(f"{own} (you)")
        expect(page.locator(".gc-board")).to_contain_text(other)
    for page in (ana, ben):
        page.locator(FIRST_CARD["gridcannon"]).first.click()
        act_button(page).click()
    for page in (ana, ben):
        expect(page.locator(".gc-standing")).to_have_count(2)
    expect(act_button(ana)).to_have_text("Draw a card")

    stranger = visit(f"/play?g={game_id}", allowed=("404",)).page
    expect(stranger.get_by_role("main")).to_contain_text("private")


def test_public_tables_are_joined_or_watched(visit: Visit, served: RunningServer):
    """A table with an open seat is listed, whoever joins plays there; another one watches, however many tables wait."""
    game = make(served.url, {"kind": "human", "name": "Zoraida"}, OPEN, ruleset="gridcannon")
    page = visit("/").page
    row = page.get_by_role("listitem").filter(has_text="Zoraida")
    expect(row).to_contain_text("Gridcannon: Zoraida, an open seat")
    expect(row).to_contain_text("waiting for players")

    row.get_by_role("button", name="Join").click()
    page.wait_for_url("**/play#*")
    expect(page.locator(".gc-board")).to_contain_text("Guest (you)")

    for _ in range(10):
        make(served.url, {"kind": "human", "name": "Ana"}, OPEN, ruleset="regicide")
    other = visit("/").page
    row = other.get_by_role("listitem").filter(has_text="Zoraida")
    expect(row).to_contain_text("under way")
    expect(row.get_by_role("button", name="Join")).to_have_count(0)
    row.get_by_role("link", name="Watch").click()
    other.wait_for_url(f"**/play?g={game.id}")
    expect(other.get_by_role("status").first).to_contain_text("You are watching.")


def test_the_rules_of_every_ruleset_are_linked(visit: Visit):
    """As the catalogue lists them, so that a new one is there too."""
    links = visit("/").page.get_by_role("contentinfo").get_by_role("link", name="Rules of")

    expect(links).to_have_text([f"Rules of {ruleset.title}" for ruleset in RULESETS.values()])
    for place, name in enumerate(RULESETS):
        expect(links.nth(place)).to_have_attribute("href", f"/v1/rulesets/{name}/rules?lang=en")


def test_options_come_from_the_ruleset(visit: Visit):
    """Each option of the JSON Schema is a field; what is left alone isn't sent; what was chosen is so at the table."""
    page = visit("/").page
    set_up(page)
    choice(page, "Family of player 1").select_option("black")
    page.get_by_label("Turn limit: the game is then a draw (0: none)").fill("7")
    with page.expect_request("**/v1/games") as sent:
        create(page)

    body = sent.value.post_data_json or {}
    assert body["options"] == {"families": ["black", None], "turn_limit": 7}
    assert body["seats"] == [{"kind": "human", "name": "Ana"}, {"kind": "ai", "level": "expert"}]
    ready(page)
    expect(page.locator(".gc-seat[data-you] .gc-mark")).to_have_text("♠♣")


def test_regicides_options_and_clock(visit: Visit):
    """Another ruleset has other fields, as many seats as it allows, and a clock as any."""
    page = visit("/").page
    set_up(page, game="Regicide", seats=("AI: novice", "AI: adept"))
    choice(page, "Who begins").select_option("at random")
    choice(page, "Clock").select_option("2 minutes a turn")
    expect(choice(page, "Family of player 1")).to_have_count(0)
    with page.expect_request("**/v1/games") as sent:
        create(page)

    body = sent.value.post_data_json or {}
    assert body["options"] == {"first_seat": "random"}
    assert body["turn_seconds"] == 120
    assert [seat.get("level") for seat in body["seats"]] == [None, "novice", "adept"]


def test_who_only_wants_to_watch(visit: Visit):
    """You give your seat to an AI: the table is watched."""
    page = visit("/").page
    set_up(page, seats=("AI: adept",))
    choice(page, "Player 1").select_option("AI: adept")
    create(page)

    expect(page.get_by_role("status").first).to_contain_text("You are watching.")


def test_a_refusal_is_said_in_place(visit: Visit):
    """What the server refuses is read where it was asked for, in the reader's language; then it can be mended."""
    page = visit("/", allowed=("status of 400",)).page
    set_up(page, seats=("AI: adept", "AI: adept", "AI: adept"))
    expect(page.get_by_label(re.compile("Fewer ploys"))).to_have_count(0)  # that is for two
    for seat in (1, 2):
        choice(page, f"Family of player {seat}").select_option("clubs")
    page.get_by_role("button", name="Create game").click()

    expect(page.get_by_role("alert")).to_contain_text("Two seats can't have one family")
    page.get_by_label("Invite link").fill("https://example.org/")
    page.get_by_role("button", name="Join", exact=True).last.click()
    expect(page.locator("form.join").get_by_role("alert")).to_have_text("That isn't a link to a game.")
    choice(page, "Players").select_option("2")
    page.get_by_label("Fewer ploys: without A♣, A♦ and one joker").check()
    create(page)


def test_your_games_are_remembered(visit: Visit):
    """This browser finds them again: whose turn it is, the way back to the seat, and how to forget them."""
    page = visit("/").page
    expect(page.get_by_role("region", name="Your games")).to_contain_text("No games yet")
    page.get_by_role("button", name="Play Regicide").click()
    page.wait_for_url("**/play#*")
    table = page.url
    ready(page)

    page.goto("/".join(page.url.split("/")[:3]) + "/")
    yours = page.get_by_role("region", name="Your games")
    expect(yours).to_contain_text("Regicide, with ")
    expect(yours).to_contain_text("your turn")
    yours.get_by_role("link", name="Continue").click()
    page.wait_for_url(table)

    page.goto("/".join(page.url.split("/")[:3]) + "/")
    yours.get_by_role("button", name="Remove from list").click()
    expect(yours).to_contain_text("No games yet")


def test_the_language_of_a_link_stays(visit: Visit):
    """`?lang=es` is read in Spanish, and so is the table that it leads to; one press changes it."""
    page = visit("/?lang=es").page
    expect(page.locator("html")).to_have_attribute("lang", "es")
    page.get_by_role("button", name="Jugar a Gridcannon").click()
    expect(page.get_by_role("status").first).to_contain_text("Coloca")

    page.locator(".menu summary").click()
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("status").first).to_contain_text("Place")


@pytest.mark.parametrize("locale", ["en", "es"])
def test_nothing_is_in_the_way_of_anybody(visit: Visit, served: RunningServer, locale: str):
    """Axe finds nothing with everything open, nothing scrolls sideways, what is touched is large enough."""
    made: Made = make(served.url, ANA, OPEN, AI)
    make(served.url, ANA, BEN, ruleset="gridcannon")
    page = visit("/", locale=locale).page
    page.get_by_text(MORE).click()
    expect(page.locator(f"a[href='/play?g={made.id}']")).to_be_visible()

    for look in in_each_look(page):
        assert barriers(look) == []
        expect_no_sideways_scroll(look)
        expect_none(look, TOO_SMALL)


@pytest.mark.parametrize("size", [(640, 400), (740, 360)])
@pytest.mark.parametrize("locale", ["en", "es"])
def test_a_low_window_shows_the_buttons_of_both_games(visit: Visit, size: tuple[int, int], locale: str):
    """Whole, without scrolling."""
    page = visit("/", width=size[0], height=size[1], locale=locale).page
    buttons = page.locator(".go > *")
    expect(buttons).to_have_count(3 * len(RULESETS))
    for button in buttons.all():
        expect(button).to_be_in_viewport(ratio=1)


def with_players(route: Route, *counts: int) -> None:
    """Answer with the server's rulesets, as if Regicide were for *counts* players."""
    answer = route.fetch()
    listed = answer.json()
    for ruleset in listed["rulesets"]:
        if ruleset["name"] == "regicide":
            ruleset["players"] = [*counts]
    route.fulfill(response=answer, json=listed)


@pytest.mark.parametrize(("counts", "seats"), [((3,), 3), ((1, 4), 4), ((1,), 1)])
def test_a_quick_game_has_as_many_seats_as_the_game_takes(visit: Visit, counts: tuple[int, ...], seats: int):
    """Two where it can be two, else the fewest above that; a friend comes only where there is a second seat."""
    page = visit("/about").page
    page.route("**/v1/rulesets", lambda route: with_players(route, *counts))
    page.goto(page.url.replace("/about", "/"))
    expect(page.get_by_role("button", name="Play with a friend, Regicide")).to_have_count(int(seats > 1))
    page.get_by_text(MORE).click()
    expect(choice(page, "Players").locator("option:checked")).to_have_text(str(seats))
    expect(page.get_by_role("combobox", name=re.compile(r"^Player \d"))).to_have_count(seats)

    page.get_by_role("button", name="Play Regicide", exact=True).click()

    page.wait_for_url("**/play#*")
    expect(page.get_by_role("list", name="Players").get_by_role("listitem")).to_have_count(seats)


def test_a_refusal_is_seen_where_the_reader_is(visit: Visit):
    """Once, in words, scrolled into view."""
    page = visit("/", width=390, height=844, allowed=("422",)).page
    page.route("**/v1/games", lambda route: route.continue_(post_data='{"ruleset": "regicide", "seats": [{}]}'))
    page.get_by_role("button", name="Play Gridcannon", exact=True).click()

    alert = page.get_by_role("alert")
    expect(alert).to_have_text("seats.0.kind: This is missing.")
    expect(alert).to_be_in_viewport()
