"""The table in the browser: what it shows, says, forgives and keeps to itself."""

import re

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from tests.servers.served import RunningServer
from tests.web.conftest import Visit, Visitor
from tests.web.tables import (
    AI,
    ANA,
    BEN,
    HIDDEN_FROM_ANA,
    LAST_BLOW,
    TWO,
    act_button,
    barriers,
    expect_hand,
    expect_no_sideways_scroll,
    expect_version,
    in_each_look,
    make,
    ready,
)
from tests.web.test_fair_play import refuse

SUITS = {"C": ("♣", "clubs"), "D": ("♦", "diamonds"), "H": ("♥", "hearts"), "S": ("♠", "spades")}
RANKS = {"J": "Jack", "Q": "Queen", "K": "King", "A": "ace", "T": "10"}


def card(page: Page, token: str):
    """Return a card of the hand."""
    return page.locator(f"[data-hand] [data-token='{token}']")


# Choosing and acting


def test_a_slip_is_no_move(visit: Visit, served: RunningServer):
    """A card chosen can be taken back; what will happen is said before it does; then one press does it."""
    game = make(served.url, ANA, BEN, position=TWO)
    page = visit(game.link()).page
    expect_hand(page, "5 of clubs", "6 of diamonds", "9 of clubs", "10 of hearts")

    card(page, "5C").click()
    expect(card(page, "5C")).to_have_attribute("aria-pressed", "true")
    card(page, "5C").click()
    expect(card(page, "5C")).to_have_attribute("aria-pressed", "false")
    expect(act_button(page)).to_be_disabled()
    act_button(page).click(force=True)
    expect_version(page, 0)
    assert game.ask()["version"] == 0

    card(page, "5C").click()
    expect(act_button(page)).to_contain_text("5♣")
    expect(page.locator("#preview")).to_contain_text("10")  # clubs double
    card(page, "9C").click()  # doesn't go with the 5: a new choice
    expect(card(page, "5C")).to_have_attribute("aria-pressed", "false")
    expect(act_button(page)).to_contain_text("9♣")
    act_button(page).click()
    expect(page.get_by_role("status").first).to_contain_text("10")
    expect_version(page, 1)
    assert game.ask()["version"] == 1


def test_a_change_of_language_holds_for_what_comes(visit: Visit, served: RunningServer):
    """What happens after it is told in the language that was chosen, like what happened before."""
    game = make(served.url, ANA, BEN, position=TWO)
    page = visit(game.link()).page
    ready(page)
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Español").click()
    expect(page.locator("#log")).to_contain_text("Empieza la partida")

    game.act("play 5C")
    expect(page.locator("#log")).to_contain_text("Juegas 5♣")


