"""What somebody stumbled over who had never seen these pages: joining, forgetting, hints, a menu on a phone."""

import re

import pytest
from playwright.sync_api import APIResponse, Route, expect

from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import AI, ANA, BEN, TWO, expect_none, expect_version, make, ready

OPEN = {"kind": "open"}
OUTSIDE = """[...document.querySelectorAll(".menu .sheet")].map((one) => one.getBoundingClientRect())
    .filter(({left, right}) => left < 0 || right > innerWidth)"""


# Sitting down


@pytest.mark.parametrize("private", [True, False], ids=["private", "public"])
def test_a_friend_who_sits_down_can_play(visit: Visit, served: RunningServer, private: bool):
    """Each time, without a reload; a public table was watched before, and what was known of it then isn't kept."""
    for _ in range(3):
        game = make(served.url, OPEN, BEN, private=private)
        friend = visit(f"/play#{game.id}.{game.body['invite']}" if private else f"/play?g={game.id}").page
        friend.get_by_label("Your name").fill("Ana")
        friend.get_by_role("button", name="Sit down").click()

        expect(friend.get_by_role("list", name="Players")).to_contain_text("Ana (you)")
        expect(friend.locator("[data-hand] button[aria-disabled=false]").first).to_be_visible()
        expect(friend.get_by_text("You are watching.")).to_have_count(0)


def test_nobody_sits_down_twice(visit: Visit, served: RunningServer):
    """The form is gone with the first press, and another tab of the browser finds the seat that it has."""
    game = make(served.url, ANA, OPEN, OPEN)
    first = visit(f"/play?g={game.id}").page
    second = first.context.new_page()
    second.goto(first.url)
    expect(second.get_by_role("button", name="Sit down")).to_be_visible()
    held: list[Route] = []
    first.route("**/join", lambda route: held.append(route))
    first.get_by_role("button", name="Sit down").click()

    expect(first.get_by_text("Sitting down…")).to_be_visible()
    expect(first.get_by_role("button", name="Sit down")).to_have_count(0)
    held[0].continue_()
    expect(first.get_by_role("list", name="Players")).to_contain_text("(you)")

    second.get_by_role("button", name="Sit down").click()
    expect(second.get_by_role("list", name="Players")).to_contain_text("(you)")
    assert [seat["kind"] for seat in game.ask()["seats"]] == ["human", "human", "open"]


def test_whoever_has_no_name_is_a_guest(visit: Visit, served: RunningServer):
    """To everybody, and "you" to themselves alone."""
    game = make(served.url, ANA, OPEN)
    host, friend = visit(game.link()).page, visit(f"/play?g={game.id}").page
    friend.get_by_role("button", name="Sit down").click()

    expect(friend.get_by_role("list", name="Players")).to_contain_text("Guest (you)")
    expect(host.get_by_role("list", name="Players").get_by_role("listitem")).to_have_text(
        [re.compile(r"Ana \(you\)"), re.compile(r"^\s*Guest\s*$")]
    )


# Your games


def test_a_forgotten_game_can_be_taken_back(visit: Visit, served: RunningServer):
    """Its token is in this browser alone."""
    page = visit(make(served.url, ANA, AI).link()).page
    ready(page)
    seat = page.url
    page.goto(f"{served.url}/")
    yours = page.get_by_role("region", name="Your games")
    yours.get_by_role("button", name="Forget this game").click()
    expect(yours).to_contain_text("Forgotten: Regicide")

    yours.get_by_role("button", name="Undo").click()
    yours.get_by_role("link", name="Go on").click()
    page.wait_for_url(seat)
    ready(page)


# At the table


@pytest.mark.parametrize("locale", ["en", "es"])
def test_the_menu_is_on_the_screen_of_a_phone(visit: Visit, served: RunningServer, locale: str):
    """All of it."""
    page = visit(make(served.url, ANA, AI).link(), width=360, height=740, locale=locale).page
    ready(page)
    page.locator(".menu summary").click()

    expect(page.locator(".menu .sheet")).to_be_visible()
    expect_none(page, OUTSIDE)


@pytest.mark.parametrize(("texts", "asked_again"), [(("play 9C",), True), (("play 9C", "discard TH"), False)])
def test_a_hint_that_is_overtaken(visit: Visit, served: RunningServer, texts: tuple[str, ...], asked_again: bool):
    """Is asked for again, or its reader is told that there is nothing to be hinted at."""
    game, held = make(served.url, ANA, BEN, position=TWO), list[tuple[Route, APIResponse]]()
    page = visit(game.link(), allowed=("403", "409", "412")).page
    ready(page)
    page.route("**/hints", lambda route: held.append((route, route.fetch())), times=1)
    with page.expect_request("**/hints"):
        page.keyboard.press("h")
    for text in texts:
        game.act(text)
    expect_version(page, len(texts))
    for route, answer in held:
        route.fulfill(response=answer)

    if asked_again:
        expect(page.locator(".chance").first).to_contain_text("10♥")
    else:
        expect(page.locator(".news")).to_contain_text("The table has changed")


def test_the_first_line_of_a_hint_is_the_best(visit: Visit, served: RunningServer):
    """What was hardly tried shows no chance: it would be luck."""
    page = visit(make(served.url, ANA, BEN, position=TWO).link()).page
    ready(page)
    actions = [
        {
            "action": {"type": "play", "cards": [name]},
            "text": f"play {name}",
            "label": name,
            "value": value,
            "visits": n,
        }
        for name, value, n in [("9C", 0.3, 40), ("5C", 0.2, 30), ("TH", 0.9, 25), ("6D", 0.1, 2)]
    ]
    job = {"id": "j", "status": "finished", "progress": 1, "result": {"actions": actions, "why": "So."}}
    page.route("**/hints", lambda route: route.fulfill(json=job))
    page.keyboard.press("h")

    expect(page.locator(".chance")).to_have_text(
        [
            re.compile(r"\(its choice\).*30 %"),
            re.compile("20 %"),
            re.compile("hardly tried"),
            re.compile("hardly tried"),
        ]
    )
