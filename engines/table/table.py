"""A hosted game as an immutable value. Its verbs (``join``, ``act``, ``abandon`` ...) are methods that change the game.

A verb leaves its table unchanged and returns a ``Change``: the new table, the events, and the journal entry, from which
the verb can be repeated (journal.py). This module reads no clock and stores nothing; times are RFC 3339 UTC text.

A table is opened at version 0, and each change adds 1. Cards are dealt as soon as no seat is open: by ``open``, or by
the ``join``, ``rejoin`` or ``start`` that fills the last open seat.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

from engines import RULESETS
from engines.ai.decision import STAND_IN_LEVEL, Decision, Question
from engines.ai.observation import Observation
from engines.contract.base import Ruleset
from engines.contract.events import Event
from engines.contract.position import Action, Position, step
from engines.core.dealer import SeededDealer, action_seed, game_key, player_seed
from engines.core.errors import (
    AlreadyStarted,
    GameOver,
    IllegalAction,
    NoSuchSeat,
    NotStarted,
    NotYourTurn,
    SeatTaken,
    StillRunning,
)
from engines.core.phrase import Phrase, join_and, numbered
from engines.core.types import Json
from engines.table.seats import (
    Abandoned,
    HandedOver,
    Joined,
    PendingAi,
    Seat,
    Signalled,
    Started,
    reorder_seat_options,
    with_ai_names,
)
from engines.table.start_position import load_start_position

STATUSES: Final = ("waiting", "active", "finished", "abandoned")
ENDED: Final = ("finished", "abandoned")


@lru_cache(16)  # one change of a table formats the same time several times
def rfc3339(moment: datetime) -> str:
    """Return *moment*, a UTC time with time zone, as RFC 3339 text with milliseconds."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True)
class Change:
    """The result of a verb: the new table, the events and the journal entry.

    The entry is a JSON object: ``verb`` (the verb's name), ``at`` (the time), and the verb's arguments by name.
    """

    table: "Table"
    events: Sequence[Event]
    entry: Json


