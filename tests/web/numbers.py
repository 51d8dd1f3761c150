"""The table's numbers, each against its goal: ``python -m tests.web.numbers``, on a machine that does nothing else."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.api.puzzles import position
from tests.chromium import find_chromium
from tests.servers.served import running_server
from tests.web.tables import AI, ANA, BEN, PACED, Look, Made, act_button, expect_version, make, ready

PAINT_BYTES = 100_000
CLICKS = 3
FIRST_MOVE_MS = 2000
SHOWN_MS = 100
LOG_LINES = 120
VERSIONS = 200
SETTLED = 100
"""From this version on a page that is open for a long game doesn't grow: its log has as many lines as it may have."""

FIRST_CARD = {"regicide": "[data-hand] button[aria-disabled=false]", "gridcannon": ".gc-board [data-may=next]"}

PAINTED = """
    new MutationObserver((_, observer) => {
        if (!document.querySelector(".actbar, .end")) return;
        observer.disconnect();
        window.painted = performance.now();
    }).observe(document, {childList: true, subtree: true});
    const set = window.setTimeout;
    window.setTimeout = (call, ms = 0, ...rest) => set(call, ms < 1000 ? ms : 60 * ms, ...rest);
"""
"""Note when something can be done at a table: what is loaded later isn't part of its first paint.

What a table loads 1.5 seconds after its modules (``LATE_MS`` in ``cards.js``) waits longer here, so that it comes after
the first paint on a slow machine too.
"""

TRANSFERRED = """["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type))
    .filter(({startTime}) => startTime < window.painted).reduce((sum, one) => sum + one.transferSize, 0)"""
"""Bytes over the wire until then, with 300 for the head of each answer."""

SHOWN = """([button, attribute]) => new Promise((shown) => {
    const began = performance.now();
    const drawn = () => requestAnimationFrame(() => setTimeout(() => shown(performance.now() - began)));
    new MutationObserver((_, observer) => (observer.disconnect(), drawn())).observe(
        document.querySelector("main"), {attributes: true, attributeFilter: [attribute]});
    document.querySelector(button).click();
})"""
"""Press a button; the milliseconds until the board has been drawn on which the stage has another version."""
ACT = ["#act", "data-version"]
SKIP = [".since button", "data-shown"]

THREE = position(
    [["2C", "2D", "2S", "9C"], ["7C", "8S", "3H"]], tavern=["3S", "4D", "5D", "6D", "TC", "3C"], castle=["QC", "KD"]
)
"""Ana can play three cards at once, and draws for them."""
FOUR = position([[f"{rank}{suit}" for rank in "289T"] for suit in "CDHS"], tavern=["3C", "4D", "5H", "6S"])
"""Each of four can cover what the enemy strikes back with."""
SLOWER = 4
"""How much slower than this machine's processor the one is on which a page must stay smooth."""
TASK_MS = 50

GAME_NODES = """(() => {
    const within = (root) => {
        const walker = document.createTreeWalker(root);
        let nodes = 1;
        while (walker.nextNode()) nodes += 1;
        return nodes;
    };
    const copied = (root) => [...root.querySelectorAll("use")].reduce((sum, use) => {
        const source = document.querySelector(use.getAttribute("href"));
        return source ? sum + 1 + within(source) + copied(source) : sum;
    }, 0);
    const shown = [".board", "[role=log]"].map((place) => within(document.querySelector(place)));
    return shown.reduce((sum, nodes) => sum + nodes) + copied(document);
})()"""
"""How many nodes show the game: a full board has more than an empty one, a line with cards more than one without.

A figure that a card uses is copied by the browser into a tree of its own, which counts too.
"""


@dataclass(frozen=True)
class Weight:
    """What an open page takes, after rubbish was collected."""

    nodes: int
    """But for those that show the game: of its board and of the lines of its log."""
    listeners: int
    heap: int
    log: int


def first_paint(page: Page, url: str) -> int:
    """Open a table, and return the bytes over the wire until something can be done at it."""
    page.add_init_script(PAINTED)
    page.goto(url)
    ready(page)
    sent: int = page.evaluate(TRANSFERRED)
    return sent


