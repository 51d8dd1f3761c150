"""Puzzles in a browser: solved, refuted, given up; the puzzle of the day and its streak."""

import json
import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from engines import RULESETS
from engines.analysis.puzzles import Puzzle, judge, stored_puzzles
from engines.core.dealer import NO_SHUFFLE
from tests.servers.served import RunningServer
from tests.waiting import comes_true
from tests.web.conftest import Visit
from tests.web.tables import (
    AI,
    ANA,
    HTTP,
    act_button,
    barriers,
    expect_no_sideways_scroll,
    expect_none,
    in_each_look,
    keep_states,
    make,
    press_enter,
    ready,
    resize,
    states,
    tab_to,
    tap,
    version,
)
from tests.web.test_learn import OVERLAID

Press = Callable[[Locator], None]

PUZZLES = {puzzle.id: puzzle for ruleset in RULESETS.values() for puzzle in stored_puzzles(ruleset)}
SAMPLES = ("regicide-20261126003-21", "gridcannon-20261126001-0")
"""One of each game, of more than one move."""
TEAM = PUZZLES["regicide-20261126001-12"]
"""The other hand's cards are needed, and it is on turn in between."""
EXACT = PUZZLES["regicide-202611261-2945"]
"""The King of diamonds falls exactly, is drawn and discarded; of the Tavern one card is left."""
LONG = PUZZLES["regicide-20261126002-13"]
"""A wrong first answer has a refutation of seven moves: `yield`."""
SIZES = ((360, 740), (740, 360), (1280, 800))
LOOKS = tuple(zip(SIZES, ("light", "dark", "light"), strict=True))
"""Each size in one of the colour schemes: no style depends on both."""


def count(ruleset: str) -> int:
    """Return how many puzzles a game has."""
    return len(stored_puzzles(RULESETS[ruleset]))


def link(puzzle: Puzzle) -> str:
    """Return the path of a puzzle's page."""
    return f"/puzzles/{puzzle.id}"


def banner(page: Page, standing: str) -> Locator:
    """Return the puzzle's part of the page, once it stands so."""
    return page.locator(f".puzzle[data-standing={standing}]")


def answers(puzzle: Puzzle) -> list[str]:
    """Return what the solver must find."""
    return [step["text"] for step in puzzle.line if step["asked"]]


def choose(page: Page, text: str, press: Press = Locator.click) -> None:
    """Choose an action of either game, and do it; an ace is declared by itself, for it has one ploy only."""
    kind, *rest = text.removesuffix(" reassignment").split()
    for token in ["yield"] if kind == "yield" else rest:
        press(page.locator(f"[data-token='{token}']").first)
    expect(act_button(page)).to_have_attribute("aria-disabled", "false")
    press(act_button(page))


def answer(page: Page, text: str, press: Press = Locator.click) -> None:
    """Choose an action that is taken, and wait until its moves have been played out."""
    before = version(page)
    choose(page, text, press)
    page.locator(f"main:not([data-version='{before}']) .puzzle:not([data-standing=playing])").wait_for()


def wrong(puzzle: Puzzle, right: list[str], kind: str) -> str:
    """Return a wrong action of that kind after right answers, which nothing is played between."""
    rules, position = puzzle.ruleset.puzzles, puzzle.ruleset.load(puzzle.position)
    assert rules is not None
    for text in right:
        position.apply(position.to_act()[0], puzzle.ruleset.parse(text), NO_SHUFFLE)
    named = [str(action) for action in rules.choices(position)]
    return next(text for text in named if text.startswith(kind) and text != answers(puzzle)[len(right)])


def solve(page: Page, puzzle: Puzzle, press: Press = Locator.click) -> None:
    """Give all right answers."""
    for text in answers(puzzle):
        answer(page, text, press)
    expect(banner(page, "solved")).to_be_visible()


def on_day(page: Page, day: date, puzzle: Puzzle, before: Puzzle) -> None:
    """Let the server's puzzles of the day be those of another day: whose they are, it alone says."""

    def fulfil(route: Route) -> None:
        said = before if route.request.url.endswith("yesterday") else puzzle
        shown: dict[str, Any] = HTTP.get(f"{route.request.url.rsplit('/', 1)[0]}/{said.id}").json()
        of_day = day - timedelta(days=said is before)
        route.fulfill(body=json.dumps({"day": of_day.isoformat(), **shown}), content_type="application/json")

    page.unroute_all()
    page.route(re.compile("/v1/puzzles/(today|yesterday)"), fulfil)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_puzzle_of_each_game_is_solved(visit: Visit, name: str):
    """Its goal is said; after each answer it goes on; at the end the next puzzle and a link without a token."""
    puzzle = PUZZLES[name]
    page = visit(link(puzzle)).page
    expect(banner(page, "asked")).to_contain_text(f"{puzzle.moves} moves to find")

    solve(page, puzzle)

    expect(banner(page, "solved")).to_contain_text("Solved.")
    expect(act_button(page)).to_have_count(0)
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_label("Link to this puzzle")).to_have_value(re.compile(f"{link(puzzle)}$"))
    page.get_by_role("link", name="Next puzzle").click()
    expect(page).to_have_url(re.compile(f"/puzzles/{puzzle.ruleset.name}-(?!{name})"))
    expect(banner(page, "asked")).to_be_visible()


