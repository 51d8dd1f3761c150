"""The disk that has the games is full: ``serve`` stays, answers 503, and plays on when there is room again."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.servers.served import (
    COMMAND,
    RunningServer,
    assert_nothing_lost_or_doubled,
    ending,
    first_line,
    running_server,
    sit_down,
)
from tests.waiting import allowed, comes_true

DISK_BYTES = 8 << 20
LEFT_BYTES = 128 << 10
"""So much is left when it is nearly full: moves are still written, some hundred of them."""

BACK = 5.0
"""Seconds after which there is room until all is well."""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Give a small disk of the test's own."""
    folder = tmp_path / "data"
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(words, check=False, capture_output=True).returncode:
        pytest.skip("a small disk can't be mounted here: that takes root")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def served(disk: Path) -> Iterator[RunningServer]:
    """Give a server whose games are on that disk."""
    with running_server(disk, REGICIDE_LOG_LEVEL="warning") as served:
        yield served


def fill(disk: Path, leaving: int) -> Path:
    """Fill the disk but for *leaving* bytes; return the file that does."""
    ballast = disk / "ballast"
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    with ballast.open("ab", buffering=0) as file, suppress(OSError):  # the store writes meanwhile: then it is full
        file.write(bytes(max(0, free - leaving)))
    return ballast


def ready(served: RunningServer) -> httpx.Response:
    """Ask whether it is ready."""
    return httpx.get(f"{served.url}/readyz", trust_env=False, timeout=10)


def codes(served: RunningServer) -> list[str]:
    """Return what is wrong."""
    return [reason["code"] for reason in ready(served).json().get("reasons", [])]


def test_a_disk_that_is_nearly_full_is_said(disk: Path, served: RunningServer) -> None:
    """It is played on, with a warning."""
    assert ready(served).json()["reasons"] == []

    fill(disk, leaving=LEFT_BYTES)

    assert comes_true(lambda: codes(served) == ["disk_nearly_full"], within=BACK)
    assert ready(served).status_code == 200
    with served.client() as client:
        ana = sit_down(client)
        ana.act(ana.actions()[0]["text"])


def test_a_full_disk(disk: Path, served: RunningServer) -> None:
    """No move is answered that isn't kept; what was answered is there when there is room."""
    with served.client() as client:
        ana = sit_down(client)
        game = ana.wait_for_turn(timeout=allowed(BACK))
        moved = ana.act(ana.actions()[0]["text"], expected=game["version"])["version"]
        ballast = fill(disk, leaving=0)
        fill(disk, leaving=0)
        url = f"{served.url}/v1/games"
        body = {"ruleset": "regicide", "seats": [{"kind": "human", "name": "Ben"}]}
        tried = list[int]()

        def is_full() -> bool:
            tried.append(httpx.post(url, json=body, trust_env=False, timeout=10).status_code)
            return "is full: the store is started as soon as there is room." in served.log.read_text()

        assert comes_true(is_full, within=30)
        assert set(tried) <= {201, 503}
        assert comes_true(lambda: ready(served).status_code == 503, within=BACK)
        assert "storage_unavailable" in codes(served)
        assert "disk_nearly_full" in codes(served)
        assert served.process.poll() is None

        ballast.unlink()

        assert comes_true(lambda: ready(served).status_code == 200, within=BACK)
        assert ana.wait_for_turn(timeout=allowed(BACK))["version"] >= moved
        assert_nothing_lost_or_doubled(ana, [moved])


def test_a_disk_that_is_full_at_the_start(disk: Path) -> None:
    """``serve`` waits for room, and says so."""
    with running_server(disk) as served, served.client() as client:
        sit_down(client)
        served.stop()
    ballast = fill(disk, leaving=0)
    environ = {**os.environ, "REGICIDE_DATA": str(disk), "PORT": served.url.rpartition(":")[2]}
    log = disk.parent / "second.log"
    with log.open("wb") as errors:
        process = subprocess.Popen([*COMMAND, "serve"], env=environ, stdout=subprocess.PIPE, stderr=errors, text=True)
    with ending(process, log):
        assert comes_true(lambda: "is full" in log.read_text(), within=30)
        ballast.unlink()
        assert served.url in first_line(process)
