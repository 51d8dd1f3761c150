"""Games in the store: read the latest table, commit a change, list public games.

Reading a game takes one round trip, and so does committing a change. A commit is a compare-and-set on the version
(commit.lua), so only one of two concurrent changes of a game succeeds:

  t0  A loads version 7        t1  B loads version 7
  t2  A commits 8              t3  B commits 8: refused, ``StaleVersion(8)``, nothing written

A commit is idempotent: each has a random id, by which the script recognises a commit that is repeated because the
connection broke before the reply arrived.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from heapq import nlargest
from itertools import chain, product
from time import monotonic
from typing import Any, Final

import structlog
from redis import Redis
from redis.client import Pipeline

from engines import RULESETS
from engines.core.phrase import Phrase
from engines.core.types import Json
from engines.table.seats import PendingAi
from engines.table.table import STATUSES, Change, Table
from workers.clock_jumps import Sureness
from workers.storage import table_codec
from workers.storage.commands import NOW_SCRIPT, run_command, run_pipeline, script, text
from workers.storage.commit_arguments import SCRIPT_NAMES, Commit
from workers.storage.damaged_shared_keys import set_aside_damaged
from workers.storage.due_games import DueGames, extended
from workers.storage.errors import (
    DamagedKey,
    Incomplete,
    NoSuchGame,
    RematchExists,
    RulesetMissing,
    StaleVersion,
    StorageUnavailable,
    Unreadable,
)
from workers.storage.idempotency import Key
from workers.storage.keys import ID_PATTERN, Keys, partition_of
from workers.storage.queue import TurnQueue
from workers.storage.replicas import TOO_FEW_REPLICAS_PHRASE, Replicas
from workers.storage.table_cache import CachedTable, TableCache
from workers.storage.tokens import Token, queue_owner_lookup, token_exists

NO_TOKENS: Final[Mapping[str, str]] = {}

OUTCOME_UNKNOWN_PHRASE: Final = Phrase(
    "The storage can't be reached now, and whether the change was made can't be told. Look at the game again in a "
    "second; a request with an Idempotency-Key can simply be repeated."
)

log: Final = structlog.get_logger(__name__)


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


class Games:
    """The games of one store. All threads of a process share one object."""

    def __init__(
        self,
        redis: Redis,
        keys: Keys,
        replicas: Replicas,
        due_games: DueGames,
        turns: TurnQueue,
        clock: Callable[[], datetime],
        answer_ttl: int,
    ) -> None:
        self._redis, self._keys, self._replicas = redis, keys, replicas
        self._due_games, self._turns = due_games, turns
        self.now = clock
        self.steady: Callable[[], float] = monotonic
        """The process's monotonic clock, by which jumps of *now* are detected."""
        self._sureness = Sureness()
        self._cache = TableCache()
        self._commit = script(redis, "commit.lua", SCRIPT_NAMES + NOW_SCRIPT)
        self._newest_public = script(redis, "newest_public.lua")
        self._answer_ttl = answer_ttl

    # Reading

    def load(self, game_id: str) -> Table:
        """Return the latest table of a game. Raises ``NoSuchGame``, ``Unreadable``."""
        return self._table(game_id, run_command(lambda: self._redis.hmget(self._keys.game(game_id), "table", "commit")))

    def load_for(self, game_id: str, token: Token | None) -> tuple[Table, str | None, bool]:
        """Return a game's table, the holder of *token* in the game, and whether any game or job has this token.

        The holder is the number of a seat as text (``"0"``), ``"host"`` or ``"invite"``, or None if the game doesn't
        have the token. Raises ``NoSuchGame``, ``Unreadable``.
        """
        cached = self._cache.get(game_id)
        holder = None if cached is None or token is None else cached.holders.get(token.hash)
        if token is None or holder is not None:
            return self.load(game_id), holder, holder is not None

        def fill(pipe: Pipeline) -> None:
            pipe.hmget(self._keys.game(game_id), "table", "commit")
            pipe.hgetall(self._keys.tokens(game_id))
            queue_owner_lookup(pipe, self._keys, token)

        row, hashes, *owners = run_pipeline(self._redis, fill)
        holders = {text(token_hash): text(holder) for holder, token_hash in hashes.items()}
        if not holders and row[0] is not None:
            raise _incomplete(game_id)
        holder = holders.get(token.hash)
        known = holder is not None or any(map(token.is_among, owners))
        try:
            return self._table(game_id, row, holders), holder, known
        except RulesetMissing as missing:
            missing.holder, missing.token_known = holder, known
            raise

    def cached(self, game_id: str, token: Token) -> tuple[Table, str] | None:
        """Return a game's cached table, which may be stale, and the token's holder, without a round trip.

        Don't show the table to a client: whether it is current is checked only by a commit that is based on it.
        Returns None if the table or the holder isn't cached, or if an AI is to move, which has probably moved since.
        """
        cached = self._cache.get(game_id)
        holder = None if cached is None else cached.holders.get(token.hash)
        if cached is None or holder is None or cached.table.pending_ais(self.now()):
            return None
        return cached.table, holder

    def is_at(self, game_id: str, version: int) -> bool:
        """Return whether a game exists and its latest version is *version*. For polling: cheaper than ``load``."""
        reply = run_command(lambda: self._redis.hget(self._keys.game(game_id), "version"))
        return reply is not None and text(reply) == str(version)

    def pending_ais(self, table: Table) -> list[PendingAi]:
        """Return the AIs to move.

        An AI stands in for a person who missed the deadline only if no clock jump can explain the lateness.
        """
        now = self.now()
        if table.deadline is None:
            return table.pending_ais(now)
        if not self._sureness.is_sure(now.timestamp(), self.steady()):
            return table.pending_ais(datetime.fromisoformat(table.updated))
        return table.pending_ais(now - self._due_games.deadline_extension(table))

    def render_cached(self, table: Table, variant: Hashable, render: Callable[[], bytes]) -> bytes:
        """Return the result of *render* for *table*, computed once for each *variant* while the table is cached."""
        cached = self._cache.get(table.id)
        if cached is None or cached.table is not table:
            return render()
        if variant not in cached.rendered:
            cached.rendered[variant] = render()
        return cached.rendered[variant]

    def next_game(self, game_id: str) -> str | None:
        """Return the id of the rematch of a game, or None if there is none."""
        reply = run_command(lambda: self._redis.get(self._keys.next_game(game_id)))
        return None if reply is None else text(reply)

    def host_token_hash(self, game_id: str) -> str:
        """Return the SHA-256 of the host's token in hexadecimal."""
        return text(run_command(lambda: self._redis.hget(self._keys.tokens(game_id), "host")))

    def token_exists(self, token: Token) -> bool:
        """Return whether any game or job has this token."""
        return token_exists(self._redis, self._keys, token)

    def _table(self, game_id: str, row: list[Any], holders: Mapping[str, str] = NO_TOKENS) -> Table:
        """Return the table of *row*, a pair of stored table and commit id, and cache it with *holders*.

        The stored table is parsed only if the table of that commit isn't cached. *holders* maps token hashes to
        holders. Raises ``NoSuchGame``, ``Unreadable``.
        """
        encoded, commit = row
        cached = self._cache.get(game_id)
        is_current = cached is not None and cached.commit == commit
        if cached is not None and is_current and not holders:
            return cached.table
        if encoded is None:
            self._cache.forget(game_id)
            self._check_fully_deleted(game_id)
        table = cached.table if cached is not None and is_current else load_table(game_id, encoded)
        if commit is not None:
            self._cache.put(CachedTable(table, commit, holders))
        return table

    def _check_fully_deleted(self, game_id: str) -> None:
        """Raise ``Incomplete`` if a game has a journal or tokens but no hash. A deletion removes all three."""
        if run_command(lambda: self._redis.exists(self._keys.journal(game_id), self._keys.tokens(game_id))):
            raise _incomplete(game_id)

    # Writing

    def new_id(self, key: Key | None) -> str:
        """Return an id for a new game. With *key* the game is in the partition that stores the key's response."""
        return self._keys.new_id(None if key is None else partition_of(self._keys.answer(key.scope, key.text)))

    def commit(
        self,
        change: Change,
        before: Table | int | None,
        *,
        tokens: Mapping[str, str] = NO_TOKENS,
        key: Key | None = None,
        answer: Json | None = None,
        enqueue: bool = True,
        follows: str | None = None,
    ) -> Json | None:
        """Commit *change* if the game is still at *before*, a table or its version. None as *before* creates the game.

        *tokens* maps holders to the SHA-256 of their new tokens in hexadecimal. With *key* the response body *answer*
        is stored. If the key already has a response, nothing is changed and that response is returned, else None is
        returned. With *enqueue* the AI turn that follows, if any, is enqueued after the commit. *follows* is the id of
        the game whose rematch is created. Raises ``StaleVersion``, ``NoSuchGame``, ``Incomplete``, ``DamagedKey``,
        ``KeyReused``, ``RematchExists``, ``StorageUnavailable``.
        """
        now, table = self.now(), change.table
        expected, base = (before.version, self._commit_of(before)) if isinstance(before, Table) else (before, b"")
        time, extension = self._due_games.time.argument(), self._kept_extension(before, table)
        commit = Commit(
            change, expected, now, tokens, key, answer or {}, self._answer_ttl, follows, base, time, extension
        )
        outcome = self._run(commit)
        if outcome[0] == b"answered" and key is not None:
            return key.read(outcome[1])
        self._raise_refusal(outcome, table.id)
        self._cache.put(CachedTable(table, commit.id, {token_hash: holder for holder, token_hash in tokens.items()}))
        if extension:
            self._due_games.put([extended(table, now, extension)])
        if enqueue:
            self._enqueue_turn(table, now - extension)
        return None

    def _enqueue_turn(self, table: Table, now: datetime) -> None:
        pending = table.pending_ais(now)
        if pending:
            self._turns.try_enqueue(table, pending[0])

    def _kept_extension(self, before: Table | int | None, table: Table) -> timedelta:
        """Return the extension of the deadline of *before* if *table* is still in that turn, as after a signal."""
        if not isinstance(before, Table) or table.deadline is None or table.deadline != before.deadline:
            return timedelta(0)
        return self._due_games.deadline_extension(before)

    def _run(self, commit: Commit) -> list[Any]:
        """Run commit.lua and return its reply. If keys that games share are damaged, repair them and run it again.

        Raises ``StorageUnavailable``. Then it is unknown whether the change was committed.
        """
        script_keys, args = commit.arguments(self._keys)
        try:
            outcome: list[Any] = self._replicas.run(self._commit, script_keys, args)
            partition = self._keys.partition(commit.change.table.id)
            if outcome[0] == b"damaged" and set_aside_damaged(self._redis, self._keys, partition):
                outcome = self._replicas.run(self._commit, script_keys, args)
        except StorageUnavailable as error:
            if error.phrase == TOO_FEW_REPLICAS_PHRASE:
                raise
            raise StorageUnavailable(OUTCOME_UNKNOWN_PHRASE) from error
        return outcome

    def _raise_refusal(self, outcome: list[Any], game_id: str) -> None:
        """Raise the error for *outcome*, the reply of commit.lua. Return if the change was committed."""
        if outcome[0] == b"followed":
            raise RematchExists(text(outcome[1]))
        if outcome[0] == b"damaged":
            raise DamagedKey
        if outcome[0] == b"incomplete":
            raise _incomplete(game_id)
        if outcome[0] == b"stale" and outcome[1] < 0:
            self._cache.forget(game_id)
            raise NoSuchGame
        if outcome[0] == b"stale":
            raise StaleVersion(outcome[1])

    def _commit_of(self, table: Table) -> bytes:
        """Return the id of the commit that wrote *table* if that table is cached, else empty bytes."""
        cached = self._cache.get(table.id)
        return cached.commit if cached is not None and cached.table is table else b""

    # Lists

    def page(
        self, status: str | None, ruleset: str | None, limit: int, cursor: str | None
    ) -> tuple[list[Table], str | None]:
        """Return a page of public games, newest first, and the next page's cursor, which is None after the last page.

        None for *status* or *ruleset* means any. New games don't shift the pages after the first. A game whose status
        changes between the read of the indexes and that of the tables is left out. Therefore a page may have fewer than
        *limit* games.
        """
        below = "+" if cursor is None else b"(" + cursor.encode("utf-8", "replace")

        kinds = product(RULESETS if ruleset is None else [ruleset], STATUSES if status is None else [status])
        found = self._newest_public.read(_public_indexes(self._keys, tuple(kinds)), [below, limit + 1])
        newest = nlargest(limit + 1, set(chain.from_iterable(found)))  # an index may still have a game that left it
        members = [text(member) for member in newest[:limit]]
        tables = [table for table in self._tables(members) if status in (None, table.status)]
        return tables, members[-1] if len(newest) > limit else None

    def count(self) -> int:
        """Return the number of games in the store."""

        def fill(pipe: Pipeline) -> None:
            for partition in self._keys.all():
                pipe.hvals(self._keys.status_counts(partition))

        return sum(int(count) for counts in run_pipeline(self._redis, fill) for count in counts)

    def _tables(self, members: list[str]) -> list[Table]:
        """Return the tables of *members* of public indexes, in one round trip, without unreadable and deleted games."""
        found = [member.partition("_")[2] for member in members]
        ids = [game_id for game_id in found if ID_PATTERN.fullmatch(game_id)]  # a damaged member may have no id

        def fill(pipe: Pipeline) -> None:
            for game_id in ids:
                pipe.hmget(self._keys.game(game_id), "table", "commit")

        rows = run_pipeline(self._redis, fill) if ids else []
        return [table for game_id, row in zip(ids, rows, strict=True) if (table := self._readable(game_id, row))]

    def _readable(self, game_id: str, row: list[Any]) -> Table | None:
        """Return the table of *row*, or None if the game was deleted or is unreadable. An unreadable game is logged."""
        try:
            return self._table(game_id, row)
        except (NoSuchGame, Unreadable):
            return None


@lru_cache(maxsize=64)
def _public_indexes(keys: Keys, kinds: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Return each partition's indexes of public games of these rulesets and statuses.

    They are kept, because with 1,024 partitions it takes longer to write their names than to send them.
    """
    return [[keys.public(partition, *kind) for kind in kinds] for partition in keys.all()]


def _incomplete(game_id: str) -> Incomplete:
    """Log that a game lacks one of its keys, and return the error to raise."""
    log.error("incomplete_game", game_id=game_id)
    return Incomplete()


def load_table(game_id: str, encoded: bytes | None) -> Table:
    """Decode a stored table. Raises ``NoSuchGame`` if *encoded* is None, ``Unreadable`` if it can't be decoded.

    An unreadable table is logged, unless only its ruleset is missing.
    """
    if encoded is None:
        raise NoSuchGame
    try:
        return table_codec.load(table_codec.unpack(encoded))
    except RulesetMissing:
        raise
    except Unreadable as error:
        log.exception("unreadable_game", game_id=game_id, exc_info=error)
        raise
