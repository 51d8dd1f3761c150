"""The layout of a store: written by whoever comes first, and kept to by all who come later."""

from collections.abc import Mapping
from typing import Any, cast

import pytest
from redis import Redis

from tests.workers.stores import at_once
from workers.settings import CannotStart, UnusableStore
from workers.storage import layout
from workers.storage.keys import LAYOUT, Keys


def test_whoever_comes_first_writes_it(database: Redis):
    """Whoever comes again finds it so."""
    for _ in range(2):
        layout.check_layout(database, Keys(16))

    assert database.hgetall(LAYOUT) == {b"layout": layout.LAYOUT_NUMBER.encode(), b"partitions": b"16", b"reader": b"1"}


def test_a_store_of_the_first_journals_is_taken(database: Redis):
    """The versions of that layout wrote no more than its number, and may be served beside this one."""
    database.hset(LAYOUT, mapping={"layout": layout.LAYOUT_NUMBER, "partitions": "1"})

    layout.check_layout(database, Keys())

    assert database.hget(LAYOUT, "layout") == layout.LAYOUT_NUMBER.encode()


def test_of_two_numbers_of_partitions_the_first_holds(database: Redis):
    """The refusal says which that is, and what to set."""
    layout.check_layout(database, Keys(16))

    with pytest.raises(
        CannotStart, match=r"has 16 partitions, and REGICIDE_PARTITIONS asks for 1: .* REGICIDE_PARTITIONS=16"
    ):
        layout.check_layout(database, Keys())


def test_of_many_who_come_at_once_all_find_the_same(database: Redis):
    """However many ask for however many partitions."""
    ends = at_once(20, lambda number: layout.check_layout(database, Keys(number % 4 + 1)))

    assert ends.count(None) == 5
    assert {type(end) for end in ends if end is not None} == {UnusableStore}
    assert len({str(end).split(",")[0] for end in ends if end is not None}) == 1


@pytest.mark.parametrize(
    ("about", "left", "said"),
    [
        ({"partitions": "4"}, "{p03}:tokens", "of a version of before 2026-11-23"),
        ({"partitions": "1", "reader": "2"}, "{p00}:due", "only a newer version can read"),
    ],
)
def test_a_store_that_this_version_cannot_read(database: Redis, about: dict[str, str], left: str, said: str):
    """Of the same layout: an early one has no journals, a newer one more than we know. Nothing is written to it."""
    database.hset(LAYOUT, mapping=cast(Any, {"layout": layout.LAYOUT_NUMBER, **about}))
    database.hset(left, "one", "1")

    with pytest.raises(UnusableStore, match=said):
        layout.check_layout(database, Keys(int(about["partitions"])))

    assert database.hlen(LAYOUT) == 1 + len(about)


@pytest.mark.parametrize(
    ("left", "said"),
    [
        ({"{regicide}:standings": "race/active"}, "version 0.1.0"),
        ({"{regicide}:tokens": "hash"}, "version 0.1.0"),
        ({"{regicide}:errands": "task"}, "version 0.1.0"),
        ({LAYOUT: "layout"}, "layout 1, which this version doesn't know"),
    ],
)
def test_a_store_of_another_layout_is_refused(database: Redis, left: Mapping[str, str], said: str):
    """With a sentence that says what to do, and exit status 2; nothing is written to it."""
    for key, field in left.items():
        database.hset(key, field, "1")

    with pytest.raises(CannotStart, match=said) as refusal:
        layout.check_layout(database, Keys())

    assert "REGICIDE_DATA or REDIS_URL" in str(refusal.value)
    assert refusal.value.status == 2
    assert {key.decode() for key in database.scan_iter()} == set(left)
