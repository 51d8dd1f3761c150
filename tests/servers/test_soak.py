"""Many games at once through a whole server: all end, whole, and no AI keeps anybody waiting."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.servers.served import RunningServer, running_server
from tests.servers.soak import play

LONGEST_WAIT = 2.0
FEW = {"regicide": ("han", "hhaa"), "gridcannon": ("ha", "haan")}
TABLES = {"regicide": ("h", "ha", "han", "hana", "hhaa"), "gridcannon": ("ha", "hh", "haan", "hhha")}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give a server to fill."""
    with running_server(tmp_path_factory.mktemp("soak") / "data", REGICIDE_LOG_LEVEL="warning") as running:
        yield running


def fill(served: RunningServer, ruleset: str, tables: Sequence[str], games: int) -> None:
    """Play *games* games, two at a time, over every one of *tables*."""
    with ThreadPoolExecutor(2) as rooms:
        played = [
            rooms.submit(play, served.url, ruleset, tables[number % len(tables)], f"soak {number}")
            for number in range(games)
        ]
        longest = 0.0
        for room in played:
            game = room.result()
            game.assert_whole()
            longest = max(longest, game.longest_wait())
    print(f"{games} games of {ruleset}: the longest wait for an AI was {longest * 1000:.0f} ms")  # noqa: T201
    assert longest < LONGEST_WAIT


@pytest.mark.parametrize("ruleset", FEW)
def test_a_few_games(served: RunningServer, ruleset: str) -> None:
    """Games end, with versions without gaps, and no AI takes long."""
    fill(served, ruleset, FEW[ruleset], games=len(FEW[ruleset]))


@pytest.mark.long
@pytest.mark.parametrize("ruleset", TABLES)
def test_two_hundred_games(served: RunningServer, ruleset: str) -> None:
    """The same for 200 games of each ruleset and of every size."""
    fill(served, ruleset, TABLES[ruleset], games=200)
