"""Facts about Gridcannon for the checks and tests that are the same for all rulesets."""

from itertools import chain

from engines.core.types import Json
from engines.ruleset import Facts, Viewer, whole_event


def open_cards(position: Json, _: Viewer) -> set[str]:
    """Return the cards that all viewers know (G22): those outside the draw pile, and the known ones at its bottom."""
    stacks = chain(position["grid"].values(), position["arsenals"], [position["recalled"]])
    royals = [card for royal in position["royals"].values() for card in (royal["card"], *royal["armour"])]
    single = [entry["card"] for entry in (*position["opening"], *position["ploys"])]
    bottom = position["draw_pile"][len(position["draw_pile"]) - position["known_bottom"] :]
    return {*chain.from_iterable(stacks), *royals, *single, *bottom, *filter(None, [position["drawn"]])}


FACTS = Facts(
    rulings="G",
    notes=frozenset({"recalled"}),
    orderless=frozenset({"arsenals", "recalled"}),
    probe="declare {} reassignment",
    open_cards=open_cards,
    leaves_traces=True,
    seen_event=whole_event,
    random_actions=200_000,
)