KNOWN = """async () => {
    const { render, html } = await import("/static/js/vendor.js");
    const { Known } = await import("/static/rulesets/regicide/puzzle/known_cards.js");
    const [box, view] = [document.createElement("div"), {castle: {count: 0}, hands: []}];
    render(html`<${Known} start=${{castle: [], tavern: []}} views=${[view]} you=${0} names=${[]}
        events=${[{type: "healed", cards: ["7C"]}]} />`, box);
    return box.textContent;
}"""
"""What the solver is told of an empty Tavern after one card was healed."""


def test_the_solver_is_told_what_lies_in_the_tavern(visit: Visit):
    """An enemy that falls exactly lies on top, and is drawn first; one healed card is one."""
    page = visit(link(EXACT), locale="es").page
    solve(page, EXACT)

    expect(page.locator(".known")).to_contain_text("Posada, desde arriba: 7♥.")
    expect(page.locator(".known")).not_to_contain_text("curada")
    assert page.evaluate(KNOWN) == "Posada: vacía. Debajo: 1 carta curada, oculta. "


def test_a_team_is_played_by_its_solver_alone(visit: Visit):
    """Each hand is the reader's when its seat is asked; the other one's cards are said."""
    page = visit(link(TEAM)).page
    expect(banner(page, "asked")).to_contain_text("Player 1: 2♦ J♣.")
    expect(page.locator("[data-hand] [data-token='3S']")).to_be_visible()

    answer(page, "play 3S")

    expect(banner(page, "right")).to_contain_text("Right. What next?")
    expect(page.locator("[data-hand] [data-token='JC']")).to_be_visible()
    answer(page, "play JC")
    expect(banner(page, "solved")).to_be_visible()


REFUTING = """() => {
    const main = document.querySelector("main"), puzzle = document.querySelector(".puzzle");
    return [+main.dataset.shown, puzzle.textContent.includes("That isn't the answer."), !!main.querySelector("#act")];
}"""
"""Which move is shown, whether the answer is said to be wrong, and whether the reader can act."""


def test_a_refutation_is_played_move_by_move(visit: Visit):
    """Each is shown and said before the next; none of them is decided by the reader."""
    page = visit(link(LONG), pace=1).page
    moves = range(1, len(judge(LONG, ["yield"]).line) + 2)
    expect(act_button(page)).to_be_visible()
    keep_states(page, REFUTING)

    choose(page, "yield")

    expect(banner(page, "wrong")).to_contain_text("defeat")
    expect(page.get_by_role("log")).to_contain_text("Player 2 yields")
    seen = states(page)
    assert list(dict.fromkeys(shown for shown, _, _ in seen)) == [0, *moves]
    assert {shown for shown, said, _ in seen if said} >= {*moves}  # perhaps before the own move is seen
    assert not [shown for shown, _, acts in seen if shown and acts]


def test_skip_shows_the_end_of_a_refutation(visit: Visit):
    """By its button or by Space, whatever has the focus; at a pace at which it would last."""
    page = visit(link(LONG), pace=60_000).page
    skip = page.get_by_role("button", name="Skip")
    for press in (skip.click, lambda: page.keyboard.press(" ")):
        choose(page, "yield")
        expect(skip).to_be_visible()

        press()

        expect(banner(page, "wrong")).to_contain_text("defeat")
        page.get_by_role("button", name="Try again").press("Enter")
        expect(banner(page, "asked")).to_be_visible()
        expect(page.locator(".rail .status")).to_be_focused()


def test_try_again_puts_the_position_back(visit: Visit):
    """The one in which the wrong answer was given: right ones before it stay."""
    puzzle = PUZZLES["regicide-20261126003-21"]
    first, second, third = answers(puzzle)
    page = visit(link(puzzle)).page
    answer(page, first)

    answer(page, wrong(puzzle, [first], "discard"))
    expect(banner(page, "wrong")).to_be_visible()
    page.get_by_role("button", name="Try again").click()

    expect(banner(page, "right")).to_be_visible()
    answer(page, second)
    answer(page, third)
    expect(banner(page, "solved")).to_be_visible()


