"""Games for the tests of pages: made over HTTP, played as a person would."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Locator, Page, Response, expect
from playwright.sync_api import TimeoutError as Late

from tests.api.puzzles import position
from tests.waiting import AGES, comes_true

T = TypeVar("T")
Json = dict[str, Any]
Press = Callable[..., None]
"""A way to press something, such as ``Locator.click``."""

HTTP = httpx.Client(timeout=AGES)
"""Beside the browser; one for all, for each makes itself ready for TLS."""

PACED = """if (origin !== "null") {
    const settings = JSON.parse(localStorage.getItem("regicide.settings") ?? "{}");
    if (!("pace" in settings)) localStorage.setItem("regicide.settings", JSON.stringify({...settings, pace: %d}));
}"""
"""Set the milliseconds from one move of others to the next, as the menu of a table does."""

ANA = {"kind": "human", "name": "Ana"}
BEN = {"kind": "human", "name": "Ben"}
AI = {"kind": "ai", "level": "adept"}

LAST_BLOW = position(
    [["5C", "7H"]], castle=[], enemy="KS", damage=35, jesters_left=2, tavern=["2C", "3C"], solo_yield=True
)
"""Alone: `play 5C` wins."""

TWO = position([["5C", "6D", "9C", "TH"], ["7C", "8S", "3H"]], tavern=["2C", "3S", "4D"], castle=["QC", "KD"])
"""Ana is to play; whatever she doesn't hold, and that isn't the enemy, is hidden from her."""

HIDDEN_FROM_ANA = ("7C", "8S", "3H", "2C", "3S", "4D", "QC", "KD")


@dataclass(frozen=True)
class Made:
    """A game that was made, and how to sit down at it."""

    url: str
    body: Json

    @property
    def id(self) -> str:
        """The game's id."""
        return str(self.body["id"])

    def link(self, seat: int = 0) -> str:
        """Return the path of a seat's table."""
        return f"/play#{self.id}.{self.body['tokens'][str(seat)]}"

    def ask(self, rest: str = "", seat: int | None = 0) -> Json:
        """Read something of the game, as a seat."""
        headers = {} if seat is None else {"Authorization": f"Bearer {self.body['tokens'][str(seat)]}"}
        read: Json = HTTP.get(f"{self.url}/v1/games/{self.id}{rest}", headers=headers).json()
        return read

    def act(self, text: str, seat: int = 0) -> Json:
        """Act beside the browser."""
        headers = {"Authorization": f"Bearer {self.body['tokens'][str(seat)]}"}
        answer = HTTP.post(f"{self.url}/v1/games/{self.id}/actions", json={"text": text}, headers=headers)
        assert answer.status_code == 200, answer.text
        done: Json = answer.json()
        return done


def make(url: str, *seats: Json, ruleset: str = "regicide", **fields: object) -> Made:
    """Make a game."""
    answer = HTTP.post(f"{url}/v1/games", json={"ruleset": ruleset, "seats": list(seats), **fields})
    assert answer.status_code == 201, answer.text
    return Made(url, answer.json())


def ready(page: Page) -> None:
    """Wait until it is this player's turn, or the game is over."""
    page.locator(".actbar, .end").first.wait_for()


def act_button(page: Page | Locator) -> Locator:
    """Return the button that does what is chosen."""
    return page.locator("#act")


def version(page: Page) -> int:
    """Return the step at which the page says that the game is."""
    return int(page.locator("main").get_attribute("data-version") or "-1")


def expect_version(page: Page, version: int) -> None:
    """The page shows this step of the game."""
    expect(page.locator("main")).to_have_attribute("data-version", str(version))


# Whole games

CHOICES = (
    "[data-hand] > :not(.apart) > button[aria-disabled=false][aria-pressed=false]",
    ".gc-board [data-may=next][aria-pressed=false]",
    ".actbar [data-token][aria-pressed=false]",
)
"""What goes on with what was chosen, in each game; buttons with words if nothing else does."""

LOOK = """choices => {
    const main = document.querySelector("main[data-version]");
    if (!main) return null;
    const over = main.querySelector(".end") !== null, act = main.querySelector("#act");
    if (!over && !act) return null;
    const found = choices.map(choice => [...main.querySelectorAll(choice)]).find(all => all.length) ?? [];
    return {
        version: Number(main.dataset.version),
        over,
        settled: act?.getAttribute("aria-disabled") === "false",
        tokens: found.map(one => one.dataset.token),
        keys: found.map(one =>
            (one.querySelector(".gc-key") ?? one.parentElement.querySelector("kbd"))?.textContent ?? ""),
    };
}"""

