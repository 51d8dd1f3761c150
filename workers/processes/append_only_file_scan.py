"""The append-only file (AOF) of a Redis-compatible server: how far it is intact.

A write is a command in the Redis protocol. The commands of a transaction stand between ``MULTI`` and ``EXEC`` and count
as one write.
"""

import re
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Final

COMMAND_HEAD_PATTERN: Final = re.compile(rb"\*([1-9]\d{0,9})\r\n")
ARGUMENT_HEAD_PATTERN: Final = re.compile(rb"\$(\d{1,10})\r\n")
ANNOTATION_PATTERN: Final = re.compile(rb"#[^\r\n]*\r\n")
"""An annotation, which a server may write between two writes. It gives the time."""

PARTIAL_HEAD_PATTERN: Final = re.compile(rb"([*$]\d*\r?)?")
"""The incomplete beginning of a number of arguments (as in ``*3``) or of the length of one (as in ``$12``)."""

MAX_PARTIAL_BYTES: Final = 16
BLOCK_BYTES: Final = 4096
FIRST_ARGUMENT_BYTES: Final = 32
"""Number of bytes at the beginning of a command in which its name is looked for: ``MULTI`` and ``EXEC`` are short."""


@dataclass(frozen=True)
class Writes:
    """The result of a scan of an append-only file."""

    size: int
    whole: int
    """Length of the intact beginning, in bytes."""
    count: int
    """Number of writes in the intact beginning."""
    after: int
    """Number of intact commands after the first damaged one."""
    is_torn: bool
    """True if only a part of one write, zeros, or both follow the intact beginning. Then no confirmed write is lost."""


def scan(file: Path) -> Writes:
    """Scan an append-only file. Raises ``OSError``."""
    if not file.stat().st_size:
        return Writes(0, 0, 0, 0, is_torn=False)
    with file.open("rb") as opened, mmap(opened.fileno(), 0, access=ACCESS_READ) as data:
        return _Scan(data).result()


class _Scan:
    """One scan of a file. Zeros at the file's end are ignored."""

    def __init__(self, data: mmap) -> None:
        self._data = data
        self._end = len(data)
        while self._end and data[self._end - 1] == 0:
            before = max(0, self._end - BLOCK_BYTES)
            self._end = before + len(data[before : self._end].rstrip(b"\0"))

    def result(self) -> Writes:
        at, whole, count, is_open = 0, 0, 0, False
        while (end := self._command(at)) is not None:
            first = self._data[at : min(end, at + FIRST_ARGUMENT_BYTES)].upper()
            is_open = (is_open or b"\r\nMULTI\r\n" in first) and b"\r\nEXEC\r\n" not in first
            count += not is_open and not first.startswith(b"#")
            at, whole = end, whole if is_open else end
        after = self._after(at)
        is_torn = whole < len(self._data) and not after and self._is_begun(at)
        return Writes(len(self._data), whole, count, after, is_torn)

    def _after(self, at: int) -> int:
        """Return the number of intact commands after *at*."""
        count = 0
        while (at := self._data.find(b"*", at + 1)) >= 0:
            end = self._command(at)
            if end is not None:
                at, count = end - 1, count + 1
        return count

    def _command(self, at: int) -> int | None:
        """Return the end of the command or annotation at *at*, or None if it is not intact."""
        if at >= self._end:
            return None
        if (annotation := ANNOTATION_PATTERN.match(self._data, at)) is not None:
            return annotation.end()
        head = COMMAND_HEAD_PATTERN.match(self._data, at)
        end = None if head is None else head.end()
        for _ in range(0 if head is None else int(head[1])):
            end = None if end is None else self._argument(end)
        return end

    def _argument(self, at: int) -> int | None:
        argument = ARGUMENT_HEAD_PATTERN.match(self._data, at)
        if argument is None:
            return None
        end = argument.end() + int(argument[1]) + 2
        return end if end <= self._end and self._data[end - 2 : end] == b"\r\n" else None

    def _is_begun(self, at: int) -> bool:
        """Return whether everything from *at* on is the beginning of one command."""
        head = COMMAND_HEAD_PATTERN.match(self._data, at)
        if head is None:
            return self._ends_in_count(at)
        at = head.end()
        for _ in range(int(head[1])):
            end = self._argument(at)
            if end is None:
                argument = ARGUMENT_HEAD_PATTERN.match(self._data, at)
                cut = argument is not None and argument.end() + int(argument[1]) + 2 > self._end
                return cut or self._ends_in_count(at)
            at = end
        return False

    def _ends_in_count(self, at: int) -> bool:
        """Return whether the file ends at *at* or within a count or a length that begins there."""
        rest = self._data[at : self._end] if self._end - at < MAX_PARTIAL_BYTES else b"?"
        return at >= self._end or PARTIAL_HEAD_PATTERN.fullmatch(rest) is not None
