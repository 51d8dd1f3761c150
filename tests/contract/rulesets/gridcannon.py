"""What the tests know of Gridcannon."""

from itertools import chain

from engines.core.types import Json
from tests.contract.rulesets import Facts, Viewer, all_of_it


def lies_open(position: Json, _: Viewer) -> set[str]:
    """G22: all but the draw pile, of which the cards at the bottom are known."""
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
    lies_open=lies_open,
    leaves_traces=True,
    seen_event=all_of_it,
    random_actions=200_000,
)
