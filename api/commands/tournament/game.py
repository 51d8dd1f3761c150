"""One game of a tournament: levels think here, programs answer over pipes, as under ``regicide bot``."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from api.commands.tournament.plan import Pairing, Plan
from engines.ai.decision import Decision, think
from engines.core.errors import Refusal
from engines.core.phrase import english
from engines.core.types import Json
from engines.table import narration, table_json
from engines.table.seats import PendingAi, Seat
from engines.table.table import Change, Table
from regicide_client.bot import ended_line, question_line
from regicide_client.program import Program, ProgramError

NOW: Final = datetime.fromtimestamp(0, UTC)
"""The time of every move, so that equal seeds give equal games; a record says null instead."""

RULES: Final = "rules"


class Forfeit(Exception):
    """A program has lost the game by itself: ``crash``, ``timeout`` or ``illegal``."""

    def __init__(self, seat: int, kind: str) -> None:
        super().__init__(kind)
        self.seat, self.kind = seat, kind


@dataclass
class ProgramSeat:
    """A program at a seat, and what it hasn't been told yet."""

    program: Program
    events: list[Json] = field(default_factory=list)


def play(plan: Plan, number: int, seconds: float) -> Json:
    """Play game *number* and return it as the file lists it, with its record under ``record``.

    *seconds*: how long a program may take for an answer. A program that ends, doesn't answer in time, or answers with
    what isn't legal has lost, and the game is over. Raises ``ProgramNotFound``.
    """
    pairing, forfeit = plan.pairing(number), None
    names = pairing.names
    game = _Game(plan, pairing)
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
    return {
        "number": number,
        "seats": list(names),
        "winners": list(dict.fromkeys([names[seat] for seat in winners])),
        "drawn": drawn,
        "ended": RULES if forfeit is None else forfeit.kind,
        "by": None if forfeit is None else names[forfeit.seat],
        "record": game.record(),
    }


def _result(
    plan: Plan, names: tuple[str, ...], outcome: Json | None, forfeit: Forfeit | None
) -> tuple[list[int], bool]:
    """Return the seats that have won, and whether the game was drawn.

    When a player forfeits all others win, in a cooperative ruleset nobody.
    """
    if forfeit is None:
        verdict = plan.ruleset.verdict(outcome or {}, plan.seats)
        return list(verdict.winners), verdict.drawn
    others = [seat for seat, name in enumerate(names) if name != names[forfeit.seat]]
    return ([] if plan.ruleset.cooperative else others), False


@contextmanager
def _programs(plan: Plan, pairing: Pairing, seconds: float) -> Iterator[dict[int, ProgramSeat]]:
    """Start the programs of a game, each in a process of its own; end them with the block."""
    started = dict[int, ProgramSeat]()
    try:
        for seat, name in enumerate(pairing.names):
            if plan.players[name]:
                started[seat] = ProgramSeat(Program(plan.players[name], seconds))
        yield started
    finally:
        for running in started.values():
            running.program.end()


class _Game:
    """A game that is being played."""

    def __init__(self, plan: Plan, pairing: Pairing) -> None:
        self.programs = dict[int, ProgramSeat]()
        self._pairing = pairing
        seats = [Seat("human", name=name) if plan.players[name] else Seat("ai", level=name) for name in pairing.names]
        opened = Table.open(
            game_id=f"{plan.seed}/{pairing.number}",
            ruleset=plan.ruleset,
            options=plan.options,
            seats=seats,
            seed=plan.secret_seed(pairing.deal),
            now=NOW,
            position=plan.position(pairing.deal),
        )
        self.table, self._deal = opened.table, opened
        self._lines = list[Json]()

    def play(self) -> None:
        """Play to the end. Raises ``Forfeit``."""
        self._hear(self._deal)
        while self.table.status == "active":
            self._go_on()

    def _go_on(self) -> None:
        """Ask those who may or must act, in order, until somebody does."""
        ais = {ai.seat: ai for ai in self.table.pending_ais(NOW)}
        deciding = [*self.table.may_act(), *self.table.to_act()]
        signalling = [seat for seat in ais if seat not in deciding]
        for seat in [*signalling, *deciding]:
            if self._has_thought(ais[seat]) if seat in ais else self._has_acted(seat):
                return

    def _has_thought(self, ai: PendingAi) -> bool:
        """Let an AI decide; return False if it lets others act."""
        question = self.table.question(ai)
        decision = Decision() if question is None else think(question, question.untimed)
        if not decision.is_pass:
            self._change(self.table.carry_out(ai.seat, decision, NOW))
        return not decision.is_pass

    def _has_acted(self, seat: int) -> bool:
        """Ask a program; return False if it lets others act. Raises ``Forfeit``."""
        answer = self._ask(seat)
        if answer is None:
            if seat in self.table.to_act():
                raise Forfeit(seat, "illegal")
            return False
        try:
            change = self.table.act(seat, answer, NOW)
        except Refusal as refusal:
            self._tell(seat, {"error": refusal.as_json()})
            raise Forfeit(seat, "illegal") from refusal
        self._change(change)
        return True

    def _ask(self, seat: int) -> Json | str | None:
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

    def _change(self, change: Change) -> None:
        line = table_json.line(self.table, change.entry)
        if line is not None:
            self._lines.append({**line, "at": None})
        self.table = change.table
        self._hear(change)

    def _hear(self, change: Change) -> None:
        """Keep for each program what its seat learns of a change."""
        for seat, listener in self.programs.items():
            for event in change.events:
                heard = narration.with_text(change.table, event.seen_by(seat), seat, english)
                listener.events.append({"version": change.table.version, **heard})

    def give_up(self) -> None:
        """End the game without an outcome."""
        self.table = self.table.abandon(NOW).table

    def tell_the_end(self, winners: list[int], *, drawn: bool) -> None:
        """Tell each program how the game ended for it."""
        for seat in self.programs:
            self._tell(seat, ended_line(seat in winners, drawn, self.table.outcome))

    def record(self) -> Json:
        """Return the public record; its moves have no time."""
        return table_json.record(self.table, self._lines)
