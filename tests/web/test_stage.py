"""The stage of a table: all that is needed is in view at every size; others' moves are marked, said, and skipped."""

import re

import pytest
from playwright.sync_api import Page, expect

from engines import RULESETS
from tests.api.puzzles import position
from tests.engines.gridcannon.table import position as gridcannon_position
from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.numbers import FOUR, THREE, all_move
from tests.web.tables import (
    AI,
    ANA,
    BEN,
    SIZES,
    TOPS,
    Json,
    act_button,
    expect_none,
    expect_version,
    make,
    ready,
    resize,
)

TABLES = [("regicide", 2), ("regicide", 3), ("regicide", 4), ("gridcannon", 2), ("gridcannon", 4)]
WIDTHS = {360: 44, 740: 44, 640: 44, 320: 44, 1280: 84, 2560: 120}
"""The least width of a card of the hand, or of a square, by the width of the window, in pixels."""

LAID_OUT = """() => {
    const box = (element) => {
        const {left, top, right, bottom, width} = element.getBoundingClientRect();
        return {left, top, right, bottom, width};
    };
    const one = (selector) => document.querySelector(selector);
    const places = {enemy: one(".gc-board, .enemy"), hand: one("[data-hand]"), act: one("[data-act]"),
        strip: one(".since")};
    const cards = [...document.querySelectorAll("[data-hand] button, .gc-board [data-hit]")];
    cards.forEach((card, place) => (places[`card ${place}`] = card));
    const there = Object.entries(places).filter(([, one]) => one);
    const boxes = Object.fromEntries(there.map(([name, one]) => [name, box(one)]));
    const narrowest = Math.min(...cards.map((one) => box(one).width));
    return {boxes, narrowest, scrolls: document.documentElement.scrollWidth > innerWidth};
}"""
"""Where the parts of a table lie, how wide its narrowest card or square is, and whether it scrolls sideways."""


def outside(boxes: Json, width: int, height: int) -> Json:
    """Return the parts that aren't wholly in view, with where they lie; a pixel is left for rounding."""
    return {
        name: box
        for name, box in boxes.items()
        if box["left"] < -1 or box["top"] < -1 or box["right"] > width + 1 or box["bottom"] > height + 1
    }


def covered(boxes: Json) -> list[tuple[str, str]]:
    """Return the pairs of parts that lie over each other by more than a pixel."""
    names = sorted(boxes)
    return [
        (one, other)
        for place, one in enumerate(names)
        for other in names[place + 1 :]
        if min(boxes[one]["right"], boxes[other]["right"]) - max(boxes[one]["left"], boxes[other]["left"]) > 1
        and min(boxes[one]["bottom"], boxes[other]["bottom"]) - max(boxes[one]["top"], boxes[other]["top"]) > 1
    ]


def ill_fitting(page: Page, ruleset: str) -> Json:
    """Return what is wrong at each of the six sizes; nothing for a size at which all fits."""
    found = {}
    for width, height in SIZES:
        resize(page, (width, height))
        laid_out = page.evaluate(LAID_OUT)
        wanted = {"act", "enemy", "hand", "strip"} if ruleset == "regicide" else {"act", "enemy", "strip"}
        seen = {
            "missing": sorted(wanted - set(laid_out["boxes"])),
            "outside": outside(laid_out["boxes"], width, height),
            "covered": covered({name: laid_out["boxes"][name] for name in wanted & set(laid_out["boxes"])}),
            "too narrow": laid_out["narrowest"] if laid_out["narrowest"] < WIDTHS[width] - 0.5 else None,
            "scrolls": laid_out["scrolls"],
        }
        if any(seen.values()):
            found[f"{width}x{height}"] = seen
    return found


