"""Small Regicide positions for the tests, with cards written as ``"TC 9C"``."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.engines.referee import Json

PILES = ("castle", "table", "tavern", "discard")
PACK = [*(rank + suit for rank in "A23456789TJQK" for suit in "CDHS"), "X1", "X2"]
LIMITS = {1: 8, 2: 7, 3: 6, 4: 5}


def spelled(fields: Json) -> Json:
    """Return *fields* with piles and hands as lists of cards, however they were written."""
    piles = {key: fields[key].split() for key in PILES if isinstance(fields.get(key), str)}
    hands = [hand.split() for hand in fields["hands"]] if "hands" in fields else None
    return {**fields, **piles, **({} if hands is None else {"hands": hands})}


def board(hands: Sequence[str] = ("TC 9C", ""), **changes: Any) -> Json:
    """Return a valid position: seat 0 to play against the Jack of Hearts, but for *changes*."""
    return {
        "ruleset": "regicide", "players": len(hands), "phase": "play", "turn": 0,
        "castle": ["QC", "KC"], "enemy": "JH", "damage": 0, "shield": 0, "immune": True,
        "table": [], "tavern": [], "discard": [], "packets": {}, "yielded": [False] * len(hands), "solo_yield": False,
        "jesters_left": 2 if len(hands) == 1 else 0, "flips": 0, "outcome": None,
        **spelled({"hands": hands, **changes}),
    }  # fmt: skip


def case(name: str, *values: Any) -> Any:
    """Return a row of a table, which begins with the number of its ruling."""
    return pytest.param(*values, id=name)


def shown(position: Json, expected: Json) -> Json:
    """Return of *position* only what *expected* speaks of."""
    return {key: position[key] for key in expected}


def plays(text: str) -> list[Json]:
    """Return the plays written as ``"AC | AC AD"``."""
    return [{"type": "play", "cards": cards.split()} for cards in text.split("|")]


def discards(text: str) -> list[Json]:
    """Return the discards written as ``"TH | TH X1"``."""
    return [{"type": "discard", "cards": cards.split()} for cards in text.split("|")]


YIELD: Json = {"type": "yield"}
FLIP: Json = {"type": "flip_jester"}


def lost(reason: str, defeated: int) -> Json:
    """Return the outcome of a lost game."""
    return {"result": "lost", "reason": reason, "medal": None, "defeated": defeated}


def won(medal: str | None = None) -> Json:
    """Return the outcome of a won game."""
    return {"result": "won", "reason": "castle_fell", "medal": medal, "defeated": 12}


def everywhere(position: Json) -> list[str]:
    """Return every card of *position*, sorted."""
    enemy = [position["enemy"]] if position["enemy"] else []
    held = [card for hand in position["hands"] for card in hand]
    return sorted([*enemy, *held, *(card for pile in PILES for card in position[pile])])


def same_fields(seen: Json, expected: Json, keys: Sequence[str]) -> bool:
    """Tell whether *seen* and *expected* agree about *keys*."""
    return shown(seen, dict.fromkeys(keys)) == shown(expected, dict.fromkeys(keys))
