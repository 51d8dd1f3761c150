"""Changes of games: load the table, apply a command, which is a pure function, and commit.

Nothing is published before it is committed. If an AI is to move next, the commit schedules the sweeper's check of the
game, and the AI's job is enqueued after the commit. If the job is lost, the sweeper enqueues it again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from time import perf_counter
from typing import Final, TypeVar

import structlog

from engines.core.errors import Refusal
from engines.core.types import Json
from engines.table.table import Change, Table
from workers.metrics import MOVES
from workers.storage.errors import StaleVersion
from workers.storage.games import NO_TOKENS
from workers.storage.idempotency import Key
from workers.storage.store import Store

Tokens = Mapping[str, str]
"""SHA-256 of tokens in hexadecimal, by holder: a seat such as ``"0"``, ``"host"`` or ``"invite"``."""

Opening = Callable[[datetime], Change]
"""Function of the current time that returns the change that opens (creates) a game."""

TableCommand = Callable[[Table, datetime], Change]
"""Pure function of a table and the current time that returns a change of the table."""

T = TypeVar("T")

log: Final = structlog.get_logger(__name__)


def create(
    store: Store,
    opening: Opening,
    tokens: Tokens | Callable[[], Tokens],
    *,
    key: Key | None,
    answer: Callable[[Table], Json],
) -> Json:
    """Create a game. Return the result of *answer* for the new table, which is also stored with *key*.

    If *key* already has a response, no game is created, and that response is returned. Raises what *opening* raises,
    ``KeyReused``, ``InProgress``.
    """

    def attempt() -> Json:
        began = perf_counter()
        change = opening(store.now())
        response = answer(change.table)
        stored_response = store.games.commit(
            change, None, tokens=tokens() if callable(tokens) else tokens, key=key, answer=response
        )
        if stored_response is not None:
            return stored_response
        _log_and_count(change, began)
        return response

    return _idempotent(store, key, attempt)


def play_action(
    store: Store,
    game: str | Table,
    seat: int,
    action: object,
    *,
    expected: int | None = None,
    key: Key | None = None,
    from_cache: bool = False,
) -> Json:
    """Take an action of *seat*. Return the new game and the events as that seat may know them.

    *game* is an id or a table that was just read. With *from_cache* the table may be stale, so a refusal is checked
    again on the latest table. Three checks are made, in this order:

    1. The key: if it has a stored response, that is returned. Raises ``KeyReused``, ``InProgress``.
    2. The version: raises ``StaleVersion`` if the game isn't at *expected*. None means any version.
    3. The rules: raises the refusals of ``Table.act``.
    """
    table = _load(store, game)

    def act(table: Table, now: datetime) -> Change:
        return table.act(seat, action, now)

    response = CommitOptions(lambda made, _: _action_response(made, seat), key)
    return _idempotent(store, key, lambda: _commit_change(store, table, act, response, expected, from_cache=from_cache))


def join(store: Store, table: Table, verb: TableCommand, options: "CommitOptions") -> Json:
    """Seat a player in a game that was just read, and return the response.

    Requests with the same key seat one player and get the same response. Raises what *verb* raises, ``KeyReused``,
    ``InProgress``.
    """
    return _idempotent(store, options.key, lambda: _commit_change(store, table, verb, options, None, from_cache=False))


def check_action(store: Store, table: Table, seat: int, action: object, *, expected: int | None = None) -> None:
    """Raise what ``play_action`` would raise for a game that was just read. The game is not changed."""
    _check_version(table, expected)
    table.act(seat, action, store.now())


def change(
    store: Store,
    game: str | Table,
    verb: TableCommand,
    *,
    tokens: Tokens = NO_TOKENS,
    expected: int | None = None,
    enqueue: bool = True,
) -> Table:
    """Apply a command to a table, commit, and return the new table. Raises what *verb* raises.

    *game* is an id or a table that was just read. If *enqueue* is False, the caller plays the AI turn that may follow.
    """
    began = perf_counter()
    made, _ = _apply_with_retry(
        store,
        _load(store, game),
        verb,
        expected,
        lambda made, before: store.games.commit(made, before, tokens=tokens, enqueue=enqueue),
    )
    _log_and_count(made, began)
    return made.table


@dataclass(frozen=True)
class CommitOptions:
    """The response to a change, and the idempotency key and the new tokens that are committed with the change."""

    answer: Callable[[Change, Table], Json]
    """Function that gets the change and the table before it, and returns the response that is stored with the key."""
    key: Key | None = None
    tokens: Callable[[Change, Table], Tokens] = lambda *_: NO_TOKENS
    """Function that gets the change and the table before it, and returns the new tokens."""


def _commit_change(
    store: Store, table: Table, verb: TableCommand, options: CommitOptions, expected: int | None, *, from_cache: bool
) -> Json:
    """Apply a command, commit, and return the response, or the one that a concurrent request stored with the key."""
    began = perf_counter()

    def commit(made: Change, before: Table) -> tuple[Json, Json | None]:
        answer, tokens = options.answer(made, before), options.tokens(made, before)
        return answer, store.games.commit(made, before, tokens=tokens, key=options.key, answer=answer)

    made, (answer, answered_before) = _apply_with_retry(store, table, verb, expected, commit, from_cache=from_cache)
    if answered_before is not None:
        return answered_before
    _log_and_count(made, began)
    return answer


def _apply_with_retry(
    store: Store,
    table: Table,
    verb: TableCommand,
    expected: int | None,
    commit: Callable[[Change, Table], T],
    *,
    from_cache: bool = False,
) -> tuple[Change, T]:
    """Check the version, apply the command and commit. Return the change and the result of *commit*.

    If the table is *from_cache*, a refusal is checked again on the latest table. Without an *expected* version a stale
    commit is retried on the latest table. A retry happens only after another change was committed, so the retries end.
    """
    while True:
        try:
            _check_version(table, expected)
            made = verb(table, store.now())
        except Refusal:
            if not from_cache:
                raise
        else:
            try:
                return made, commit(made, table)
            except StaleVersion as stale:
                if not from_cache and expected is not None and stale.version != expected:
                    raise
        table, from_cache = store.games.load(table.id), False


def _load(store: Store, game: str | Table) -> Table:
    """Return the latest table of a game if *game* is its id. Return a table unchanged. Raises ``NoSuchGame``."""
    return store.games.load(game) if isinstance(game, str) else game


def _check_version(table: Table, expected: int | None) -> None:
    """Raise ``StaleVersion`` unless the game is at the *expected* version; None means any."""
    if expected is not None and table.version != expected:
        raise StaleVersion(table.version)


def _action_response(made: Change, seat: int) -> Json:
    """Return the response to the player who acted."""
    table = made.table
    return {
        "version": table.version,
        "status": table.status,
        "outcome": table.outcome,
        "events": [event.seen_by(seat) for event in made.events],
        "view": table.view(seat),
        "to_act": table.to_act(),
        "may_act": table.may_act(),
    }


def _idempotent(store: Store, key: Key | None, attempt: Callable[[], Json]) -> Json:
    """Return the stored response of *key* if there is one, else the response of *attempt*."""
    if key is None:
        return attempt()
    with store.idempotency.reserve(key) as stored_response:
        return attempt() if stored_response is None else stored_response


def _log_and_count(made: Change, began: float) -> None:
    table, seat = made.table, None
    if made.entry["verb"] == "act":
        seat = made.entry["seat"]
        _counter(table.ruleset_name, "person" if made.entry["ai"] is None else "ai").inc()
    milliseconds = round((perf_counter() - began) * 1000, 1)
    log.info("changed", game_id=table.id, version=table.version, status=table.status, seat=seat, ms=milliseconds)


_counter: Final = cache(MOVES.labels)
"""Cached function that returns the counter of moves for a ruleset and ``person`` or ``ai``."""
