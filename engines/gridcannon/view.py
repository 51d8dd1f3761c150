"""What may be known of a game: all is public but the order of the draw pile (G22)."""

from engines.cards import names, sorted_names
from engines.gridcannon.notation import dump
from engines.gridcannon.state import State
from engines.types import Json


def seen(state: State) -> Json:
    """Return what everybody may know: the position, its hidden zones as counts, its unordered lists sorted."""
    view = dump(state)
    bottom = state.draw_pile[len(state.draw_pile) - state.known_bottom :]
    view["draw_pile"] = {"count": len(state.draw_pile), "bottom": names(bottom)}
    if "aside" in view:
        view["aside"] = {"count": len(state.aside)}
    view["arsenals"] = [sorted_names(arsenal) for arsenal in state.arsenals]
    view["recalled"] = sorted_names(state.recalled)
    return view
