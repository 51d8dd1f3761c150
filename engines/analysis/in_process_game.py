"""A hosted game played without a server: AIs decide in this process; a record is kept on request."""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

from engines.ai.decision import Decision, think
from engines.analysis.arena import Arena, GameResult
from engines.core.mypyc_support import mypyc_attr
from engines.core.types import Json
from engines.table import table_json
from engines.table.seats import PendingAi, Seat
from engines.table.table import Change, Table

FIXED_MOVE_TIMESTAMP: Final = datetime.fromtimestamp(0, UTC)
"""The time of every move, so that equal seeds give equal games; a record has null instead of this time."""


@mypyc_attr(allow_interpreted_subclasses=True)
class TableGame:
    """A game in progress. A subclass decides for the seats that don't belong to AIs."""

    def __init__(self, opened: Change, *, records: bool, notes: bool, by_clock: bool = False) -> None:
        """Start with the table of *opened*.

        *records*: keep the actions for ``record``. *notes*: keep the AIs' notes in them, for audits. *by_clock*: AIs
        also have the time limit of their level.
        """
        self.table = opened.table
        self._records, self._notes, self._by_clock = records, notes, by_clock
        self._lines = list[Json]()

    def play(self) -> None:
        while self.table.status == "active":
            self._go_on()

    def record(self) -> Json:
        """Return the public record of the game, which must have ended."""
        return table_json.record(self.table, self._lines)

    def ask(self, seat: int) -> Change | None:
        """Return the change that *seat*, which isn't an AI's, makes; None to let other seats act."""
        raise NotImplementedError

    def changed(self, change: Change) -> None:
        """Continue with the table of *change*; if records are kept, add its action to the record."""
        if self._records:
            entry = change.entry if self._notes else {**change.entry, "ai": None}
            line = table_json.line(self.table, entry)
            if line is not None:
                self._lines.append({**line, "at": None})
        self.table = change.table

    def _go_on(self) -> None:
        """Let the seats that may or must act decide, in order, until one acts or signals."""
        ais = {ai.seat: ai for ai in self.table.pending_ais(FIXED_MOVE_TIMESTAMP)}
        deciding = [*self.table.may_act(), *self.table.to_act()]
        signalling = [seat for seat in ais if seat not in deciding]
        for seat in [*signalling, *deciding]:
            change = self._thought(ais[seat]) if seat in ais else self.ask(seat)
            if change is not None:
                self.changed(change)
                return

    def _thought(self, ai: PendingAi) -> Change | None:
        """Return the change that an AI makes; None if it lets other seats act.

        Exceptions get a note with the seat and its level.
        """
        try:
            question = self.table.question(ai)
            decision = Decision() if question is None else think(question, None if self._by_clock else question.untimed)
            return None if decision.is_pass else self.table.carry_out(ai.seat, decision, FIXED_MOVE_TIMESTAMP)
        except Exception as error:
            error.add_note(f"AI of level {ai.level}, seat {ai.seat}")
            raise


def play_at_table(arena: Arena, number: int, *, records: bool, notes: bool) -> tuple[GameResult, Json | None]:
    """Play game *number* of an arena; return its result, and its record if *records* is True.

    The deal and the AIs' seeds follow from the secret seed in the record, so that the record can be verified. Therefore
    the game differs from the one that ``arena.play`` plays.
    """
    name = f"{arena.seed}/{number}"
    levels = [arena.seats[arena.contender(number, seat)] for seat in range(len(arena.seats))]
    opened = Table.open(
        game_id=name,
        ruleset=arena.ruleset,
        options=arena.options,
        seats=[Seat("ai", level=level) for level in levels],
        seed=sha256(name.encode()).digest(),
        now=FIXED_MOVE_TIMESTAMP,
    )
    game = TableGame(opened, records=records, notes=notes, by_clock=arena.by_clock)
    game.play()
    return GameResult(game.table.outcome or {}, game.table.moves), game.record() if records else None
