"""A file with the records of games that are played on this machine, one JSON line each, ordered by game number.

Games end in any order. Until all have ended, their records are collected in ``FILE.part``, whose first line is the plan
of the games. Therefore the records of a killed run are not lost. At the end all records are written to ``FILE`` in
order, compressed, and without a time stamp, so that equal games give equal bytes.
"""

import gzip
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path
from typing import BinaryIO, Final, Self

import orjson

from engines.core.types import Json
from workers.settings import CannotStart

GZIP_LEVEL: Final = 6


class GameRecords:
    """The records of the games of one plan. *path* is the final file."""

    def __init__(self, path: Path, plan: Json) -> None:
        """*plan* is JSON that identifies the games. A file with another plan is refused."""
        self.path, self._plan = path, plan
        self._part = path.with_name(f"{path.name}.part")
        self._places = dict[int, tuple[int, int]]()
        """For each game, offset and length of its record in the part file."""

    @property
    def numbers(self) -> set[int]:
        """Return the numbers of the games that have a record."""
        return set(self._places)

    def __enter__(self) -> Self:
        """Open the part file. Raises ``CannotStart`` if it can't be written."""
        try:
            self._file = self._part.open("a+b")
        except OSError as error:
            raise CannotStart(f"{self._part} can't be written: {error.strerror}.") from error
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # a write that failed was reported, and closing the file would try it again
            self._file.close()

    def load(self, *, again: bool, digest: str | None) -> None:
        """Load the records of an earlier run if *again* is True. Otherwise begin an empty part file.

        *digest* is the result of ``finish`` if the earlier run finished, else None. Without a part file the records are
        read from the final file, if that has this digest.
        Raises ``CannotStart`` if the part file holds records of other games, or is damaged.
        """
        self._file.seek(0)
        first = self._file.readline()
        is_begun = first.endswith(b"\n")
        if is_begun and first.rstrip() != orjson.dumps(self._plan):
            raise CannotStart(f"{self._part} holds the records of other games: delete it, or name another file.")
        if not (is_begun and again):
            self._file.truncate(0)
            self._write(orjson.dumps(self._plan) + b"\n")
            if again and digest is not None and digest == self._digest():
                self._restore()
        self._find()

    def add(self, number: int, record: bytes) -> None:
        """Append the record of a game and flush it to the operating system. Raises ``CannotStart``."""
        start = self._file.seek(0, 2)
        self._write(record + b"\n")
        self._places[number] = start, len(record) + 1

    def finish(self, end: int) -> str:
        """Write the records of the games with numbers below *end* to the final file. Return the file's SHA-256.

        Raises ``CannotStart`` if the file can't be written.
        """
        draft = self.path.with_name(f"{self.path.name}.new")
        try:
            with draft.open("wb") as raw:
                self._pack(raw, end)
            draft.replace(self.path)
        except OSError as error:
            raise CannotStart(f"{self.path} can't be written: {error.strerror}.") from error
        return self._digest() or ""

    def discard(self) -> None:
        """Delete the part file. Call this after ``finish``."""
        self._part.unlink()

    def _write(self, line: bytes) -> None:
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise CannotStart(f"{self._part} can't be written: {error.strerror}.") from error

    def _pack(self, raw: BinaryIO, end: int) -> None:
        with gzip.GzipFile("", "wb", GZIP_LEVEL, raw, mtime=0) as packed:
            for number in sorted(self._places):
                if number < end:
                    start, length = self._places[number]
                    self._file.seek(start)
                    packed.write(self._file.read(length))

    def _restore(self) -> None:
        """Copy the records of the final file into the part file."""
        with gzip.open(self.path) as packed:
            for line in packed:
                self._write(line)

    def _find(self) -> None:
        """Index the records of the part file. An incomplete last record, left by a killed process, is dropped."""
        self._file.seek(0)
        start = len(self._file.readline())
        for line in self._file:
            if not line.endswith(b"\n"):
                self._file.truncate(start)
                break
            try:
                number = int(orjson.loads(line)["id"].rpartition("/")[2])
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise CannotStart(f"{self._part} is damaged: delete it, and its games are played again.") from error
            self._places[number] = start, len(line)
            start += len(line)

    def _digest(self) -> str | None:
        """Return the SHA-256 of the final file, or None if there is none."""
        if not self.path.exists():
            return None
        with self.path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
