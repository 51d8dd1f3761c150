"""Every line of the log is one JSON object, and none repeats an exception's words."""

import errno
import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest
import structlog

from tests.waiting import AGES, comes_true
from workers.processes.logs import BufferedLogStream, LossyStream, set_up_logs


@pytest.fixture
def out() -> Iterator[io.StringIO]:
    """Give what the log says; put logging back as it was."""
    stream, root = io.StringIO(), logging.getLogger()
    handlers, level = root.handlers[:], root.level
    set_up_logs("info", stream)
    yield stream
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    root.handlers[:], root.level = handlers, level


def lines(out: io.StringIO) -> list[dict[str, object]]:
    """Return the log, read."""
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_line_says_what_when_and_in_which_request(out: io.StringIO):
    """Ours, with whatever the request bound."""
    structlog.contextvars.bind_contextvars(request_id="r-1")

    structlog.get_logger("x").info("changed", game_id="g", version=3)

    (line,) = lines(out)
    assert line.pop("timestamp")
    assert line == {"event": "changed", "level": "info", "game_id": "g", "version": 3, "request_id": "r-1"}


def test_libraries_are_heard_from_warnings_on(out: io.StringIO):
    """In the same form."""
    logging.getLogger("somebody.else").info("idle")
    logging.getLogger("somebody.else").warning("job %s lost", "ai-1")
    structlog.get_logger().debug("too fine")

    assert [(line["event"], line["level"]) for line in lines(out)] == [("job ai-1 lost", "warning")]


def test_an_exception_is_told_by_type_and_place(out: io.StringIO):
    """Its message might name a card."""
    for log in (structlog.get_logger("x"), logging.getLogger("x")):
        try:
            int("AH")
        except ValueError:
            log.exception("failed")

    assert [line["error"] for line in lines(out)] == ["ValueError", "ValueError"]
    assert all("test_logs.py" in str(line["where"]) for line in lines(out))
    assert "AH" not in out.getvalue()


def test_an_exception_may_be_handed_over(out: io.StringIO):
    """As a value, not only as the one that is being handled."""
    structlog.get_logger().error("failed", exc_info=KeyError("AH"))

    (line,) = lines(out)
    assert (line["error"], line["where"]) == ("KeyError", [])


def test_anything_can_be_logged(out: io.StringIO):
    """Even what is no JSON."""
    structlog.get_logger().info("odd", what={1, 2}, stream=sys.stderr)

    assert lines(out)[0]["what"] == "{1, 2}"


class Full(io.StringIO):
    """A file on a disk that may be full."""

    is_full = False
    refused = 0

    def write(self, text: str) -> int:
        if self.is_full:
            self.refused += text.count("\n")
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(text)


@pytest.mark.parametrize("batched", [False, True])
def test_a_log_that_cannot_be_written_stops_nobody(*, batched: bool):
    """Who logs goes on; how many lines were lost is said when there is room."""
    file = Full()
    stream = BufferedLogStream(file) if batched else LossyStream(file)
    file.is_full = True
    for _ in range(3):
        stream.write('{"event": "lost"}\n')
    assert comes_true(lambda: file.refused == 3)
    file.is_full = False
    stream.write('{"event": "kept"}\n')
    assert comes_true(lambda: "kept" in file.getvalue())

    lost, kept = lines(file)
    assert (lost["event"], lost["lines"], lost["level"]) == ("log_lines_lost", 3, "warning")
    assert kept == {"event": "kept"}


FAILING = """
import signal, sys, threading
from workers.processes.logs import exit_with_threads, set_up_logs

set_up_logs("info")
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
exit_with_threads()
threading.Thread(target=lambda: 1 / 0, name="feeder").start()
signal.pause()
"""


def test_no_thread_ends_in_silence():
    """One that fails ends its process, as SIGTERM would, and the log says which and where."""
    ended = subprocess.run([sys.executable, "-c", FAILING], check=False, capture_output=True, text=True, timeout=AGES)

    (line,) = [json.loads(line) for line in ended.stderr.splitlines()]
    assert ended.returncode == 7
    assert (line["event"], line["thread"], line["error"]) == ("thread_failed", "feeder", "ZeroDivisionError")
