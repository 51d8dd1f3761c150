"""A browser before a whole server: whatever it complains of, or asks another host for, fails the test."""

import os
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    expect,
    sync_playwright,
)

from tests.chromium import NoChromiumError, find_chromium
from tests.servers.served import RunningServer, running_server
from tests.waiting import AGES, allowed
from tests.web.tables import PACED

Words = tuple[str, ...]
Visit = Callable[..., "Visitor"]
OPERATOR_TOKEN = "the-token-of-the-operator"
OPERATOR = {"Authorization": f"Bearer {OPERATOR_TOKEN}"}
SECONDS = AGES
"""A busy machine is slow: what a test waits for comes at once on an idle one."""

expect.set_options(timeout=1000 * SECONDS)


@dataclass
class Visitor:
    """A page with what it has asked for, been told and complained of."""

    page: Page
    url: str
    allowed: Words = ()
    """Words of complaints that a test provokes."""

    asked: list[str] = field(default_factory=list)
    answers: list[Response] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("request", self._on_request)
        self.page.on("response", self._on_response)
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _on_request(self, request: Request) -> None:
        self.asked.append(request.url)

    def _on_response(self, response: Response) -> None:
        self.answers.append(response)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.text} {message.location.get('url', '')}")

    def unforeseen(self) -> list[str]:
        """Return the complaints that the test didn't provoke, and requests to other hosts."""
        foreign = [url for url in self.asked if not url.startswith((f"{self.url}/", "data:", "blob:"))]
        complaints = [text for text in self.complaints if not (is_overtaken_preview(text) or is_late_preload(text))]
        return foreign + [text for text in complaints if not any(word in text for word in self.allowed)]


def is_overtaken_preview(text: str) -> bool:
    """Somebody moved while the page asked what an action would do: it foresees that, Chromium still notes it."""
    return "status of 412" in text and "actions?dry_run=true" in text


def is_late_preload(text: str) -> bool:
    """Chromium measures by the clock whether what was preloaded is used: on a busy machine it may not be in time."""
    return "was preloaded using link preload but not used within a few seconds" in text and allowed(1) > 1


LOGGED_LINES = 20


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the last lines of the server's log beside a failure."""
    report = yield
    served = getattr(item, "funcargs", {}).get("served")
    if report.when == "call" and report.failed and isinstance(served, RunningServer):
        lines = served.log.read_text(errors="replace").splitlines()[-LOGGED_LINES:]
        report.sections.append(("the server's log", "\n".join(lines)))
    return report


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give a server that all tests of pages share."""
    with running_server(
        tmp_path_factory.mktemp("web") / "data",
        REGICIDE_RATE_REQUESTS="0",
        REGICIDE_RATE_CREATE="0",
        REGICIDE_LIMIT_AI_GAMES="0",
        REGICIDE_OPERATOR_TOKEN=OPERATOR_TOKEN,
    ) as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Give Chromium. Where there is none the tests of the pages are skipped, but never in CI."""
    try:
        chromium = find_chromium()
    except NoChromiumError as missing:
        if os.environ.get("CI") == "true":
            pytest.fail(str(missing))
        pytest.skip(str(missing))
    with sync_playwright() as playwright:
        launched = chromium.launch(playwright)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser: Browser, served: RunningServer) -> Iterator[Visit]:
    """Give a way to open pages; none may complain, or ask another host for anything."""
    visitors: list[Visitor] = []
    contexts: list[BrowserContext] = []

    def open_page(
        path: str | None,
        *,
        width: int = 1280,
        height: int = 800,
        url: str = served.url,
        allowed: Words = (),
        pace: int | None = 0,
        **options: Any,
    ) -> Visitor:
        # others' moves are shown at once, but for tests of how they are shown
        wanted = {"locale": "en", "reduced_motion": "reduce", **options}
        context = browser.new_context(viewport={"width": width, "height": height}, **wanted)
        context.set_default_timeout(1000 * SECONDS)
        if pace is not None:
            context.add_init_script(PACED % pace)
        contexts.append(context)
        visitor = Visitor(context.new_page(), url, allowed)
        visitors.append(visitor)
        if path is not None:
            visitor.page.goto(f"{url}{path}")
        return visitor

    yield open_page
    unforeseen = [text for visitor in visitors for text in visitor.unforeseen()]
    for context in contexts:
        context.close()
    assert unforeseen == []
