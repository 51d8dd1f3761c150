"""Gridcannon's board in the browser: whole games in each way of using a page, lines of fire, ploys at any time."""

import re
from itertools import cycle

import pytest
from playwright.sync_api import Locator, Page, expect

from engines.core.cards import NAMES
from engines.gridcannon.board import ATTACK_ON_ROYAL, CELLS, LINES, NO_CARD, SLOTS, SUIT_FAMILIES_BY_PLAYERS
from tests.engines.gridcannon.table import NUMBERS, ROYALS, position
from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import (
    AI,
    ANA,
    BEN,
    OVERTAKEN,
    SIZES,
    Look,
    act_button,
    actions_sent,
    barriers,
    expect_no_sideways_scroll,
    expect_none,
    expect_version,
    in_each_look,
    make,
    play_out,
    point,
    press_enter,
    ready,
    resize,
    tap,
)

SHORT = {"turn_limit": 10}
ABOUT_TO_FIRE = position(cells="b2:7S,9H c2:5D b3:4C b4:2S", board="e2:QH b5:JC+6S+3C a2:KC", drawn="9S")
"""Ana's 9 on b2 fires at her Queen on e2 with the 5 of c2, and at Ben's Jack on b5 with the 4 of b3 and the 2 of b4."""

ARMED = position(cells="b2:9H c2:5D b3:4C d4:6D", board="e2:QH b5:JC", arms="AH X1 | AS", turn=1)
"""It is Ben's turn to draw; Ana holds an ace and a joker."""

HALTED = position(
    cells="b2:9H c2:5D,8C b3:4C", board="e2:QH b5:JC a3:-KS", queue="0 AH reassignment, 1 X1 forced_attack", arms="| AS"
)
"""Ana's reassignment is the first of two ploys."""


TOO_SMALL = """[...document.querySelectorAll(".gc-board button, .rail button")].filter((one) => {
    const { width, height, left, right } = one.getBoundingClientRect();
    return one.checkVisibility() && (Math.min(width, height) < 44 || left < 0 || right > innerWidth);
}).map((one) => one.outerHTML)"""

OUT_OF_BOX = """[...document.querySelectorAll(".gc-me .gc-arsenal button")].filter((one) => {
    const [{ right, bottom }, box] = [one, one.closest(".gc-seat")].map((part) => part.getBoundingClientRect());
    const rail = document.querySelector(".rail").getBoundingClientRect();
    return one.checkVisibility() && (right > box.right || bottom > box.bottom || box.bottom > rail.top + 1);
}).map((one) => one.outerHTML)"""
"""Ploys that stand out of the box of their seat, or with it behind the buttons below."""


def square(page: Page, name: str) -> Locator:
    """Return a cell or a slot."""
    return page.locator(f"td [data-token={name}]")


def expect_says(page: Page, name: str, said: str | re.Pattern[str]) -> None:
    """What a screen reader says of a square."""
    expect(square(page, name)).to_have_attribute("aria-label", said)


def first(tokens: list[str]) -> str:
    """Pick the first square, card or word."""
    return tokens[0]


# Whole games


def test_a_whole_game_by_mouse(visit: Visit, served: RunningServer):
    """From the opening to the end; who is dead lies face down."""
    game = make(served.url, ANA, AI, ruleset="gridcannon", options=SHORT)
    visitor = visit(game.link(), allowed=OVERTAKEN)

    play_out(visitor.page, lambda look: point(look, first))

    ended = game.ask()
    assert ended["status"] == "finished"
    taken = sum(one["seat"] == 0 for one in game.ask("/record")["actions"])
    sent = actions_sent(visitor.page, visitor.answers, taken)
    assert sent.count(200) == taken
    assert set(sent) <= {200, 412}
    expect(visitor.page.locator(".end")).to_be_visible()
    dead = [royal for royal in ended["view"]["royals"].values() if royal and not royal["alive"]]
    expect(visitor.page.locator(".gc-dead")).to_have_count(len(dead))


