"""Takes the pictures of docs/pictures: both tables, lobby, lesson, phone, dark, Spanish, a hint, a look back."""

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from engines import RULESETS
from tests.api.puzzles import position
from tests.chromium import find_chromium
from tests.servers.served import running_server
from tests.web.pictures import animated, small
from tests.web.tables import AI, ANA, Made, make, ready

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
BLOW = position(
    [["AC", "3D", "5H", "7S", "8C", "9D"], ["2C", "4D", "6H", "7D", "TS", "QH"], ["3C", "4S", "5D", "6C", "8H", "JC"]],
    castle=["QS", "QD", "KH", "KC", "KD", "KS"],
    enemy="QC",
    damage=14,
    shield=4,
    table=["4C", "TD", "4H"],
    tavern=["9H", "2H", "3S", "5C", "TC", "AS", "2D", "AH"],
    discard=["JD", "JH", "JS", "2S", "3H", "5S", "6D"],
)
FELT = """
    .table {
        background-image:
            radial-gradient(ellipse 62% 72% at 50% 42%, var(--felt-1), var(--felt-2) 58%, var(--felt-3)) !important }
    .rail { background-image: linear-gradient(var(--rail-1), var(--rail-2)) !important }
"""
"""Felt and wood without their grain: it would make up half of a picture's bytes."""
WINDOW = ViewportSize(width=1280, height=800)
SCALE = 0.65
"""As large as pages show them, about: larger ones take long to load."""
SMALLER = {"device_scale_factor": 0.6}
NIGHT = {"color_scheme": "dark"}
PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 1, "has_touch": True}


def plain(page: Page, url: str) -> None:
    """Open a page, and take the grain off the table."""
    page.goto(url)
    if "/play" in url:
        ready(page)
    page.add_style_tag(content=FELT)


def choose(page: Page) -> None:
    """Choose two cards that go together, and wait for what will happen."""
    for token in ("AC", "9D"):
        page.locator(f"[data-token='{token}']").click()
    page.wait_for_timeout(500)


def hinted(page: Page) -> None:
    """Ask for a hint, and wait for the chances."""
    page.keyboard.press("h")
    page.locator(".chance").first.wait_for()
    choose(page)


def looked_back(page: Page) -> None:
    """Win, check the shuffle, and go back a step."""
    page.locator("[data-token='5C']").click()
    page.locator("#act").click()
    page.get_by_role("button", name="Check the shuffle").click()
    page.get_by_text("The seed matches").wait_for()
    page.keyboard.press("[")
    page.wait_for_timeout(300)


def aimed(page: Page) -> None:
    """Choose a cell that pulls a trigger, and wait for what will happen."""
    page.locator("[data-token=c4]").click()
    page.wait_for_timeout(500)


def solved(page: Page) -> None:
    """Find what the lesson shows."""
    page.locator("[data-token=c4]").click()
    page.locator("#act").click()
    page.locator("[data-standing=solved]").wait_for()
    page.wait_for_timeout(300)


def opened(page: Page) -> None:
    """Look at a table as it stands."""
    page.wait_for_timeout(500)


def take(browser: Browser, url: str, name: str, then: Callable[[Page], None], **options: object) -> None:
    """Take one picture."""
    wanted: dict[str, object] = {"viewport": WINDOW, "device_scale_factor": SCALE, "locale": "en", **options}
    page = browser.new_context(reduced_motion="reduce", bypass_csp=True, **wanted).new_page()  # type: ignore[arg-type]
    plain(page, url)
    then(page)
    if page.locator("[data-card='AC']").count():
        page.wait_for_function("document.getElementById('a-C')")  # the aces' animals come after the first paint
    (PICTURES / f"{name}.png").write_bytes(small(page.screenshot()))
    page.context.close()
    sys.stdout.write(f"docs/pictures/{name}.png\n")


FRAMES = 8
STEP_MS = 80
HOLD_MS = 1500
"""How long the tables before and after the motion are shown."""
AT = """async (now) => {
    for (const one of document.getAnimations()) {
        one.pause();
        one.currentTime = now;
    }
}"""
"""Show all that moves as it is so many milliseconds after its beginning."""
FINISH = "() => document.getAnimations().forEach((one) => one.finish())"


def film(browser: Browser, url: str) -> None:
    """Take the pictures of a move, the motions held at each step."""
    context = browser.new_context(viewport=WINDOW, device_scale_factor=SCALE / 2, locale="en", bypass_csp=True)
    page = context.new_page()
    plain(page, url)
    page.evaluate("import('/static/js/table/motions.js').then(() => undefined)")
    choose(page)
    page.wait_for_function("document.getElementById('a-C')")
    page.evaluate(FINISH)
    shots = [page.screenshot()]
    page.locator("#act").click()
    page.wait_for_function("() => document.getAnimations().length > 1")
    for frame in range(FRAMES):
        page.evaluate(AT, frame * STEP_MS)
        shots.append(page.screenshot())
    page.evaluate(FINISH)
    shots.append(page.screenshot())
    (PICTURES / "move.png").write_bytes(animated(shots, [HOLD_MS, *[STEP_MS] * FRAMES, HOLD_MS]))
    context.close()
    sys.stdout.write("docs/pictures/move.png\n")


def regicide(url: str) -> Made:
    """Make a game in which Ana is about to strike."""
    return make(url, ANA, AI, {"kind": "ai", "level": "expert"}, position=BLOW)


def duel(url: str) -> Made:
    """Make a game in which Ana can fell a royal."""
    (taught,) = [lesson.position for lesson in RULESETS["gridcannon"].lessons if lesson.name == "line-of-fire"]
    queens = {slot: {"card": card, "armour": [], "alive": True} for slot, card in (("b5", "QH"), ("e2", "QC"))}
    royals = {**taught["royals"], **queens}
    pile = [card for card in taught["draw_pile"] if card not in ("QH", "QC", "AH")]
    more = {"royals": royals, "draw_pile": pile, "arsenals": [["AH"], []]}
    return make(url, ANA, AI, ruleset="gridcannon", position={**taught, **more})


def last_blow(url: str) -> Made:
    """Make a game that Ana can win at once."""
    alone = position([["5C", "7H", "AD"]], castle=[], enemy="KS", damage=35, table=["4S", "9D"], jesters_left=2)
    return make(url, ANA, position=alone)


def main() -> None:
    """Take all of them, from fixed positions."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory() as folder,
        running_server(Path(folder) / "data") as served,
        sync_playwright() as playwright,
    ):
        browser = find_chromium().launch(playwright)
        url = served.url
        take(browser, url + regicide(url).link(), "regicide", choose)
        film(browser, url + regicide(url).link())
        take(browser, url + regicide(url).link(), "dark", choose, **NIGHT)
        take(browser, url + regicide(url).link(), "spanish", choose, locale="es")
        take(browser, url + regicide(url).link(), "phone", choose, **PHONE)
        take(browser, url + regicide(url).link(), "hint", hinted, **SMALLER)
        take(browser, url + last_blow(url).link(), "replay", looked_back)
        take(browser, url + duel(url).link(), "gridcannon", aimed)
        take(browser, url + duel(url).link(), "gridcannon-dark", aimed, **NIGHT)
        take(browser, url + duel(url).link(), "gridcannon-phone", aimed, **PHONE)
        take(browser, url, "lobby", opened, **SMALLER)
        take(browser, f"{url}/learn?ruleset=gridcannon&lesson=line-of-fire", "lesson", solved, **SMALLER)
        browser.close()


if __name__ == "__main__":
    main()
