"""A time limit for each call of a game's code, because a method that loops forever would stop the check silently."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from time import process_time
from types import FrameType
from typing import Any, Final

from engines.ruleset import Position

CALL_LIMIT_SECONDS: Final = 30.0
"""Processor time after which a call of a game's code counts as endless."""
TICKS_PER_LIMIT: Final = 4
"""Number of times that a call is looked at within the limit."""
CHECKS: Final = "api.commands.check_ruleset."
SHARED_ENGINES: Final = ("engines.ai.", "engines.analysis.", "engines.contract.", "engines.core.", "engines.table.")
"""Packages of the engines that belong to no game."""


class CallTimedOut(BaseException):
    """A call has not returned within its limit. It isn't an ``Exception``, so that no game's code catches it."""

    def __init__(self, text: str, position: Position | None) -> None:
        """*position* is a position that the method has, its own or an argument."""
        super().__init__(text)
        self.position = position


@contextmanager
def limited_calls(seconds: float) -> Iterator[None]:
    """Raise ``CallTimedOut`` in the block if one call of a game's method takes *seconds* of processor time.

    Only interpreted code in the main thread is interrupted: in another thread there is no limit.
    """
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _Watch(seconds).look)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds / TICKS_PER_LIMIT, seconds / TICKS_PER_LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


class _Watch:
    """Looks at intervals whether the checks still wait for the same call."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._since = seconds, 0.0
        self._call: FrameType | None = None

    def look(self, _signal: int, frame: FrameType | None) -> None:
        """Handle the signal of the timer. Raises ``CallTimedOut``."""
        call = _game_call(frame)
        if call is not self._call:
            self._call, self._since = call, process_time()
        elif call is not None and process_time() - self._since >= self._seconds:
            raise _timed_out(call, self._seconds)


def _game_call(frame: FrameType | None) -> FrameType | None:
    """Return the frame of the game's method that the checks have called, directly or through the engines.

    Without such a method return the frame that the checks have called, or None while their own code runs.
    """
    frames = list[FrameType]()
    while frame is not None and not _module(frame).startswith(CHECKS):
        frames.insert(0, frame)
        frame = frame.f_back
    own = [called for called in frames if not _module(called).startswith(SHARED_ENGINES)]
    return next(iter(own or frames), None) if frame is not None else None


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _timed_out(call: FrameType, seconds: float) -> CallTimedOut:
    """Return an exception that names the method of *call*, and where in it the time passes."""
    place = f"{call.f_code.co_filename}, line {call.f_lineno}"
    text = f"`{call.f_code.co_qualname}` has not returned after {seconds:.0f} seconds ({place})"
    held: list[Any] = [value for value in call.f_locals.values() if isinstance(value, Position)]
    return CallTimedOut(text, held[0] if held else None)