def test_by_keys_alone(visit: Visit, served: RunningServer):
    """A digit chooses what has it, Enter acts."""
    game = make(served.url, ANA, AI, ruleset="gridcannon", options=SHORT)
    page = visit(game.link(), allowed=OVERTAKEN).page

    def decide(look: Look) -> None:
        while not look.settled:
            token, key = next((token, key) for token, key in zip(look.tokens, look.keys, strict=True) if key)
            page.keyboard.press(key)
            look = look.wait_chosen(look.token(token))
        press_enter(page)

    play_out(page, decide)

    assert game.ask()["outcome"]["reason"] == "turn_limit"


FOCUS_LOST = """() => {
    window.lost = 0;
    const look = () => {
        const act = document.querySelector("#act[aria-disabled=false]");
        if (act && document.activeElement === document.body) window.lost += 1;
    };
    new MutationObserver(look).observe(document.querySelector("main"), {
        attributes: true, childList: true, subtree: true});
}"""
"""Count how often something can be done on the page while nothing on it has the focus."""


def test_the_focus_stays_with_what_there_is_to_do(visit: Visit, served: RunningServer):
    """From the act button it goes to the sentence above, not to a square, whose lines would be shown; and back."""
    game = make(served.url, ANA, BEN, ruleset="gridcannon", position=ABOUT_TO_FIRE)
    page = visit(game.link()).page
    ready(page)
    square(page, "b2").click()
    act_button(page).click()
    expect_version(page, 1)
    expect(page.locator(".rail .status")).to_be_focused()
    expect(page.locator(".gc-fire g")).to_have_count(0)

    while 0 not in game.ask()["to_act"]:
        game.act(game.ask("/actions", 1)["actions"][0]["text"], 1)
    expect(act_button(page)).to_be_focused()


def test_the_focus_moves_before_the_next_key(visit: Visit, served: RunningServer):
    """What had the focus goes with a move: the page that shows the next one has moved it already.

    If it moved it later, an Enter in between would choose what gets the focus instead of doing what is chosen.
    """
    laid = position(cells="b2:9H c2:5D", board="e2:QH b5:JC", arms="AH |")
    game = make(served.url, ANA, BEN, ruleset="gridcannon", position=laid)
    page = visit(game.link()).page
    ready(page)
    page.get_by_role("button", name="ace of hearts").press("Enter")
    expect(act_button(page)).to_have_attribute("aria-disabled", "false")
    page.evaluate(FOCUS_LOST)

    page.keyboard.press("Enter")
    expect_version(page, 1)
    queued = page.get_by_role("region", name="Ploys declared").get_by_role("button")
    queued.press("Enter")
    expect(act_button(page)).to_have_attribute("aria-disabled", "false")
    page.keyboard.press("Enter")
    expect_version(page, 2)
    expect(act_button(page)).to_have_attribute("aria-disabled", "false")

    assert page.evaluate("window.lost") == 0


def test_arrows_walk_over_the_squares(visit: Visit, served: RunningServer):
    """Tab leads to the squares that may be chosen; arrows lead to all, to be looked at."""
    page = visit(make(served.url, ANA, BEN, ruleset="gridcannon", position=ABOUT_TO_FIRE).link()).page
    ready(page)
    square(page, "c3").focus()

    for key, name in [("Up", "c2"), ("Up", "c1"), ("Left", "b1"), ("Down", "b2"), ("Left", "a2"), ("Up", "a2")]:
        page.keyboard.press(f"Arrow{key}")
        expect(square(page, name)).to_be_focused()