def test_an_answer_that_the_puzzle_does_not_allow(visit: Visit):
    """A ploy that was declared is used before anything else: the page says so, and nothing has happened."""
    puzzle = PUZZLES["gridcannon-20261126001-3"]
    page = visit(link(puzzle), allowed=("status of 422",)).page
    choose(page, answers(puzzle)[0])
    expect(banner(page, "right")).to_be_visible()

    choose(page, "declare X2 forced_attack")

    expect(page.get_by_role("alert")).to_contain_text("is completed before anything else")
    expect(banner(page, "right")).to_be_visible()
    for text in answers(puzzle)[1:]:
        answer(page, text)
    expect(banner(page, "solved")).to_be_visible()


def test_whoever_gives_up_sees_the_whole_solution(visit: Visit):
    """From the beginning, whatever was played; then it can be tried, and the list doesn't call it solved."""
    page = visit(link(LONG)).page
    choose(page, "yield")
    expect(banner(page, "wrong")).to_be_visible()

    page.get_by_role("button", name="Show the answer").click()

    expect(banner(page, "shown")).to_contain_text("This is the answer.")
    expect(banner(page, "shown")).to_contain_text("victory")
    page.get_by_role("button", name="Try again").click()
    expect(banner(page, "asked")).to_be_visible()
    page.goto(page.url.rsplit("/", 1)[0])
    expect(page.get_by_role("region", name="Regicide")).to_contain_text(f"0 of {count('regicide')} solved")


def test_no_later_answer_reaches_the_page(visit: Visit):
    """Neither before the first answer nor after it."""
    puzzle = PUZZLES["regicide-20261126003-21"]
    first, *later = answers(puzzle)
    visitor = visit(link(puzzle))
    answer(visitor.page, first)

    def told() -> list[str]:
        visitor.page.evaluate("0")  # lets Playwright hear of more answers
        return [one.text() for one in visitor.answers if "/v1/puzzles" in one.url]

    assert comes_true(lambda: len(told()) == 3)
    assert not [text for text in told() for one in later if one in text]