@pytest.mark.parametrize(("ruleset", "players"), TABLES)
def test_everything_fits(visit: Visit, served: RunningServer, ruleset: str, players: int):
    """Enemy or grid, hand, act button and strip are in view together, and none covers another, at six sizes."""
    made = make(served.url, ANA, *[AI] * (players - 1), ruleset=ruleset, client_seed="it fits")
    page = visit(made.link()).page
    ready(page)

    assert ill_fitting(page, ruleset) == {}


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("hand", ["7H 7S 9D TD TH X1", "5C 7H 8S X1 X2"])
def test_the_longest_words_fit(visit: Visit, served: RunningServer, hand: str, language: str):
    """A Jester has the longest words below it, and is the last of a full hand."""
    players = 9 - len(hand.split())  # three players hold six cards, four hold five
    hands = [hand.split(), *[["2C"], ["3C"], ["4D"]][: players - 1]]
    made = make(served.url, ANA, *[BEN] * (players - 1), position=position(hands, tavern=["2S"]))
    page = visit(made.link(), locale=language).page
    ready(page)

    assert ill_fitting(page, "regicide") == {}


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("players", [3, 4])
def test_the_choice_of_who_goes_next_fits(visit: Visit, served: RunningServer, players: int, language: str):
    """There is a button for each seat, and the act button below them."""
    hands = [["7H", "7S", "9D", "TD", "TH"], ["2C"], ["3C"], ["4D"]][:players]
    laid = position(hands, phase="choose", immune=False, table=["X2"], tavern=["2S"])
    made = make(served.url, ANA, *[BEN] * (players - 1), position=laid)
    page = visit(made.link(), locale=language).page
    ready(page)
    expect(page.locator(".actbar [data-token]")).to_have_count(players)

    assert ill_fitting(page, "regicide") == {}


WINDOWS = [(1440, 900), (1024, 768), (844, 390), (390, 844), (360, 640)]
"""Sizes of windows that people have: of screens, a tablet, and phones."""

CUT = """[...document.querySelectorAll(".say, .seat, .seat b, .gc-who, .gc-who .name")].filter((one) =>
    one.scrollWidth > one.clientWidth + 1 || (one.matches(".say") && one.scrollHeight > one.clientHeight + 1)
    || (one.matches(".seat b, .name") && one.clientWidth < 9)).map((one) => one.textContent)"""
"""What is written and not wholly shown."""


@pytest.mark.parametrize(
    ("language", "end"),
    [("en", "The hand can't cover the attack: defeat"), ("es", "La mano no cubre el ataque: derrota")],
)
def test_a_move_that_loses_says_so_first_and_whole(visit: Visit, served: RunningServer, language: str, end: str):
    """The defeat is not at the end of a text that is cut."""
    laid = position(
        [["4H", "4S"], ["7C", "8S", "3H"], ["9C"], ["TC"]],
        tavern=["2C", "3S", "4D"],
        castle=["QS", "KD"],
        enemy="KC",
        damage=10,
        discard=["5C", "6D", "7D", "8D", "9D", "TD"],
    )
    page = visit(make(served.url, ANA, BEN, BEN, BEN, position=laid).link(), locale=language).page
    ready(page)
    for card in ("4H", "4S"):
        page.locator(f"[data-hand] [data-token='{card}']").click()

    expect(page.locator("#preview.danger")).to_have_text(re.compile(f"^\\s*{end}"))
    for size in WINDOWS:
        resize(page, size)
        expect_none(page, CUT)


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize(("ruleset", "players"), [("regicide", 3), ("regicide", 4), ("gridcannon", 4)])
def test_names_are_whole_in_wide_windows(
    visit: Visit, served: RunningServer, ruleset: str, players: int, language: str
):
    """Nothing takes the place of a name: neither level nor number of cards, nor ploys of who is on turn."""
    laid = {} if ruleset == "regicide" else {"position": gridcannon_position(4, cells="b2:9H", arms="X1 X2 | AH")}
    others = [{"kind": "ai", "level": "apprentice"}] * (players - 1)
    seat = players - 1 if laid else 0
    seats = [ANA, BEN, BEN, BEN] if laid else [ANA, *others]
    page = visit(make(served.url, *seats, ruleset=ruleset, **laid).link(seat), locale=language).page
    page.locator(".seat").first.wait_for()

    for size in [*WINDOWS[:2], (900, 700)]:
        resize(page, size)
        expect_none(page, CUT)


CUT_NAMES = """[...document.querySelectorAll(".seat b")].filter((one) => one.scrollWidth > one.clientWidth)
    .map((one) => one.textContent)"""
"""The names in the bar that aren't whole."""


