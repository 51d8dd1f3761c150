"""The laws over hundreds of thousands of actions: ``pytest -m long tests/contract -s`` prints what was counted.

Every run is in parts, so that two processes can share the work: ``-k even`` and ``-k odd``.
"""

from dataclasses import dataclass
from random import Random
from time import perf_counter

import pytest

from api.commands.check_ruleset import laws, laws_on_views
from api.commands.check_ruleset.generated_games import MAX_FIRST_AI_ACTIONS, Moment, Setup, Walk, setups
from engines.contract.facts_for_checks import facts_of
from engines.ruleset import Position
from tests.contract.games import TABLES

PARTS = 8
SAMPLED = 0.04
"""How many of the positions are dreamt about."""


def is_plain(setup: Setup) -> bool:
    """Only yes-or-no options differ from the usual game."""
    schemas, usual = setup.ruleset.options["properties"], setups(setup.ruleset, setup.players)[0]
    changed = [name for name, value in setup.options.items() if value != usual.options[name]]
    return all(schemas[name].get("type") == "boolean" for name in changed)


RUNS = [setup for table in TABLES for setup in setups(*table) if is_plain(setup)]


@dataclass
class Count:
    """What a run has done."""

    actions: int = 0
    games: int = 0
    dreams: int = 0
    longest: int = 0


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS), ids=lambda part: f"{'odd' if part % 2 else 'even'}{part}")
@pytest.mark.parametrize("setup", RUNS, ids=str)
def test_laws_hold_for_long(setup: Setup, part: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Laws 1-5 and 8 after every random action, 6 and 7 after some of them."""
    wanted, count, began = facts_of(setup.ruleset).random_actions // PARTS, Count(), perf_counter()
    pack = laws.cards_of(setup.ruleset, setup.deal("any"))
    while count.actions < wanted:
        seed = PARTS * count.games + part
        rng = Random(f"long {seed}")
        walk = Walk(setup, seed, rng.choice([0, rng.randrange(MAX_FIRST_AI_ACTIONS)]), laws.MAX_ACTIONS_PER_GAME)
        before, last = count.actions, None
        for moment in walk.moments():
            hold(setup, moment, pack, rng, count)
            last = moment.position
        assert last is not None
        assert last.is_over, "law 8: every game ends"
        count.games += 1
        count.longest = max(count.longest, count.actions - before)
    with capsys.disabled():
        print(f"\n{setup} part {part}: {count}, {perf_counter() - began:.0f} s")  # noqa: T201  # the run's result


def hold(setup: Setup, moment: Moment, pack: list[str], rng: Random, count: Count) -> None:
    """Hold a moment against the laws and count it."""
    ruleset, position = setup.ruleset, moment.position
    laws.law_1_actions_read_back(ruleset, position)
    arrived = laws.law_2_a_dump_loads(ruleset, position)
    laws.law_3_a_refusal_changes_nothing(ruleset, position, rng, 2)
    laws.law_4_somebody_can_act_until_the_end(position, arrived)
    laws.law_4_check_accepts_what_is_listed(ruleset, position, rng, 2)
    laws.law_5_cards_are_conserved(ruleset, position, pack)
    if moment.action is not None:
        laws.law_3_a_step_spares_its_argument(ruleset, moment)
        count.actions += 1
    if rng.random() < SAMPLED:
        dream(setup, position, rng)
        count.dreams += 1


def dream(setup: Setup, position: Position, rng: Random) -> None:
    """Hold a position against laws 6 and 7, for one viewer."""
    viewer, dreamt = rng.choice([None, *range(setup.players)]), str(rng.random())
    laws.law_6_a_view_is_a_view_of_its_worlds(setup.ruleset, position, viewer, dreamt)
    imagined = [setup.ruleset.imagine(position.view(viewer), Random(f"{dreamt}/{n}")) for n in range(2)]
    if viewer is not None:
        laws_on_views.law_7_worlds_that_look_alike_act_alike(setup.ruleset, [position, *imagined], viewer, dreamt)
    if not position.is_over:
        laws_on_views.law_7_events_tell_what_may_be_seen([*imagined, position], viewer, rng)
