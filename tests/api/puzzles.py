"""Positions to start games from, where it matters who holds what."""

from typing import Any

Json = dict[str, Any]


def position(hands: list[list[str]], **changes: object) -> Json:
    """Return a small position of Regicide: a Jack of hearts, a Queen behind it, a few cards in the Tavern."""
    return {
        "ruleset": "regicide",
        "players": len(hands),
        "phase": "play",
        "turn": 0,
        "castle": ["QC"],
        "enemy": "JH",
        "damage": 0,
        "shield": 0,
        "immune": True,
        "table": [],
        "tavern": ["2C", "3C", "4D"],
        "discard": [],
        "hands": hands,
        "packets": {},
        "yielded": [False] * len(hands),
        "solo_yield": False,
        "jesters_left": 0,
        "flips": 0,
        "outcome": None,
        **changes,
    }


QUIET = position([["5S", "6D", "9C"], ["7C", "8S"]])
"""Seat 0 is to play; nobody is in danger."""

LAST_BLOW = position([["5C"], ["7C"]], castle=[], enemy="KS", damage=35)
"""``play 5C`` wins."""

CHOICE = position([["5C"], ["6C"], ["7C"]], phase="choose", immune=False, table=["X1"])
"""Seat 0 has played a Jester: the others may signal."""
