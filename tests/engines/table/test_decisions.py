"""The decisions of recorded games: each row has what its seat knew, and nothing else that is hidden."""

from dataclasses import fields
from json import loads
from random import Random

import pytest

from engines import RULESETS
from engines.analysis.arena import Arena
from engines.analysis.in_process_game import FIXED_MOVE_TIMESTAMP, TableGame, play_at_table
from engines.core.dealer import SimulationDealer
from engines.core.types import Json
from engines.table.decision_rows import COLUMNS, DecisionRow, Unplayable, decisions
from engines.table.record_parser import load_record
from engines.table.seats import Seat
from engines.table.table import Table

AFTERWARDS = {"won", "drawn", "result", "score"}
"""The columns that tell how the game ended."""


def recorded(arena: Arena, number: int = 0, *, notes: bool = False) -> Json:
    """Return the record of a game."""
    _, record = play_at_table(arena, number, records=True, notes=notes)
    assert record is not None
    return record


def rows(record: Json) -> list[DecisionRow]:
    """Return the rows of a record."""
    return decisions(load_record(record))


@pytest.mark.parametrize("name", RULESETS)
def test_a_row_for_each_action(name: str):
    """In order, with what was legal; the seats' results are the verdict's."""
    record = recorded(Arena(name, ("adept", "novice"), 1, {}, "rows"))

    found = rows(record)

    assert [(row.version, row.seat, row.action) for row in found] == [
        (entry["version"] - 1, entry["seat"], entry["text"]) for entry in record["actions"]
    ]
    assert [row.decision for row in found] == list(range(len(found)))
    assert all(row.choice is not None and row.legal[row.choice] == row.action for row in found)
    assert {row.by for row in found} == {"adept", "novice"}
    verdict = RULESETS[name].verdict(record["outcome"], 2)
    assert all(row.won == (row.seat in verdict.winners) and row.result == verdict.kind for row in found)
    assert COLUMNS == tuple(field.name for field in fields(DecisionRow)) == tuple(found[0].as_json())


def test_what_the_notes_say():
    """With them: how long an AI has searched, and by which level; without, what the seats say."""
    arena = Arena("regicide", ("skilled", "novice"), 1, {}, "notes")

    noted, plain = rows(recorded(arena, notes=True)), rows(recorded(arena))

    assert {row.iterations for row in plain} == {None}
    assert max(row.iterations or 0 for row in noted if row.by == "skilled") > 0
    assert [(row.by, row.view, row.action) for row in noted] == [(row.by, row.view, row.action) for row in plain]


@pytest.mark.parametrize(("name", "players"), [("regicide", 3), ("gridcannon", 2)])
def test_worlds_with_the_same_view_give_the_same_rows(name: str, players: int):
    """What is hidden changes no column of a decision, but for those that tell how the game ended."""
    rules, rng = RULESETS[name], Random(1)
    dealer, compared = SimulationDealer(rng), 0
    while compared < 60:
        position = rules.new(players, {}, dealer)
        while not position.is_over and compared < 60:
            seat = position.to_act()[0]
            world = rules.imagine(position.view(seat), rng)
            action = rng.choice(position.legal(seat))
            if world.dump() != position.dump():
                one, other = (_first_row(name, at.dump(), seat, str(action)) for at in (position, world))
                assert one == other
                compared += 1
            position.apply(seat, action, dealer)


def _first_row(name: str, position: Json, seat: int, action: str) -> Json:
    """Return the row of one action at a position, but for the columns that tell how the game ended."""
    table = Table.open(
        game_id="same/0",
        ruleset=RULESETS[name],
        options={},
        seats=[Seat("human", name=f"{number}") for number in range(position["players"])],
        seed=bytes(32),
        now=FIXED_MOVE_TIMESTAMP,
        position=position,
    )
    game = TableGame(table, records=True, notes=True)
    game.changed(game.table.act(seat, action, FIXED_MOVE_TIMESTAMP))
    if game.table.status == "active":
        game.table = game.table.abandon(FIXED_MOVE_TIMESTAMP).table
    (row,) = rows(game.record())
    return {column: value for column, value in row.as_json().items() if column not in AFTERWARDS}


def test_a_view_is_the_seats():
    """As JSON, equal to what the seat sees: others' hands are only counted."""
    row = rows(recorded(Arena("regicide", ("adept", "adept"), 1, {}, "view")))[0]

    hands = loads(row.view)["hands"]

    assert isinstance(hands[row.seat], list)
    assert set(hands[1 - row.seat]) == {"count", "packets"}


def test_an_abandoned_game_has_no_result():
    """Null, not false."""
    record = recorded(Arena("regicide", ("adept", "adept"), 1, {}, "cut"))
    record |= {"actions": record["actions"][:3], "outcome": None}

    assert {(row.won, row.drawn, row.result, row.score) for row in rows(record)} == {(None, None, None, None)}


@pytest.mark.parametrize("wrong", [{"seed": "0" * 64}, {"outcome": None, "players": 3}, {"outcome": {}}])
def test_a_record_that_does_not_replay(wrong: Json):
    """It is refused with the first thing that doesn't match."""
    record = {**recorded(Arena("regicide", ("adept", "adept"), 1, {}, "wrong")), **wrong}

    with pytest.raises(Unplayable, match=r"\."):
        rows(record)
