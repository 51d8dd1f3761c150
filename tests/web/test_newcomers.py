"""What somebody stumbled over who had never seen these pages: joining, forgetting, hints, a menu on a phone."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.api.puzzles import position
from tests.engines.gridcannon.table import position as gridcannon
from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import AI, ANA, BEN, HTTP, TWO, act_button, expect_none, expect_version, make, ready

OPEN = {"kind": "open"}
OUTSIDE = """[...document.querySelectorAll(".menu .sheet")].map((one) => one.getBoundingClientRect())
    .filter(({left, right}) => left < 0 || right > innerWidth)"""


# Sitting down


@pytest.mark.parametrize("private", [True, False], ids=["private", "public"])
def test_a_friend_who_sits_down_can_play(visit: Visit, served: RunningServer, private: bool):
    """Each time, without a reload; a public table was watched before, and what was known of it then isn't kept."""
    for _ in range(2):
        game = make(served.url, OPEN, BEN, private=private)
        friend = visit(f"/play#{game.id}.{game.body['invite']}" if private else f"/play?g={game.id}").page
        friend.get_by_label("Name", exact=True).fill("Ana")
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

    def hold(route: Route) -> None:
        held.append(route)

    first.route("**/join", hold)
    with first.expect_request("**/join"):
        first.get_by_role("button", name="Sit down").click()

    expect(first.get_by_text("Sitting down…")).to_be_visible()
    expect(first.get_by_role("button", name="Sit down")).to_have_count(0)
    held[0].continue_()
    expect(first.get_by_role("list", name="Seats")).to_contain_text("(you)")

    second.get_by_role("button", name="Sit down").click()
    expect(second.get_by_role("list", name="Seats")).to_contain_text("(you)")
    assert [seat["kind"] for seat in game.ask()["seats"]] == ["human", "human", "open"]


def test_whoever_has_no_name_is_a_guest(visit: Visit, served: RunningServer):
    """To everybody, and "you" to themselves alone."""
    game = make(served.url, ANA, OPEN)
    host, friend = visit(game.link()).page, visit(f"/play?g={game.id}").page
    friend.get_by_role("button", name="Sit down").click()

    expect(friend.get_by_role("list", name="Players")).to_contain_text("Guest (you)")
    expect(host.get_by_role("list", name="Players").get_by_role("listitem")).to_have_text(
        [re.compile(r"Ana \(you\)"), re.compile(r"^\s*Guest(?! \(you\))")]
    )


def test_without_tls_no_button_copies_nothing(visit: Visit, served: RunningServer):
    """Browsers copy for pages over https and of this machine alone: elsewhere the link is selected."""
    game = make(served.url, ANA, OPEN)
    elsewhere = served.url.replace("127.0.0.1", "0.0.0.0")  # noqa: S104  Chromium doesn't trust this address
    here, there = visit(game.link()).page, visit(game.link(), url=elsewhere).page

    for page, buttons in ((here, 1), (there, 0)):
        expect(page.get_by_role("textbox", name="Invite somebody")).to_be_visible()
        expect(page.get_by_role("button", name="Copy", exact=True)).to_have_count(buttons)
    link = there.get_by_role("textbox", name="Invite somebody")
    link.focus()
    assert there.evaluate("getSelection().toString()") == link.input_value()


# Your games


