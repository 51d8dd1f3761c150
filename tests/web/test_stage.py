"""The stage of a table: all that is needed is in view at every size; others' moves are marked, said, and skipped."""

import pytest
from playwright.sync_api import Page, expect

from tests.api.puzzles import position
from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import AI, ANA, BEN, Json, Made, make, ready

SIZES = [(360, 740), (740, 360), (640, 400), (320, 640), (1280, 800), (2560, 1440)]
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
        page.set_viewport_size({"width": width, "height": height})
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


def all_move(made: Made, seats: int) -> None:
    """Let Ana act beside her window, and then the others."""
    for seat in range(seats):
        while seat in made.ask(seat=seat)["to_act"]:
            made.act(made.ask("/actions", seat=seat)["actions"][0]["text"], seat)


def test_others_moves_are_shown_one_after_the_other(visit: Visit, served: RunningServer):
    """Each is marked and said; Skip shows the present at once, and the marks and the strip stay."""
    made = make(served.url, ANA, BEN, BEN, BEN, client_seed="scenes")
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
