"""A little chaos; ``make chaos`` has as much as anybody wants."""

from argparse import Namespace
from random import Random

import pytest

from tests.chaos.__main__ import SHORT, Recovery, attacked, table
from tests.chaos.traffic import Tally

SECONDS = 4.0
FAULTS = 2


@pytest.mark.parametrize("house", [pytest.param("one of each", marks=pytest.mark.long), "two of each"])
def test_nothing_is_lost(house: str) -> None:
    """Whatever happens, by chance, to processes, the store and the disk: another thing each time."""
    tally, recovery = Tally(), Recovery()
    asked = Namespace(seed=str(Random().randrange(10**6)), other=None, tables=SHORT, faults=FAULTS)

    done = attacked(house, SECONDS, asked, tally, recovery)

    print("\n".join([f"{house}, seed {asked.seed}", *table(tally, recovery, done)]))  # noqa: T201
    assert tally.is_clean(), tally.wrong
    assert sum(done.values()) >= FAULTS
    assert tally.moves
