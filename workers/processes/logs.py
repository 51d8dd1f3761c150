"""Logs: one JSON object per line on standard error, from our code and from libraries.

A line has ids of games, versions, seats and times, but never a card, a token or a seed. Therefore an exception is
logged with its type and traceback but without its message, which might quote one of these.
"""

import logging
import os
import signal
import sys
import threading
from collections import deque
from datetime import UTC, datetime
from threading import Event, Thread
from traceback import StackSummary, walk_tb
from types import TracebackType
from typing import Final, TextIO, cast

import orjson
import structlog
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, Processor, WrappedLogger

LOG_BUFFER_SECONDS: Final = 0.05
"""Time for which lines are buffered, in seconds."""


def add_time(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:  # noqa: ARG001  # structlog's signature
    """Add the time to an event."""
    event["timestamp"] = datetime.now(UTC)
    return event


SHARED_PROCESSORS: Final[tuple[Processor, ...]] = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    add_time,
)


def set_up_logs(level: str, stream: "TextIO | BufferedLogStream | None" = None) -> None:
    """Log events of *level* (such as ``info``) or above as JSON lines. For libraries *level* is at least ``warning``.

    A ``BufferedLogStream`` can't be replaced later, because loggers keep it from their first line on.
    """
    out = cast(TextIO, stream if isinstance(stream, BufferedLogStream) else LossyStream(stream or sys.stderr))
    structlog.configure(
        processors=[*SHARED_PROCESSORS, redact_exception, _as_json_line],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(out),  # one write per line: several processes write to it
        cache_logger_on_first_use=isinstance(stream, BufferedLogStream),
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        ProcessorFormatter(
            foreign_pre_chain=SHARED_PROCESSORS,
            processors=[ProcessorFormatter.remove_processors_meta, redact_exception, _as_json_line],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(logging.WARNING, logging.getLevelName(level.upper())), force=True)


def exit_with_threads() -> None:
    """From now on, end this process by SIGTERM if one of its threads fails. The supervisor then restarts it.

    Otherwise the work of the failed thread would silently stop.
    """

    def failed(args: threading.ExceptHookArgs) -> None:
        name = None if args.thread is None else args.thread.name
        structlog.get_logger(__name__).critical("thread_failed", thread=name, exc_info=args.exc_value)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.excepthook = failed


class LossyStream:
    """A stream whose writes never raise. Lines that can't be written, as on a full disk, are dropped and counted.

    The next successful write is preceded by a line with the number of lost lines.
    """

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._lost = 0

    def write(self, text: str) -> int:
        """Write *text* or count it as lost."""
        try:
            if self._lost:
                self._out.write(_lost_lines(self._lost))
            self._out.write(text)
            self._out.flush()
        except OSError:
            self._lost += text.count("\n")
        else:
            self._lost = 0
        return len(text)

    def flush(self) -> None:
        """Do nothing, because nothing is buffered."""


class BufferedLogStream:
    """A stream whose lines are written by its own thread in batches, so that logging does not block.

    The last batch is lost if the process is killed.
    """

    def __init__(self, out: TextIO) -> None:
        self._out = LossyStream(out)
        self._lines: deque[str] = deque()
        self._has_lines = Event()
        Thread(target=self._run, name="logs", daemon=True).start()

    def write(self, text: str) -> int:
        """Buffer *text*. The writer thread writes it within ``LOG_BUFFER_SECONDS``."""
        self._lines.append(text)
        if not self._has_lines.is_set():
            self._has_lines.set()
        return len(text)

    def flush(self) -> None:
        """Do nothing, because the writer thread writes the buffer."""

    def close(self) -> None:
        """Write the buffered lines. Call this before the process exits."""
        self._write()

    def _run(self) -> None:
        pause = Event()
        while self._has_lines.wait():
            pause.wait(LOG_BUFFER_SECONDS)
            self._has_lines.clear()
            self._write()

    def _write(self) -> None:
        lines = [self._lines.popleft() for _ in range(len(self._lines))]
        if lines:
            self._out.write("".join(lines))


def traceback_frames(trace: TracebackType | None) -> list[str]:
    """Return the frames of a traceback, outermost first, as file, line and function, without reading source files."""
    frames = StackSummary.extract(walk_tb(trace), lookup_lines=False)
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


def redact_exception(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:  # noqa: ARG001  # structlog's signature
    """Replace ``exc_info`` by the exception's type and frames."""
    given = event.pop("exc_info", None)
    event.pop("stack_info", None)
    if not given:
        return event
    error = given if isinstance(given, BaseException) else given[1] if isinstance(given, tuple) else sys.exception()
    if error is not None:
        event["error"] = type(error).__name__
        event["where"] = traceback_frames(error.__traceback__)
    return event


def _lost_lines(count: int) -> str:
    line = {"event": "log_lines_lost", "level": "warning", "lines": count}
    return _as_json_line(None, "", add_time(None, "", line)) + "\n"


def _as_json_line(logger: WrappedLogger, method: str, event: EventDict) -> str:  # noqa: ARG001  # structlog's signature
    return orjson.dumps(event, default=repr, option=orjson.OPT_UTC_Z).decode()
