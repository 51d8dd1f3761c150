"""Supervision: a child that dies is started again, whatever stands against it just then."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import comes_true
from workers.processes import supervisor
from workers.processes.supervisor import SUPERVISED_VARIABLE, SupervisedProcess

SLEEPS = [sys.executable, "-c", "import sys; sys.stdin.read()"]


@pytest.fixture
def told() -> list[str]:
    """Give what the person at the terminal is told."""
    return []


@pytest.fixture
def child(told: list[str]) -> Iterator[SupervisedProcess]:
    """Give a child that waits for its end."""
    child = SupervisedProcess("sleeper", SLEEPS, os.environ, told.append)
    yield child
    child.stop()


def test_a_child_that_dies_is_started_again(child: SupervisedProcess, told: list[str]) -> None:
    """However often."""
    for times in (1, 2, 3):
        before = child.pid
        os.kill(before, signal.SIGKILL)
        assert comes_true(lambda before=before: child.pid != before)  # type: ignore[misc]  # a default, for the loop
        assert told == ["The process sleeper ended with status -9, and is started again."] * times


HELD = (
    "import sys; from workers.processes.supervisor import exit_with_supervisor as wait; wait(); open(sys.argv[1], 'x')"
)


def test_a_child_that_is_held(tmp_path: Path, told: list[str]) -> None:
    """Does nothing before it is let go, though it is killed meanwhile; those that follow it begin at once."""
    begun = tmp_path / "begun"
    child = SupervisedProcess("held", [sys.executable, "-c", HELD, str(begun)], os.environ, told.append, held=True)
    try:
        before = child.pid
        os.kill(before, signal.SIGKILL)
        assert comes_true(lambda: child.pid != before)
        assert not begun.exists()
        child.release()
        assert comes_true(begun.exists)
        begun.unlink()
        assert comes_true(begun.exists)
    finally:
        child.stop()


def test_a_child_that_is_held_ends_with_its_supervisor(tmp_path: Path) -> None:
    """Without having begun."""
    held = {**os.environ, SUPERVISED_VARIABLE: supervisor.HELD_VARIABLE_VALUE}
    ended = subprocess.run([sys.executable, "-c", HELD, str(tmp_path / "begun")], input=b"", env=held, check=False)

    assert ended.returncode == 0
    assert not (tmp_path / "begun").exists()


def test_no_process_can_be_started(child: SupervisedProcess, told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine has no more of them just then: that is said, and tried again."""
    monkeypatch.setattr(supervisor, "RETRY_DELAY_SECONDS", 0.01)
    popen, before = subprocess.Popen, child.pid
    refusals = iter(range(2))

    def start(*args: Any, **how: Any) -> "subprocess.Popen[bytes]":
        if next(refusals, None) is not None:
            raise OSError(errno.EAGAIN, "Resource temporarily unavailable")
        return popen(*args, **how)

    monkeypatch.setattr(subprocess, "Popen", start)
    os.kill(before, signal.SIGKILL)

    assert comes_true(lambda: child.pid != before)
    sentence = "The process sleeper can't be started now (Resource temporarily unavailable), and is tried again."
    assert told[1:] == [sentence] * 2