def test_a_forgotten_game_can_be_taken_back(visit: Visit, served: RunningServer):
    """Its token is in this browser alone."""
    page = visit(make(served.url, ANA, AI).link()).page
    ready(page)
    seat = page.url
    page.goto(f"{served.url}/")
    yours = page.get_by_role("region", name="Your games")
    yours.get_by_role("button", name="Remove from list").click()
    expect(yours).to_contain_text("Removed: Regicide")

    yours.get_by_role("button", name="Undo").click()
    yours.get_by_role("link", name="Continue").click()
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
    game, held = make(served.url, ANA, BEN, position=TWO), list[Route]()
    page = visit(None).page

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/hints", hold, times=1)  # before the page is there: one that is set later is missed now and then
    page.goto(f"{served.url}{game.link()}")
    ready(page)
    with page.expect_request("**/hints"):
        page.keyboard.press("h")
    for text in texts:
        game.act(text)
    expect_version(page, len(texts))
    play = {"action": {"type": "play", "cards": ["9C"]}, "text": "play 9C", "label": "Play 9♣", "value": 1, "visits": 9}
    for route in held:
        route.fulfill(json={"id": "j", "status": "finished", "result": {"actions": [play], "why": "So."}})

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
            re.compile("few tries"),
            re.compile("few tries"),
        ]
    )


def test_a_blow_that_cannot_be_covered_is_foretold(visit: Visit, served: RunningServer):
    """Alone with Jesters one may still flip one: what is left in the hand is said, and then what to do."""
    game = make(served.url, ANA, position=position([["9C", "4C"]], jesters_left=1, castle=["QC"], immune=True))
    page = visit(game.link()).page
    ready(page)
    page.locator("[data-token='4C']").click()
    expect(page.locator("#preview .danger")).to_contain_text("Your remaining hand (9) won't cover the attack.")
    act_button(page).click()

    expect(page.get_by_role("status").first).to_contain_text(
        "Your hand (9) can't cover the attack of 10: flip a Jester."
    )
    expect(act_button(page)).to_have_text("Flip a Jester")
    expect(page.locator(".actbar button")).to_have_count(1)


def test_the_menu_closes(visit: Visit, served: RunningServer):
    """By a press beside it, by Escape, and by what is chosen in it."""
    page = visit(make(served.url, ANA, AI).link()).page
    ready(page)
    sheet = page.locator(".menu .sheet")
    for close in (
        page.get_by_role("status").first.click,
        lambda: page.keyboard.press("Escape"),
        page.get_by_role("button", name="Keys").click,
    ):
        page.locator(".menu summary").click()
        expect(sheet).to_be_visible()
        close()
        expect(sheet).to_be_hidden()


def test_a_lesson_says_what_happened(visit: Visit):
    """When it was done otherwise, and between two steps, where its task stays."""
    page = visit("/learn?ruleset=gridcannon&lesson=own-family").page
    page.locator("[data-token=c4]").click()
    act_button(page).click()
    expect(page.locator(".lesson[data-standing=wrong]")).to_contain_text("J♥")

    page.goto(f"{page.url.partition('/play')[0]}/learn?ruleset=gridcannon&lesson=forced-attack")
    expect(page.get_by_role("status").first).to_contain_text("Declare a ploy")
    page.locator("[data-token=X1]").first.click()
    expect(page.get_by_role("status").first).to_contain_text("Choose: switcheroo or forced attack.")
    page.locator("[data-token=forced_attack]").click()
    act_button(page).click()
    expect(page.locator(".lesson[data-standing=right]")).to_contain_text("You declare")
    expect(page.locator(".lesson")).to_contain_text("choose the trigger c4")
    expect(page.get_by_role("status").first).to_contain_text("choose the cell that fires")


def test_no_lesson_shows_jesters_before_they_are_taught(visit: Visit):
    """A table for one has a place for them; a game in which both are used up says so."""
    page = visit("/learn?ruleset=regicide&lesson=turn").page
    expect(page.locator(".piles").get_by_text("Tavern")).to_be_visible()
    expect(page.get_by_text("Jesters to flip")).to_be_hidden()

    page.goto(f"{page.url.partition('/play')[0]}/learn?ruleset=regicide&lesson=flip")
    expect(page.get_by_text("Jesters to flip")).to_be_visible()