def test_the_focus_stays_on_the_board(visit: Visit, served: RunningServer):
    """After an action a person at the keyboard goes on where they were, and Enter only does what was chosen."""
    page = visit(make(served.url, ANA, BEN, position=TWO).link()).page
    ready(page)

    page.keyboard.press("ArrowRight")
    expect(card(page, "5C")).to_be_focused()
    page.keyboard.press("Enter")  # chooses
    expect(card(page, "5C")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")  # does what was chosen
    expect(page.locator(".hand [data-token]")).to_have_count(3)
    expect(page.locator(".actbar")).to_have_count(1)
    expect(page.locator(".stage :focus")).to_have_count(1)


def test_keys_are_listed(visit: Visit, served: RunningServer):
    """By `?`; Escape closes the list."""
    page = visit(make(served.url, ANA, AI).link()).page
    ready(page)

    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys and legend")).to_contain_text("Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("l")
    expect(page.locator("#log")).to_be_focused()


def test_a_hint(visit: Visit, served: RunningServer):
    """Chances stand beside the actions; pressing one chooses it, and doesn't act."""
    game = make(served.url, ANA, position=LAST_BLOW)
    page = visit(game.link()).page
    ready(page)

    page.keyboard.press("h")
    first = page.locator(".chance button").first
    expect(first).to_contain_text("Play 5♣")
    expect(first).to_contain_text("100 % to win")
    first.click()
    expect(card(page, "5C")).to_have_attribute("aria-pressed", "true")
    assert game.ask()["version"] == 0


def test_a_ruleset_without_a_board_of_its_own(visit: Visit, served: RunningServer):
    """Can be played: its view is a tree, its actions are buttons."""
    game = make(served.url, ANA, position=LAST_BLOW)
    page = visit(None, allowed=("regicide/board.js",)).page
    page.route("**/regicide/board.js", lambda route: route.fulfill(status=404))
    page.goto(f"{served.url}{game.link()}")

    expect(page.get_by_text("KS", exact=True)).to_be_visible()
    page.get_by_role("button", name="Play 5♣", exact=True).click()
    act_button(page).click()
    expect(page.get_by_role("region", name="The end")).to_be_visible()


# The end


def test_the_end_can_be_looked_back_from(visit: Visit, served: RunningServer):
    """The end is said, the shuffle checked in the page, and each step can be seen again."""
    game = make(served.url, ANA, position=LAST_BLOW)
    page = visit(game.link()).page
    ready(page)
    card(page, "5C").click()
    act_button(page).click()

    end = page.get_by_role("region", name="The end")
    expect(end.get_by_role("heading")).to_have_text("Victory!")
    expect(end.locator(".medal")).to_have_text("A gold victory")
    page.get_by_role("button", name="Check the shuffle").click()
    expect(page.get_by_text("The seed matches the fingerprint")).to_be_visible()
    page.keyboard.press("[")
    expect(page.get_by_role("img", name="King of spades")).to_be_visible()
    expect(page.get_by_role("status").first).to_contain_text("step 0")
    page.keyboard.press("]")
    expect(page.get_by_role("heading", name="The castle has fallen")).to_be_visible()


def test_a_deal_is_checked_and_seen_with_every_eye(visit: Visit, served: RunningServer):
    """The page deals again from the revealed seed; then whoever looks back chooses with whose eyes."""
    game = make(served.url, ANA, BEN, {"kind": "human", "name": "Cleo"}, client_seed="nobody can foresee this")
    page = visit(game.link()).page
    hands = [set(game.ask("", seat)["view"]["hands"][seat]) for seat in range(3)]
    ready(page)
    for _ in range(80):
        look = game.ask()
        if look["status"] != "active":
            break
        seat = look["to_act"][0]
        game.act(game.ask("/actions", seat)["actions"][0]["text"], seat)
    page.get_by_role("region", name="The end").wait_for()

    page.get_by_role("button", name="Check the shuffle").click()
    expect(page.get_by_text("it reproduces the deal")).to_be_visible()
    page.get_by_role("slider").fill("0")
    for seat, name in enumerate(["yourself", "Ben", "Cleo"]):
        page.get_by_label("View as").select_option(name)
        for one in hands[seat]:
            expect(page.locator(".hand").get_by_role("img", name=spellings(one)[2])).to_be_visible()


def test_once_more(visit: Visit, served: RunningServer):
    """The same people again, by one press each: whoever asks first waits, then the cards are dealt to both."""
    alone = {**TWO, "castle": [], "enemy": "KS", "damage": 35, "hands": [["5C", "6D"], ["7C"]]}
    game = make(served.url, ANA, BEN, position=alone)
    ana, ben = visit(game.link(0)).page, visit(game.link(1)).page
    ready(ana)
    card(ana, "5C").click()
    act_button(ana).click()

    ana.get_by_role("button", name="Play again").click()
    expect(ana.get_by_role("heading", name="Another game of Regicide")).to_be_visible()
    ben.get_by_role("button", name="Play again").click()

    for page, cards in ((ana, 2), (ben, 1)):  # a puzzle is laid once more as it was
        expect(page.locator("[data-hand] button")).to_have_count(cards)
        expect(page.get_by_role("list", name="Players")).to_contain_text("Ben")
    again = ana.url.partition(".rs_")[0]
    assert again != f"{served.url}/play#{game.id}"
    expect(ben).to_have_url(re.compile(f"^{re.escape(again)}\\.rs_"))


# What goes wrong


def test_a_stale_tab_shows_what_has_changed(visit: Visit, served: RunningServer):
    """A move on what is no longer so isn't made, isn't blamed: the table shows what has happened."""
    game = make(served.url, ANA, BEN, position=TWO)
    visitor = visit(None, allowed=("412", "stream", "ERR_FAILED"))
    page = visitor.page
    page.route("**/stream", lambda route: route.abort())
    page.goto(f"{served.url}{game.link()}")
    ready(page)
    card(page, "5C").click()
    expect(page.locator("#preview")).not_to_be_empty()
    game.act("play 9C")
    act_button(page).click()

    expect(page.locator(".news")).to_contain_text("The game has moved on")
    expect(page.locator(".news")).to_contain_text("9♣")
    expect(card(page, "9C")).to_have_count(0)
    expect_version(page, 1)
    assert game.ask()["version"] == 1


def test_an_answer_that_comes_late(visit: Visit, served: RunningServer):
    """What follows may be heard before the answer to one's own action: one goes on without waiting for that."""
    game, held = make(served.url, ANA, BEN, position=TWO), list[tuple[Route, APIResponse]]()
    page = visit(None).page

    def hold(route: Route) -> None:
        if route.request.method == "POST":
            held.append((route, route.fetch()))
        else:
            route.fallback()

    page.route(re.compile("/actions$"), hold)
    page.goto(f"{served.url}{game.link()}")
    for step, token in enumerate(("9C", "TH"), 1):
        card(page, token).click()
        act_button(page).click()
        expect_version(page, step)
    for route, answer in held:
        route.fulfill(response=answer)

    log = page.get_by_role("log").locator("p")
    expect(log.filter(has_text="You play 9♣")).to_have_count(1)
    expect(log.filter(has_text="10♥")).to_have_count(1)


def test_a_cut_line_comes_back_by_itself(visit: Visit, served: RunningServer):
    """Three times: what happened meanwhile is told once, in order."""
    game = make(served.url, ANA, BEN, position=TWO)
    visitor = visit(game.link(), allowed=("ERR_INTERNET_DISCONNECTED", "ERR_NETWORK"))
    page = visitor.page
    ready(page)

    for step, (seat, text) in enumerate([(0, "play 9C"), (0, "discard TH"), (1, "play 8S")], 1):
        page.context.set_offline(offline=True)
        game.act(text, seat)
        page.context.set_offline(offline=False)
        expect_version(page, step)

    plays = page.get_by_role("log").locator("p").filter(has_text=" play")
    expect(plays).to_have_text([re.compile("9♣"), re.compile("8♠")])


def test_what_is_asked_of_a_cut_line_is_done_when_it_is_back(visit: Visit, served: RunningServer):
    """A move and a hint: nothing says meanwhile that the page has given up, and nothing stays to be dismissed."""
    game = make(served.url, ANA, BEN, position=TWO)
    page = visit(None, allowed=("ERR_INTERNET_DISCONNECTED", "ERR_NETWORK")).page
    page.clock.install()
    page.goto(f"{served.url}{game.link()}")
    ready(page)
    trouble = page.locator(".trouble")
    card(page, "9C").click()
    expect(page.locator("#preview")).not_to_be_empty()

    page.context.set_offline(offline=True)
    act_button(page).click()
    for _ in range(8):  # at first a move was given up after six
        with page.expect_event("requestfailed", lambda request: request.url.endswith("/actions")):
            page.clock.fast_forward(5000)
    expect(trouble).to_have_text("Connection lost. Reconnecting…")
    page.context.set_offline(offline=False)
    expect_version(page, 1)
    expect(trouble).to_be_empty()

    page.context.set_offline(offline=True)
    page.keyboard.press("h")
    expect(trouble).to_contain_text("Can't reach the server.")
    page.context.set_offline(offline=False)
    expect(page.locator(".chance").first).to_be_visible()
    expect(trouble).to_be_empty()


def test_a_dismissed_message_leaves_the_focus_on_the_table(visit: Visit, served: RunningServer):
    """By keyboard: the button that had it is gone."""
    page = visit(make(served.url, ANA, BEN, position=TWO).link(), allowed=("500",)).page
    ready(page)
    page.route("**/actions", refuse(500, "internal_error"))
    card(page, "9C").click()
    act_button(page).click()
    page.get_by_role("button", name="Dismiss").press("Enter")

    expect(page.locator(".trouble")).to_be_empty()
    expect(act_button(page)).to_be_focused()


def test_a_link_to_nothing(visit: Visit, served: RunningServer):
    """Says so, and leads to the games."""
    page = visit("/play#nothing.rs_nothing", allowed=("401", "404")).page

    expect(page.get_by_text("There is no such game")).to_be_visible()
    expect(page.get_by_role("link")).to_have_attribute("href", "/")


def test_a_link_to_a_game_alone(visit: Visit, served: RunningServer):
    """Shows it to whoever watches."""
    made = make(served.url, ANA, BEN)
    page = visit(f"/play#{made.id}").page

    expect(page.get_by_text("You are watching.")).to_be_visible()


# Together


def test_two_browsers_and_an_invitation(visit: Visit, served: RunningServer):
    """Whoever opens the link of a private game gives a name, sits down, and both see the deal."""
    game = make(served.url, ANA, {"kind": "open"}, private=True)
    host = visit(game.link()).page
    invite = f"/play#{game.id}.{game.body['invite']}"
    guest = visit(invite).page

    guest.get_by_label("Name", exact=True).fill("Ben")
    guest.get_by_role("button", name="Sit down").click()

    expect(host.get_by_role("list", name="Players")).to_contain_text("Ben")
    expect(host.locator("[data-hand] button")).to_have_count(7)
    expect(guest.locator("[data-hand] button")).to_have_count(7)
    expect(guest.get_by_role("status").first).to_contain_text("Ana")
    guest.reload()
    expect(guest.locator("[data-hand] button")).to_have_count(7)


def test_the_same_seat_on_another_device(visit: Visit, served: RunningServer):
    """A link and a QR code, made in the page."""
    game = make(served.url, ANA, AI)
    page = visit(game.link()).page
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Continue on another device").click()

    expect(page.get_by_role("dialog").get_by_role("img", name="QR code of this link")).to_be_visible()
    expect(page.get_by_role("dialog").get_by_role("textbox")).to_have_value(f"{served.url}{game.link()}")


# What nobody may know


def spellings(name: str) -> tuple[str, ...]:
    """Return how a card may be written in data, in sentences and for screen readers."""
    if name.startswith("X"):
        return (name, "Jester", "Jester")
    rank = RANKS.get(name[0], name[0])
    sign, suit = SUITS[name[1]]
    return (name, f"{name[0].replace('T', '10')}{sign}", f"{rank} of {suit}")


def everything(visitor: Visitor) -> str:
    """Return all that the page has: what it shows, what it was sent, what it keeps."""
    page = visitor.page
    kept = page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])")
    bodies = [answer.text() for answer in visitor.answers if "/v1/" in answer.url and "/stream" not in answer.url]
    return "\n".join([page.content(), kept, *bodies])