def first_move(page: Page, url: str, ruleset: str) -> tuple[int, float]:
    """Go from the start page to the first own move; return the clicks and the milliseconds that it took."""
    clicks = (
        page.get_by_role("button", name=f"Play {ruleset}"),
        page.locator(FIRST_CARD[ruleset]).last,
        act_button(page),
    )
    began = perf_counter()
    page.goto(url)
    for click in clicks:
        click.click()
    expect(page.locator("main:not([data-version='0'])")).to_be_visible()
    return len(clicks), 1000 * (perf_counter() - began)


def moves_shown(page: Page, url: str, moves: int) -> list[float]:
    """Play games alone; return the milliseconds from each press to the board that shows the committed move."""
    took: list[float] = []
    while len(took) < moves:
        page.goto("about:blank")
        page.goto(url + make(url, ANA).link())
        while not (look := Look.at(page)).over and len(took) < moves:
            while not look.settled:
                target = look.token(look.tokens[-1])
                target.click()
                look = look.wait_chosen(target)
            page.locator("#preview:not(:empty)").wait_for(state="attached")
            took.append(page.evaluate(SHOWN, ACT))
    return took


def all_move(made: Made, seats: int) -> None:
    """Let Ana act beside her window, and then the others."""
    for seat in range(seats):
        while seat in made.ask(seat=seat)["to_act"]:
            made.act(made.ask("/actions", seat=seat)["actions"][0]["text"], seat)


def skips_shown(browser: Browser, url: str, times: int) -> list[float]:
    """Return the milliseconds from each press on Skip, while three others' moves wait, to the board of the present."""
    took: list[float] = []
    for _ in range(times):
        with fresh_page(browser, pace=60_000) as page:
            made = make(url, ANA, BEN, BEN, BEN, position=FOUR)
            page.goto(url + made.link())
            ready(page)
            all_move(made, 4)
            expect_version(page, made.ask()["version"])
            page.get_by_role("button", name="Skip").wait_for()
            took.append(page.evaluate(SHOWN, SKIP))
    return took


def longest_tasks(browser: Browser, url: str, times: int) -> list[float]:
    """Return the longest task while three cards fly, in milliseconds of a processor four times slower than this one.

    It is what the thread of the page computed, so that other work on this machine doesn't count.
    """
    longest: list[float] = []
    for _ in range(times):
        with fresh_page(browser) as page:
            page.goto(url + make(url, ANA, BEN, position=THREE).link())
            ready(page)
            page.wait_for_timeout(2000)  # for what is loaded after the first paint
            for card in ("2C", "2D", "2S"):
                page.locator(f"[data-hand] [data-token='{card}']").click()
            page.locator("#preview:not(:empty)").wait_for(state="attached")
            button = act_button(page).bounding_box()
            assert button is not None
            browser.start_tracing(page=page, categories=["toplevel"])
            # Until all cards lie Playwright asks nothing: to answer it the page would be laid out.
            page.mouse.click(button["x"] + button["width"] / 2, button["y"] + button["height"] / 2)
            page.wait_for_timeout(1500)
            events = json.loads(browser.stop_tracing())["traceEvents"]
            expect_version(page, 1)
            mains = {one["pid"]: one["tid"] for one in events if one.get("args", {}).get("name") == "CrRendererMain"}
            tasks = [one.get("tdur", 0) for one in events if mains.get(one["pid"]) == one["tid"]]
            longest.append(SLOWER * max(tasks) / 1000)
    return longest


def weights(page: Page, made: Made, versions: Sequence[int]) -> list[Weight]:
    """Follow a game that others play; return what the page takes at some versions."""
    found, seat = [], 0
    for version in range(1, max(versions) + 1):
        last = made.ask("/actions", seat)["actions"][-1]
        (seat,) = made.act(last["text"], seat)["to_act"]
        if version in versions:
            expect_version(page, version)
            found.append(weight(page))
    return found


