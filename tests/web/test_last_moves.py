"""What others' moves changed is marked: ``data-last-move``, for every kind of action of both games."""

import pytest
from playwright.sync_api import expect

from tests.api.puzzles import position as regicide
from tests.engines.gridcannon.table import position as gridcannon
from tests.servers.served import RunningServer
from tests.web.conftest import Visit
from tests.web.tables import ANA, BEN, Json, expect_version, make

MARKED = """() => [...document.querySelectorAll("[data-stage] [data-last-move]")].map((one) =>
    one.dataset.token ?? one.dataset.card ?? one.dataset.pile
    ?? one.querySelector("[data-pile]")?.dataset.pile ?? one.querySelector("b").firstChild.data).sort()"""
"""What is marked: the names of cards, squares, piles or seats."""

HANDS = [["5C", "6D"], ["7C", "8S", "3H", "X1"], ["9C", "4S"]]
CELLS = "b2:9H c2:5D b3:4C d4:6D"
BOARD = "e2:QH b5:JC"
FULL = gridcannon(
    cells="b2:9H c2:9C d2:9D b3:9S c3:8H d3:8C b4:8D c4:8S d4:7C", board=BOARD, pile="KC QD 3D", drawn="2S", turn=1
)
"""A 2 can't be laid on the grid."""

CASES: dict[str, tuple[Json, str, list[str]]] = {
    "play": (regicide(HANDS[:2], turn=1), "play 8S", ["8S"]),
    "discard": (regicide(HANDS[:2], turn=1, damage=3), "play 7C; discard 8S 3H", ["7C", "discard"]),
    "choose": (regicide(HANDS, turn=1, phase="choose", immune=False, table=["X2"]), "choose 0", ["Ana"]),
    "yield": (regicide(HANDS[:2], turn=1), "yield", ["Ben"]),
    "draw": (gridcannon(cells=CELLS, board=BOARD, pile="9S KC QD 2C 3D", turn=1), "draw", ["9S"]),
    "draw a ploy": (gridcannon(cells=CELLS, board=BOARD, pile="AS KC QD 2C 3D", turn=1), "draw", ["AS"]),
    "place": (gridcannon(cells=CELLS, board=BOARD, drawn="7S", turn=1), "place d3", ["d3"]),
    "royal": (gridcannon(cells=CELLS, board=BOARD, drawn="KC", turn=1), "royal a3", ["a3"]),
    "armour": (FULL | {"drawn": "2S"}, "armour b5", ["b5"]),
    "return": (FULL | {"drawn": "2D"}, "return", ["draw"]),
    "declare": (gridcannon(cells=CELLS, board=BOARD, arms="| AS", turn=1), "declare AS reassignment", ["AS"]),
    "recall": (gridcannon(cells=CELLS, board=BOARD, arms="| X1", queue="1 AS reassignment"), "recall AS", ["AS"]),
    "reassign": (gridcannon(cells=CELLS, board=BOARD, queue="1 AS reassignment"), "reassign d4 c2", ["c2", "d4"]),
    "switch": (gridcannon(cells=CELLS, board=BOARD, queue="1 X1 switcheroo"), "switch b5 e2", ["b5", "e2"]),
    "force": (gridcannon(cells=CELLS, board=BOARD, queue="1 X1 forced_attack"), "force b2", ["b2"]),
}


@pytest.mark.parametrize("kind", CASES)
def test_it_is_marked(visit: Visit, served: RunningServer, kind: str):
    """Ana sees what Ben has changed."""
    laid, text, marked = CASES[kind]
    made = make(served.url, *[ANA, BEN, BEN][: laid["players"]], ruleset=laid["ruleset"], position=laid)
    page = visit(made.link()).page
    expect_version(page, 0)

    for step, action in enumerate(text.split("; ")):
        made.act(action, 1)
        expect_version(page, step + 1)

    expect(page.locator("[data-last-move]").first).to_be_attached()
    assert page.evaluate(MARKED) == marked


def test_one_of_something_is_one(visit: Visit, served: RunningServer):
    """In Spanish the words for one card and for several differ."""
    laid = regicide([["5C", "6D"], ["3H", "8S"]], turn=1, enemy="JD", discard=["9H"])
    made = make(served.url, ANA, BEN, position=laid)
    page = visit(made.link(), locale="es").page
    expect_version(page, 0)
    made.act("play 3H", 1)

    expect(page.locator(".since")).to_contain_text("1 curada")
    expect(page.locator(".since")).not_to_contain_text("curadas")
