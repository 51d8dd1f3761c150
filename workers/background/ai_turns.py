"""Jobs that play AI turns: an AI decides from its seat's observation, and its decision is committed.

A job belongs to one version of one game. It commits against that version or not at all.
"""

from dataclasses import dataclass
from datetime import datetime
from threading import Event
from time import perf_counter
from typing import Final

import structlog

from engines.ai import decision
from engines.table.seats import PendingAi
from engines.table.table import Change, Table
from workers import game_commands, metrics
from workers.background import job_base
from workers.background.stop_check import StopCheck
from workers.storage.due_games import LEASE_SECONDS, leased, nothing_due
from workers.storage.errors import NoSuchGame, StaleVersion, StorageRefusal, Unreadable
from workers.storage.store import Store

FOLLOWING_TURNS_SECONDS: Final = 0.25
"""Time after which a job begins no further AI turn of its game but enqueues it, so that other jobs get their turn."""

LEASE_RENEWAL_SECONDS: Final = LEASE_SECONDS / 3
"""Interval at which a thinking AI renews its lease."""

PASS_ON_DELAY_SECONDS: Final = 0.05
"""Seconds for which a worker pauses after it has requeued a turn, so that another worker takes the turn."""

log: Final = structlog.get_logger(__name__)


@dataclass(frozen=True)
class TurnResult:
    """The outcome of a turn.

    ``played``, ``signalled`` and ``passed`` are decisions of an AI. ``overtaken`` means that the game has changed,
    ``gone`` that it doesn't exist, ``unreadable`` that this process can't read it.
    """

    outcome: str
    after: Table | None = None
    """The new table, if an AI is to move next and its turn was not enqueued: the caller plays that turn. Else None."""


def take_ai_turn(game_id: str, version: int) -> str:
    """Play the AI turn that is due at *version*, and then AI turns that follow, for ``FOLLOWING_TURNS_SECONDS``.

    Returns the outcome of the last turn (``TurnResult``).
    """
    slice_end = perf_counter() + FOLLOWING_TURNS_SECONDS
    result = _play_and_log(game_id, version, None, slice_end)
    while (table := result.after) is not None:
        result = _play_and_log(game_id, table.version, table, slice_end)
    return result.outcome


def _play_and_log(game_id: str, version: int, preloaded: Table | None, slice_end: float) -> TurnResult:
    began = perf_counter()
    try:
        result = play(job_base.process_store(), game_id, version, preloaded, slice_end)
    except job_base.LoggedJobError:
        metrics.AI_TURNS.labels("failed").inc()
        raise
    except Exception as error:  # the sweeper retries any failure
        metrics.AI_TURNS.labels("failed").inc()
        log.exception("ai_turn_failed", game_id=game_id, version=version, exc_info=error)
        raise job_base.LoggedJobError(type(error).__name__) from None
    metrics.AI_TURNS.labels(result.outcome).inc()
    log.info("ai_turn", game_id=game_id, version=version, outcome=result.outcome, ms=job_base.milliseconds_since(began))
    return result


def play(store: Store, game_id: str, version: int, preloaded: Table | None = None, slice_end: float = 0) -> TurnResult:
    """Let the AIs that are to move at *version* decide, in order, until one of them acts.

    *preloaded* is the table, if it was just read. If an AI is to move next, its turn is enqueued. But before
    *slice_end*, a time of ``perf_counter``, the new table is returned instead (``TurnResult.after``).
    """
    try:
        table = preloaded or store.games.load(game_id)
    except NoSuchGame:
        return TurnResult("gone")
    except Unreadable:
        return pass_to_other_worker(store, game_id, version)
    if table.version != version:
        return TurnResult("overtaken")
    # A player may act while an AI searches:
    #   t0  we load version 7          t1  seat 0 acts: version 8 is committed, and its job is enqueued
    #   t2  we commit against 7        t3  refused: the job for 8 lets the AI decide again
    try:
        for pending_ai in store.games.pending_ais(table):
            if table.ruleset.levels[pending_ai.level].budget:
                store.due_games.put([leased(table)])
            result = _decide_or_log(store, table, pending_ai, slice_end)
            if result is not None:
                return result
    except StaleVersion:
        return TurnResult("overtaken")
    store.due_games.put([nothing_due(table, store.now() - store.due_games.deadline_extension(table))])
    return TurnResult("passed")


