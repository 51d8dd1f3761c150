"""What every test has: a real store, started as users start it; one Hypothesis profile; a list of what was skipped."""

import os
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import HealthCheck, settings
from redis import Redis

from engines.core.mypyc_support import is_compiled
from tests.chromium import described
from workers.processes.redis_server import RedisServer, find_server

# On a busy machine a process of the greatest niceness waits for minutes: the tests' workers give way to nobody.
os.environ.setdefault("ARENA_NICENESS", "0")

SKIPPED_FILE = "SKIPPED_TESTS"
"""The variable that names the file in which ``make test`` gathers what its runs of pytest skip."""

NOT_BEGUN = "not begun, as the seconds of this run are over"
"""Why a test of a run with ``--seconds`` was skipped."""

BEGAN = pytest.StashKey[float]()
"""When this process began to run tests, in seconds of the monotonic clock."""

# The same examples in every run, and none of them against the clock: a busy machine is slow, not wrong.
settings.register_profile(
    "suite",
    max_examples=20,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let ``make quick`` bound how long it takes."""
    parser.addoption("--seconds", type=float, default=None, help="begin no test after so many seconds")
    parser.addoption("--whole", action="append", default=[], help="what --seconds doesn't bound: a file, or one test")


def pytest_configure(config: pytest.Config) -> None:
    """Note when the run began."""
    config.stash[BEGAN] = monotonic()


def _is_whole(item: pytest.Item) -> bool:
    return item.nodeid.startswith(tuple(item.config.getoption("--whole")))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that aren't bounded."""
    items.sort(key=lambda item: not _is_whole(item))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave a test out when the time of a bounded run is over."""
    seconds = item.config.getoption("--seconds")
    if seconds is not None and monotonic() - item.config.stash[BEGAN] > seconds and not _is_whole(item):
        pytest.skip(NOT_BEGUN)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what runs the engines and the pages, that the long runs are left out, and how to have them."""
    said = [f"engines: {'compiled' if is_compiled() else 'interpreted'}"]
    if any(Path(chosen).match("tests") or "tests/web" in chosen for chosen in config.args):
        said.append(described())
    if config.option.markexpr == "not long":
        return [*said, "long runs: left out, since they take minutes; `make long` has them"]
    return [*said, f"tests chosen by -m {config.option.markexpr!r}"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests weren't begun; add each reason for a skip to the file that ``make test`` prints at its end.

    The processes among which the tests are divided do not: who divides them has all of their reports.
    """
    if hasattr(terminalreporter.config, "workerinput"):
        return
    target = os.environ.get(SKIPPED_FILE)
    reports = terminalreporter.stats.get("skipped", [])
    if left := sum(NOT_BEGUN in report.longrepr[2] for report in reports):
        tests = " ".join(terminalreporter.config.args)
        terminalreporter.write_line(f"{left} tests weren't begun; to run them all: .venv/bin/pytest -n auto {tests}")
    if target:
        with Path(target).open("a", encoding="utf-8") as file:
            file.writelines(report.longrepr[2].removeprefix("Skipped: ") + "\n" for report in reports)


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the URL of a server that all tests share."""
    with RedisServer(tmp_path_factory.mktemp("store"), find_server()) as server:
        yield server.url


@pytest.fixture
def database(redis_url: str) -> Iterator[Redis]:
    """Give a client of an empty database."""
    with Redis.from_url(redis_url, socket_timeout=None) as client:  # a busy machine answers late
        client.flushdb()
        yield client
