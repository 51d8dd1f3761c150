"""Numbered pieces of work, done by processes that end with this process, and the file of the results."""

import fcntl
import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait as ended
from operator import itemgetter
from pathlib import Path
from threading import Thread, main_thread
from typing import Any, Final

import orjson

from engines.core.types import Json
from workers.settings import CannotStart

SPAWN_CONTEXT: Final = multiprocessing.get_context("spawn")

MAX_EXIT_SECONDS: Final = 5.0
"""Maximum time that a process has to end its work after its parent has died."""

Work = Callable[[Any, int], Any]
"""Function that gets an argument and the number of a piece of work, does the piece, and returns its result.

Argument and result are JSON, because compiled objects can't be pickled.
"""


def do_all(
    work: Work, argument: object, numbers: Iterable[int], processes: int, keep: Callable[[int, Any], bool]
) -> None:
    """Do the pieces of work *numbers*. *keep* gets the number and the result of each, and returns whether to go on.

    At most two pieces per process are begun or queued at once. Raises ``CannotStart`` if a process dies or a piece
    raises an exception. The processes are terminated on an error or Ctrl-C.
    """
    try:
        with ProcessPoolExecutor(processes, SPAWN_CONTEXT, _exit_with_parent) as pool:
            try:
                _keep_busy(pool, work, argument, iter(numbers), 2 * processes, keep)
            except BaseException:
                for process in multiprocessing.active_children():
                    process.terminate()
                # Its thread must have ended before Python exits, or the exit of older versions prints an error.
                pool.shutdown(wait=True, cancel_futures=True)
                raise
    except BrokenProcessPool as died:
        raise CannotStart("A process died over its game; the same command goes on where it was.") from died


def _keep_busy(
    pool: ProcessPoolExecutor,
    work: Work,
    argument: object,
    numbers: Iterable[int],
    ahead: int,
    keep: Callable[[int, Any], bool],
) -> None:
    """Keep *ahead* pieces running or queued, until no piece is left or *keep* returns False. Then wait for the rest.

    Raises ``CannotStart`` if a piece has failed, after *keep* has got the pieces that ended at the same time.
    """
    waiting, running, goes_on = iter(numbers), dict[Future[Any], int](), True
    while True:
        if goes_on:
            for number in [n for _, n in zip(range(ahead - len(running)), waiting, strict=False)]:
                running[pool.submit(_do_one, work, argument, number)] = number
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        ended_pieces = sorted([(running.pop(future), *future.result()) for future in done], key=itemgetter(0))
        for number, result, failure in ended_pieces:
            if failure is None:
                goes_on = keep(number, result) and goes_on
        failed = [(number, failure) for number, _, failure in ended_pieces if failure is not None]
        if failed:
            number, failure = failed[0]
            raise CannotStart(f"Game {number} could not be played: {failure}.")


def _do_one(work: Work, argument: object, number: int) -> tuple[Any, str | None]:
    """Do a piece of work. Return its result and None, or None and a text on the exception that it raised.

    The exception itself isn't raised: the pool dies of one that can't be unpickled, such as most refusals. After
    SIGTERM the process exits: the pool would catch ``SystemExit`` and begin the next piece.
    """
    try:
        return work(argument, number), None
    except SystemExit:
        os._exit(1)
    except Exception as error:  # noqa: BLE001  AIs of other authors can raise anything
        return None, _described(error)


def _described(error: Exception) -> str:
    """Return the type and text of an exception, and in brackets its notes (whose AI raised it) and its place."""
    text = " ".join(str(error).split()).rstrip(".")
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = "; ".join([*getattr(error, "__notes__", ()), f"{place.filename}, line {place.lineno}"])
    return f"{type(error).__name__}{': ' if text else ''}{text} ({where})"


def _exit_with_parent() -> None:
    """Ignore Ctrl-C, which the parent handles, and exit when the parent has died.

    SIGTERM raises ``SystemExit``, so that the work ends what it has started, such as programs.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _exit)
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _exit(number: int, _: object) -> None:
    """Exit, and ignore the signal from now on: the pool sends it again while the work ends what it has started."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(1)


def _end_with(sentinel: int) -> None:
    ended([sentinel])
    main = main_thread()
    if main.ident is not None:  # it has started
        signal.pthread_kill(main.ident, signal.SIGTERM)
    main.join(MAX_EXIT_SECONDS)
    os._exit(1)


@contextmanager
def locked_file(file: Path) -> Iterator[None]:
    """Lock a results file for the block. Raises ``CannotStart`` if another process has locked it.

    The lock is on a hidden file beside it, which the block's end deletes, because the file itself is replaced.
    """
    beside = file.with_name(f".{file.name}.lock")
    try:
        held = beside.open("ab")
    except OSError as error:
        raise CannotStart(f"{file} can't be written: {error.strerror}.") from error
    with held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_current = beside.exists() and beside.stat().st_ino == os.fstat(held.fileno()).st_ino
        except BlockingIOError:
            is_current = False
        if not is_current:  # locked, or deleted by another process that has just ended
            raise CannotStart(f"Another command writes {file}: wait until it has ended, or name another file.")
        try:
            yield
        finally:
            beside.unlink(missing_ok=True)


def replace_json(out: Path, value: Json) -> None:
    """Write *value* as JSON to *out*. An existing file is replaced atomically. Raises ``CannotStart``."""
    draft = out.with_name(f"{out.name}.new")
    try:
        draft.write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2))
        draft.replace(out)
    except OSError as error:
        raise CannotStart(f"{out} can't be written: {error.strerror}.") from error


def cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
