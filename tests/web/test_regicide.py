"""What Regicide's own picture shows and says."""

import pytest
from playwright.sync_api import expect

from tests.api.puzzles import position
from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import ANA, BEN, SIZES, barriers, expect_none, make, ready, resize

BETWEEN = """([key, word]) => word.getBoundingClientRect().left - key.getBoundingClientRect().right"""
"""Pixels between the key of a card and the word."""


def test_the_key_and_the_word_below_a_card_are_set_apart(visit: Visit, served: RunningServer):
    """The key has a frame, or its number would read as a value of the card."""
    made = make(served.url, ANA, BEN, position=position([["5H", "6D"], ["7C"]], enemy="KC"))
    page = visit(made.link()).page
    ready(page)
    first = page.locator("[data-hand] .cap").first
    parts = [first.locator("kbd").element_handle(), first.locator(".word").element_handle()]

    expect(first.locator("kbd")).to_have_css("border-top-style", "solid")
    assert page.evaluate(BETWEEN, parts) >= 3
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


CUT = """[...document.querySelectorAll(".say")].filter((one) => one.scrollHeight > one.clientHeight + 1)"""
"""What doesn't fit where the rail says what to do."""


@pytest.mark.parametrize(
    ("locale", "label", "told"), [("en", "To discard", "9 of 13"), ("es", "A descartar", "9 de 13")]
)
def test_a_bar_shows_how_much_of_an_attack_is_covered(
    visit: Visit, served: RunningServer, locale: str, label: str, told: str
):
    """Beside the sentences, for whoever must discard; it has room at every size, and nobody else sees one."""
    hands = [["2S", "2D", "7C", "8H", "7S"], ["4S"], ["6C"], ["3H"]]
    made = make(served.url, ANA, BEN, BEN, BEN, position=position(hands, enemy="KD"))
    page = visit(made.link(), locale=locale).page
    other = visit(made.link(1)).page
    ready(page)
    expect(page.locator(".tally")).to_have_count(0)
    made.act("play 7S")
    meter = page.get_by_role("meter", name=label)
    expect(meter).to_have_attribute("aria-valuenow", "0")

    for card in ("2S", "7C"):
        page.locator(f"[data-hand] [data-token='{card}']").click()

    expect(meter).to_have_attribute("aria-valuetext", told)
    expect(meter).to_have_attribute("aria-valuemax", "13")
    expect(page.locator(".tally b")).to_have_text(told)
    for size in SIZES:
        resize(page, size)
        expect(page.locator(".tally b")).to_be_in_viewport(ratio=1)
        expect_none(page, CUT)
    assert barriers(page, ".rail") == []
    page.locator("[data-hand] [data-token='8H']").click()
    expect(meter).to_have_attribute("aria-valuenow", "13")
    expect(page.locator("#preview")).not_to_be_empty()
    for size in SIZES:
        resize(page, size)
        expect_none(page, CUT)
    expect(other.locator(".enemy .big").last).to_have_text("13")
    expect(other.locator(".tally")).to_have_count(0)


COVERED = """[...document.querySelectorAll(".piles .cnt")].filter((count) => {
    const {transform, boxShadow} = getComputedStyle(document.querySelector(".piles .stack"), "::before");
    const stack = document.querySelector(".piles .stack").getBoundingClientRect();
    const away = new DOMMatrix(transform).f;
    const shades = [...boxShadow.matchAll(/(-?[0-9.]+)px (-?[0-9.]+)px 0px ([0-9.]+)px/g)];
    const lowest = Math.max(0, ...shades.map(([, , down, spread]) => Number(down) + Number(spread)));
    return count.getBoundingClientRect().top < stack.bottom + away + lowest - 1;
})"""
"""Counts over which the cards below the top of a pile lie."""


@pytest.mark.parametrize("size", [(360, 740), (740, 360), (1280, 800)])
def test_the_counts_of_piles_can_be_read(visit: Visit, served: RunningServer, size: tuple[int, int]):
    """No card of a pile lies over them."""
    made = make(served.url, ANA, BEN, position=position([["5H", "6D"], ["7C"]]))
    page = visit(made.link(), width=size[0], height=size[1]).page
    ready(page)

    expect(page.locator(".piles .cnt").first).to_be_visible()
    expect_none(page, COVERED)


def test_an_empty_discard_pile_is_no_button(visit: Visit, served: RunningServer):
    """There is nothing to open; once a card lies on it, it opens."""
    made = make(served.url, ANA, BEN, position=position([["5H", "TD"], ["7C"]], tavern=["2C"], discard=[]))
    page = visit(made.link()).page
    ready(page)
    pile = page.locator(".piles [data-pile=discard]")
    opener = page.locator(".piles summary")

    expect(page.locator(".piles")).to_contain_text("0Discard")
    expect(opener).to_have_count(0)
    made.act("play 5H")
    made.act("discard TD")
    expect(opener).to_have_accessible_name("Discard pile: 1 discarded")
    pile.click()
    expect(page.locator(".looked").get_by_role("img", name="10 of diamonds")).to_be_visible()