def pass_to_other_worker(store: Store, game_id: str, version: int) -> TurnResult:
    """Requeue a turn whose game this process can't read, because a worker of another version may be able to read it.

    The game is also recorded as unreadable. After a requeue this worker takes no job for ``PASS_ON_DELAY_SECONDS``.
    After ``MAX_TURN_PASSES`` requeues of a turn only the sweeper retries it.
    """
    store.unreadable.note(game_id)
    if store.unreadable.may_pass_to_other_worker(game_id, version):
        store.turns.requeue_for_other_worker(game_id, version)
        Event().wait(PASS_ON_DELAY_SECONDS)
    return TurnResult("unreadable")


def _decide_or_log(store: Store, table: Table, pending_ai: PendingAi, slice_end: float) -> TurnResult | None:
    """Return the result of ``_decide``. Log an error of the AI and raise ``LoggedJobError``.

    An AI that fails at each attempt holds up its game, so the log line names what an operator must know of it.
    """
    try:
        return _decide(store, table, pending_ai, slice_end)
    except StorageRefusal:
        raise
    except Exception as error:  # the border to an installed game: its AI can raise anything, or act against the rules
        turn = {"game_id": table.id, "version": table.version, "ruleset": table.ruleset_name}
        log.exception("ai_turn_failed", **turn, seat=pending_ai.seat, ai_level=pending_ai.level, exc_info=error)
        raise job_base.LoggedJobError(type(error).__name__) from None


def _decide(store: Store, table: Table, pending_ai: PendingAi, slice_end: float) -> TurnResult | None:
    """Let an AI decide, and commit its decision. A change of the game stops the search.

    Returns None if the AI passes or has nothing to decide.
    """
    question = table.question(pending_ai)
    if question is None:
        return None
    began, stop = perf_counter(), StopCheck(Lease(store, table))
    decided = decision.think(question, should_stop=stop)
    if question.may_act and decided.signal is None:
        _log_thought(table, pending_ai, began)
    if stop.stopped:
        return TurnResult("overtaken")
    if decided.is_pass:
        return None

    def carry_out(table: Table, now: datetime) -> Change:
        return table.carry_out(pending_ai.seat, decided, now)

    after = _commit(store, table, carry_out, slice_end)
    if decided.signal is not None:
        return TurnResult("signalled", after)
    # The delay of an AI that stands in for a person is not measured, because its turn began at the deadline.
    if table.seats[pending_ai.seat].kind == "ai":
        waited = store.now() - datetime.fromisoformat(table.updated)
        metrics.AI_ANSWERING_SECONDS.labels(table.ruleset_name, pending_ai.level).observe(
            max(0.0, waited.total_seconds())
        )
    return TurnResult("played", after)


class Lease:
    """The lease of a turn, by which the sweeper knows that a worker is playing the turn.

    A call returns whether the game is still at the turn's version. It also renews the lease when that is due.
    """

    def __init__(self, store: Store, table: Table) -> None:
        self._store = store
        self._table = table
        self._next = perf_counter() + LEASE_RENEWAL_SECONDS

    def __call__(self) -> bool:
        if perf_counter() >= self._next:
            self._next = perf_counter() + LEASE_RENEWAL_SECONDS
            self._store.due_games.put([leased(self._table)])
        return self._store.games.is_at(self._table.id, self._table.version)


def _log_thought(table: Table, pending_ai: PendingAi, began: float) -> None:
    seconds = perf_counter() - began
    metrics.AI_THINKING_SECONDS.labels(table.ruleset_name, pending_ai.level).observe(seconds)
    fields = {"game_id": table.id, "version": table.version, "seat": pending_ai.seat, "ai_level": pending_ai.level}
    log.info("ai_thought", **fields, ms=round(seconds * 1000, 1))


def _commit(store: Store, table: Table, verb: game_commands.TableCommand, slice_end: float) -> Table | None:
    """Commit an AI's command. Return the new table if the caller must play the next AI turn, else None."""
    within_slice = perf_counter() < slice_end
    after = game_commands.change(store, table, verb, expected=table.version, enqueue=not within_slice)
    return after if within_slice and after.pending_ais(store.now()) else None
