"""Games for the tests of pages: made over HTTP, played as a person would."""

from dataclasses import dataclass
from typing import Any

import httpx
from playwright.sync_api import Locator, Page, expect

from tests.api.puzzles import position

Json = dict[str, Any]
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
        read: Json = httpx.get(f"{self.url}/v1/games/{self.id}{rest}", headers=headers).json()
        return read

    def act(self, text: str, seat: int = 0) -> Json:
        """Act beside the browser."""
        headers = {"Authorization": f"Bearer {self.body['tokens'][str(seat)]}"}
        answer = httpx.post(f"{self.url}/v1/games/{self.id}/actions", json={"text": text}, headers=headers)
        assert answer.status_code == 200, answer.text
        done: Json = answer.json()
        return done


def make(url: str, *seats: Json, ruleset: str = "regicide", **fields: object) -> Made:
    """Make a game."""
    answer = httpx.post(f"{url}/v1/games", json={"ruleset": ruleset, "seats": list(seats), **fields})
    assert answer.status_code == 201, answer.text
    return Made(url, answer.json())


def ready(page: Page) -> None:
    """Wait until it is this player's turn, or the game is over."""
    page.locator(".actbar, .end").first.wait_for()


def is_over(page: Page) -> bool:
    """Say whether the page shows the end."""
    return page.locator(".end").count() > 0


def act_button(page: Page) -> Locator:
    """Return the button that does what is chosen."""
    return page.locator("#act")


def version(page: Page) -> int:
    """Return the step at which the page says that the game is."""
    return int(page.locator("main").get_attribute("data-version") or "-1")


def wait_past(page: Page, seen: int) -> None:
    """Wait until the page shows a later version, and what can be done at it."""
    page.locator(f"main:not([data-version='{seen}'])").wait_for()
    ready(page)


def hand(page: Page) -> Locator:
    """Return the cards of the hand that still go with the choice."""
    return page.locator("[data-hand] > :not(.apart) > button[aria-disabled=false][aria-pressed=false]")


def expect_no_sideways_scroll(page: Page) -> None:
    """Nothing is wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def expect_hand(page: Page, *spoken: str) -> None:
    """The hand holds just these cards, by the names that a screen reader says."""
    buttons = page.get_by_role("region", name="Your hand").get_by_role("button")
    expect(buttons).to_have_count(len(spoken))
    for name in spoken:
        expect(buttons.and_(page.get_by_role("button", name=name, exact=True))).to_have_count(1)