@pytest.mark.parametrize("size", [(1440, 900), (1280, 800), (360, 740)])
def test_the_longest_name_is_cut_first(visit: Visit, served: RunningServer, size: tuple[int, int]):
    """Short names stay whole beside it."""
    names = ("Ugo", "M" * 40, "Blas", "Eva")
    made = make(served.url, *({"kind": "human", "name": name} for name in names))
    page = visit(f"/play?g={made.id}", width=size[0], height=size[1]).page
    page.locator(".seat").first.wait_for()

    assert page.evaluate(CUT_NAMES) == [names[1]]


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_longest_immunity_is_in_view(visit: Visit, served: RunningServer, language: str):
    """What the Jack of spades is immune to is said in more words than a phone has room for in a line."""
    laid = position([["7H", "7S"], ["2C"], ["3C"]], enemy="JS", tavern=["2S"])
    page = visit(make(served.url, ANA, BEN, BEN, position=laid).link(), locale=language).page
    ready(page)

    for size in WINDOWS:
        resize(page, size)
        right = page.locator(".chip").evaluate("(chip) => chip.getBoundingClientRect().right")
        assert right <= size[0], size


PILES_HIDDEN = """() => {
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    const [drawer, enemy, hand] = [".side", ".enemy", ".hand"].map(box);
    return [...document.querySelectorAll(".piles li")].filter((one) => {
        const pile = one.getBoundingClientRect();
        return pile.right > drawer.left || pile.left < enemy.right || pile.bottom > hand.top;
    }).map((one) => one.textContent);
}"""
"""Which piles something lies over while the drawer is open."""


@pytest.mark.parametrize(("players", "language"), [(1, "es"), (2, "en")])
def test_the_drawer_lies_over_no_pile(visit: Visit, served: RunningServer, players: int, language: str):
    """A game alone has three piles, others have two."""
    laid = position(
        [["7H", "7S"], ["2C"]][:players], tavern=["2S"], discard=["5C", "6D"], jesters_left=2 * (players == 1)
    )
    page = visit(make(served.url, ANA, *[BEN] * (players - 1), position=laid).link(), locale=language).page
    ready(page)
    page.keyboard.press("l")
    page.locator(".side.open").wait_for()

    for size in [*WINDOWS[:2], (1280, 800)]:
        resize(page, size)
        assert page.evaluate(PILES_HIDDEN) == [], size


LESSON_COVERED = """() => {
    const all = [".plate", ".enemy > .card", ".bl.tube", ".piles", ".castle", ".lesson"]
        .map((selector) => [selector, document.querySelector(selector).getBoundingClientRect()])
        .filter(([, box]) => box.width > 2);
    return all.flatMap(([one, a], place) => all.slice(place + 1).filter(([, b]) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1).map(([other]) => `${one} ${other}`));
}"""
"""Which parts of a lesson's table lie over each other."""


def test_the_table_of_a_lesson_fits_after_its_last_word(visit: Visit):
    """What the lesson says of a wrong answer, or of the right one, is longer than its task."""
    for lesson, standing in (("turn", "wrong"), ("flip", "solved")):
        path = f"/learn?ruleset=regicide&lesson={lesson}"
        page = visit(path, locale="es", width=360, height=640).page
        ready(page)
        page.locator(".actbar [data-token], [data-hand] button[aria-disabled=false]").last.click()
        act_button(page).click()
        page.locator(f".lesson[data-standing={standing}]").wait_for()

        assert page.evaluate(LESSON_COVERED) == [], lesson


FIELD_COVERED = """() => {
    const all = (selector) => [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
    return all(".field .card").some((card) => all(".hand .card, .piles .card, .enemy > .card").some((other) =>
        Math.min(card.right, other.right) - Math.max(card.left, other.left) > 1
        && Math.min(card.bottom, other.bottom) - Math.max(card.top, other.top) > 1));
}"""
"""Whether something lies over a card that was played."""


CHIP_TOUCHES = """() => {
    const [chip, card] = [".chip", ".hand .card"].map((one) => document.querySelector(one).getBoundingClientRect());
    return chip.right > card.left - 4 && chip.bottom > card.top && chip.top < card.bottom;
}"""
"""Whether what the enemy's suit doesn't do is written over the hand, or right beside it."""


