"""The laws that hold for every ruleset (docs/architecture.md), on walks through each of them."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.commands.check_ruleset import laws, laws_on_views
from api.commands.check_ruleset.generated_games import Walk, actions_elsewhere, mangled, setups
from engines.core.errors import BadAction, BadCard
from engines.ruleset import Ruleset
from tests.contract.games import IDS, TABLES, on_walks, walks

every_table = pytest.mark.parametrize(("ruleset", "players"), TABLES, ids=IDS)


@every_table
@on_walks
@given(data=st.data())
def test_1_actions_read_back(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """``parse(format(a)) == a``, as JSON and as text."""
    for moment in data.draw(walks(ruleset, players, 30)).moments():
        laws.law_1_actions_read_back(ruleset, moment.position)


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
@on_walks
@given(data=st.data())
def test_2_positions_survive_a_wire(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """``load(json(dump(p)))`` is the same position."""
    for moment in data.draw(walks(ruleset, players, 30)).moments():
        laws.law_2_a_dump_loads(ruleset, moment.position)


@every_table
@on_walks
@given(data=st.data())
def test_3_steps_spare_their_argument(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """A step leaves the position that it was given, and follows from what is in its dump."""
    for moment in data.draw(walks(ruleset, players, 30)).moments():
        if moment.action is not None:
            laws.law_3_a_step_spares_its_argument(ruleset, moment)


@every_table
@on_walks
@given(data=st.data())
def test_3_refusals_change_nothing(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """What isn't legal is refused in words, with the rule's number, and nothing moves."""
    walk = data.draw(walks(ruleset, players, 30))
    for moment in walk.moments():
        laws.law_3_a_refusal_changes_nothing(ruleset, moment.position, Random(walk.seed), 5)


@every_table
@on_walks
@given(data=st.data())
def test_3_what_is_returned_is_independent(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """Emptying a dump, a view or an outcome doesn't reach the position."""
    laws.law_3_what_is_returned_is_independent(data.draw(walks(ruleset, players, 30)).last())


@every_table
@on_walks
@given(data=st.data())
def test_4_somebody_can_act_until_the_end(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """There is a legal action if and only if the game isn't over; lists are in a stable order, nothing twice."""
    for moment in data.draw(walks(ruleset, players, 30)).moments():
        laws.law_4_somebody_can_act_until_the_end(moment.position, laws.law_2_a_dump_loads(ruleset, moment.position))


@every_table
@on_walks
@given(data=st.data())
def test_4_check_accepts_what_is_listed(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """Legality is one thing, whether it is listed or asked for."""
    walk = data.draw(walks(ruleset, players, 30))
    for moment in walk.moments():
        laws.law_4_check_accepts_what_is_listed(ruleset, moment.position, Random(walk.seed), 10)


@every_table
@on_walks
@given(data=st.data())
def test_7_chance_is_told_to_whom_it_shows(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """Over several random outcomes of an action: equal views if and only if equal events."""
    walk = data.draw(walks(ruleset, players, 10))
    laws_on_views.law_7_a_deal_is_told_to_whom_it_shows(walk.setup, walk.seed % players, Random(walk.seed))
    laws_on_views.law_7_a_deal_is_told_to_whom_it_shows(walk.setup, None, Random(walk.seed))
    rng = Random(walk.seed)
    for moment in walk.moments():
        if not moment.position.is_over:
            laws_on_views.law_7_chance_is_told_to_whom_it_shows(
                moment.position, rng.choice([None, *range(players)]), rng
            )
            laws_on_views.law_7_what_events_hide_views_hide(moment.position, rng.choice([None, *range(players)]), rng)


@every_table
@on_walks
@given(data=st.data())
def test_7_views_show_what_events_tell(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """Worlds that look alike still do after an action that tells the same."""
    walk = data.draw(walks(ruleset, players, 10))
    rng = Random(walk.seed)
    for moment in walk.moments():
        if not moment.position.is_over:
            viewer = rng.choice([None, *range(players)])
            imagined = ruleset.imagine(moment.position.view(viewer), rng)
            laws_on_views.law_7_views_show_what_events_tell([moment.position, imagined], viewer, rng)


@every_table
@on_walks
@given(data=st.data())
def test_5_cards_are_conserved(ruleset: Ruleset, players: int, data: st.DataObject) -> None:
    """Each card is in one place, and none comes or goes."""
    walk = data.draw(walks(ruleset, players, 60))
    pack = laws.cards_of(ruleset, walk.setup.deal("any"))
    for moment in walk.moments():
        laws.law_5_cards_are_conserved(ruleset, moment.position, pack)


@pytest.mark.parametrize("level", [None, "novice", "adept", "expert"])
@every_table
def test_8_every_game_ends(ruleset: Ruleset, players: int, level: str | None) -> None:
    """At random with every option; by a level of each kind in the usual game.

    Games of all levels end in ``tests/contract/test_replay.py``, thousands of games in ``tests/contract/test_long.py``.
    """
    games = setups(ruleset, players) * 3 if level is None else setups(ruleset, players)[:1]
    for number, setup in enumerate(games):
        assert laws.law_8_a_game_ends(setup, f"{level} {number}", level).is_over


@every_table
def test_walks_go_far(ruleset: Ruleset, players: int) -> None:
    """A law about early positions only would be a weak one: some walks begin late, some reach the end."""
    lengths = [len(list(Walk(setups(ruleset, players)[0], seed, 0, 50).moments())) for seed in range(6)]
    opened = [Walk(setups(ruleset, players)[0], seed, 60, 0).last() for seed in range(6)]
    assert max(lengths) > 5
    assert not all(position.is_over for position in opened)
