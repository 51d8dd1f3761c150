"""The laws that hold for every ruleset (docs/architecture.md), on walks through each of them."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core.dealer import SeededDealer
from engines.core.errors import BadAction, BadCard
from engines.ruleset import Action, Position, Ruleset, step
from tests.contract import laws
from tests.contract.games import (
    IDS,
    TABLES,
    Setup,
    Walk,
    actions_elsewhere,
    by_chance,
    by_policy,
    mangled,
    setups,
    walks,
)

every_table = pytest.mark.parametrize(("ruleset", "players"), TABLES, ids=IDS)


@every_table
@given(data=st.data())
def test_1_actions_read_back(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """``parse(format(a)) == a``, as JSON and as text."""
    for moment in data.draw(walks(ruleset, players, 30)).moments():
        laws.law_1_what_is_written_reads_back(ruleset, moment.position)


@every_table
def test_1_what_is_malformed_is_refused(ruleset: Ruleset, players: int) -> None:
    """Whatever is written, ``parse`` answers with an action that reads back, or refuses it."""
    rng, refused = Random(players), 0
    for action in rng.choices(actions_elsewhere(ruleset), k=1000):
        try:
            parsed = ruleset.parse(mangled(action, rng))
        except (BadAction, BadCard):
            refused += 1
        else:
            assert ruleset.parse(parsed.as_json()) == parsed
    assert refused > 500


@every_table
@given(data=st.data())
def test_2_positions_survive_a_wire(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """``load(json(dump(p)))`` is the same position."""
    for moment in data.draw(walks(ruleset, players, 30)).moments():
        laws.law_2_a_dump_loads(ruleset, moment.position)


@every_table
@given(data=st.data())
def test_3_steps_spare_their_argument(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """A step leaves the position that it was given, and follows from what is in its dump."""
    for moment in data.draw(walks(ruleset, players, 30)).moments():
        if moment.action is not None:
            laws.law_3_a_step_spares_its_argument(ruleset, moment)


@every_table
@given(data=st.data())
def test_3_refusals_change_nothing(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """What isn't legal is refused in words, with the rule's number, and nothing moves."""
    walk = data.draw(walks(ruleset, players, 30))
    for moment in walk.moments():
        laws.law_3_a_refusal_changes_nothing(ruleset, moment.position, Random(walk.seed), 5)


@every_table
@given(data=st.data())
def test_3_what_is_handed_out_is_nobodys(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """Emptying a dump, a view or an outcome doesn't reach the position."""
    position = data.draw(walks(ruleset, players, 30)).last()
    before = position.dump()
    for handed_out in (position.dump(), position.outcome, *(position.view(seat) for seat in (None, *range(players)))):
        emptied(handed_out)
    assert position.dump() == before


def emptied(value: object) -> None:
    """Empty every list and object in *value*."""
    if isinstance(value, (dict, list)):
        for part in list(value.values() if isinstance(value, dict) else value):
            emptied(part)
        value.clear()


@every_table
@given(data=st.data())
def test_4_somebody_can_act_until_the_end(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """There is a legal action if and only if the game isn't over; lists are in a stable order, nothing twice."""
    for moment in data.draw(walks(ruleset, players, 30)).moments():
        laws.law_4_somebody_can_act_until_the_end(moment.position, laws.law_2_a_dump_loads(ruleset, moment.position))


@every_table
@given(data=st.data())
def test_4_check_accepts_what_is_listed(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """Legality is one thing, whether it is listed or asked for."""
    walk = data.draw(walks(ruleset, players, 30))
    for moment in walk.moments():
        laws.law_4_check_accepts_what_is_listed(ruleset, moment.position, Random(walk.seed), 10)


@every_table
@given(data=st.data())
def test_5_cards_are_conserved(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """Each card is in one place, and none comes or goes."""
    walk = data.draw(walks(ruleset, players, 60))
    pack = laws.cards_of(ruleset, walk.setup.deal("any"))
    for moment in walk.moments():
        laws.law_5_cards_are_conserved(ruleset, moment.position, pack)


@pytest.mark.parametrize("player", ["chance", "novice", "adept", "expert"])
@every_table
def test_8_every_game_ends(ruleset: Ruleset, players: int, player: str) -> None:
    """By chance with every option; by a level of each kind in the usual game.

    Games of all levels end in ``tests/contract/test_replay.py``, thousands of games in ``tests/contract/test_long.py``.
    """
    games = setups(ruleset, players) * 3 if player == "chance" else setups(ruleset, players)[:1]
    for number, setup in enumerate(games):
        assert ended(setup, f"{player} {number}", player).is_over


def ended(setup: Setup, seed: str, player: str) -> Position:
    """Return the last position of a game that *player* plays for all."""
    position, rng = setup.deal(seed), Random(seed)
    for number in range(laws.ENOUGH):
        if position.is_over:
            break
        seat, action = next_action(setup, position, f"{seed}/{number}", player, rng)
        position, _ = step(position, seat, action, SeededDealer(f"{seed}/{number}"))
    return position


def next_action(setup: Setup, position: Position, seed: str, player: str, rng: Random) -> tuple[int, Action]:
    """Return the seat and the action of *player*: chance or a level."""
    if player == "chance":
        return by_chance(position, rng)
    return by_policy(setup.ruleset, position, seed, player)


@every_table
def test_walks_go_far(ruleset: Ruleset, players: int) -> None:
    """A law about early positions only would be a weak one: some walks begin late, some reach the end."""
    lengths = [len(list(Walk(setups(ruleset, players)[0], seed, 0, 50).moments())) for seed in range(20)]
    opened = [Walk(setups(ruleset, players)[0], seed, 60, 0).last() for seed in range(20)]
    assert max(lengths) > 5
    assert not all(position.is_over for position in opened)
