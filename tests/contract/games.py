"""Tables of all rulesets, and walks through them for Hypothesis."""

from hypothesis import settings
from hypothesis import strategies as st

from api.commands.check_ruleset.generated_games import MAX_FIRST_AI_ACTIONS, Walk, setups
from engines import RULESETS
from engines.ruleset import Ruleset

FIRST: Ruleset = next(ruleset for ruleset in RULESETS.values() if 2 in ruleset.player_counts)
"""A ruleset for two, where one is enough for a test."""
TABLES = [(ruleset, players) for ruleset in RULESETS.values() for players in ruleset.player_counts]
IDS = [f"{ruleset.name}-{players}" for ruleset, players in TABLES]

on_walks = settings(max_examples=12)
"""Of a law, at each table: every walk has up to thirty positions. tests/contract/test_long.py has many more."""


def walks(ruleset: Ruleset, players: int, steps: int) -> st.SearchStrategy[Walk]:
    """Return walks of any options, of *steps* steps at most."""
    return st.builds(
        Walk,
        setup=st.sampled_from(setups(ruleset, players)),
        seed=st.integers(0, 2**32),
        taught=st.just(0) | st.integers(1, MAX_FIRST_AI_ACTIONS),
        steps=st.integers(0, steps),
    )
