"""Logs: one JSON object per line on standard error, from our own code and from libraries.

A line names games, versions, seats and times; never a card, a token or a seed. So an exception is logged by its type
and its place, without its message, which might quote one.
"""

import logging
import sys
from traceback import extract_tb
from types import TracebackType
from typing import Final, TextIO

import orjson
import structlog
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, Processor, WrappedLogger

SHARED: Final[tuple[Processor, ...]] = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


def set_up_logs(level: str, stream: TextIO | None = None) -> None:
    """Let everything of *level* (``info`` and so on) and above that this process logs come out as JSON lines.

    Of libraries ``warning`` and above come out.
    """
    out = sys.stderr if stream is None else stream
    structlog.configure(
        processors=[*SHARED, without_message, _line],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(out),  # a line at a time, however many processes write
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        ProcessorFormatter(
            foreign_pre_chain=SHARED, processors=[ProcessorFormatter.remove_processors_meta, without_message, _line]
        )
    )
    logging.basicConfig(handlers=[handler], level=max(logging.WARNING, logging.getLevelName(level.upper())), force=True)


def where(trace: TracebackType | None) -> list[str]:
    """Return where an exception was, outermost first: file, line, function."""
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in extract_tb(trace)]


def without_message(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:  # noqa: ARG001  structlog's form
    """Replace ``exc_info`` by the exception's type and place."""
    given = event.pop("exc_info", None)
    event.pop("stack_info", None)
    error = given if isinstance(given, BaseException) else given[1] if isinstance(given, tuple) else sys.exception()
    if given and error is not None:
        event["error"] = type(error).__name__
        event["where"] = where(error.__traceback__)
    return event


def _line(logger: WrappedLogger, method: str, event: EventDict) -> str:  # noqa: ARG001  structlog's form
    return orjson.dumps(event, default=repr).decode()