@pytest.mark.parametrize(
    ("seat", "hidden"), [(0, HIDDEN_FROM_ANA), (None, (*HIDDEN_FROM_ANA, "5C", "6D", "TH"))], ids=["a seat", "nobody"]
)
def test_a_page_holds_nothing_that_its_reader_may_not_know(visit: Visit, served: RunningServer, seat, hidden):
    """Neither in what it shows nor in what it was sent, nor in what it keeps."""
    game = make(served.url, ANA, BEN, position=TWO)
    visitor = visit(game.link() if seat == 0 else f"/play?g={game.id}")
    expect(visitor.page.get_by_role("img", name="Jack of hearts").first).to_be_visible()
    if seat == 0:
        card(visitor.page, "5C").click()
        expect(visitor.page.locator("#preview")).not_to_be_empty()
    game.act("play 9C")
    expect(visitor.page.get_by_role("region", name="In play").get_by_role("img")).to_have_count(1)

    held = everything(visitor)

    assert "9 of clubs" in held
    assert [one for name in hidden for one in spellings(name) if f'"{one}"' in held or f">{one}<" in held] == []
    assert [name for name in hidden if spellings(name)[1] in held] == []


# Barriers


def expect_no_barrier(page: Page) -> None:
    """Axe finds nothing whatever the size and the light, and nothing scrolls sideways."""
    for look in in_each_look(page):
        assert barriers(look) == []
        expect_no_sideways_scroll(look)


def test_no_barrier_is_found(visit: Visit, served: RunningServer):
    """By axe: during a game, with a card chosen, a hint, the menu open, and at the end."""
    page = visit(make(served.url, ANA, position=LAST_BLOW).link()).page
    ready(page)
    expect_no_barrier(page)
    card(page, "5C").click()
    page.keyboard.press("h")
    expect(page.locator(".chance").first).to_be_visible()
    expect_no_barrier(page)
    page.get_by_role("button", name="Close").click()
    page.locator(".menu summary").click()
    expect_no_barrier(page)
    page.locator(".menu summary").click()
    act_button(page).click()
    expect(page.locator(".end")).to_be_visible()
    expect_no_barrier(page)
