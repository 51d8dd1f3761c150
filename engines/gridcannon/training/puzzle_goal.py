"""The goal of Gridcannon's puzzles, for ``training.check_puzzles``.

This module imports nothing from the engine, so that the check is independent of the engine.
"""

from typing import Any, Final

Json = dict[str, Any]

SUITS_BY_FAMILY: Final = {"red": "HD", "black": "CS"}


def reached(start: Json, position: Json) -> bool | None:
    """Return whether a rival's royal, but none of the solver's, fell in this turn; None while that is undecided."""
    me = start["turn"]
    if _fallen(position, me) > _fallen(start, me):
        return False
    if position["outcome"] is None and position["turns"] == start["turns"]:
        return None
    return _fallen(position, 1 - me) > _fallen(start, 1 - me)


def allowed(position: Json, actions: list[Json]) -> list[Json]:
    """Return the actions that a puzzle allows. A declared ploy must be carried out at once."""
    if not position["ploys"]:
        return actions
    return [action for action in actions if action["type"] not in ("declare", "recall")]


def seat_to_act(position: Json) -> int:
    """Return the seat that must act."""
    seat: int = position["ploys"][0]["seat"] if position["ploys"] else position["turn"]
    return seat


def _fallen(position: Json, seat: int) -> int:
    suits = SUITS_BY_FAMILY[position["families"][seat]]
    return sum(royal["card"][1] in suits and not royal["alive"] for royal in position["royals"].values())
