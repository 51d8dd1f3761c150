"""The rules as a page: in the light and the language that the reader has chosen."""

import pytest
from playwright.sync_api import expect

from engines import RULESETS
from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import barriers, expect_no_sideways_scroll, in_each_look


def test_the_light_that_was_chosen(visit: Visit, served: RunningServer):
    """One press in the lobby is enough for the rules too; another one there."""
    page = visit("/", color_scheme="light").page
    page.get_by_role("button", name="Theme").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")

    page.get_by_role("link", name="Rules of Regicide").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")

    page.get_by_role("button", name="Theme").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")


def test_the_language_that_was_chosen(visit: Visit):
    """By a link, and by one press."""
    page = visit("/v1/rulesets/gridcannon/rules?lang=es").page
    expect(page.locator("html")).to_have_attribute("lang", "es")

    page.get_by_role("button", name="English").click()
    page.wait_for_url("**/rules?lang=en")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.get_by_role("button", name="Español")).to_be_visible()


@pytest.mark.parametrize("ruleset", RULESETS)
def test_no_barrier_is_found(visit: Visit, ruleset: str):
    """By axe, at two sizes, each in one of the colour schemes; nothing scrolls sideways."""
    page = visit(f"/v1/rulesets/{ruleset}/rules").page
    expect(page.get_by_role("button", name="Theme")).to_be_visible()

    for look in in_each_look(page):
        assert barriers(look) == []
        expect_no_sideways_scroll(look)
