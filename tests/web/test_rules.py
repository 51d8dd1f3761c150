"""The rules as a page: in the light and the language that the reader has chosen."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from engines import RULESETS
from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import expect_no_sideways_scroll


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
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")])
def test_no_barrier_is_found(visit: Visit, ruleset: str, width: int, scheme: str):
    """By axe; nothing scrolls sideways."""
    page = visit(f"/v1/rulesets/{ruleset}/rules", width=width, height=740, color_scheme=scheme).page
    expect(page.get_by_role("button", name="Theme")).to_be_visible()

    assert Axe().run(page).response["violations"] == []
    expect_no_sideways_scroll(page)
