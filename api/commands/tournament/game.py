"""One game of a tournament: levels search in this process, programs answer over pipes, as under ``regicide bot``."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from api.commands.tournament.plan import Pairing, Plan
from engines.analysis.in_process_game import FIXED_MOVE_TIMESTAMP, TableGame
from engines.core.errors import Refusal
from engines.core.phrase import english
from engines.core.types import Json
from engines.table import narration
from engines.table.seats import Seat
from engines.table.table import Change, Table
from regicide_client.bot_command import ended_line, question_line
from regicide_client.json_lines_process import Program, ProgramError

ENDED_BY_RULES: Final = "rules"
"""Value of ``ended`` for a game that was played to its end, without a forfeit."""


class Forfeit(Exception):
    """A program has forfeited the game. ``kind`` says why: ``crash``, ``timeout`` or ``illegal``."""

    def __init__(self, seat: int, kind: str) -> None:
        super().__init__(kind)
        self.seat, self.kind = seat, kind


@dataclass
class ProgramSeat:
    """A program at a seat, and the events that it has not received yet."""

    program: Program
    events: list[Json] = field(default_factory=list)


def play(plan: Plan, number: int, seconds: float, *, records: bool, notes: bool) -> tuple[Json, Json | None]:
    """Play game *number*. Return its entry in the results file, and its record if *records* is True.

    *seconds* is the maximum time for an answer. A program that exits, doesn't answer in time, or answers with an
    illegal action loses the game, and the game ends. Raises ``ProgramNotFound``.
    """
    pairing, forfeit = plan.pairing(number), None
    names = pairing.names
    game = _Game(plan, pairing, records=records, notes=notes)
    with _programs(plan, pairing, seconds) as programs:
        game.programs = programs
        try:
            game.play()
        except Forfeit as given_up:
            forfeit = given_up
            programs.pop(given_up.seat).program.kill()
            game.give_up()
        winners, drawn = _result(plan, names, game.table.outcome, forfeit)
        game.tell_the_end(winners, drawn=drawn)
    listed: Json = {
        "number": number,
        "seats": list(names),
        "winners": list(dict.fromkeys([names[seat] for seat in winners])),
        "drawn": drawn,
        "ended": ENDED_BY_RULES if forfeit is None else forfeit.kind,
        "by": None if forfeit is None else names[forfeit.seat],
    }
    return listed, game.record() if records else None


def _result(
    plan: Plan, names: tuple[str, ...], outcome: Json | None, forfeit: Forfeit | None
) -> tuple[list[int], bool]:
    """Return the seats that have won, and whether the game was drawn.

    If a player forfeits, all other players win. In a cooperative ruleset nobody wins after a forfeit.
    """
    if forfeit is None:
        verdict = plan.ruleset.verdict(outcome or {}, plan.seats)
        return list(verdict.winners), verdict.drawn
    others = [seat for seat, name in enumerate(names) if name != names[forfeit.seat]]
    return ([] if plan.ruleset.cooperative else others), False


@contextmanager
def _programs(plan: Plan, pairing: Pairing, seconds: float) -> Iterator[dict[int, ProgramSeat]]:
    """Start each program of a game in a process of its own. The processes end with the block."""
    started = dict[int, ProgramSeat]()
    try:
        for seat, name in enumerate(pairing.names):
            if plan.players[name]:
                started[seat] = ProgramSeat(Program(plan.players[name], seconds))
        yield started
    finally:
        for running in started.values():
            running.program.end()


class _Game(TableGame):
    """A tournament game in progress."""

    def __init__(self, plan: Plan, pairing: Pairing, *, records: bool, notes: bool) -> None:
        self.programs = dict[int, ProgramSeat]()
        seats = [Seat("human", name=name) if plan.players[name] else Seat("ai", level=name) for name in pairing.names]
        self._opened = Table.open(
            game_id=f"{plan.seed}/{pairing.number}",
            ruleset=plan.ruleset,
            options=plan.options,
            seats=seats,
            seed=plan.secret_seed(pairing.deal),
            now=FIXED_MOVE_TIMESTAMP,
            position=plan.position(pairing.deal),
        )
        super().__init__(self._opened, records=records, notes=notes)

    def play(self) -> None:
        """Play to the end. Raises ``Forfeit``."""
        self._hear(self._opened)
        super().play()

    def ask(self, seat: int) -> Change | None:
        """Let a program decide. Return None if it passes. Raises ``Forfeit``."""
        answer = self._answer(seat)
        if answer is None:
            if seat in self.table.to_act():
                raise Forfeit(seat, "illegal")
            return None
        try:
            return self.table.act(seat, answer, FIXED_MOVE_TIMESTAMP)
        except Refusal as refusal:
            self._tell(seat, {"error": refusal.as_json()})
            raise Forfeit(seat, "illegal") from refusal

    def changed(self, change: Change) -> None:
        super().changed(change)
        self._hear(change)

    def _answer(self, seat: int) -> Json | str | None:
        """Return a program's answer to the question of its seat. Raises ``Forfeit``."""
        asked = self.programs[seat]
        question = question_line(
            self.table.version,
            seat,
            self.table.to_act(),
            self.table.view(seat) or {},
            narration.legal(self.table, seat, english),
            asked.events,
        )
        try:
            answer = asked.program.ask(question)
        except ProgramError as error:
            raise Forfeit(seat, error.kind) from error
        asked.events = []
        return answer

    def _tell(self, seat: int, line: Json) -> None:
        self.programs[seat].program.tell(line)

    def _hear(self, change: Change) -> None:
        """Store the events of a change for each program, as the program's seat may know them."""
        for seat, listener in self.programs.items():
            for event in change.events:
                heard = narration.with_text(change.table, event.seen_by(seat), seat, english)
                listener.events.append({"version": change.table.version, **heard})

    def give_up(self) -> None:
        """End the game without an outcome."""
        self.table = self.table.abandon(FIXED_MOVE_TIMESTAMP).table

    def tell_the_end(self, winners: list[int], *, drawn: bool) -> None:
        """Send each program the outcome of the game for its seat."""
        for seat in self.programs:
            self._tell(seat, ended_line(seat in winners, drawn, self.table.outcome))
