"""Who is silent, slow, or too many: others go on playing, and what is held for them stays bounded."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import attacks
from tests.servers.served import RunningServer, running_server
from tests.waiting import allowed

SECONDS = 1.0
LONGEST = 1.5
"""Seconds that a move may take on a machine that has nothing else to do; without a defence it never ends."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give a server with limits as they are by default."""
    with running_server(tmp_path_factory.mktemp("attacked") / "data", WEB_WORKERS="2") as running:
        yield running


@pytest.mark.parametrize(
    "attack",
    [
        *(attacks.silent, attacks.unfinished, attacks.trickling, attacks.streams, attacks.costly, attacks.half_bodies),
        *(attacks.refused_bodies, attacks.resets, attacks.departures, attacks.abandoned_polls),
    ],
)
def test_others_play_on(served: RunningServer, attack: attacks.Attack):
    """Whatever one address does: moves, AIs' answers and health come in time, and memory stays bounded."""
    port, before = int(served.url.rpartition(":")[2]), megabytes(served)

    with attacks.under_attack(attack, port):
        moves, answers, health = attacks.latency_under_attack(port, SECONDS)

        assert megabytes(served) - before < 150
    assert moves
    assert answers
    assert max(moves + answers + health) < allowed(LONGEST)


def megabytes(served: RunningServer) -> float:
    """Return how much memory the web processes have."""
    pages = (Path(f"/proc/{pid}/statm").read_text("ascii").split()[1] for pid in served.members("-m api"))
    return sum(map(int, pages)) * 4096 / 1e6