@pytest.mark.parametrize("locale", ["en", "es"])
@pytest.mark.parametrize("enemy", ["KC", "KD", "KH", "KS"])
@pytest.mark.parametrize("size", [(640, 400), (740, 360)])
def test_immunity_keeps_off_the_hand(
    visit: Visit, served: RunningServer, size: tuple[int, int], enemy: str, locale: str
):
    """In a low window the hand lies beside the enemy."""
    laid = position([["2C", "3D", "4H", "5S", "7C", "8D"], ["6C"]], tavern=["2S"], enemy=enemy)
    page = visit(make(served.url, ANA, BEN, position=laid).link(), width=size[0], height=size[1], locale=locale).page
    ready(page)

    assert not page.evaluate(CHIP_TOUCHES)


def test_played_cards_bear_their_players_names(visit: Visit, served: RunningServer):
    """Of those that lay there when the game began nobody knows; whoever plays alone needs no names."""
    laid = position([["4D", "9H"], ["4S", "6C"]], tavern=["2S", "3S", "5S", "6S"], enemy="KC", shield=20, table=["8S"])
    made = make(served.url, ANA, BEN, position=laid)
    made.act("play 4D", 0)
    made.act("play 4S", 1)
    page = visit(made.link()).page
    ready(page)
    played = page.get_by_role("region", name="In play").get_by_role("listitem")
    for place, name in enumerate(([], ["you"], ["Ben"])):
        expect(played.nth(place).locator(".by")).to_have_text(name)
    expect(played).to_have_count(3)

    alone = make(served.url, ANA, position=position([["4D", "9H"]], tavern=["2S"], enemy="KC", shield=20))
    alone.act("play 4D")
    page = visit(alone.link()).page
    ready(page)
    expect(page.locator(".field .card")).to_have_count(1)
    expect(page.locator(".field .by")).to_have_count(0)


@pytest.mark.parametrize("others", [0, 1, 3])
def test_piles_lie_over_no_played_card_in_a_low_window(visit: Visit, served: RunningServer, others: int):
    """However many were played: then they lie one over the other, the rank of each in view."""
    table = ["4S", "9D", "4H", "8S", "5S", "6S", "3D"][: 4 + others]
    laid = position([["AC", "3H"], ["2C"]], tavern=["2S"], enemy="KC", damage=3, shield=20, table=table)
    page = visit(make(served.url, ANA, BEN, position=laid).link(), width=740, height=360).page
    ready(page)

    assert not page.evaluate(FIELD_COVERED)


@pytest.mark.parametrize(("size", "key"), [((1280, 800), "l"), ((640, 400), "")])
def test_played_cards_are_whole(visit: Visit, served: RunningServer, size: tuple[int, int], key: str):
    """With the drawer open, and in a low window alone, where a third pile lies beside them."""
    others = 2 * len(key)
    hands = [["AC", "3D", "5H", "7S", "8C", "9H"], ["2C"], ["3C"]][: 1 + others]
    laid = position(hands, tavern=["2S"], enemy="KD", damage=3, shield=4, table=["4S", "9D", "4H"][: 2 + others])
    page = visit(make(served.url, ANA, *[BEN] * others, position=laid).link(), width=size[0], height=size[1]).page
    ready(page)
    if key:
        page.keyboard.press(key)
        page.get_by_role("complementary", name="Game log").get_by_role("button", name="Close").wait_for()

    assert not page.evaluate(FIELD_COVERED)


def test_others_moves_are_shown_one_after_the_other(visit: Visit, served: RunningServer):
    """Each is marked and said; Skip shows the present at once, and the marks and the strip stay."""
    made = make(served.url, ANA, BEN, BEN, BEN, position=FOUR)
    page = visit(made.link(), pace=60_000).page
    ready(page)
    strip = page.get_by_role("region", name="Since your move")

    all_move(made, 4)

    skip = strip.get_by_role("button", name="Skip")
    expect(skip).to_be_visible()
    expect(page.locator("[data-last-move]").first).to_be_visible()
    version = made.ask()["version"]
    assert int(page.locator("[data-stage]").get_attribute("data-shown") or 0) < version
    skip.click()
    expect(page.locator("[data-stage]")).to_have_attribute("data-shown", str(version))
    expect(skip).to_have_count(0)
    expect(page.locator("[data-last-move]").first).to_be_visible()
    expect(strip.get_by_role("listitem").last).to_contain_text("Ben")


