"""The archive: files of records, which whoever writes may be killed at."""

import gzip
from datetime import date
from pathlib import Path

import pytest

from workers.archive import GZIP_MAGIC_BYTES, Archive, read_lines

DAY = date(2030, 1, 1)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """Give an archive whose folder isn't there yet."""
    return Archive(tmp_path / "deep" / "archive")


def held(archive: Archive) -> tuple[list[bytes], list[str]]:
    """Return every record of an archive, and what was said of torn ones."""
    told = list[str]()
    return [line for file in archive.files() for line in read_lines(file, told.append)], told


def test_what_was_appended_is_read(archive: Archive):
    """Batch after batch, day after day, in files that any gzip reads."""
    archive.append([b'{"id":"a"}', b'{"id":"b"}'], DAY)
    archive.append([b'{"id":"c"}'], DAY)
    archive.append([b'{"id":"d"}'], date(2030, 1, 2))

    assert held(archive) == ([b'{"id":"a"}', b'{"id":"b"}', b'{"id":"c"}', b'{"id":"d"}'], [])
    assert [file.name for file in archive.files(date(2030, 1, 2))] == ["2030-01-02.jsonl.gz"]
    assert gzip.decompress(archive.files()[0].read_bytes()) == b'{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n'


def test_nobody_else_may_look(archive: Archive):
    """Records have names of people in them."""
    archive.append([b"{}"], DAY)

    assert archive.folder.stat().st_mode & 0o777 == 0o700


def test_an_archive_that_nobody_has_written_is_empty(archive: Archive):
    """And its folder isn't made by looking."""
    assert held(archive) == ([], [])
    assert not archive.folder.exists()


def test_every_byte_may_be_the_last(archive: Archive):
    """Whoever is killed while it writes leaves a part; the batches before and behind it are whole."""
    archive.append([b'{"id":"a"}'], DAY)
    (file,) = archive.files()
    whole = file.read_bytes()
    for size in range(1, len(whole)):
        file.write_bytes(whole + whole[:size])
        archive.append([b'{"id":"b"}'], DAY)

        lines, told = held(archive)

        assert lines == [b'{"id":"a"}', b'{"id":"b"}']
        assert f"begins at byte {len(whole)} isn't whole" in told[0]


def test_a_large_batch_is_read_in_pieces(archive: Archive):
    """What looks like the beginning of a batch, inside of one, is none."""
    lines = [GZIP_MAGIC_BYTES.hex().encode() * 50 + bytes(str(number), "ascii") for number in range(50_000)]
    archive.append(lines, DAY)
    archive.append([b"{}"], DAY)

    assert held(archive) == ([*lines, b"{}"], [])


@pytest.mark.parametrize("text", ["", "{}", '{"id":"a"}\n{"id":"b"}\n', '{"id":"a"}\r\n{"id":"b"}'])
def test_plain_lines_are_read_too(text: str, tmp_path: Path):
    """As `regicide export` writes them."""
    file = tmp_path / "games.jsonl"
    file.write_text(text, newline="")

    assert list(read_lines(file, pytest.fail)) == text.encode().splitlines()