def test_by_the_accessibility_tree(visit: Visit, served: RunningServer):
    """Roles and names are enough: what is enabled may be chosen, and each square says what is there."""
    game = make(served.url, ANA, AI, AI, AI, ruleset="gridcannon", options=SHORT)
    page = visit(game.link(), allowed=OVERTAKEN).page

    def decide(look: Look) -> None:
        board = look.table.get_by_role("region", name="Gridcannon board")
        act = look.table.get_by_role("region", name="What you can do").get_by_role("button").last
        while not look.is_enabled(act):
            enabled = board.get_by_role("button", disabled=False, pressed=False)
            deadly = enabled.and_(page.get_by_role("button", name=re.compile("would kill")))
            wanted = (deadly if deadly.count() else enabled).first
            name = look.name(wanted)
            one = board.get_by_role("button", name=name, exact=True).first
            look.press(one)
            look = look.wait_chosen(one)
        look.press(act)

    ready(page)
    board = page.get_by_role("region", name="Gridcannon board")
    expect(board.get_by_role("columnheader")).to_have_text(list("abcde"))
    expect(board.get_by_role("rowheader")).to_have_text(list("12345"))
    play_out(page, decide)

    expect(page.get_by_role("region", name="The end")).to_have_count(1)


@pytest.mark.parametrize("players", [pytest.param(2, marks=pytest.mark.long), 4])
def test_by_touch_at_every_size(visit: Visit, served: RunningServer, players: int):
    """The window turns and grows while one plays: nothing scrolls sideways, what is touched is large enough.

    The table of four has all that the table of two has, and more to place; ``make long`` plays both.
    """
    game = make(served.url, ANA, *[AI] * (players - 1), ruleset="gridcannon", options={"turn_limit": 5 * players})
    page = visit(game.link(), width=360, height=740, has_touch=True, is_mobile=True, allowed=OVERTAKEN).page
    sizes = cycle(SIZES)
    ready(page)
    for name in ("a", "c", "e", "1", "3", "5"):
        expect(page.locator(".gc-table th").get_by_text(name, exact=True)).to_be_visible()

    def decide(look: Look) -> None:
        resize(page, next(sizes))
        expect_no_sideways_scroll(page)
        expect_none(page, TOO_SMALL)
        point(look, first, tap)

    play_out(page, decide)


@pytest.mark.parametrize("locale", ["en", "es"])
@pytest.mark.parametrize("arms", ["X1", "AH X1 X2", "AC AD AH AS X1 X2"])
def test_every_ploy_can_be_touched(visit: Visit, served: RunningServer, arms: str, locale: str):
    """However many one holds, before and after a Joker is chosen: in the window, large enough, in one's own box."""
    held = position(cells="b2:9H c2:5D b3:4C d4:6D", board="e2:QH b5:JC", arms=f"{arms} |")
    game = make(served.url, ANA, BEN, ruleset="gridcannon", position=held)
    page = visit(game.link(), locale=locale).page
    ready(page)
    for joker in (False, True):
        if joker:
            page.locator("[data-token=X1]").click()
            expect(page.locator(".gc-word")).to_have_count(2)
        for size in SIZES:
            resize(page, size)
            expect_none(page, TOO_SMALL)
            expect_none(page, OUT_OF_BOX)


def test_in_spanish(visit: Visit, served: RunningServer):
    """The board, the buttons and the log are all in the reader's language."""
    game = make(served.url, ANA, BEN, ruleset="gridcannon", position=ABOUT_TO_FIRE)
    page = visit(game.link(), locale="es").page
    ready(page)

    expect(page.get_by_role("status").first).to_have_text("Pon 9♠ en una casilla marcada.")
    expect(page.locator(".seat .turn")).to_have_text("· te toca")
    expect(page.locator(".gc-seat[data-you]")).to_contain_text("te toca")
    expect_says(
        page,
        "b2",
        "b2: 9 de corazones sobre 7♠. Dispara a Q♥ de Ana (tú) en e2: 5 de 12. Dispara a J♣ de Ben en b5: 6 de 20",
    )
    square(page, "b2").click()
    expect(act_button(page)).to_have_text("Ponla en b2")