def test_a_game_follows_the_last_lesson(visit: Visit):
    """At once; what wasn't taught is in the rules."""
    page = visit("/learn?ruleset=gridcannon&lesson=switcheroo").page
    for tokens in (("X1", "switcheroo"), ("c1", "e3")):
        for token in tokens:
            page.locator(f"[data-token={token}]").first.click()
        act_button(page).click()
    expect(page.locator(".lesson").get_by_role("link", name="Rules")).to_be_visible()
    page.get_by_role("button", name="Play a game").click()

    page.wait_for_url(re.compile("/play#"))
    ready(page)
    expect(page.get_by_role("list", name="Players")).to_contain_text("newcomer")


def test_a_friend_is_invited_by_one_button(visit: Visit):
    """It asks for the name, which the letter says; the host reads that the address is this computer's."""
    host = visit("/").page
    host.get_by_role("button", name="Play with a friend, Gridcannon").click()
    host.get_by_role("textbox", name="Name").fill("Ana")
    host.keyboard.press("Enter")
    expect(host.get_by_text("This address only works on this computer")).to_be_visible()
    link = host.get_by_label("Invite somebody").input_value()
    guest = visit(f"/{link.rpartition('/')[2]}")
    friend = guest.page
    expect(friend.get_by_role("heading", level=1)).to_have_text("Ana invites you to Gridcannon")
    expect(friend.get_by_role("main")).to_contain_text("2 players, about 15 minutes.")
    assert not HTTP.get(f"{guest.url}/v1/games?status=waiting&ruleset=gridcannon").text.count(link.partition("g=")[2])
    friend.get_by_role("textbox", name="Name").fill("Ben")
    friend.keyboard.press("Enter")

    expect(friend.locator(".gc-board")).to_contain_text("Ben (you)")
    expect(host.locator(".gc-board")).to_contain_text("Ben")


@pytest.mark.parametrize("locale", ["en", "es"])
@pytest.mark.parametrize("size", [(390, 844), (360, 740)])
def test_the_link_to_send_is_seen_first_on_a_phone(visit: Visit, size: tuple[int, int], locale: str):
    """It and the button that copies it, without scrolling; the QR code takes no width from the words."""
    page = visit("/", width=size[0], height=size[1], locale=locale).page
    page.get_by_role("button", name=re.compile("(friend|amigo).*Regicide")).click()
    page.get_by_role("textbox", name=re.compile("Name|Nombre")).fill("Ana")
    page.keyboard.press("Enter")
    words, code = page.locator(".sending p").first, page.locator(".sending .qr")
    expect(code).to_be_attached()

    expect(page.locator(".linkrow input")).to_be_in_viewport(ratio=1)
    expect(page.locator(".linkrow button")).to_be_in_viewport(ratio=1)
    below, above = code.bounding_box(), words.bounding_box()
    assert below
    assert above
    assert below["y"] >= above["y"] + above["height"]


def test_leaving_a_game(visit: Visit, served: RunningServer):
    """An AI plays on."""
    page = visit(make(served.url, ANA, BEN, position=TWO).link()).page
    ready(page)
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Leave the game").click()
    page.get_by_role("button", name="Let an AI play on").click()

    expect(page.get_by_role("list", name="Players")).to_contain_text("expert")


def test_a_game_of_ais_is_seen_from_its_beginning(visit: Visit):
    """Though it may be over before the page is there."""
    page = visit("/").page
    page.get_by_text("More: friends").click()
    for seat in ("Player 1", "Player 2"):
        page.get_by_role("combobox", name=seat, exact=True).select_option("AI: novice")
    page.get_by_role("button", name="Create game").click()
    page.wait_for_url("**/play*")
    expect(page.get_by_role("heading", name="Replay")).to_be_visible()
    page.reload()

    expect(page.get_by_role("status").first).to_contain_text("step 0")


# What is on the table


