"""AIs' turns, as jobs: an AI decides on what its seat knows, and its action is committed.

A job is addressed to one version of one game. Whatever it finds there, it commits against that version or not at all.
"""

from dataclasses import dataclass
from datetime import datetime
from threading import Event
from time import perf_counter
from typing import Final

import structlog

from engines.ai import decision
from engines.table.seats import Asked
from engines.table.table import Change, Table
from workers import metrics, turns
from workers.background import job_base
from workers.background.stop_check import StopCheck
from workers.storage.due_games import LEASE_SECONDS, leased, settled
from workers.storage.errors import NoSuchGame, StaleVersion, Unreadable
from workers.storage.store import Store

SLICE_SECONDS: Final = 0.25
"""How long a job goes on with one game, from an AI's turn to the next AI's, while others may wait in the queue."""

RENEW_SECONDS: Final = LEASE_SECONDS / 3
"""How often an AI that thinks keeps the sweeper away."""

GIVE_WAY_SECONDS: Final = 0.05
"""How long a worker takes no turn after it has passed one on: whoever is idle takes it meanwhile."""

log: Final = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Turn:
    """How a turn went: ``played``, ``signalled``, ``passed``; ``overtaken`` or ``gone`` if there was none to play.

    ``unreadable``: it is for another to play.
    """

    outcome: str
    after: Table | None = None
    """The table after it, if the AI's turn that it made wasn't enqueued: whoever played this one plays on."""


def take_ai_turn(game_id: str, version: int) -> str:
    """Play the turn that AIs owe at *version*, and the AIs' turns that follow, until the slice is over.

    Returns how the last one went (``Turn``).
    """
    until = perf_counter() + SLICE_SECONDS
    played = _play_and_log(game_id, version, None, until)
    while (table := played.after) is not None:
        played = _play_and_log(game_id, table.version, table, until)
    return played.outcome


def _play_and_log(game_id: str, version: int, known: Table | None, until: float) -> Turn:
    """Play one turn, and say in the log how it went."""
    began = perf_counter()
    try:
        played = play(job_base.process_store(), game_id, version, known, until)
    except Exception as error:  # whatever it was, the sweeper tries again
        metrics.TURNS.labels("failed").inc()
        log.exception("ai_turn_failed", game_id=game_id, version=version, exc_info=error)
        raise job_base.JobFailed(type(error).__name__) from None
    metrics.TURNS.labels(played.outcome).inc()
    log.info("ai_turn", game_id=game_id, version=version, outcome=played.outcome, ms=job_base.milliseconds_since(began))
    return played


def play(store: Store, game_id: str, version: int, known: Table | None = None, until: float = 0.0) -> Turn:
    """Ask the AIs that are to be asked at *version*, in order, until one acts.

    *known* is the game as it was read a moment ago. An AI's turn that this makes is enqueued, unless it is made before
    *until*, by ``perf_counter``.
    """
    try:
        table = known or store.games.load(game_id)
    except NoSuchGame:
        return Turn("gone")
    except Unreadable:
        return pass_on(store, game_id, version)
    if table.version != version:
        return Turn("overtaken")
    # While an AI thinks, somebody may act:
    #   t0  we load version 7          t1  seat 0 declares a ploy -> 8, and enqueues the job for 8
    #   t2  we commit against 7        t3  refused: that job asks again
    try:
        for one in store.games.pending_ais(table):
            if table.ruleset.levels[one.level].budget:
                store.outbox.put([leased(table)])
            played = _ask(store, table, one, until)
            if played is not None:
                return played
    except StaleVersion:
        return Turn("overtaken")
    store.outbox.put([settled(table, store.now() - store.outbox.allowance(table))])
    return Turn("passed")


def pass_on(store: Store, game_id: str, version: int) -> Turn:
    """Leave a turn to another worker: it may be of the version that wrote the game, which this one can't read.

    It goes back to the head of the queue, and this worker takes none for a moment. After a while the sweeper is left to
    ask again.
    """
    store.unreadable.note(game_id)
    if store.unreadable.may_pass_on(game_id, version):
        store.turns.pass_on(game_id, version)
        Event().wait(GIVE_WAY_SECONDS)
    return Turn("unreadable")


def _ask(store: Store, table: Table, ai: Asked, until: float) -> Turn | None:
    """Commit what an AI decides; return None if it lets others act. It stops thinking when the game has moved on."""
    question = table.question(ai)
    if question is None:
        return None
    began, stop = perf_counter(), StopCheck(Lease(store, table))
    decided = decision.think(question, should_stop=stop)
    if question.may_act and decided.signal is None:
        _note_thought(table, ai, began)
    if stop.stopped:
        return Turn("overtaken")
    if decided.is_pass:
        return None

    def carry_out(table: Table, now: datetime) -> Change:
        return table.carry_out(ai.seat, decided, now)

    after = _committed(store, table, carry_out, until)
    if decided.signal is not None:
        return Turn("signalled", after)
    if table.seats[ai.seat].kind == "ai":  # who stands in for a person has let the deadline pass
        waited = store.now() - datetime.fromisoformat(table.updated)
        metrics.ANSWERING.labels(table.ruleset_name, ai.level).observe(max(0.0, waited.total_seconds()))
    return Turn("played", after)


class Lease:
    """Says whether a turn is still wanted, and keeps the sweeper away from it while that is asked."""

    def __init__(self, store: Store, table: Table) -> None:
        self._store = store
        self._table = table
        self._next = perf_counter() + RENEW_SECONDS

    def __call__(self) -> bool:
        if perf_counter() >= self._next:
            self._next = perf_counter() + RENEW_SECONDS
            self._store.outbox.put([leased(self._table)])
        return self._store.games.is_at(self._table.id, self._table.version)


def _note_thought(table: Table, asked: Asked, began: float) -> None:
    """Count how long an AI thought, and write its line."""
    seconds = perf_counter() - began
    metrics.THINKING.labels(table.ruleset_name, asked.level).observe(seconds)
    about = {"game_id": table.id, "version": table.version, "seat": asked.seat, "ai_level": asked.level}
    log.info("ai_thought", **about, ms=round(seconds * 1000, 1))


def _committed(store: Store, table: Table, verb: turns.TableCommand, until: float) -> Table | None:
    """Commit a verb of an AI; return the table after it if there an AI's turn is ours to play."""
    ours = perf_counter() < until
    after = turns.change(store, table, verb, expected=table.version, enqueue=not ours)
    return after if ours and after.asked(store.now()) else None