# Looking


def test_a_line_of_fire_is_seen_before_it_is_fired(visit: Visit, served: RunningServer):
    """Looking at a trigger shows whom it hits, with how much of what it takes, and who adds what."""
    game = make(served.url, ANA, BEN, ruleset="gridcannon", position=ABOUT_TO_FIRE)
    page = visit(game.link()).page
    ready(page)
    expect(page.locator(".gc-fire g")).to_have_count(0)

    square(page, "b2").hover()

    parts = {"b2": "trigger", "e2": "target", "b5": "target", **dict.fromkeys(("c2", "d2", "b3", "b4"), "attacker")}
    for name, part in parts.items():
        expect(square(page, name)).to_have_attribute("data-part", part)
    expect(page.locator("[data-part]")).to_have_count(len(parts))
    expect(page.locator(".gc-fire g")).to_have_count(2)
    for name, adds in (("c2", "+5"), ("d2", "+0"), ("b3", "+4"), ("b4", "+2")):
        expect(square(page, name).locator(".gc-adds")).to_have_text(adds)
    fires = "b2: 9 of hearts on 7♠. Fires at Q♥ of Ana (you) on e2: 5 of 12. Fires at J♣ of Ben on b5: 6 of 20"
    expect_says(page, "b2", fires)
    expect_says(
        page, "b5", "b5: Jack of clubs of Ben, armour 6♠, 3♣. b4 2 + b3 4 fire at it when b2 is played: 6 of 20"
    )
    square(page, "c3").focus()
    expect_says(page, "c3", "c3: empty. Hits no royal")
    expect_says(page, "e4", "e4: free place")

    square(page, "b2").click()
    act_button(page).click()

    expect(page.get_by_role("log")).to_contain_text("fires at")
    fired = [event for event in game.ask("/events?after=0")["events"] if event["type"] == "fired"]
    assert {(event["slot"], event["attack"], event["needed"]) for event in fired} == {("e2", 5, 12), ("b5", 6, 20)}


def test_armour_fires_at_nobody(visit: Visit):
    """What a royal must fear is drawn while one looks at it, but not as what its new armour would do."""
    page = visit("/learn?ruleset=gridcannon&lesson=armour").page
    jack = square(page, "a3")
    jack.hover()
    expect(page.locator(".gc-fire g")).to_have_count(1)

    jack.click()

    expect(act_button(page)).to_contain_text("a3")
    expect(page.locator(".gc-fire g")).to_have_count(0)
    expect(page.locator("[data-part]")).to_have_count(0)


def test_the_page_knows_the_board_as_the_engine_does(visit: Visit):
    """Every line, what each card adds to a shot at each royal, and every family: no rule but these is in the page."""
    page = visit("/").page
    told = page.evaluate(
        """async ([slots, royals, numbers]) => {
            const lines = await import("/static/rulesets/gridcannon/geometry.js");
            return {
                lines: slots.map(lines.lineOf),
                hits: royals.map((royal) => numbers.map((card) => lines.attackValue(royal, card))),
                needed: royals.map((card) => lines.needed({card, armour: ["TH", "2C"], alive: true})),
                families: [2, 4].map((players) => royals.map((card) => lines.familyOf(card, players))),
            };
        }""",
        [SLOTS, ROYALS, NUMBERS],
    )
    number = {name: index for index, name in enumerate(NAMES)}
    assert told["lines"] == [[CELLS[cell] for cell in line] for line in LINES]
    assert told["hits"] == [[ATTACK_ON_ROYAL[number[royal]][number[card]] for card in NUMBERS] for royal in ROYALS]
    assert told["needed"] == [{"J": 11, "Q": 12, "K": 13}[royal[0]] + 12 for royal in ROYALS]
    for players, families in zip((2, 4), told["families"], strict=True):
        known = {2: ["red", "black"], 4: ["C", "D", "H", "S"]}[players]
        assert families == [known[SUIT_FAMILIES_BY_PLAYERS[players]["CDHS".index(royal[1])]] for royal in ROYALS]
    assert NO_CARD not in number.values()


