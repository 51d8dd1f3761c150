"""Law 7 for previews: what is said to follow for sure is the same in all worlds that look alike, and does follow."""

from collections.abc import Sequence
from random import Random

import pytest

from api.commands.check_ruleset.walks import Walk, setups
from engines.contract.events import Event
from engines.core.dealer import SeededDealer
from engines.core.types import Json
from engines.ruleset import Position, Ruleset, step
from engines.table.preview import Preview, preview
from tests.contract.games import TABLES
from tests.rulesets import Race

SEEDS = 2, 4
MORE_SEEDS = range(12)
EVERYWHERE = [*TABLES, (Race(), 2)]
IDS = [f"{ruleset.name}-{players}" for ruleset, players in EVERYWHERE]


def hold(foreseen: Preview, happened: list[Event], seat: int) -> None:
    """All that was foreseen has happened, in that order, with the same fields; if that was certain, nothing else."""
    left, told = seen(foreseen, seat), [event.seen_by(seat) for event in happened]
    if foreseen.certain:
        assert left == told
    following = iter([(event.seen_by(seat), event.foretold()) for event in happened])
    assert all(any(event in forms for forms in following) for event in left), (left, told)


def seen(foreseen: Preview, seat: int) -> list[Json]:
    """Return what a preview says to a seat."""
    return [event.seen_by(seat) for event in foreseen.events]


@pytest.mark.parametrize("seeds", [SEEDS, pytest.param(MORE_SEEDS, marks=pytest.mark.long)], ids=len)
@pytest.mark.parametrize(("ruleset", "players"), EVERYWHERE, ids=IDS)
def test_previews_come_true(ruleset: Ruleset, players: int, seeds: Sequence[int]) -> None:
    """In the truth and in every world that looks the same, however the cards fall."""
    found = set[bool]()
    for seed in seeds:
        for setup in setups(ruleset, players):
            rng = Random(seed)
            for moment in Walk(setup, seed, taught=11 * seed, steps=25).moments():
                for seat in range(players):
                    found |= look_ahead(ruleset, moment.position, seat, rng)
    is_lucky = any(event.chance for event in ruleset.events)
    assert found == ({True, False} if is_lucky else {True})


def look_ahead(ruleset: Ruleset, position: Position, seat: int, rng: Random) -> set[bool]:
    """Hold some previews against what happens; return which of them were certain."""
    found, legal, view = set[bool](), position.legal(seat), position.view(seat)
    worlds = [position, ruleset.imagine(view, Random(rng.random()))] if legal else []
    for action in rng.sample(legal, min(3, len(legal))):
        foreseen = preview(ruleset, view, seat, action)
        dreamt = preview(ruleset, view, seat, action, str(rng.random()))
        assert dreamt.certain == foreseen.certain
        assert seen(dreamt, seat) == seen(foreseen, seat)
        for world in worlds:
            assert world.view(seat) == view
            _, happened = step(world, seat, action, SeededDealer(str(rng.random())))
            hold(foreseen, happened, seat)
        found.add(foreseen.certain)
    return found