@dataclass(frozen=True)
class Table:
    """One hosted game at one version."""

    id: str
    ruleset_name: str
    options: Json
    seats: tuple[Seat, ...]
    seed: str
    """The secret seed, 32 bytes in hexadecimal."""
    created: str
    updated: str
    status: str = "waiting"
    version: int = 0
    private: bool = False
    listed: bool = True
    """False to omit the game from the list of public games; anybody with the id may still watch it."""
    group: str = ""
    """Key for the fair queue of AI decisions. The queue takes turns between keys: all games of one key share a turn."""
    turn_seconds: int | None = None
    deadline: str | None = None
    opening: Json | None = None
    """The given start position; None if the cards are dealt."""
    position: Position | None = None
    moves: int = 0
    """Number of actions so far. Action number *n*, counted from 1, shuffles with the seed ``action_seed(key, n)``."""
    signals: Mapping[int, str] = field(default_factory=dict)
    """The signals given since the last action, by seat."""
    unknown: Json = field(default_factory=dict)
    """Stored fields that only a newer server version knows: they are written back unchanged and have no effect."""

    @property
    def ruleset(self) -> Ruleset:
        """The game's rules."""
        return RULESETS[self.ruleset_name]

    @property
    def key(self) -> bytes:
        """The game key: the secret seed mixed with every client seed."""
        return game_key(bytes.fromhex(self.seed), [seat.client_seed for seat in self.seats])

    @property
    def only_ais(self) -> bool:
        """True if all seats belong to AIs."""
        return all(seat.kind == "ai" for seat in self.seats)

    # Verbs

    @classmethod
    def open(  # noqa: PLR0913  # all arguments are keyword-only
        cls,
        *,
        game_id: str,
        ruleset: Ruleset,
        options: Json,
        seats: Sequence[Seat],
        seed: bytes,
        now: datetime,
        private: bool = False,
        listed: bool = True,
        group: str = "",
        turn_seconds: int | None = None,
        position: Json | None = None,
    ) -> Change:
        """Set up a table; deal if every seat is taken.

        *options* include the choices of seats (``merge_seat_options``). If a start *position* is given, it contains its
        own options, and *options* are ignored. Raises ``BadOptions``, ``BadPosition``, ``BadCard``.
        """
        table = cls(
            id=game_id,
            ruleset_name=ruleset.name,
            options=ruleset.filled_options(len(seats), options) if position is None else {},
            seats=with_ai_names(game_id, seats),
            seed=seed.hex(),
            created=rfc3339(now),
            updated=rfc3339(now),
            private=private,
            listed=listed,
            group=group,
            turn_seconds=turn_seconds,
            opening=position,
        )
        if position is not None:
            load_start_position(ruleset, position, len(seats))
        return table._dealt([], table._opening_entry(), now)

    def join(self, seat: int | None, name: str, client_seed: str, now: datetime) -> Change:
        """Seat a person at an open seat, the first unreserved one if *seat* is None; deal if no other seat is open.

        Raises ``GameOver``, ``AlreadyStarted``, ``NoSuchSeat``, ``SeatTaken``.
        """
        self._check_waiting()
        if seat is None:
            free = [number for number, one in enumerate(self.seats) if one.kind == "open" and not one.reserved]
            if not free:
                raise SeatTaken(Phrase("The seats that are open wait for those who sat there in the game before."))
            seat = free[0]
        self._check_seat(seat)
        if self.seats[seat].reserved:
            raise SeatTaken(
                Phrase("This seat waits for {who}, who sat there in the game before.", who=self.name_of(seat))
            )
        if self.seats[seat].kind != "open":
            raise SeatTaken(
                Phrase("{who} sits there: leave the seat out to get any that is open.", who=self.name_of(seat))
            )
        entry = _entry("join", now, seat=seat, name=name, client_seed=client_seed)
        return self._joined(seat, replace(self.seats[seat], name=name, client_seed=client_seed), entry, now)

    def rejoin(self, seat: int, now: datetime, client_seed: str | None = None) -> Change:
        """Seat the player of the previous game for whom *seat* is reserved; deal if no other seat is open.

        Raises ``GameOver``, ``AlreadyStarted``, ``SeatTaken``.
        """
        self._check_waiting()
        if not self.seats[seat].reserved:
            raise SeatTaken(Phrase("{who} sits there.", who=self.name_of(seat)))
        entry = _entry("come_back", now, seat=seat, client_seed=client_seed)
        return self._joined(seat, replace(self.seats[seat], client_seed=client_seed or ""), entry, now)

    def seat_in_rematch(self, seat: int) -> int:
        """Return the place of *seat* in the next game: seats rotate unless the game is cooperative."""
        return seat if self.ruleset.cooperative else (seat - 1) % len(self.seats)

    def next_game(self, game_id: str, seed: bytes, seat: int, now: datetime, client_seed: str = "") -> Change:
        """Set up a rematch with the same players, at the request of the person at *seat*, who is seated at once.

        AIs are seated at once too; the seats of other people are reserved. Cards are dealt when no seat is open. Raises
        ``StillRunning``, and ``NotYourTurn`` if an AI has taken over *seat*.
        """
        self.check_rematch(seat)
        order = sorted(range(len(self.seats)), key=self.seat_in_rematch)
        return Table.open(
            game_id=game_id,
            ruleset=self.ruleset,
            options=reorder_seat_options(self.ruleset, self.options, order),
            seats=[self.seats[before].for_rematch(client_seed if before == seat else None) for before in order],
            seed=seed,
            now=now,
            private=self.private,
            listed=self.listed,
            group=self.group,
            turn_seconds=self.turn_seconds,
            position=self.opening,
        )

    def check_rematch(self, seat: int) -> None:
        """Raise ``StillRunning``, or ``NotYourTurn`` if an AI has taken over *seat*."""
        if self.status not in ENDED:
            raise StillRunning(Phrase("The next game begins when this one has ended."))
        self._check_hand(seat, by_ai=False)

    @property
    def ended_before_deal(self) -> bool:
        """True if the game was abandoned while it waited for players."""
        return self.status == "abandoned" and self.position is None

    @property
    def takes_invites(self) -> bool:
        """True if the game is private and anybody with an invite may take one of its seats."""
        return self.private and any(seat.kind == "open" and not seat.reserved for seat in self.seats)

    def start(self, level: str, now: datetime) -> Change:
        """Fill the open seats with AIs of *level* and deal. Raises ``GameOver``, ``AlreadyStarted``."""
        self._check_waiting()
        ai = Seat("ai", level=level)
        seats = tuple(replace(ai, asks=s.asks, unknown=s.unknown) if s.kind == "open" else s for s in self.seats)
        filled = self._changed(now, seats=with_ai_names(self.id, seats))
        return filled._dealt([], _entry("start", now, level=level), now)

    def act(self, seat: int, action: object, now: datetime, ai: Json | None = None) -> Change:
        """Take an action for *seat*, in any form that ``Ruleset.read`` accepts.

        *ai* is the note of the AI that chose the action, if one did (``Decision.note``). Raises ``NotStarted``,
        ``GameOver``, ``BadAction``, ``BadCard``, ``NotYourTurn``, ``IllegalAction``.
        """
        position = self._running()
        parsed = self.ruleset.read(action)
        self._check_hand(seat, by_ai=ai is not None)
        moves = self.moves + 1
        try:
            after, events = step(position, seat, parsed, SeededDealer(lambda: action_seed(self.key, moves)))
        except (NotYourTurn, IllegalAction) as refusal:
            refusal.phrase = refusal.phrase.naming(self.name_of)
            raise
        table = self._changed(
            now,
            status="finished" if after.is_over else "active",
            position=after,
            moves=moves,
            signals={},
        )
        return Change(table._timed(now), events, _entry("act", now, seat=seat, action=str(parsed), ai=ai))

    def signal(self, seat: int, signal: str, now: datetime, *, by_ai: bool = False) -> Change:
        """Give a signal if the ruleset allows it now. Between two actions a seat may give only one signal.

        Raises ``NotStarted``, ``GameOver``, ``NotYourTurn``, ``IllegalAction``.
        """
        position = self._running()
        self._check_hand(seat, by_ai=by_ai)
        allowed, rule = position.signals(seat), self.ruleset.signal_rule
        if not allowed:
            raise IllegalAction(Phrase("There is nothing to signal now."), rule)
        if signal not in allowed:
            raise IllegalAction(
                Phrase("There is no signal {signal!r}: there are {allowed}.", signal=signal, allowed=join_and(allowed)),
                rule,
            )
        if seat in self.signals:
            raise IllegalAction(Phrase("You have given your signal: one each."), rule)
        table = self._changed(now, signals={**self.signals, seat: signal})
        return Change(table, [Signalled(seat, signal)], _entry("signal", now, seat=seat, signal=signal, by_ai=by_ai))

    def carry_out(self, seat: int, decision: Decision, now: datetime) -> Change:
        """Apply *decision*, a signal or an action (not a pass) of the AI of *seat*.

        Raises the refusals of ``act`` and ``signal``.
        """
        if decision.signal is not None:
            return self.signal(seat, decision.signal, now, by_ai=True)
        assert decision.action is not None, "a pass changes nothing"  # noqa: S101  narrows the type
        return self.act(seat, decision.action.as_json(), now, decision.note)

    def hand_over(self, seat: int, level: str, now: datetime) -> Change:
        """Let an AI of *level* take over *seat*; remove the deadline if no person must act any more.

        Raises ``NotStarted``, ``GameOver``, ``NoSuchSeat``.
        """
        self._running()
        self._check_seat(seat)
        successor = replace(self.seats[seat], kind="ai", level=level)
        table = self._changed(now, seats=with_ai_names(self.id, self._seated(seat, successor)))
        if not table._waits_for_people():
            table = replace(table, deadline=None)
        return Change(table, [HandedOver(seat, level)], _entry("hand_over", now, seat=seat, level=level))

    def abandon(self, now: datetime, by: str | None = None) -> Change:
        """End the game without an outcome, by one of ``ABANDONED_BY`` or the host (None). Raises ``GameOver``."""
        self._check_unfinished()
        table = self._changed(now, status="abandoned", deadline=None)
        return Change(table, [Abandoned(None, by)], _entry("abandon", now, by=by))

    # Information

    def name_of(self, seat: int) -> str | Phrase:
        """Return the name of the player at a seat."""
        return self.seats[seat].name or numbered(seat)

    def view(self, viewer: int | None) -> Json | None:
        """Return what *viewer* may know of the position; None before the start."""
        return None if self.position is None else self.position.view(viewer)

    @property
    def outcome(self) -> Json | None:
        """The outcome of the game; None while it runs, and if it was abandoned."""
        return None if self.position is None else self.position.outcome

    def to_act(self) -> list[int]:
        """Return the seats that must act now."""
        return self.position.to_act() if self.status == "active" and self.position is not None else []

    def may_act(self) -> list[int]:
        """Return the seats that may act now, but needn't: those that may interrupt."""
        return self.position.may_act() if self.status == "active" and self.position is not None else []

    def legal(self, seat: int | None) -> list[Json]:
        """Return the legal actions of *seat* as ``{"action", "text"}``."""
        return [{"action": action.as_json(), "text": str(action)} for action in self.choices(seat)]

    def choices(self, seat: int | None) -> list[Action]:
        """Return the legal actions of *seat*; none for a spectator or an AI's seat."""
        if seat is None or self.status != "active" or self.position is None or self._is_ai(seat):
            return []
        return self.position.legal(seat)

    def check_decides(self, seat: int) -> None:
        """Raise unless *seat* belongs to a person who may act now.

        Raises ``NotStarted``, ``GameOver``, ``NotYourTurn``.
        """
        self._running()
        self._check_hand(seat, by_ai=False)
        if seat not in self.to_act() + self.may_act():
            raise NotYourTurn(Phrase("There is nothing for you to decide now."))

    # Pending AIs

    def pending_ais(self, now: datetime) -> list[PendingAi]:
        """Return the AIs to ask, in order: those that may signal, those that may interrupt, those that must act.

        After the deadline they are followed by a stand-in for each person who must act.
        """
        is_late = self.deadline is not None and self.deadline <= rfc3339(now)
        if self.status != "active" or self.position is None or not (is_late or any(s.kind == "ai" for s in self.seats)):
            return []
        position = self.position
        signallers = [n for n in range(len(self.seats)) if n not in self.signals and position.signals(n)]
        order = dict.fromkeys([*signallers, *position.may_act(), *position.to_act()])
        ais = [PendingAi(seat, level) for seat in order if (level := self.seats[seat].level) and self._is_ai(seat)]
        if is_late:
            ais += [PendingAi(seat, STAND_IN_LEVEL) for seat in position.to_act() if not self._is_ai(seat)]
        return ais

    def observation(self, seat: int) -> Observation | None:
        """Return the observation of the AI of *seat* at this version; None before the start."""
        view, seed = self.view(seat), player_seed(self.key, self.version, seat)
        return None if view is None else Observation(self.ruleset, view, seat, seed, self.signals)

    def question(self, ai: PendingAi) -> Question | None:
        """Return the question to *ai* at this version; None before the start."""
        seat, observation, position = ai.seat, self.observation(ai.seat), self.position
        if observation is None or position is None:
            return None
        may_signal, must_act = seat not in self.signals and bool(position.signals(seat)), seat in self.to_act()
        return Question(ai.level, observation, may_signal, must_act or seat in self.may_act(), must_act)

    # Internal

    def _changed(self, now: datetime, **changes: Any) -> "Table":
        """Return the table at the next version, with *changes* of its fields."""
        values = dict(zip(_FIELDS, _FIELD_VALUES(self), strict=True))  # three times as fast as ``replace``
        return Table(**{**values, "version": self.version + 1, "updated": rfc3339(now), **changes})

    def _opening_entry(self) -> Json:
        """Return the journal entry of ``open``; its seats have names, and its options have defaults filled in."""
        return {
            "verb": "open",
            "at": self.created,
            "game_id": self.id,
            "ruleset": self.ruleset_name,
            "options": self.options,
            "seats": [seat.dump() for seat in self.seats],
            "seed": self.seed,
            "private": self.private,
            **({} if self.listed else {"listed": False}),
            **({"group": self.group} if self.group else {}),
            "turn_seconds": self.turn_seconds,
            "position": self.opening,
        }

    def _joined(self, seat: int, guest: Seat, entry: Json, now: datetime) -> Change:
        """Put *guest* at a seat, and deal if no seat is open any more."""
        seats = self._seated(seat, replace(guest, kind="human", reserved=False))
        joined = self._changed(now, seats=seats)
        return joined._dealt([Joined(seat, guest.name or "")], entry, now)

    def _seated(self, number: int, seat: Seat) -> tuple[Seat, ...]:
        return (*self.seats[:number], seat, *self.seats[number + 1 :])

    def _is_ai(self, seat: int) -> bool:
        return self.seats[seat].kind == "ai"

    def _waits_for_people(self) -> bool:
        return any(not self._is_ai(seat) for seat in self.to_act())

    def _timed(self, now: datetime) -> "Table":
        """Return the table with a new deadline if a person must act, else without a deadline.

        If turns have no time limit, the table is returned unchanged.
        """
        if self.turn_seconds is None:
            return self
        until = rfc3339(now + timedelta(seconds=self.turn_seconds)) if self._waits_for_people() else None
        return replace(self, deadline=until)

    def _dealt(self, events: list[Event], entry: Json, now: datetime) -> Change:
        """Start the game if no seat is open: deal, or take the start position. Return the change with *entry*.

        The events of the change are *events*; if the game starts, ``Started`` and the events of the deal follow.
        """
        if any(seat.kind == "open" for seat in self.seats):
            return Change(self, events, entry)
        started: list[Event] = [*events, Started(None, self.opening is not None)]
        if self.opening is None:
            dealer = SeededDealer(action_seed(self.key, 0))
            position = self.ruleset.new(len(self.seats), self.options, dealer, started)
        else:
            position = load_start_position(self.ruleset, self.opening, len(self.seats))
        table = replace(self, status="active", position=position)
        return Change(table._timed(now), started, entry)

    def _check_hand(self, seat: int, *, by_ai: bool) -> None:
        """Raise ``NotYourTurn`` if *seat* belongs to an AI but somebody else acts there (*by_ai* is False)."""
        if self._is_ai(seat) and not by_ai:
            raise NotYourTurn(Phrase("An AI plays on for {who}: the seat was handed over.", who=self.name_of(seat)))

    def _check_unfinished(self) -> None:
        if self.status in ENDED:
            raise GameOver(Phrase("The game has ended."))

    def _check_waiting(self) -> None:
        self._check_unfinished()
        if self.status != "waiting":
            raise AlreadyStarted(Phrase("The game has started: no seat is open any more."))

    def _check_seat(self, seat: int) -> None:
        if not 0 <= seat < len(self.seats):
            raise NoSuchSeat(Phrase("The game has seats 0 to {last}, not {seat}.", last=len(self.seats) - 1, seat=seat))

    def _running(self) -> Position:
        self._check_unfinished()
        if self.position is None:
            raise NotStarted(Phrase("The game waits for players: it starts when no seat is open."))
        return self.position


_FIELDS: Final = tuple(one.name for one in fields(Table))
_FIELD_VALUES: Final = attrgetter(*_FIELDS)


def _entry(verb: str, now: datetime, **arguments: object) -> Json:
    """Return a journal entry."""
    return {"verb": verb, "at": rfc3339(now), **arguments}
