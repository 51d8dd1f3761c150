"""Learning to play in the browser: each lesson from its first sentence to its last one."""

import re
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.servers.served import RunningServer
from tests.waiting import AGES
from tests.web.conftest import Visit
from tests.web.tables import act_button, barriers, expect_no_sideways_scroll, expect_none, ready, resize, version

FIRST = "/learn?ruleset=regicide&lesson=clubs"
COVERED = """[...document.querySelectorAll("[data-hand] button, .gc-table button")].filter((one) =>
    one.getBoundingClientRect().bottom > document.querySelector(".actbar").getBoundingClientRect().top)"""

OVERLAID = """(() => {
    const named = ".lesson, .castle, .enemy, .plate, .piles li, [data-hand] button, .rail, .gc-table, .gc-drawn," +
        ".gc-me .gc-seat";
    const parts = [...document.querySelectorAll(named)].map((one) => [one, one.getBoundingClientRect()])
        .filter(([, box]) => box.width);
    const over = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
        Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
    return parts.flatMap(([one, box], place) => parts.slice(place + 1)
        .filter(([other, its]) => !one.contains(other) && over(box, its))
        .map(([other]) => `${one.className} ${other.className}`));
})()"""
"""Parts of a lesson's table that lie over each other."""


def lessons(served: RunningServer, ruleset: str, language: str = "en") -> list[dict[str, Any]]:
    """Return what the server has to teach."""
    answer = httpx.get(
        f"{served.url}/v1/rulesets/{ruleset}/lessons", headers={"Accept-Language": language}, timeout=AGES
    )
    found: list[dict[str, Any]] = answer.json()["lessons"]
    return found


def banner(page: Page, standing: str) -> Locator:
    """Return the lesson's part of the page, once it stands so."""
    return page.locator(f".lesson[data-standing={standing}]")


def press(page: Page, token: str) -> None:
    """Choose something on the board, or among the buttons."""
    page.locator(f"[data-token='{token}']").first.click()


def act(page: Page, text: str) -> None:
    """Do what *text* says, as a person would; an ace is declared by itself, for it has one ploy only."""
    kind, *rest = text.removesuffix(" reassignment").split()
    for token in {"choose": [text], "yield": [text], "flip": ["flip_jester"]}.get(kind, rest):
        press(page, token)
    expect(act_button(page)).to_have_attribute("aria-disabled", "false")
    act_button(page).click()