# Ploys


def test_a_ploy_is_declared_in_another_ones_turn(visit: Visit, served: RunningServer):
    """Ben is to draw; Ana declares her joker, says what it is used for, and recalls it: now it is barred."""
    game = make(served.url, ANA, BEN, ruleset="gridcannon", position=ARMED)
    page = visit(game.link()).page
    ready(page)
    expect(page.get_by_role("status").first).to_contain_text("You may play a ploy.")

    page.get_by_role("button", name="joker").click()
    expect(act_button(page)).to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="switcheroo").click()
    act_button(page).click()

    queue = page.get_by_role("region", name="Ploys declared")
    expect(queue).to_contain_text("switcheroo ♥♦ Ana (you)")
    expect(queue).to_contain_text("Ana (you) must use or recall it now")
    expect(square(page, "e2")).to_have_attribute("aria-disabled", "false")
    expect(square(page, "b2")).to_have_attribute("aria-disabled", "true")

    queue.get_by_role("button").click()
    act_button(page).click()
    expect(queue).to_have_count(0)
    barred = page.get_by_role("button", name="joker (recalled: unavailable until the board changes)")
    expect(barred).to_be_disabled()


def test_a_card_is_moved(visit: Visit, served: RunningServer):
    """The head of the queue is used: first the card, then the cell it moves to, and what it leaves is reckoned with."""
    game = make(served.url, ANA, BEN, ruleset="gridcannon", position=HALTED)
    page = visit(game.link()).page
    ready(page)
    expect_says(page, "a3", "a3: dead, face down: King of spades")

    square(page, "c2").click()
    expect_says(page, "b2", re.compile("5 of 12"))  # without the 8 that moves away, the 5 counts for the Queen
    square(page, "b2").click()
    expect(square(page, "b2")).to_have_attribute("aria-pressed", "true")
    expect(act_button(page)).to_have_attribute("aria-disabled", "true")  # an 8 doesn't lie on a 9: a new choice
    square(page, "b2").click()
    square(page, "c2").click()
    square(page, "b3").click()
    for name in ("c2", "b3"):
        expect(square(page, name)).to_have_attribute("aria-pressed", "true")
    act_button(page).click()

    expect(square(page, "b3")).to_have_attribute("aria-label", re.compile("8 of clubs on 4♣"))
    expect(page.get_by_role("region", name="Ploys declared")).to_contain_text("Ben must use or recall it now")


# Who watches, and who can't see


def test_a_spectator_sees_all_and_can_do_nothing(visit: Visit, served: RunningServer):
    """Everything is public but the order of the draw pile; nothing is enabled, and what happens is seen at once."""
    game = make(served.url, ANA, BEN, ruleset="gridcannon", position=ABOUT_TO_FIRE)
    page = visit(f"/play?g={game.id}").page
    expect(page.locator(".gc-drawn")).to_contain_text("Drawn")
    expect(page.locator(".gc-board button[aria-disabled=false], #act")).to_have_count(0)
    square(page, "b2").click(force=True)
    expect(square(page, "b2")).to_have_attribute("aria-pressed", "false")

    game.act("place b2")

    expect(square(page, "b2")).to_have_attribute("aria-label", re.compile("^b2: 9 of spades on 9♥, 7♠"))
    expect(page.get_by_role("log")).to_contain_text("9♠")