def test_the_strips_heading_stands_above_something(visit: Visit, served: RunningServer):
    """Before anybody has moved it isn't seen."""
    made = make(served.url, ANA, BEN, position=TWO)
    page = visit(made.link()).page
    ready(page)
    heading = page.get_by_role("region", name="Since your move").get_by_role("heading")
    expect(heading).to_have_css("opacity", "0")

    for text, seat in (("play 9C", 0), ("discard TH", 0)):
        made.act(text, seat)
    made.act(made.ask("/actions", seat=1)["actions"][0]["text"], 1)
    expect(heading).to_have_css("opacity", "1")


def test_a_draw_leaves_the_others_moves_in_the_strip(visit: Visit, served: RunningServer):
    """Gridcannon's turn only begins with it; the marks end with any action of one's own."""
    pile = "2S KC QD 2C 3D 4D 5C 6C 6H 8C 8D 9C"  # of more than ten cards: else it is shuffled as Ana's turn begins
    grid = gridcannon(cells="b2:9H c2:5D b3:4C d4:6D", board="e2:QH b5:JC", pile=pile, drawn="7S", turn=1)
    made = make(served.url, ANA, BEN, ruleset="gridcannon", position=grid)
    page = visit(made.link()).page
    expect_version(page, 0)
    made.act("place d3", 1)
    strip = page.get_by_role("region", name="Since your move").get_by_role("listitem")
    expect(strip).to_contain_text(["d3"])

    act_button(page).click()
    expect_version(page, 2)
    expect(strip).to_contain_text(["d3"])
    expect(page.locator("[data-last-move]")).to_have_count(0)

    page.locator(".gc-board [data-may=next]").first.click()
    act_button(page).click()
    expect_version(page, 3)
    expect(strip).to_have_count(0)


@pytest.mark.parametrize("size", [(1280, 800), (360, 740), (740, 360)])
@pytest.mark.parametrize(
    ("locale", "why"),
    [
        ("en", "beside the highest card of its suit"),
        ("es", "junto a la carta más alta de su palo"),
    ],
)
def test_the_first_decision_says_where_a_royal_goes(
    visit: Visit, served: RunningServer, size: tuple[int, int], locale: str, why: str
):
    """All of the sentence is seen in Gridcannon's opening (G7), and none of it afterwards."""
    made = make(served.url, ANA, BEN, ruleset="gridcannon")
    page = visit(made.link(), width=size[0], height=size[1], locale=locale).page
    ready(page)
    told = page.locator(".say")
    expect(told).to_contain_text(why)
    assert told.evaluate("one => one.scrollHeight <= one.clientHeight")

    for seat in (0, 1):
        made.act(made.ask("/actions", seat)["actions"][0]["text"], seat)
    expect_version(page, 2)
    expect(told).not_to_contain_text(why)


def test_the_drawers_cross_covers_no_hint(visit: Visit, served: RunningServer):
    """The button for hints lies beside it."""
    page = visit(make(served.url, ANA, BEN, position=TWO).link()).page
    ready(page)
    page.keyboard.press("l")
    drawer = page.get_by_role("complementary", name="Game log")
    close = drawer.get_by_role("button", name="Close").bounding_box()
    hint = drawer.get_by_role("button", name="What would an AI do?").bounding_box()

    assert close is not None
    assert hint is not None
    assert hint["x"] + hint["width"] <= close["x"]


@pytest.mark.parametrize("locale", ["en", "es"])
def test_a_full_hand_says_what_each_card_does_on_a_phone(visit: Visit, served: RunningServer, locale: str):
    """In two rows too."""
    hands = [["2C", "3D", "4H", "5S", "7C", "8D", "9H"], ["6C"]]
    page = visit(
        make(served.url, ANA, BEN, position=position(hands, tavern=["2S"])).link(), width=360, height=740, locale=locale
    ).page
    ready(page)

    powers = {"en": ["doubles", "draws", "heals", "shields"], "es": ["duplica", "roba", "cura", "escudo"]}
    for word in powers[locale]:
        expect(page.locator("[data-hand]").get_by_text(word).first).to_be_visible()
