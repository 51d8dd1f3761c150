"""A server that goes away and comes back: the table, the operator's notice and the operator's page notice both."""

import os
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.servers.served import COMMAND, running_server
from tests.waiting import stays_untrue
from tests.web.conftest import OPERATOR_TOKEN, Visit
from tests.web.tables import ANA, BEN, HTTP, TOPS, TWO, act_button, expect_version, make, ready
from tests.web.test_notice import HELLO, notice, tell
from tests.web.test_operator_page import REFUSED, enter

MISSED = ("ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY", "503")
"""What Chromium complains of meanwhile."""

FEW_PROCESSES = {"WEB_WORKERS": "1", "WORKERS": "1", "ARENA_WORKERS": "0"}
"""Only people play here."""


def expect_away(table: Page, operator: Page | None = None) -> None:
    """The pages say that they miss the server; what they showed stays."""
    expect(table.get_by_text("Connection lost")).to_be_visible()
    expect(notice(table)).to_contain_text(HELLO)
    if operator:
        expect(operator.get_by_role("alert")).to_contain_text("Can't reach the server. Retrying…")
        expect(operator.get_by_role("region", name="Load")).to_be_visible()


def expect_back(table: Page) -> None:
    """The table has found the server."""
    expect(table.get_by_text("Connection lost")).to_have_count(0)


def test_pages_miss_a_server_and_find_it_again(visit: Visit, tmp_path: Path):
    """A stream that resumes says that there is a notice, but not that it was taken back meanwhile.

    Nothing is moved by what is said, which lies over the table; the game goes on. The operator's page says so where
    there is no operator any more, and asks for nothing.
    """
    data, operated = tmp_path / "data", {"REGICIDE_OPERATOR_TOKEN": OPERATOR_TOKEN, **FEW_PROCESSES}
    with running_server(data, **operated) as served:
        game = make(served.url, ANA, BEN, position=TWO)
        table = visit(game.link(), url=served.url, allowed=MISSED).page
        operator = visit("/operator", url=served.url, allowed=(*MISSED, *REFUSED)).page
        enter(operator)
        expect(operator.get_by_role("region", name="Load")).to_be_visible()
        ready(table)
        tell(served.url, HELLO)
        expect(notice(table)).to_contain_text(HELLO)
        tops = table.evaluate(TOPS)
        assert served.stop() == 0
        expect_away(table, operator)
        assert table.evaluate(TOPS) == tops

    port = served.url.rpartition(":")[2]
    with running_server(data, PORT=port, **operated):
        expect_back(table)
        expect(operator.get_by_role("alert")).to_be_empty()
        assert HTTP.get(f"{served.url}/v1/operator").status_code == 401
        assert table.evaluate(TOPS) == tops
        assert stays_untrue(lambda: HELLO not in notice(table).inner_text(), 3)
    operator.close()
    expect_away(table)

    environ = {**os.environ, "REGICIDE_DATA": str(data)}
    subprocess.run([*COMMAND, "banner", "--clear"], env=environ, check=True, capture_output=True)
    with running_server(data, PORT=port, **FEW_PROCESSES):
        expect_back(table)
        expect(notice(table)).to_be_empty()
        table.locator("[data-hand] [data-token='9C']").click()
        act_button(table).click()
        expect_version(table, 1)
        assert game.ask()["version"] == 1
        closed = visit("/operator", url=served.url, allowed=("404",)).page
        expect(closed.get_by_role("heading", name="This server has no operator")).to_be_visible()
        expect(closed.get_by_role("textbox")).to_have_count(0)


@pytest.mark.parametrize(
    ("path", "requests", "shown"),
    [
        ("/puzzles", "**/v1/puzzles?*", ".puzzles li"),
        ("/learn?ruleset=regicide", "**/lessons", "main li"),
    ],
)
def test_a_list_is_loaded_when_the_server_is_back(visit: Visit, path: str, requests: str, shown: str):
    """Whoever is told that the page tries again need not load it again."""
    page = visit(path, allowed=("ERR_FAILED",)).page
    page.route(requests, lambda route: route.abort())
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("Can't reach the server. Retrying…")

    page.unroute(requests)

    expect(page.locator(shown).first).to_be_visible()
    expect(page.get_by_text("Retrying…")).to_have_count(0)
