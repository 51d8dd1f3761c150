"""The goal of Regicide's puzzles, for ``training.check_puzzles``.

This module imports nothing from the engine, so that the check is independent of the engine.
"""

from typing import Any

Json = dict[str, Any]


def reached(_start: Json, position: Json) -> bool | None:
    """Return whether the game is won; None while it runs."""
    return None if position["outcome"] is None else position["outcome"]["result"] == "won"


def allowed(_position: Json, actions: list[Json]) -> list[Json]:
    """Return the actions that a puzzle allows: in Regicide all of them."""
    return actions


def seat_to_act(position: Json) -> int:
    """Return the seat that must act."""
    seat: int = position["turn"]
    return seat
