"""The RQ jobs: plain functions with plain arguments, safe to run twice, too late, or only half.

A job is addressed to one version of one game. Whatever it finds there, it commits against that version or not at all.
"""

import os
from datetime import datetime
from functools import cache
from time import perf_counter
from typing import Final

import structlog

from engines import opponents
from engines.seats import Asked
from engines.table import Change, Table, view_hash
from workers import turns
from workers.errors import NoSuchGame, StaleVersion
from workers.settings import Settings
from workers.store import Store, open_store

log: Final = structlog.get_logger(__name__)


class Undecided(Exception):
    """An AI that must act had nothing to do: its policy is wrong."""


class JobFailed(Exception):
    """Something went wrong; the log has what. RQ keeps and logs an exception's message, so this one quotes nothing."""


def take_ai_turn(game_id: str, version: int) -> str:
    """Ask the AIs that are to be asked at *version*, in order, until one acts.

    Returns ``played``, ``signalled`` or ``passed``; ``overtaken`` if the game has moved on, ``gone`` if there is none.
    """
    began = perf_counter()
    try:
        outcome = play(_store(), game_id, version)
    except Exception as error:  # whatever it was, the sweeper tries again
        log.exception("ai_turn_failed", game_id=game_id, version=version, exc_info=error)
        raise JobFailed(type(error).__name__) from None
    log.info("ai_turn", game_id=game_id, version=version, outcome=outcome, ms=_milliseconds(began))
    return outcome


def play(store: Store, game_id: str, version: int) -> str:
    """Do what ``take_ai_turn`` promises, in *store*."""
    try:
        table = store.load(game_id)
    except NoSuchGame:
        return "gone"
    if table.version != version:
        return "overtaken"
    now = store.now()
    store.outbox.lease(table, now)
    # While an AI thinks, somebody may act:
    #   t0  we load version 7          t1  seat 0 declares a ploy -> 8, and enqueues the job for 8
    #   t2  we commit against 7        t3  refused: that job asks again
    try:
        for asked in table.asked(now):
            outcome = _signal(store, table, asked) or _act(store, table, asked)
            if outcome is not None:
                return outcome
    except StaleVersion:
        return "overtaken"
    store.outbox.settle(table)
    return "passed"


def _signal(store: Store, table: Table, asked: Asked) -> str | None:
    """Give the signal of an AI that has one to give (R22)."""
    seat, view = asked.seat, table.view(asked.seat)
    if table.position is None or view is None or seat in table.signals or not table.position.signals(seat):
        return None
    signal = opponents.signal(table.ruleset, asked.level, view, seat, table.player_seed(seat))
    if signal is None:
        return None

    def give(table: Table, now: datetime) -> Change:
        return table.signal(seat, signal, now, by_ai=True)

    turns.change(store, table.id, give, expected=table.version)
    return "signalled"


def _act(store: Store, table: Table, asked: Asked) -> str | None:
    """Do what the AI decides on; None if it lets others act."""
    seat, view, seed = asked.seat, table.view(asked.seat), table.player_seed(asked.seat)
    movers = table.to_act()
    if view is None or seat not in (*movers, *table.may_act()):
        return None
    began = perf_counter()
    choice = opponents.choose(table.ruleset, asked.level, view, seat, seed, table.signals)
    log.info(
        "ai_thought", game_id=table.id, version=table.version, seat=seat, ai_level=asked.level, ms=_milliseconds(began)
    )
    if choice.action is None:
        if seat in movers:
            raise Undecided
        return None
    note = {"level": asked.level, "seed": seed, "iterations": choice.iterations, "view_sha256": view_hash(view)}
    turns.take(store, table.id, seat, choice.action.as_json(), expected=table.version, ai=note, known=table)
    return "played"


@cache
def _store() -> Store:
    """Return this worker's storage."""
    return open_store(Settings.from_environment(os.environ))


def _milliseconds(began: float) -> float:
    return round((perf_counter() - began) * 1000, 1)
