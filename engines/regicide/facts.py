"""Facts of Regicide for laws and tests."""

from engines.core.types import Json
from engines.ruleset import Facts, Viewer


def open_cards(position: Json, viewer: Viewer) -> set[str]:
    """R20: the enemy, the table, the discard pile; and one's own hand."""
    own = [] if viewer is None else position["hands"][viewer]
    return {*position["table"], *position["discard"], *own, *filter(None, [position["enemy"]])}


def seen_event(event: Json, viewer: Viewer) -> Json:
    """R20, R21: a card that goes to a hand is its seat's to see; the others see its packet."""
    if event["type"] not in ("dealt", "drawn") or event["seat"] == viewer:
        return event
    return {"type": event["type"], "seat": event["seat"], "count": 1, "packet": event["packet"]}


FACTS = Facts(
    rulings="R",
    orderless=frozenset({"hands", "discard", "table"}),  # in which order cards were played, everybody knows
    by_rank=("/castle/",),  # R1, R21
    probe="play {}",
    open_cards=open_cards,
    leaves_traces=True,
    seen_event=seen_event,
)