OVERTAKEN = ("412",)
"""What a browser complains of when somebody else has acted first: nothing is done then, and nobody is blamed."""

TOPS = "() => [...document.querySelectorAll('[data-hand] button')].map((one) => one.getBoundingClientRect().top)"
"""Where the cards of the hand lie, from above."""

HOLD_MS = 10_000
"""After so long without what was looked for, see whether the game has moved on.

So much more than a press takes on a busy machine that none is repeated which has been done.
"""


class Overtaken(Exception):
    """Somebody else has acted since the page was looked at."""


@dataclass(frozen=True)
class Look:
    """What can be chosen on a page at one moment, when it is this player's turn or the game is over."""

    page: Page
    version: int
    over: bool
    settled: bool
    """What was chosen is an action."""

    tokens: list[str]
    keys: list[str]
    """The digits that choose what goes on with the choice; "" for none."""

    @classmethod
    def at(cls, page: Page) -> "Look":
        """Look as soon as there is something to decide."""
        seen: Json = page.wait_for_function(LOOK, arg=CHOICES).json_value()
        return cls(page, **seen)

    @property
    def table(self) -> Locator:
        """The table as it was looked at: nothing is found in it when the game has moved on."""
        return self.page.locator(f"main[data-version='{self.version}']")

    def again(self) -> "Look":
        """Look again at the same step of the game."""
        look = Look.at(self.page)
        if look.version != self.version:
            raise Overtaken
        return look

    def hold(self, do: Callable[[float], T], tries: int = 6) -> T:
        """Do something that waits for so many milliseconds, unless the game moves on before it can be done."""
        try:
            return do(HOLD_MS)
        except Late:
            if version(self.page) != self.version:
                raise Overtaken from None
            if tries == 1:
                raise
        return self.hold(do, tries - 1)

    def press(self, target: Locator, press: Press = Locator.click) -> None:
        """Press something on the table as it was looked at."""
        self.hold(lambda ms: press(target, timeout=ms))

    def is_enabled(self, target: Locator) -> bool:
        """Say whether something on the table as it was looked at can be pressed."""
        return self.hold(lambda ms: target.is_enabled(timeout=ms))

    def name(self, target: Locator) -> str:
        """Return what a screen reader calls something on the table as it was looked at."""
        return self.hold(
            lambda ms: target.get_attribute("aria-label", timeout=ms) or target.inner_text(timeout=ms).split("\n")[0]
        )

    def wait_chosen(self, target: Locator) -> "Look":
        """Wait until something is chosen, and look again."""
        chosen = target.and_(self.page.locator("[aria-pressed=true]"))
        chosen.or_(self.page.locator(f"main:not([data-version='{self.version}'])")).first.wait_for()
        return self.again()

    def token(self, token: str) -> Locator:
        """Return what has a token."""
        return self.table.locator(f"[data-token='{token}']").first

    def wait_past(self) -> None:
        """Wait until the page shows a later step."""
        expect(self.page.locator("main")).not_to_have_attribute("data-version", str(self.version))


def play_out(page: Page, decide: Callable[[Look], None], most: int = 400) -> int:
    """Decide until the game is over, in at most so many steps, and return how often nobody came first."""
    decided = 0
    for _ in range(most):
        look = Look.at(page)
        if look.over:
            return decided
        try:
            decide(look)
        except Overtaken:
            continue
        look.wait_past()
        decided += 1
    pytest.fail("the game didn't end")


def point(look: Look, pick: Callable[[list[str]], str], press: Press = Locator.click) -> None:
    """Choose what *pick* picks among what goes on with the choice until it is an action; then do it."""
    while not look.settled:
        target = look.token(pick(look.tokens))
        look.press(target, press)
        look = look.wait_chosen(target)
    look.press(act_button(look.table), press)


CLICKS = """() => {
    if (window.clicks === undefined) {
        window.clicks = 0;
        addEventListener("click", () => (window.clicks += 1), true);
    }
    return window.clicks;
}"""
"""Count what the browser takes for a press."""
PRESS_SECONDS = 2.0
"""Longer than a press comes after its touch."""


