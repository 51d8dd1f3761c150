"""The site of the docs, built by ``make site`` and shown by the server: no dead link, no other host, and its search."""

import re
import resource
import subprocess
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urldefrag

import pytest
from playwright.sync_api import expect

from tests.api.test_pages import links
from tests.web.conftest import Visit
from tests.web.tables import barriers, expect_no_sideways_scroll, in_each_look

ROOT: Final = Path(__file__).parents[2]
SITE: Final = ROOT / "build" / "site"
CPU_SECONDS: Final = 15
SEARCHES: Final = [("yield", "rules/regicide.en.html"), ("pasar", "rules/regicide.es.html"), ("PettingZoo", "rl.html")]


@pytest.fixture(scope="module", autouse=True)
def built() -> float:
    """Build the site, and return the processor seconds that it took."""
    if not (ROOT / "build" / "sphinx" / ".installed").exists():
        pytest.skip("Sphinx isn't installed: make site")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["make", "--silent", "site"], cwd=ROOT, check=True)  # a warning is an error there
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_it_is_built_fast(built: float):
    """In the processor time that it may take."""
    assert built <= CPU_SECONDS


def test_no_link_is_dead():
    """Each leads to a file of the site, an anchor on a page, or one of the server's own pages."""
    pages = {page: page.read_text("utf-8") for page in SITE.rglob("*.html")}
    assert len(pages) > 30
    dead = []
    for page, text in pages.items():
        for link in links(text):
            path, anchor = urldefrag(unquote(link).split("?")[0])
            target = (page.parent / path).resolve() if path else page
            outside = path.startswith(("http://", "https://", "/"))
            if not outside and not (target.is_file() and (not anchor or is_there(anchor, pages.get(target, "")))):
                dead.append((page.name, link))

    assert dead == []


def is_there(anchor: str, page: str) -> bool:
    """Tell whether a page has an element of that name."""
    return re.search(rf'\bid="{re.escape(anchor)}"', page) is not None


@pytest.mark.parametrize(("word", "page"), SEARCHES)
def test_the_search_finds(visit: Visit, word: str, page: str):
    """In the browser alone, in both languages."""
    found = visit(f"/docs/search.html?q={word}").page

    expect(found.locator(f'#search-results a[href*="{page}"]').first).to_be_visible()


@pytest.mark.parametrize("path", ["index.html", "rules/gridcannon.es.html", "python-api.html"])
def test_it_is_for_everybody(visit: Visit, path: str):
    """No barrier that axe finds in the text; nothing scrolls sideways; nothing is refused by the pages' policy."""
    page = visit(f"/docs/{path}").page
    expect(page.get_by_role("heading", level=1)).to_be_visible()

    for look in in_each_look(page):
        assert barriers(look, "article") == []
        expect_no_sideways_scroll(look)
    expect(page.locator("html")).to_have_attribute("lang", "es" if ".es." in path else "en")


def test_the_way_there(visit: Visit):
    """From the page about it all."""
    page = visit("/about").page
    page.get_by_role("link", name="Documentation").click()

    page.wait_for_url("**/docs/")
    expect(page.get_by_role("link", name="bots", exact=True)).to_be_visible()
