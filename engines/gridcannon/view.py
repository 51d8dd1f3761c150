"""Views of Gridcannon: everything is public except the order of the draw pile (G22)."""

from engines.core.cards import names, sorted_names
from engines.core.types import Json
from engines.gridcannon.notation import dump
from engines.gridcannon.state import State


def view(state: State, seat: int | None) -> Json:  # noqa: ARG001  all seats know the same (G22)
    """Return the view: the position with counts instead of hidden cards, and with unordered lists sorted."""
    shown = dump(state)
    bottom = state.draw_pile[len(state.draw_pile) - state.known_bottom :]
    shown["draw_pile"] = {"count": len(state.draw_pile), "bottom": names(bottom)}
    if "aside" in shown:
        shown["aside"] = {"count": len(state.aside)}
    shown["arsenals"] = [sorted_names(arsenal) for arsenal in state.arsenals]
    shown["recalled"] = sorted_names(state.recalled)
    return shown
