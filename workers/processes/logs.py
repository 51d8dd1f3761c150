"""Logs: one JSON object per line on standard error, from our own code and from libraries.

A line names games, versions, seats and times; never a card, a token or a seed. So an exception is logged by its type
and its place, without its message, which might quote one.
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

BATCH_SECONDS: Final = 0.05
"""How long lines are gathered."""


def stamped(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:  # noqa: ARG001  structlog's form
    """Say when it was."""
    event["timestamp"] = datetime.now(UTC)
    return event


SHARED: Final[tuple[Processor, ...]] = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    stamped,
)


def set_up_logs(level: str, stream: "TextIO | BufferedLogStream | None" = None) -> None:
    """Let everything of *level* (``info`` and so on) and above that this process logs come out as JSON lines.

    Of libraries ``warning`` and above come out.
    """
    out = cast(TextIO, stream if isinstance(stream, BufferedLogStream) else LossyStream(stream or sys.stderr))
    structlog.configure(
        processors=[*SHARED, redact_exception, _line],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(out),  # a line at a time, however many processes write
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        ProcessorFormatter(
            foreign_pre_chain=SHARED, processors=[ProcessorFormatter.remove_processors_meta, redact_exception, _line]
        )
    )
    logging.basicConfig(handlers=[handler], level=max(logging.WARNING, logging.getLevelName(level.upper())), force=True)


def exit_with_threads() -> None:
    """Let a thread that fails end this process, as SIGTERM would: whoever supervises the process starts another.

    Without that its work would be left undone, and nobody would know.
    """

    def failed(args: threading.ExceptHookArgs) -> None:
        name = None if args.thread is None else args.thread.name
        structlog.get_logger(__name__).critical("thread_failed", thread=name, exc_info=args.exc_value)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.excepthook = failed


class LossyStream:
    """A stream to which writing never fails: what can't be written, as when the disk is full, is counted instead.

    As soon as something can be written again, a line says how many lines were lost.
    """

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._lost = 0

    def write(self, text: str) -> int:
        """Write *text*, or lose it."""
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
        """Do nothing: what could be written is written."""


class BufferedLogStream:
    """A stream whose lines are written by a thread of its own, many at a time: who logs needn't wait for that.

    What was logged in the last moment before a process is killed is lost; if it ends otherwise, nothing is.
    """

    def __init__(self, out: TextIO) -> None:
        self._out = LossyStream(out)
        self._lines: deque[str] = deque()
        self._has_lines = Event()
        Thread(target=self._run, name="logs", daemon=True).start()

    def write(self, text: str) -> int:
        """Have *text* written soon."""
        self._lines.append(text)
        if not self._has_lines.is_set():
            self._has_lines.set()
        return len(text)

    def flush(self) -> None:
        """Do nothing: what was written is on its way."""

    def close(self) -> None:
        """Write what is left: call it before the process ends."""
        self._write()

    def _run(self) -> None:
        pause = Event()
        while self._has_lines.wait():
            pause.wait(BATCH_SECONDS)
            self._has_lines.clear()
            self._write()

    def _write(self) -> None:
        lines = [self._lines.popleft() for _ in range(len(self._lines))]
        if lines:
            self._out.write("".join(lines))


def traceback_frames(trace: TracebackType | None) -> list[str]:
    """Return where an exception was, outermost first: file, line, function. No source is read for it."""
    frames = StackSummary.extract(walk_tb(trace), lookup_lines=False)
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


def redact_exception(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:  # noqa: ARG001  structlog's form
    """Replace ``exc_info`` by the exception's type and place."""
    given = event.pop("exc_info", None)
    event.pop("stack_info", None)
    error = given if isinstance(given, BaseException) else given[1] if isinstance(given, tuple) else sys.exception()
    if given and error is not None:
        event["error"] = type(error).__name__
        event["where"] = traceback_frames(error.__traceback__)
    return event


def _lost_lines(count: int) -> str:
    """Return the line that says how many were lost."""
    line = {"event": "log_lines_lost", "level": "warning", "lines": count}
    return _line(None, "", stamped(None, "", line)) + "\n"


def _line(logger: WrappedLogger, method: str, event: EventDict) -> str:  # noqa: ARG001  structlog's form
    return orjson.dumps(event, default=repr, option=orjson.OPT_UTC_Z).decode()