def test_what_is_known_is_shown(visit: Visit, served: RunningServer):
    """The cards at the bottom that all know, the turns, the families and the ploys of every seat, who is out."""
    laid = position(
        4,
        cells="b2:9H",
        board="a3:JD e3:JS c1:JH b1:-JC d1:-QC c5:-KC",
        pile="4C 9D 5H KD",
        known_bottom=2,
        arms=" | AS | X1",
        turn=1,
    )
    page = visit(make(served.url, ANA, BEN, ANA, BEN, ruleset="gridcannon", position=laid).link(1)).page

    facts = page.locator(".gc-facts > span")
    expect(facts).to_have_text(["Turn 17", "Passed over, under the pile: 5♥, K♦"])
    seats = page.locator(".gc-seat")
    expect(seats).to_have_text(
        [
            re.compile("Ana .*♣.*clubs · out.*no ploys"),
            re.compile("Ana .*♥.*hearts"),
            re.compile("Ben .*♠.*spades.*no ploys"),
            re.compile(r"Ben \(you\) .*♦.*diamonds · your turn"),
        ]
    )
    expect(seats.nth(0).get_by_role("list", name="Royals")).to_contain_text("Jack of clubs: has fallen")
    expect(seats.nth(3).get_by_role("list", name="Royals")).to_contain_text("Jack of diamonds: stands")
    expect(seats.nth(3).get_by_role("list", name="Royals")).to_contain_text("K: to come")
    expect(seats.nth(1).get_by_role("img", name="joker")).to_be_visible()


def test_how_it_ended(visit: Visit, served: RunningServer):
    """The last shot: the dead lie face down, and the page says who has won and why."""
    laid = position(cells="b2:5D b3:6D b4:6C d2:2H", board="c1:QD b5:JC", keep="KH", drawn="9S")
    game = make(served.url, ANA, BEN, ruleset="gridcannon", position=laid)
    page = visit(game.link()).page
    ready(page)
    expect_says(page, "b2", re.compile("Fires at J♣ of Ben on b5: 12 of 11, would kill$"))

    square(page, "b2").click()
    act_button(page).click()

    expect(page.locator(".end")).to_contain_text("You have won: no other family is left.")
    expect_says(page, "b5", "b5: dead, face down: Jack of clubs")


@pytest.mark.parametrize("laid", [ABOUT_TO_FIRE, ARMED, HALTED])
def test_nothing_is_in_the_way_of_anybody(visit: Visit, served: RunningServer, laid: dict[str, object]):
    """Axe finds nothing, whatever the size and the light."""
    game = make(served.url, ANA, BEN, ruleset="gridcannon", position=laid)
    page = visit(game.link()).page
    ready(page)

    for look in in_each_look(page):
        square(look, "b2").hover()
        assert barriers(look) == []
        expect_no_sideways_scroll(look)


OVERFLOWING = """[...document.querySelectorAll(".gc-strength")].filter((one) => one.scrollWidth > one.clientWidth)"""
"""Plates whose numbers are wider than they are."""
UNDER_THE_RAIL = """[...document.querySelectorAll(".gc-me .gc-ploy, .gc-pile figcaption")].filter((one) =>
    one.getBoundingClientRect().bottom > document.querySelector(".rail").getBoundingClientRect().top + 1)"""


@pytest.mark.parametrize("locale", ["en", "es"])
def test_two_figures_each_fit_on_a_phone(visit: Visit, served: RunningServer, locale: str):
    """On the plates of royals; the own ploys and the number of cards to draw aren't cut off below."""
    cells = "b2:9H c2:7D d2:9C b3:8H c3:8S d3:8C b4:TD c4:TS d4:9D"
    laid = position(cells=cells, board="b5:QH e2:QC", arms="AH AD | AS", turn=0)
    made = make(served.url, ANA, BEN, ruleset="gridcannon", position=laid)
    page = visit(made.link(), width=360, height=740, locale=locale).page
    ready(page)

    expect(page.locator(".gc-strength")).to_have_count(2)
    expect(page.locator(".gc-me .gc-ploy")).to_have_count(2)
    expect_none(page, OVERFLOWING)
    expect_none(page, UNDER_THE_RAIL)