def weight(page: Page) -> Weight:
    """Collect rubbish, and weigh the page."""
    devtools = page.context.new_cdp_session(page)
    for _ in range(3):
        devtools.send("HeapProfiler.collectGarbage")
    dom = devtools.send("Memory.getDOMCounters")
    heap = devtools.send("Runtime.getHeapUsage")["usedSize"]
    devtools.detach()
    return Weight(
        dom["nodes"] - page.evaluate(GAME_NODES),
        dom["jsEventListeners"],
        int(heap),
        page.get_by_role("log").locator("p").count(),
    )


def long_game(url: str) -> Made:
    """Make a game that lasts for more than 200 versions, whoever plays what is listed last: of 12,000 all did."""
    return make(url, ANA, BEN, ruleset="gridcannon", options={"turn_limit": 120})


@contextmanager
def fresh_page(browser: Browser, pace: int | None = None) -> Iterator[Page]:
    """Give a page that has nothing of an earlier one, and shows others' moves so many milliseconds apart."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en")
    if pace is not None:
        context.add_init_script(PACED % pace)
    yield context.new_page()
    context.close()


def spread(values: Sequence[float], unit: str) -> str:
    """Return median, 95th percentile and range."""
    p95 = quantiles(values, n=20, method="inclusive")[-1]
    return f"{median(values):.0f} / {p95:.0f} / {min(values):.0f}-{max(values):.0f} {unit}"


def measured(browser: Browser, url: str) -> Iterator[tuple[str, str, str]]:
    """Yield each number: what, its goal, median / p95 / range."""
    for ruleset in FIRST_CARD:
        sizes, times = [], []
        for _ in range(10):
            with fresh_page(browser) as page:
                sizes.append(first_paint(page, url + make(url, ANA, AI, ruleset=ruleset).link()) / 1000)
            with fresh_page(browser) as page:
                times.append(first_move(page, url, ruleset)[1])
        yield f"{ruleset}: over the wire for the first paint", f"<= {PAINT_BYTES // 1000} kB", spread(sizes, "kB")
        yield f"{ruleset}: from / to the first own move", f"<= {FIRST_MOVE_MS} ms", spread(times, "ms")
    with fresh_page(browser) as page:
        yield "from a click to the committed move", f"p95 <= {SHOWN_MS} ms", spread(moves_shown(page, url, 200), "ms")
    yield "from Skip to the present", f"<= {SHOWN_MS} ms", spread(skips_shown(browser, url, 10), "ms")
    yield (
        "longest task while three cards fly, on a processor 4 times slower",
        f"<= {TASK_MS} ms",
        spread(longest_tasks(browser, url, 5), "ms"),
    )
    with fresh_page(browser) as page:
        made = long_game(url)
        page.goto(url + made.link())
        ready(page)
        steps = weights(page, made, range(SETTLED, VERSIONS + 1, 20))
    yield (
        f"DOM nodes but for board and log, versions {SETTLED}-{VERSIONS}",
        "flat",
        spread([one.nodes for one in steps], ""),
    )
    yield f"JS heap, versions {SETTLED}-{VERSIONS}", "flat", spread([one.heap / 1000 for one in steps], "kB")
    yield "lines of the log", f"<= {LOG_LINES}", spread([one.log for one in steps], "")


def main() -> None:
    """Measure, and print a table."""
    load = ", ".join(f"{load:.2f}" for load in os.getloadavg())
    sys.stdout.write(f"{os.cpu_count()} cores, load {load}\n\n")
    with (
        TemporaryDirectory() as folder,
        running_server(
            Path(folder) / "data", REGICIDE_RATE_REQUESTS="0", REGICIDE_RATE_CREATE="0", REGICIDE_LIMIT_AI_GAMES="0"
        ) as served,
        sync_playwright() as playwright,
    ):
        browser = find_chromium().launch(playwright)
        sys.stdout.write("| number | goal | median / p95 / range |\n| --- | --- | --- |\n")
        for number in measured(browser, served.url):
            sys.stdout.write(f"| {' | '.join(number)} |\n")
            sys.stdout.flush()
        browser.close()


if __name__ == "__main__":
    main()