def tap(target: Locator, timeout: float | None = None) -> None:
    """Touch something; if the browser doesn't take it for a press, which a busy machine's may not, then once more.

    The press comes after the touch, and on a busy machine late: a second touch too early would take back the first.
    """
    page = target.page
    before = page.evaluate(CLICKS)
    target.tap(timeout=timeout)
    if not comes_true(lambda: page.evaluate(CLICKS) != before, PRESS_SECONDS):
        target.tap(timeout=timeout)


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until something that *selector* names has the focus."""
    for _ in range(60):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab doesn't lead to {selector}")


def press_enter(page: Page) -> None:
    """Do what is chosen. On a button that could be chosen too Enter would choose that: then act where it says so."""
    if page.evaluate("document.activeElement.matches('[data-token][aria-pressed=false]:not([aria-disabled=true])')"):
        tab_to(page, "#act")
    page.keyboard.press("Enter")


def actions_sent(page: Page, answers: list[Response], taken: int) -> list[int]:
    """Return how the server answered each action of the page, once so many are *taken*: a stream may be quicker."""
    while True:
        found = [answer.status for answer in answers if is_action(answer)]
        if found.count(200) >= taken:
            return found
        page.wait_for_event("response")


STATES = """() => {
    const tell = %s;
    window.states = [];
    const note = () => {
        const state = tell();
        if (JSON.stringify(state) !== JSON.stringify(window.states.at(-1))) window.states.push(state);
    };
    note();
    new MutationObserver(note).observe(document.body, {
        attributes: true, characterData: true, childList: true, subtree: true});
}"""


def keep_states(page: Page, tell: str) -> None:
    """Let the page keep each state that it comes to, as a script tells it: however short it lasts, none is missed."""
    page.evaluate(STATES % tell)


def states(page: Page) -> list[Any]:
    """Return the states that the page has kept."""
    kept: list[Any] = page.evaluate("window.states")
    return kept


def is_action(answer: Response) -> bool:
    """Return whether a page has sent an action, and this is what came of it."""
    return answer.request.method == "POST" and answer.url.endswith("/actions")


def expect_none(page: Page, script: str) -> None:
    """A script that lists what is wrong finds nothing, as soon as the page is laid out."""
    try:
        page.wait_for_function(f"() => ({script}).length === 0")
    except Late:
        found = page.evaluate(script)
        assert found == [], found
        raise


def expect_no_sideways_scroll(page: Page) -> None:
    """Nothing is wider than the window."""
    expect_none(page, "[document.documentElement.scrollWidth].filter((width) => width > innerWidth)")


def expect_hand(page: Page, *spoken: str) -> None:
    """The hand holds just these cards, by the names that a screen reader says."""
    buttons = page.get_by_role("group", name="Your hand").get_by_role("button")
    expect(buttons).to_have_count(len(spoken))
    for name in spoken:
        expect(buttons.and_(page.get_by_role("button", name=name, exact=True))).to_have_count(1)


# Sizes and accessibility

SIZES = [(360, 740), (740, 360), (640, 400), (320, 640), (1280, 800), (2560, 1440)]
"""Sizes of the window at which a table must fit."""

LOOKS = (((1280, 800), "light"), ((360, 740), "dark"))
"""Sizes of the window, each with one of the colour schemes: no style depends on both."""


def resize(page: Page, size: tuple[int, int]) -> None:
    """Make the window as large as *size*, as somebody does who turns a phone."""
    page.set_viewport_size({"width": size[0], "height": size[1]})


def in_each_look(page: Page, looks: tuple[Any, ...] = LOOKS) -> Iterator[Page]:
    """Yield the page at each size and in each colour scheme, without loading it again."""
    for size, scheme in looks:
        resize(page, size)
        page.emulate_media(color_scheme=scheme)
        yield page


RUN_AXE = "(within) => axe.run(within, {resultTypes: ['violations']}).then(({violations}) => violations)"


def barriers(page: Page, within: str = "html") -> list[str]:
    """Return what axe finds, a line each. It is read by the page once: that takes half as long as to look."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(RUN_AXE, within)
    return [f"{one['id']}: {node['target']}: {node['failureSummary']}" for one in found for node in one["nodes"]]
