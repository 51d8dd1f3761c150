"""Facts about Regicide for the checks and tests that are the same for all rulesets."""

from engines.core.types import Json
from engines.ruleset import Facts, Viewer


def open_cards(position: Json, viewer: Viewer) -> set[str]:
    """Return the cards that *viewer* sees (R20): the enemy, the table, the discard pile, and the own hand."""
    own = [] if viewer is None else position["hands"][viewer]
    return {*position["table"], *position["discard"], *own, *filter(None, [position["enemy"]])}


def seen_event(event: Json, viewer: Viewer) -> Json:
    """Return *event* as *viewer* sees it (R20, R21): only the seat that gets a card sees it, others see its packet."""
    if event["type"] not in ("dealt", "drawn") or event["seat"] == viewer:
        return event
    return {"type": event["type"], "seat": event["seat"], "count": 1, "packet": event["packet"]}


FACTS = Facts(
    rulings="R",
    orderless=frozenset({"hands", "discard", "table"}),  # the table's order is public, other orders mean nothing
    by_rank=("/castle/",),  # R1, R21
    probe="play {}",
    open_cards=open_cards,
    leaves_traces=True,
    seen_event=seen_event,
)
