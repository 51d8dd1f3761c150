"""A page of another origin plays a game; one that the settings don't name can't, and the log says why."""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from json import loads
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.servers.served import RunningServer, running_server
from tests.waiting import comes_true

FRONTEND = Path(__file__).parents[2] / "examples" / "frontend"


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Give the port at which the example is served, as by `python -m http.server`."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(FRONTEND))) as pages:
        Thread(target=pages.serve_forever, daemon=True).start()
        yield pages.server_address[1]
        pages.shutdown()


@pytest.fixture(scope="module")
def open_to(port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give a server that lets pages of that port in, by its number."""
    origins = f"http://somewhere.example http://127.0.0.1:{port}"
    with running_server(tmp_path_factory.mktemp("origins") / "data", REGICIDE_CORS_ORIGINS=origins) as running:
        yield running


def logged(server: RunningServer, event: str) -> list[dict[str, Any]]:
    """Return the lines of the server's log of one event."""
    lines = [line for line in server.log.read_text("utf-8").splitlines() if f'"{event}"' in line]
    return [loads(line) for line in lines]


def test_a_page_of_another_origin_plays_to_the_end(browser: Browser, port: int, open_to: RunningServer):
    """It takes the first action that it is offered, until it says how the game has ended."""
    page = browser.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    actions = page.locator("#actions")
    page.goto(f"http://127.0.0.1:{port}/?server={open_to.url}")

    expect(actions).not_to_be_empty()
    while actions.locator("button").count():
        offered = page.locator("#story li").count()
        actions.locator("button").first.click()
        expect(page.locator("#story li").nth(offered)).to_be_attached()
        expect(actions).not_to_be_empty()

    assert actions.inner_text() in ("The game has ended: lost.", "The game has ended: won.")
    assert complaints == []
    assert not logged(open_to, "origin_refused")
    page.close()


def test_a_page_of_another_name_is_refused(browser: Browser, port: int, open_to: RunningServer):
    """`localhost` isn't `127.0.0.1`: the browser hides the answer, the log tells which origin asked."""
    page = browser.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))

    page.goto(f"http://localhost:{port}/?server={open_to.url}")

    assert comes_true(lambda: bool(logged(open_to, "origin_refused")))
    line = logged(open_to, "origin_refused")[0]
    assert (line["origin"], line["level"]) == (f"http://localhost:{port}", "warning")
    assert comes_true(lambda: page.evaluate("true") and any("blocked by CORS policy" in text for text in complaints))
    assert page.locator("#table").inner_text() == ""
    page.close()


def test_the_example_is_short():
    """At most sixty lines."""
    assert len((FRONTEND / "index.html").read_text("utf-8").splitlines()) <= 60
