"""The records of local games: in order whatever the order in which they end, and there again after a kill."""

import gzip
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workers.local_game_records import GameRecords
from workers.settings import CannotStart

PLAN = {"seed": "s"}


def record(number: int) -> bytes:
    """Return a record, as far as its file is concerned."""
    return f'{{"id":"a seed/with a slash/{number}"}}'.encode()


def lines(file: Path) -> list[bytes]:
    """Return what a finished file holds."""
    return gzip.decompress(file.read_bytes()).splitlines()


def test_in_the_order_of_their_numbers(tmp_path: Path):
    """Equal games give equal bytes; those beyond the end are left out."""
    files = [tmp_path / "one.jsonl.gz", tmp_path / "other.jsonl.gz"]

    digests = []
    for file, order in zip(files, ([2, 0, 3, 1], [0, 1, 2]), strict=True):
        with GameRecords(file, PLAN) as records:
            records.load(again=False, digest=None)
            for number in order:
                records.add(number, record(number))
            digests.append(records.finish(3))
            records.discard()

    assert lines(files[0]) == [record(number) for number in range(3)]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert digests[0] == digests[1]
    assert sorted(tmp_path.iterdir()) == files


def test_what_a_killed_process_leaves(tmp_path: Path):
    """A record that was cut off is forgotten, the others are there."""
    file = tmp_path / "r.jsonl.gz"
    with GameRecords(file, PLAN) as records:
        records.load(again=False, digest=None)
        records.add(1, record(1))
        records.add(0, record(0))
    part = tmp_path / "r.jsonl.gz.part"
    part.write_bytes(part.read_bytes() + record(2)[:7])

    with GameRecords(file, PLAN) as records:
        records.load(again=True, digest=None)
        assert records.numbers == {0, 1}
        records.add(2, record(2))
        records.finish(3)

    assert lines(file) == [record(number) for number in range(3)]


def test_more_games_after_the_end(tmp_path: Path):
    """They follow those of the finished file, if it is still the same; else all are played again."""
    file = tmp_path / "r.jsonl.gz"
    with GameRecords(file, PLAN) as records:
        records.load(again=False, digest=None)
        records.add(0, record(0))
        digest = records.finish(1)
        records.discard()

    with GameRecords(file, PLAN) as records:
        records.load(again=True, digest="another")
        assert records.numbers == set()
        records.discard()
    with GameRecords(file, PLAN) as records:
        records.load(again=True, digest=digest)
        assert records.numbers == {0}


def test_a_new_run_begins_anew(tmp_path: Path):
    """What waits from a run of the same games is thrown away."""
    for _ in range(2):
        with GameRecords(tmp_path / "r.jsonl.gz", PLAN) as records:
            records.load(again=False, digest=None)
            assert records.numbers == set()
            records.add(0, record(0))


def test_records_of_other_games_are_left_alone(tmp_path: Path):
    """The sentence says what to do."""
    with GameRecords(tmp_path / "r.jsonl.gz", PLAN) as records:
        records.load(again=False, digest=None)
        records.add(0, record(0))
    part = tmp_path / "r.jsonl.gz.part"
    before = part.read_bytes()

    with (
        GameRecords(tmp_path / "r.jsonl.gz", {"seed": "t"}) as records,
        pytest.raises(CannotStart, match="other games"),
    ):
        records.load(again=True, digest=None)

    assert part.read_bytes() == before


def test_a_folder_that_is_not_there(tmp_path: Path):
    """It is complained of before a game is played."""
    with pytest.raises(CannotStart, match="can't be written"):
        GameRecords(tmp_path / "nowhere" / "r.jsonl.gz", PLAN).__enter__()


@contextmanager
def limited_files(most: int) -> Iterator[None]:
    """Let no file of this process become larger than *most* bytes, as if the disk were full."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_full_disk_is_one_sentence(tmp_path: Path):
    """What can't be written is said once: closing the file doesn't fail too."""

    def add() -> None:
        with GameRecords(tmp_path / "r.jsonl.gz", PLAN) as records:
            records.load(again=False, digest=None)
            records.add(0, b"x" * 1_000)

    with limited_files(100), pytest.raises(CannotStart, match=r"r\.jsonl\.gz\.part can't be written: "):
        add()
