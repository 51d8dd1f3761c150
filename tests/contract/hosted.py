"""Hosted games from first to last, without a server: people come and go, AIs are asked as the workers ask them."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from api.commands.check_ruleset.generated_games import (
    FEW_SEARCH_ITERATIONS,
    Setup,
    Walk,
    by_chance,
    by_policy,
    setups,
    through_json,
)
from engines.ai.decision import Question, repeat, think
from engines.core.types import Json
from engines.ruleset import Position, Ruleset
from engines.table import table_json
from engines.table.seats import PendingAi, Seat
from engines.table.table import Change, Table

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
QUICK = ("novice", "adept")
WITH_SECOND_SEARCH = "master"
"""The level that had one in versions before 1.0: their records are read and repeated."""
CHANCE = 0.2
"""So often people do something by chance; else what an adept would."""


@dataclass(frozen=True)
class Hosting:
    """What a hosted game is like; the rest follows from *seed*."""

    setup: Setup
    seed: int
    levels: tuple[str, ...] = QUICK
    from_position: bool = False
    abandoned: bool = False
    chance: float = CHANCE

    def record(self) -> Json:
        """Play it, and return its record as it arrives over a wire."""
        *changes, (before, last) = self.changes()
        lines = [table_json.line(table, change.entry) for table, change in [*changes, (before, last)] if table]
        return dict(through_json(table_json.record(last.table, [line for line in lines if line])))

    def changes(self) -> Iterator[tuple[Table | None, Change]]:
        """Play it, and yield each change with the table before it; the opening has none."""
        rng = Random(f"{self.setup} {self.seed}")
        change = self._opened(rng)
        yield None, change
        table, last = change.table, rng.randrange(60) if self.abandoned else 10**6
        while table.status in ("waiting", "active"):
            now = NOON + timedelta(seconds=7 * (table.version + 1))
            change = table.abandon(now) if table.version >= last else self._next(table, rng, now)
            yield table, change
            table = change.table

    def _opened(self, rng: Random) -> Change:
        ruleset, players = self.setup.ruleset, self.setup.players
        seats = [self._seat(rng, number) for number in range(players)]
        opening = self._position() if self.from_position else None
        return Table.open(
            game_id=f"{self.seed:020x}",
            ruleset=ruleset,
            options=self.setup.options if opening is None else {},
            seats=seats,
            seed=rng.randbytes(32),
            now=NOON,
            turn_seconds=rng.choice([None, 20]),
            position=None if opening is None else opening.dump(),
        )

    def _position(self) -> Position:
        moments = Walk(self.setup, self.seed, 12, 3).moments()
        *_, last = [moment.position for moment in moments if not moment.position.is_over]
        return last

    def _seat(self, rng: Random, number: int) -> Seat:
        kind = rng.choice(["human", "ai", "open"])
        if kind == "ai":
            return Seat("ai", level=rng.choice(self.levels))
        if kind == "open":
            return Seat("open")
        return Seat("human", name=f"Ñ{number}", client_seed=rng.choice(["", f"ñ{number}"]))

    def _next(self, table: Table, rng: Random, now: datetime) -> Change:
        if table.status == "waiting":
            if rng.random() < 0.3:
                return table.start(rng.choice(self.levels), now)
            return table.join(None, "Ben", rng.choice(["", "öffne"]), now)
        for asked in table.pending_ais(now + timedelta(seconds=rng.choice([0, 0, 0, 100]))):
            change = ai_turn(table, asked, now)
            if change is not None:
                return change
        return self._by_people(table, rng, now)

    def _by_people(self, table: Table, rng: Random, now: datetime) -> Change:
        """Let somebody who is no AI act, signal, or leave the seat to one."""
        position = table.position
        assert position is not None
        people = [seat for seat, who in enumerate(table.seats) if who.kind == "human"]
        speakers = [seat for seat in people if position.signals(seat) and seat not in table.signals]
        if speakers and rng.random() < 0.7:
            return table.signal(speakers[0], rng.choice(position.signals(speakers[0])), now)
        if people and rng.random() < 0.02:
            return table.hand_over(rng.choice(people), rng.choice(self.levels), now)
        if rng.random() < self.chance:
            seat, action = by_chance(position, rng)
        else:
            seat, action = by_policy(table.ruleset, position, str(table.version), "adept")
        if seat not in people:
            return self._by_people(table, rng, now)
        return table.act(seat, rng.choice([action.as_json(), str(action)]), now)


def ai_turn(table: Table, asked: PendingAi, now: datetime) -> Change | None:
    """Let an AI signal or act; None if it lets others act."""
    seat, observation, position = asked.seat, table.observation(asked.seat), table.position
    assert position is not None
    assert observation is not None
    if position.signals(seat) and seat not in table.signals:
        word = think(Question(asked.level, observation, may_signal=True, may_act=False)).signal
        if word is not None:
            return table.signal(seat, word, now, by_ai=True)
    if seat not in (*table.to_act(), *table.may_act()):
        return None
    second = FEW_SEARCH_ITERATIONS if asked.level == WITH_SECOND_SEARCH else 0
    choice = repeat(Question(asked.level, observation), FEW_SEARCH_ITERATIONS, second)
    if choice.action is None or choice.note is None:
        return None
    note = {**choice.note, "helper_iterations": second} if second else choice.note
    return table.act(seat, choice.action.as_json(), now, note)


def hostings(ruleset: Ruleset, players: int, count: int) -> Iterator[Hosting]:
    """Yield hostings of every kind, of every setup in turn."""
    kinds = itertools.product((False, True), (False, True), (CHANCE, 1.0))
    turn = zip(range(count), itertools.cycle(setups(ruleset, players)), itertools.cycle(kinds))
    for seed, setup, (from_position, abandoned, chance) in turn:
        yield Hosting(setup, seed, QUICK, from_position, abandoned, chance)
