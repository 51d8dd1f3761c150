"""The archive: the records of ended games, in the files of one folder.

Each UTC day has a file, ``2026-11-22.jsonl.gz``, of JSON lines. A line is a record (archived_record_format.py). The
lines are compressed in batches, one gzip member each. ``append`` returns when the batch is on the disk.

A process that is killed while it writes leaves an incomplete member. Other processes may append more after that.
``read_lines`` reports an incomplete member and continues after it. Nothing is lost, because the games of such a batch
were still in the store and were archived again.
"""

import fcntl
import gzip
import mmap
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Final

from workers.fsync import sync

GZIP_MAGIC_BYTES: Final = b"\x1f\x8b\x08"
"""The first bytes of a gzip member."""

CHUNK_BYTES: Final = 1 << 16
"""Number of bytes that are decompressed at a time."""

Reporter = Callable[[str], None]
"""Function that is called with a sentence about each unreadable part."""


class Archive:
    """The archive in *folder*. Any number of processes may append to it concurrently."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def append(self, records: Sequence[bytes], day: date) -> None:
        """Append *records*, a JSON object each, to the file of *day* and sync the file to the disk.

        Raises ``OSError``.
        """
        _make(self.folder, 0o700)
        member = gzip.compress(b"".join(record + b"\n" for record in records), mtime=0)
        with (self.folder / f"{day.isoformat()}.jsonl.gz").open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(member)
            file.flush()
            os.fsync(file.fileno())
        sync(self.folder)

    def files(self, since: date = date.min) -> list[Path]:
        """Return the files of *since* and later days, oldest first. Raises ``OSError``."""
        return sorted(file for file in self.folder.glob("*.jsonl.gz") if file.name[:10] >= since.isoformat())


def read_lines(file: Path, report: Reporter) -> Iterator[bytes]:
    """Yield the lines of *file*, compressed or plain. Raises ``OSError``.

    An incomplete batch yields nothing and is reported.
    """
    with file.open("rb") as opened:
        if not opened.read(len(GZIP_MAGIC_BYTES)).startswith(GZIP_MAGIC_BYTES):
            opened.seek(0)
            yield from (line.rstrip(b"\r\n") for line in opened)
            return
        with mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            for start, batch in _members(mapped):
                if batch is None:
                    report(f"{file}: what begins at byte {start} isn't whole, and is left out.")
                else:
                    yield from batch.splitlines()


def _members(mapped: mmap.mmap) -> Iterator[tuple[int, bytes | None]]:
    """Yield the start and the content of each gzip member. The content of an unreadable member is None."""
    start = 0
    while start < len(mapped):
        batch, end = _member(mapped, start)
        if end is None:
            found = mapped.find(GZIP_MAGIC_BYTES, start + 1)
            end = len(mapped) if found < 0 else found
        yield start, batch
        start = end


def _member(mapped: mmap.mmap, start: int) -> tuple[bytes | None, int | None]:
    """Return the content and the end of the member at *start*. Both are None if the member can't be read."""
    inflating, chunks, at = zlib.decompressobj(zlib.MAX_WBITS | 16), [], start
    try:
        while not inflating.eof and at < len(mapped):
            chunks.append(inflating.decompress(mapped[at : at + CHUNK_BYTES]))
            at += CHUNK_BYTES
    except zlib.error:
        return None, None
    if not inflating.eof:
        return None, None
    return b"".join(chunks), min(at, len(mapped)) - len(inflating.unused_data)


def _make(folder: Path, mode: int = 0o777) -> None:
    """Create a folder and its missing parents, and sync their directory entries to the disk."""
    if not folder.parent.is_dir():
        _make(folder.parent)
    folder.mkdir(mode, exist_ok=True)
    sync(folder.parent)