def chosen(taught: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first two lessons, the last one, and each that has a kind of action that none before it has."""
    kinds, found = set[str](), list[dict[str, Any]]()
    for place, lesson in enumerate(taught, 1):
        new = {text.partition(" ")[0] for text in lesson["solution"]} - kinds
        kinds |= new
        if new or place in (2, len(taught)):
            found.append(lesson)
    return found


@pytest.mark.parametrize("all_of_them", [False, pytest.param(True, marks=pytest.mark.long)], ids=["kinds", "all"])
@pytest.mark.parametrize("ruleset", ["regicide", "gridcannon"])
def test_lessons_are_solved_one_after_the_other(visit: Visit, served: RunningServer, ruleset: str, all_of_them: bool):
    """From the lobby's link on; at the end the list says what is done, and "Your games" has none of them.

    On a laptop neither hand nor last row lie under the buttons. All lessons in ``make long``; that each is solved by
    its solution is tested without pages too, in ``tests/engines/contract/test_lessons.py``.
    """
    page = visit("/").page
    page.get_by_role("link", name=f"Learn to play, {ruleset}").click()
    taught = lessons(served, ruleset)
    page.get_by_role("link", name=taught[0]["title"]).click()
    wanted = taught if all_of_them else chosen(taught)

    for number, lesson in enumerate(taught, 1):
        if lesson not in wanted:
            continue
        if number > 1 and taught[number - 2] not in wanted:
            page.goto(f"{served.url}/learn?ruleset={ruleset}&lesson={lesson['name']}")
        expect(banner(page, "begun")).to_contain_text(lesson["before"])
        expect(banner(page, "begun")).to_contain_text(f"Lesson {number} of {len(taught)}")
        ready(page)  # the buttons come with the legal actions, after the banner
        expect_none(page, COVERED)
        for done, text in enumerate(lesson["solution"]):
            expect(banner(page, "right" if done else "begun")).to_be_visible()
            before = version(page)
            act(page, text)
            page.locator(f"main:not([data-version='{before}'])").wait_for()
        expect(banner(page, "solved")).to_contain_text(lesson["after"])
        expect(page.locator(".act, .hints")).to_have_count(0)
        if number < len(taught) and taught[number] in wanted:
            page.get_by_role("link", name="Next lesson").click()

    expect(banner(page, "solved")).to_contain_text("That was the last lesson.")
    page.locator(".rail").get_by_role("link", name="All lessons").click()
    expect(page.get_by_text(f"{len(wanted)} of {len(taught)} done")).to_be_visible()
    page.goto(f"{served.url}/")
    expect(page.get_by_role("region", name="Your games")).to_contain_text("No games yet")


@pytest.mark.parametrize(
    ("ruleset", "lesson"),
    [("regicide", "turn"), ("regicide", "combo"), ("gridcannon", "reassignment"), ("gridcannon", "switcheroo")],
)
def test_nothing_covers_another_part_of_a_lesson(visit: Visit, ruleset: str, lesson: str):
    """Its text takes much room: most of all in Spanish, and in these lessons."""
    page = visit(f"/learn?ruleset={ruleset}&lesson={lesson}", locale="es").page
    expect(banner(page, "begun")).to_be_visible()
    expect(act_button(page)).to_be_visible()

    for size in ((1280, 800), (360, 740), (740, 360)):
        resize(page, size)
        expect_none(page, OVERLAID)


CUT = """[...document.querySelectorAll(".lesson, .say")].filter((one) =>
    one.scrollHeight > one.clientHeight + 1).map((one) => one.className)"""
"""Parts of a lesson's table that don't show all that they say."""


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize(
    ("ruleset", "lesson", "standing", "text"),
    [
        ("regicide", "turn", "right", "play 7S"),
        ("regicide", "clubs", "wrong", "play 7S"),
        ("regicide", "clubs", "solved", "play 5C"),
        ("gridcannon", "turn", "right", "draw"),
    ],
)
def test_what_came_of_an_action_covers_nothing(
    visit: Visit, ruleset: str, lesson: str, standing: str, text: str, language: str
):
    """What happened is said in the lesson's place, what there is to do next below the table: both whole."""
    page = visit(f"/learn?ruleset={ruleset}&lesson={lesson}", locale=language).page
    act(page, text)
    expect(banner(page, standing)).to_be_visible()
    expect(page.locator(".rail").locator("#act, .after .primary")).to_be_visible()

    for size in ((1280, 800), (360, 740), (740, 360)):
        resize(page, size)
        expect_none(page, OVERLAID)
        expect_none(page, CUT)
        expect(page.locator(".rail").locator("#act, .after .primary")).to_be_in_viewport(ratio=1)


def test_another_action_than_the_lesson_shows(visit: Visit):
    """It is done, said kindly, and the same position is there again to try."""
    page = visit(FIRST).page
    expect(banner(page, "begun")).to_be_visible()
    game = page.url

    act(page, "play 7S")
    expect(banner(page, "wrong")).to_contain_text("but not the one this lesson is about")
    page.get_by_role("link", name="Try again").click()

    expect(banner(page, "begun")).to_be_visible()
    expect(page).not_to_have_url(game)
    act(page, "play 5C")
    expect(banner(page, "solved")).to_be_visible()


def test_a_page_that_is_loaded_again_begins_the_lesson_again(visit: Visit):
    """What was done before isn't known any more."""
    page = visit(FIRST).page
    act(page, "play 5C")
    expect(banner(page, "solved")).to_be_visible()

    page.reload()

    expect(banner(page, "begun")).to_be_visible()


def test_in_spanish(visit: Visit, served: RunningServer):
    """The sentences, the buttons and what the cards are called."""
    page = visit("/learn?ruleset=regicide", locale="es").page
    lesson = lessons(served, "regicide", "es")[1]
    expect(page.get_by_role("heading", name="Aprende a jugar: Regicide")).to_be_visible()

    page.get_by_role("link", name=lesson["title"]).click()
    expect(banner(page, "begun")).to_contain_text(lesson["before"])
    expect(page.locator(".enemy")).to_contain_text("sota de corazones")
    act(page, "play 5C")

    expect(banner(page, "solved")).to_contain_text(lesson["after"])
    expect(page.get_by_role("link", name="Siguiente lección")).to_be_visible()


def test_a_lesson_that_does_not_exist(visit: Visit):
    """The page says so, and shows those that do."""
    page = visit("/learn?ruleset=regicide&lesson=chess").page

    expect(page.get_by_role("alert")).to_contain_text("There is no such lesson.")
    expect(page.get_by_role("link", name=re.compile("Clubs deal double damage"))).to_be_visible()


@pytest.mark.parametrize("path", ["/learn?ruleset=gridcannon", "/learn?ruleset=gridcannon&lesson=line-of-fire"])
def test_no_barriers_and_room_enough_on_a_phone(visit: Visit, path: str):
    """Axe finds nothing in the list and in a lesson, and nothing scrolls sideways."""
    page = visit(path, width=360, height=740, has_touch=True).page
    expect(page.locator(".lessons li, .lesson").first).to_be_visible()

    expect_no_sideways_scroll(page)
    assert barriers(page) == []
