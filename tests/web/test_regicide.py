"""What Regicide's own picture shows and says."""

import pytest
from playwright.sync_api import expect

from tests.api.puzzles import position
from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import ANA, BEN, make, ready

BETWEEN = """([key, word]) => getComputedStyle(key, "::after").content + word.textContent"""
"""What is written behind the key of a card: the separator of the style sheet, and the word."""


def test_the_key_and_the_word_below_a_card_are_set_apart(visit: Visit, served: RunningServer):
    """The key isn't written right before the word; where there are no keys, there is no separator either."""
    made = make(served.url, ANA, BEN, position=position([["5H", "6D"], ["7C"]], enemy="KC"))
    page = visit(made.link()).page
    ready(page)
    first = page.locator("[data-hand] .cap").first
    parts = [first.locator("kbd").element_handle(), first.locator(".word").element_handle()]

    assert page.evaluate(BETWEEN, parts) == '" · "heals'
    page.set_viewport_size({"width": 360, "height": 740})
    expect(first.locator("kbd")).to_be_hidden()
    expect(first.locator(".word")).to_be_visible()


@pytest.mark.parametrize(
    ("locale", "said"), [("en", "Immune: hearts don't heal"), ("es", "Inmune: los corazones no curan")]
)
def test_immunity_is_called_so(visit: Visit, served: RunningServer, locale: str, said: str):
    """Beside the enemy's name, on a wide table in sight."""
    made = make(served.url, ANA, BEN, position=position([["5H", "6D"], ["7C"]], enemy="KH"))
    page = visit(made.link(), locale=locale).page
    ready(page)
    chip = page.locator(".enemy .chip")

    expect(chip).to_have_text(said)
    expect(chip.locator(".w")).to_be_visible()
