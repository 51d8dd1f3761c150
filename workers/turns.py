"""Every change of a game: load the table, let a pure function change it, commit.

Nothing is announced before it is committed. The commit itself puts the game into the outbox if an AI then owes a
turn; its job goes into the queue afterwards, and if it is lost, now or later, the sweeper repeats it.
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
"""SHA-256 hex of the tokens by holder."""

Opening = Callable[[datetime], Change]
TableCommand = Callable[[Table, datetime], Change]

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
    """Set up a game and return its *answer*, which is remembered with *key*.

    Raises what *opening* does, ``KeyReused``, ``InProgress``.
    """

    def attempt() -> Json:
        began = perf_counter()
        change = opening(store.now())
        said = answer(change.table)
        known = store.games.commit(change, None, tokens=tokens() if callable(tokens) else tokens, key=key, answer=said)
        if known is not None:
            return known
        _note(change, began)
        return said

    return _idempotent(store, key, attempt)


def take(  # a move, and what is known of it
    store: Store,
    game: str | Table,
    seat: int,
    action: object,
    *,
    expected: int | None = None,
    key: Key | None = None,
    guessed: bool = False,
) -> Json:
    """Act for *seat* and return the game after it and what happened, as that seat may know it (``_answer``).

    Looked at in this order: the key (``KeyReused``, ``InProgress``, or the first answer again), the version
    (``StaleVersion``; None: the action is judged on the game as it is), the rules (as ``Table.act``). *game* is its
    id, or the game as it was read a moment ago; or *guessed*: then nobody is refused but by the game as it is.
    """
    table = _read(store, game)

    def act(table: Table, now: datetime) -> Change:
        return table.act(seat, action, now)

    said = Answered(lambda made, _: _answer(made, seat), key)
    return _idempotent(store, key, lambda: _done(store, table, act, said, expected, guessed=guessed))


def join(store: Store, table: Table, verb: TableCommand, answered: "Answered") -> Json:
    """Seat a guest of a game that was read a moment ago, once for each key, and return the answer.

    Raises what *verb* does, ``KeyReused``, ``InProgress``.
    """
    return _idempotent(store, answered.key, lambda: _done(store, table, verb, answered, None, guessed=False))


def rehearse(store: Store, table: Table, seat: int, action: object, *, expected: int | None = None) -> None:
    """Raise what ``take`` would of a game that was just read, and change nothing."""
    _check(table, expected)
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
    """Carry out another verb of the table and return the table after it. Raises what *verb* does.

    *game* is its id, or the game as it was read a moment ago. Without *enqueue* whoever asks plays the AI's turn that
    this makes.
    """
    began = perf_counter()
    made, _ = _apply_with_retry(
        store,
        _read(store, game),
        verb,
        expected,
        lambda made, before: store.games.commit(made, before, tokens=tokens, enqueue=enqueue),
    )
    _note(made, began)
    return made.table


def _no_tokens(_made: Change, _before: Table) -> Tokens:
    """Return none: most changes give nobody a token."""
    return NO_TOKENS


@dataclass(frozen=True)
class Answered:
    """How a change is answered, and what is committed with it."""

    answer: Callable[[Change, Table], Json]
    """Makes the answer of the change and of the game before it; it is remembered with the key, if there is one."""
    key: Key | None = None
    tokens: Callable[[Change, Table], Tokens] = _no_tokens
    """Makes the new tokens."""


def _done(  # a verb, and what is known of the game
    store: Store, table: Table, verb: TableCommand, answered: Answered, expected: int | None, *, guessed: bool
) -> Json:
    """Carry out a verb, commit and return the answer; the one that the key has, if it was answered meanwhile."""
    began = perf_counter()

    def commit(made: Change, before: Table) -> tuple[Json, Json | None]:
        answer, tokens = answered.answer(made, before), answered.tokens(made, before)
        return answer, store.games.commit(made, before, tokens=tokens, key=answered.key, answer=answer)

    made, (answer, answered_before) = _apply_with_retry(store, table, verb, expected, commit, guessed=guessed)
    if answered_before is not None:
        return answered_before
    _note(made, began)
    return answer


def _apply_with_retry(  # a verb, and what is known of the game
    store: Store,
    table: Table,
    verb: TableCommand,
    expected: int | None,
    commit: Callable[[Change, Table], T],
    *,
    guessed: bool = False,
) -> tuple[Change, T]:
    """Check the version, carry out the verb, commit.

    Whatever refuses a guess is judged again on the game as it is. Unless a version is *expected* it loads and tries
    again when another change came between. That ends, since each time somebody else has got on.
    """
    while True:
        try:
            _check(table, expected)
            made = verb(table, store.now())
        except Refusal:
            if not guessed:
                raise
        else:
            try:
                return made, commit(made, table)
            except StaleVersion as stale:
                if not guessed and expected is not None and stale.version != expected:
                    raise
        table, guessed = store.games.load(table.id), False


def _read(store: Store, game: str | Table) -> Table:
    """Return the game of this id; one that was read already as it is. Raises ``NoSuchGame``."""
    return store.games.load(game) if isinstance(game, str) else game


def _check(table: Table, expected: int | None) -> None:
    """Raise ``StaleVersion`` if the game isn't at the version that is *expected*, if one is."""
    if expected is not None and table.version != expected:
        raise StaleVersion(table.version)


def _answer(made: Change, seat: int) -> Json:
    """Return the answer to whoever acted."""
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
    """Make the *attempt*, unless *key* says that it was made: then return what was answered."""
    if key is None:
        return attempt()
    with store.idempotency.claimed(key) as known:
        return attempt() if known is None else known


def _note(made: Change, began: float) -> None:
    """Count a change that was committed, and write its line."""
    table, seat = made.table, None
    if made.entry["verb"] == "act":
        seat = made.entry["seat"]
        _counter(table.ruleset_name, "person" if made.entry["ai"] is None else "ai").inc()
    milliseconds = round((perf_counter() - began) * 1000, 1)
    log.info("changed", game_id=table.id, version=table.version, status=table.status, seat=seat, ms=milliseconds)


_counter: Final = cache(MOVES.labels)
"""Returns what counts the moves of a ruleset by people, or by AIs."""
