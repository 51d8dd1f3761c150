"""Converts a record to rows for statistics and learning: one row per decision, with what its seat knew."""

from dataclasses import dataclass, fields
from json import dumps
from typing import Final

from engines.core.types import Json
from engines.table.record_parser import Entry, Record
from engines.table.replay import Mismatch, replay
from engines.table.table import Table


class Unplayable(ValueError):
    """A record can't be replayed to its end, or is inconsistent; the message is a sentence."""


@dataclass(frozen=True)
class Known:
    """What a seat knows at one decision."""

    seat: int
    must_act: bool
    view: str
    legal: list[str]


@dataclass(frozen=True)
class Ending:
    """How the game ended for the seat. All fields are None if the game was abandoned."""

    won: bool | None
    drawn: bool | None
    result: str | None
    score: float | None


@dataclass(frozen=True)
class DecisionRow:
    """A decision; docs/data.md describes each field."""

    game: str
    ruleset: str
    players: int
    decision: int
    version: int
    seat: int
    must_act: bool
    view: str
    signals: str | None
    legal: list[str]
    action: str
    choice: int | None
    by: str | None
    is_ai: bool
    iterations: int | None
    won: bool | None
    drawn: bool | None
    result: str | None
    score: float | None

    def as_json(self) -> Json:
        """Return the row as an object with a field for each column."""
        return {name: getattr(self, name) for name in COLUMNS}


COLUMNS: Final = tuple([field.name for field in fields(DecisionRow)])
"""The names of the columns, in order."""


def seat_knowledge(table: Table, seat: int) -> Known:
    """Return what a seat knows at a table whose game is running."""
    position = table.position
    assert position is not None, "the game runs"  # noqa: S101  narrows the type
    legal = [str(action) for action in position.legal(seat)]
    return Known(seat, seat in position.to_act(), _text(position.view(seat)), legal)


def decisions(record: Record) -> list[DecisionRow]:
    """Return a row for each action of *record*, in order. Raises ``Unplayable`` if a replay finds a mismatch."""
    mismatches, found = list[Mismatch](), list[tuple[Entry, Known]]()
    for step in replay(record, mismatches):
        if step.entry is not None and not mismatches:
            found.append((step.entry, seat_knowledge(step.before, step.entry.seat)))
    if mismatches:
        raise Unplayable(mismatches[0].sentence)
    return [_row(record, number, entry, seen) for number, (entry, seen) in enumerate(found)]


def _row(record: Record, number: int, entry: Entry, seen: Known) -> DecisionRow:
    note, seat, ending = entry.ai, record.seats[entry.seat], _ending(record, entry.seat)
    return DecisionRow(
        game=record.id,
        ruleset=record.ruleset.name,
        players=record.players,
        decision=number,
        version=entry.before,
        seat=entry.seat,
        must_act=seen.must_act,
        view=seen.view,
        signals=None if note is None else _text({str(giver): signal for giver, signal in note.signals.items()}),
        legal=seen.legal,
        action=entry.text,
        choice=seen.legal.index(entry.text) if entry.text in seen.legal else None,
        by=note.level if note is not None else seat.get("level", seat.get("name")),
        is_ai=note is not None or seat["kind"] == "ai",
        iterations=None if note is None else note.iterations,
        won=ending.won,
        drawn=ending.drawn,
        result=ending.result,
        score=ending.score,
    )


def _ending(record: Record, seat: int) -> Ending:
    if record.outcome is None:
        return Ending(None, None, None, None)
    verdict = record.ruleset.verdict(record.outcome, record.players)
    return Ending(seat in verdict.winners, verdict.drawn, verdict.kind, verdict.score)


def _text(value: Json) -> str:
    return dumps(value, separators=(",", ":"), ensure_ascii=False)