def test_a_streak_of_two_days(visit: Visit, served: RunningServer):
    """Wrong tries don't matter. The third day its answer is looked at first: that day doesn't count."""
    first, second, third = (PUZZLES[f"gridcannon-20261126003-{number}"] for number in (3, 5, 8))
    day = date(2026, 12, 1)
    page = visit(None).page
    on_day(page, day, first, third)
    page.goto(f"{served.url}/puzzles/today")
    answer(page, wrong(first, [], "place"))
    expect(banner(page, "wrong")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    expect(banner(page, "asked")).to_be_visible()
    solve(page, first)
    expect(banner(page, "solved")).to_contain_text("Your streak: 1 day.")

    on_day(page, day + timedelta(days=1), second, first)
    page.goto(served.url)
    expect(page.get_by_role("region", name="Puzzle of the day")).to_contain_text("December 2: Gridcannon")
    page.get_by_role("link", name="Solve it").click()
    solve(page, second)
    expect(banner(page, "solved")).to_contain_text("Your streak: 2 days.")

    on_day(page, day + timedelta(days=2), third, second)
    page.goto(f"{served.url}/puzzles/today")
    page.get_by_role("button", name="Show the answer").click()
    expect(banner(page, "shown")).to_contain_text("It doesn't count for your streak")
    page.get_by_role("button", name="Try again").click()
    expect(banner(page, "asked")).to_be_visible()
    solve(page, third)
    expect(banner(page, "solved")).not_to_contain_text("3 days")
    on_day(page, day + timedelta(days=3), first, third)
    page.goto(f"{served.url}/puzzles")
    expect(page.get_by_role("region", name="Puzzle of the day")).to_contain_text("No streak yet.")


def test_yesterdays_puzzle_shows_its_answer(visit: Visit, served: RunningServer):
    """From the lobby, played on the stage."""
    page = visit(None).page
    on_day(page, date(2026, 12, 1), TEAM, LONG)
    page.goto(served.url)

    page.get_by_role("link", name="Yesterday's answer").click()

    expect(page).to_have_url(re.compile(LONG.id))
    expect(banner(page, "shown")).to_contain_text("victory")


def test_the_list_names_every_puzzle(visit: Visit):
    """By game and grade; those that were solved here are marked."""
    puzzle = PUZZLES["gridcannon-20261126001-2"]
    page = visit(link(puzzle)).page
    solve(page, puzzle)

    page.goto(page.url.rsplit("/", 1)[0])

    expect(page.locator(".puzzles li")).to_have_count(len(PUZZLES))
    expect(page.get_by_role("region", name="Gridcannon")).to_contain_text(f"1 of {count('gridcannon')} solved")
    expect(page.get_by_role("link", name="Gridcannon, grade 1, puzzle 1, solved")).to_have_attribute(
        "href", link(puzzle)
    )


def test_in_spanish(visit: Visit):
    """The list, the goal, a wrong answer, the buttons."""
    page = visit(link(LONG), locale="es").page
    expect(banner(page, "asked")).to_contain_text("1 jugada por encontrar")
    expect(page.get_by_role("button", name="Ver la solución")).to_be_visible()

    choose(page, "yield")

    expect(banner(page, "wrong")).to_contain_text("Esa no es la solución.")
    expect(page.get_by_role("button", name="Otra vez")).to_be_visible()
    page.goto(page.url.rsplit("/", 1)[0])
    expect(page.get_by_role("heading", name="Problema del día")).to_be_visible()


def test_a_puzzle_that_does_not_exist(visit: Visit):
    """The page says so."""
    page = visit("/puzzles/none", allowed=("status of 404",)).page

    expect(page.get_by_role("status")).to_contain_text("There is no puzzle called none.")


@pytest.mark.parametrize("name", [pytest.param(SAMPLES[0], marks=pytest.mark.long), SAMPLES[1]])
def test_by_keys_alone(visit: Visit, name: str):
    """Digits, Enter and Tab; this game by keys, the other by touch, ``make long`` both: their tables are the games'."""
    puzzle = PUZZLES[name]
    page = visit(link(puzzle)).page

    def press(target: Locator) -> None:
        target.wait_for()
        if target.get_attribute("id") == "act":
            press_enter(page)
            return
        tab_to(page, f"[data-token='{target.get_attribute('data-token')}']")
        page.keyboard.press("Enter")

    solve(page, puzzle, press)

    expect(page.get_by_role("link", name="Next puzzle")).to_be_focused()


@pytest.mark.parametrize("name", [SAMPLES[0], pytest.param(SAMPLES[1], marks=pytest.mark.long)])
def test_by_touch(visit: Visit, name: str):
    """On a phone; ``make long`` has the other game."""
    page = visit(link(PUZZLES[name]), width=360, height=740, has_touch=True).page

    solve(page, PUZZLES[name], tap)

    tap(page.get_by_role("button", name="Share"))
    expect(page.get_by_label("Link to this puzzle")).to_be_visible()


@pytest.mark.parametrize("name", [*SAMPLES, LONG.id])
def test_nothing_covers_another_part_of_a_puzzle(visit: Visit, name: str):
    """In Spanish, whose sentences are longer; before the answer and after the solution."""
    page = visit(link(PUZZLES[name]), locale="es").page
    expect(act_button(page)).to_be_visible()
    for size in SIZES:
        resize(page, size)
        expect_none(page, OVERLAID)
        expect_no_sideways_scroll(page)

    page.get_by_role("button", name="Ver la solución").click()
    expect(banner(page, "shown")).to_be_visible()

    for size in SIZES:
        resize(page, size)
        expect_none(page, OVERLAID)


@pytest.mark.parametrize("locale", ["en", "es"])
def test_the_solvers_seat_says_its_whole_name(visit: Visit, locale: str):
    """Family and turn go to a second line where there is no room beside it."""
    page = visit(link(PUZZLES[SAMPLES[1]]), locale=locale).page
    name = page.locator(".gc-seat[data-you] .name")
    expect(name).to_be_visible()

    assert name.evaluate("(one) => one.scrollWidth <= one.clientWidth")


@pytest.mark.parametrize("path", ["/puzzles", *[f"/puzzles/{name}" for name in SAMPLES], f"/puzzles/{LONG.id}#answer"])
def test_no_barriers(visit: Visit, path: str):
    """Axe finds nothing, at three sizes, in light and dark; nothing scrolls sideways."""
    page = visit(path).page
    expect(page.locator(".puzzles, .puzzle:not([data-standing=playing])").first).to_be_visible()

    for look in in_each_look(page, LOOKS):
        assert barriers(look) == []
        expect_no_sideways_scroll(look)


def test_a_table_loads_nothing_of_puzzles(visit: Visit, served: RunningServer):
    """Its first paint is budgeted."""
    visitor = visit(make(served.url, ANA, AI).link())
    ready(visitor.page)

    assert not [url for url in visitor.asked if "puzzle" in url]