def test_the_strip_of_a_replay_has_what_was_new_then(visit: Visit, served: RunningServer):
    """At each step it has the others' moves since the reader's last one before it, and none that came after."""
    made = make(served.url, ANA, BEN, BEN, BEN, position=FOUR)
    page = visit(made.link()).page
    ready(page)
    all_move(made, 4)
    version = made.ask()["version"]
    events = [one for one in made.ask("/events?after=0")["events"] if one.get("seat") is not None]
    movers = {one["version"]: one["seat"] for one in reversed(events)}  # a version's first event has it
    moves = [movers[step] for step in range(1, version + 1)]
    expect_version(page, version)
    lines = page.get_by_role("region", name="Since your move").get_by_role("listitem")
    expect(lines).to_have_count(3)

    for step in range(version - 1, -1, -1):
        page.keyboard.press("[")
        expect(page.locator("main .status")).to_contain_text(f"step {step}.")
        since = moves[:step][::-1]
        others = since[: since.index(0)] if 0 in since else since
        expect(lines).to_have_count(len(set(others)))


# Nothing jumps

SHIFTED = """() => {
    const observer = new PerformanceObserver(() => {});
    observer.observe({type: "layout-shift"});
    window.shifted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(() =>
        done(observer.takeRecords().reduce((sum, {value}) => sum + value, 0)))));
}"""
"""Let the page tell the layout shift since it was last asked."""
SHIFT = 0.05
MOVES = 10

ANIMATED = """
    window.animated = [];
    const { animate } = Element.prototype;
    Element.prototype.animate = function (frames, timing) {
        window.animated.push(frames.flatMap(Object.keys));
        return animate.call(this, frames, timing);
    };
    addEventListener("transitionrun", ({ propertyName }) => window.animated.push([propertyName]), true);
"""
"""Keep the properties that each motion changes."""


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("size", [(1280, 800), (360, 740)])
def test_nothing_shifts_over_ten_moves(visit: Visit, served: RunningServer, ruleset: str, size: tuple[int, int]):
    """What others' moves bring has its place. By its definition the measure leaves out what an own press brings."""
    shifted, moves = 0.0, 0
    while moves < MOVES:  # a deal that ends before is followed by another one
        made = make(served.url, ANA, BEN, ruleset=ruleset)
        page = visit(made.link(), width=size[0], height=size[1]).page
        ready(page)
        page.evaluate(SHIFTED)
        while moves < MOVES and (seats := made.ask()["to_act"]):
            [seat] = seats
            version = made.act(made.ask("/actions", seat)["actions"][0]["text"], seat)["version"]
            expect_version(page, version)
            shift = page.evaluate("window.shifted()")
            shifted, moves = shifted + (shift if seat else 0), moves + 1

    assert shifted <= SHIFT


def test_the_hand_stays_when_a_card_is_chosen(visit: Visit, served: RunningServer):
    """The chosen one alone is raised."""
    page = visit(make(served.url, ANA, BEN, position=THREE).link()).page
    ready(page)
    before = page.evaluate(TOPS)

    page.locator("[data-hand] [data-token='9C']").click()
    expect(page.locator("#preview")).not_to_be_empty()

    moved = [abs(then - now) > 2 for now, then in zip(before, page.evaluate(TOPS), strict=True)]
    assert moved.count(True) == 1


def test_motions_are_cheap(visit: Visit, served: RunningServer):
    """While three cards fly, and others are drawn, nothing is animated that would be laid out or painted anew."""
    page = visit(None, reduced_motion="no-preference").page
    page.add_init_script(ANIMATED)
    page.goto(served.url + make(served.url, ANA, BEN, position=THREE).link())
    ready(page)
    page.evaluate("import('/static/js/table/motions.js').then(() => undefined)")
    for card in ("2C", "2D", "2S"):
        page.locator(f"[data-hand] [data-token='{card}']").click()
    act_button(page).click()
    expect_version(page, 1)
    page.wait_for_function("() => window.animated.length > 6")

    assert {name for names in page.evaluate("window.animated") for name in names} <= {"transform", "opacity"}
