"""Storage: games in Redis, each change of one committed whole or not at all.

Reading a game is one round trip and committing a change is one. A commit is a compare-and-set on the version
(commit.lua), so two who change the same game at once can't both succeed:

    t0  A loads version 7        t1  B loads version 7
    t2  A commits 8              t3  B commits 8: refused, ``StaleVersion(8)``, nothing written

It is also safe to send twice: each bears a random id, by which it recognises its own change when the connection broke
before the answer came through. Whatever goes wrong with the server itself is ``StorageUnavailable``.
"""

from collections.abc import Callable, Hashable, Mapping
from datetime import UTC, datetime
from heapq import nlargest
from itertools import product
from time import monotonic
from typing import Any, Final

import structlog
from redis import Redis
from redis.client import Pipeline

from engines import RULESETS
from engines.core.phrase import Phrase
from engines.core.types import Json
from engines.table import table_json
from engines.table.seats import Asked
from engines.table.table import STATUSES, Change, Table
from workers.clocks import Sureness
from workers.settings import Settings
from workers.storage import journal, layout, table_codec
from workers.storage.active_quota import ActiveQuota
from workers.storage.clients import connect, connect_queue
from workers.storage.commit import NAMED, Commit
from workers.storage.commitments import Commitments
from workers.storage.connection import NOW, call, pipelined, script, text
from workers.storage.damaged_lists import set_aside_damaged
from workers.storage.due_games import Outbox
from workers.storage.errors import (
    DamagedKey,
    Incomplete,
    NoSuchGame,
    RematchExists,
    StaleVersion,
    StorageUnavailable,
    Unreadable,
)
from workers.storage.health_checks import Durability, condition
from workers.storage.idempotency import IdempotencyKeys, Key
from workers.storage.idle import IdleGames
from workers.storage.journal import LAST_VERSION
from workers.storage.keys import PROBE, WORKER, Keys, partition_of
from workers.storage.queue import TurnQueue
from workers.storage.replicas import TOO_FEW, Replicas
from workers.storage.snapshots import Snapshot
from workers.storage.store_time import StoreTime
from workers.storage.table_cache import CachedTable, TableCache
from workers.storage.tasks import Tasks
from workers.storage.tokens import Token, is_known, queue_owner_lookup
from workers.storage.unreadable import UnreadableGames

__all__ = ["Key", "Store", "open_store"]

NO_TOKENS: Final[Mapping[str, str]] = {}

log: Final = structlog.get_logger(__name__)

OUTCOME_UNKNOWN: Final = Phrase(
    "The storage can't be reached now, and whether the change was made can't be told. Look at the game again in a "
    "second; a request with an Idempotency-Key can simply be repeated."
)
NO_REPLICAS: Final = Phrase("The storage has fewer replicas now than a move is to reach.")
PROBE_SECONDS: Final = 60
WORKER_SECONDS: Final = 3
"""How long a worker counts as alive after its last sign of life."""


def utc_now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


def open_store(settings: Settings) -> "Store":
    """Return the storage that *settings* name; whether it is there shows when it is asked. Raises ``CannotStart``."""
    return Store(
        connect(settings),
        Keys(settings.partitions),
        answer_seconds=settings.idempotency_hours * 3600,
        broker=None if settings.queue_url is None else connect_queue(settings),
        replicas=settings.replicas,
    )


class Store:
    """The storage of all games; one for all threads of a process."""

    def __init__(
        self,
        redis: Redis,
        keys: Keys,
        clock: Callable[[], datetime] = utc_now,
        answer_seconds: int = 24 * 3600,
        broker: Redis | None = None,
        replicas: int = 0,
    ) -> None:
        self.redis = redis
        self.broker = broker or redis
        """The server of the queue."""
        self.keys = keys
        self.now = clock
        self.time = StoreTime(redis)
        self.steady: Callable[[], float] = monotonic
        self._sureness = Sureness()
        self.replicas = Replicas(redis, replicas)
        self.idempotency = IdempotencyKeys(redis, keys, self.replicas)
        self.commitments = Commitments(redis, keys, self.replicas, clock)
        self.outbox = Outbox(redis, keys, self.time)
        self.idle = IdleGames(redis, keys)
        self.tasks = Tasks(redis, self.broker, keys, self.time)
        self._kept = TableCache()
        self.under_way = ActiveQuota(redis, keys, clock)
        self.unreadable = UnreadableGames(redis, self.time)
        self.turns = TurnQueue(self.broker, creator_of=self.under_way.creator)
        self._commit = script(redis, "commit.lua", NAMED + NOW)
        self._answer_seconds = answer_seconds

    def close(self) -> None:
        """Close its connections; those in use when they are free again."""
        self.redis.close()
        self.broker.close()

    # Games

    def new_game_id(self, key: Key | None) -> str:
        """Make the id of a new game: with an Idempotency-Key in the partition in which its answer is kept."""
        return self.keys.new_id(None if key is None else partition_of(self.keys.answer(key.scope, key.text)))

    def load(self, game_id: str) -> Table:
        """Return the game as it is now. Raises ``NoSuchGame``, ``Unreadable``."""
        return self._now(game_id, call(lambda: self.redis.hmget(self.keys.game(game_id), "table", "commit")))

    def guess(self, game_id: str, token: Token) -> tuple[Table, str] | None:
        """Return the game as this process read or made it last, and who of it holds the token.

        Nobody may be told of it: a commit of a change that is based on it finds out whether it is true. None if that
        isn't known without asking the storage, or an AI is likely to have moved meanwhile.
        """
        kept = self._kept.get(game_id)
        holder = None if kept is None else kept.holders.get(token.hash)
        if kept is None or holder is None or kept.table.asked(self.now()):
            return None
        return kept.table, holder

    def asked(self, table: Table) -> list[Asked]:
        """Return the AIs to ask now; who stands in for people only if their time is up whatever the clocks did."""
        now = self.now()
        if table.deadline is None:
            return table.asked(now)
        if not self._sureness.is_sure(now.timestamp(), self.steady()):
            return table.asked(datetime.fromisoformat(table.updated))
        return table.asked(now - self.outbox.allowance(table))

    def is_at(self, game_id: str, version: int) -> bool:
        """The game is there and hasn't changed since *version*: cheap, for those who ask again and again."""
        found = call(lambda: self.redis.hget(self.keys.game(game_id), "version"))
        return found is not None and text(found) == str(version)

    def load_for(self, game_id: str, token: Token | None) -> tuple[Table, str | None, bool]:
        """Return the game, who of it holds the token (None: nobody), and whether any game or task has the token.

        Holders are seats, ``"0"`` and so on, ``"host"`` and ``"invite"``. Raises ``NoSuchGame``, ``Unreadable``.
        """
        kept = self._kept.get(game_id)
        holder = None if kept is None or token is None else kept.holders.get(token.hash)
        if token is None or holder is not None:
            return self.load(game_id), holder, holder is not None

        def order(pipe: Pipeline) -> None:
            pipe.hmget(self.keys.game(game_id), "table", "commit")
            pipe.hgetall(self.keys.tokens(game_id))
            queue_owner_lookup(pipe, self.keys, token)

        stored, found, *owned = pipelined(self.redis, order)
        holders = {text(token_hash): text(holder) for holder, token_hash in found.items()}
        if not holders and stored[0] is not None:
            raise _incomplete(game_id)
        table, holder = self._now(game_id, stored, holders), holders.get(token.hash)
        return table, holder, holder is not None or any(map(token.is_among, owned))

    def _now(self, game_id: str, stored: list[Any], holders: Mapping[str, str] = NO_TOKENS) -> Table:
        """Return the game of its stored table and commit, parsed only if it isn't kept.

        Raises ``NoSuchGame``, ``Unreadable``.
        """
        written, commit = stored
        kept = self._kept.get(game_id)
        if kept is not None and kept.commit == commit and not holders:
            return kept.table
        if written is None:
            self._kept.forget(game_id)
            self._check_fully_deleted(game_id)
        table = kept.table if kept is not None and kept.commit == commit else _table(game_id, written)
        if commit is not None:
            self._kept.put(CachedTable(table, commit, holders))
        return table

    def _check_fully_deleted(self, game_id: str) -> None:
        """Return if nothing is left of a game that isn't there: all of it is deleted at once. Raises ``Incomplete``."""
        if call(lambda: self.redis.exists(self.keys.journal(game_id), self.keys.tokens(game_id))):
            raise _incomplete(game_id)

    def written(self, table: Table, what: Hashable, write: Callable[[], bytes]) -> bytes:
        """Return what *write* does of a table; of one that is kept it is done once for equal *what*."""
        kept = self._kept.get(table.id)
        if kept is None or kept.table is not table:
            return write()
        if what not in kept.written:
            kept.written[what] = write()
        return kept.written[what]

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
        """Commit *change* if the game still is as it was *before*, at that version; None creates the game.

        *tokens* are SHA-256 hex by holder. With *key* the *answer* is remembered; if the key has been answered
        meanwhile, nothing is changed and that answer is returned. With *enqueue* the turn that an AI then owes goes
        into the queue afterwards. *follows*: the game whose next one is created. Raises ``StaleVersion``,
        ``NoSuchGame``, ``Incomplete``, ``KeyReused``, ``RematchExists``.
        """
        now = self.now()
        expected, base = (before.version, self._commit_of(before)) if isinstance(before, Table) else (before, b"")
        told = self.time.argument()
        made = Commit(change, expected, now, tokens, key, answer or {}, self._answer_seconds, follows, base, told)
        script_keys, args = made.arguments(self.keys)
        try:
            outcome = self._run_commit(script_keys, args, self.keys.partition(change.table.id))
        except StorageUnavailable as unknown:
            if unknown.phrase == TOO_FEW:
                raise
            raise StorageUnavailable(OUTCOME_UNKNOWN) from unknown
        if outcome[0] == b"answered" and key is not None:
            return key.read(outcome[1])
        if outcome[0] == b"followed":
            raise RematchExists(text(outcome[1]))
        if outcome[0] == b"incomplete":
            raise _incomplete(change.table.id)
        if outcome[0] == b"stale" and outcome[1] < 0:
            self._kept.forget(change.table.id)
            raise NoSuchGame
        if outcome[0] == b"stale":
            raise StaleVersion(outcome[1])
        self._kept.put(
            CachedTable(change.table, made.id, {token_hash: holder for holder, token_hash in tokens.items()})
        )
        if enqueue and (asked := change.table.asked(now)):
            self.turns.try_enqueue(change.table, asked[0])
        return None

    def _run_commit(self, names: list[str], args: list[Any], partition: int) -> list[Any]:
        """Run commit.lua; once more if keys that are damaged could be set aside. Raises ``DamagedKey``."""
        outcome: list[Any] = self.replicas.run(self._commit, names, args)
        if outcome[0] == b"damaged" and set_aside_damaged(self.redis, self.keys, partition):
            outcome = self.replicas.run(self._commit, names, args)
        if outcome[0] == b"damaged":
            raise DamagedKey
        return outcome

    def _commit_of(self, table: Table) -> bytes:
        """Return the id of the commit that made a table, if it is kept."""
        kept = self._kept.get(table.id)
        return kept.commit if kept is not None and kept.table is table else b""

    def next_game(self, game_id: str) -> str | None:
        """Return the id of the game that follows one, if there is one."""
        found = call(lambda: self.redis.get(self.keys.next_game(game_id)))
        return None if found is None else text(found)

    def host_token(self, game_id: str) -> str:
        """Return the SHA-256 hex of the host's token."""
        return text(call(lambda: self.redis.hget(self.keys.tokens(game_id), "host")))

    def knows_token(self, token: Token) -> bool:
        """Some game or task has this token."""
        return is_known(self.redis, self.keys, token)

    # History

    def changes(self, game_id: str, after: int = -1, limit: int | None = None) -> list[tuple[Table | None, Change]]:
        """Return each change past version *after*, *limit* at most, with the table before it; the opening has none.

        That takes one round trip, and playing the changes again, to where it shows whether they led there. Raises
        ``UnreadablePast``.
        """
        if after >= LAST_VERSION:
            return []
        first, last = journal.base(after), LAST_VERSION if limit is None else after + limit
        until = min(LAST_VERSION, journal.base(last - 1) + journal.KEYFRAMES)

        def order(pipe: Pipeline) -> None:
            pipe.hmget(self.keys.game(game_id), "table", "opening")
            pipe.xrange(self.keys.journal(game_id), f"{first}-1", f"{until}-1")

        (stored, opening), found = pipelined(self.redis, order)
        if stored is None:
            return []
        entries = [(journal.version_of(entry), fields) for entry, fields in found]
        past = journal.Past(opening, _table(game_id, stored), entries, until)
        done = list(past.changes()) if past.last > after else []
        return [(before, change) for before, change in done if after < change.table.version <= last]

    def past(self, game_id: str, version: int) -> Table | None:
        """Return a game as it was at *version*; None if there never was such a version."""
        return next((change.table for _, change in self.changes(game_id, version - 1, 1)), None)

    def snapshots(self, game_id: str, after: int = -1, limit: int | None = None) -> list[Snapshot]:
        """Return the versions past *after* of a game, oldest first, of *limit* versions at most."""
        return [Snapshot.of(change) for _, change in self.changes(game_id, after, limit)]

    def record(self, game_id: str) -> list[Json]:
        """Return the record's lines, one for each action."""
        done = self.changes(game_id)
        lines = [table_json.line(before, change.entry) for before, change in done if before is not None]
        return [line for line in lines if line is not None]

    def games(
        self, status: str | None, ruleset: str | None, limit: int, cursor: str | None
    ) -> tuple[list[Table], str | None]:
        """Return a page of public games, newest first, and the cursor of the next page, or None if it was the last.

        None for *status* or *ruleset* means any. New games don't disturb the pages after the first. A game whose
        status has become another since it was found isn't shown: a page may have fewer than *limit*.
        """
        below = "+" if cursor is None else b"(" + cursor.encode("utf-8", "replace")

        def order(pipe: Pipeline) -> None:
            rulesets = RULESETS if ruleset is None else [ruleset]
            for place in product(self.keys.all(), rulesets, STATUSES if status is None else [status]):
                pipe.zrevrangebylex(self.keys.public(*place), below, "-", 0, limit + 1)

        newest = nlargest(limit + 1, {member for page in pipelined(self.redis, order) for member in page})
        page = [text(member) for member in newest[:limit]]
        tables = [table for table in self._tables(page) if status in (None, table.status)]
        return tables, page[-1] if len(newest) > limit else None

    def _tables(self, members: list[str]) -> list[Table]:
        """Return the games of public members, in one round trip."""

        def order(pipe: Pipeline) -> None:
            for member in members:
                pipe.hmget(self.keys.game(member.partition("_")[2]), "table", "commit")

        found = pipelined(self.redis, order) if members else []
        ids = [member.partition("_")[2] for member in members]
        return [table for one, stored in zip(ids, found, strict=True) if (table := self._readable(one, stored))]

    def _readable(self, game_id: str, stored: list[Any]) -> Table | None:
        """Read a game for a list; None for one that was deleted meanwhile and, with a line in the log, a broken one."""
        try:
            return self._now(game_id, stored)
        except NoSuchGame:
            return None
        except Unreadable:
            return None

    def count(self) -> int:
        """Return how many games there are."""

        def order(pipe: Pipeline) -> None:
            for partition in self.keys.all():
                pipe.hvals(self.keys.standings(partition))

        return sum(int(count) for partition in pipelined(self.redis, order) for count in partition)

    # Liveness

    def settle(self) -> None:
        """Return if the storage answers and is of this version's layout, with as many partitions.

        An empty one is from now on. Raises ``StorageUnavailable``, ``CannotStart``.
        """
        layout.settle(self.redis, self.keys)

    def condition(self) -> Durability:
        """Return how well it keeps what it is given. Raises ``StorageUnavailable``, also if it has too few replicas."""
        found = condition(self.redis)
        if found.replicas < self.replicas.count:
            raise StorageUnavailable(NO_REPLICAS)
        return found

    def probe(self) -> None:
        """Return if the storage takes a write. Raises ``StorageUnavailable``."""
        call(lambda: self.redis.set(PROBE, "1", ex=PROBE_SECONDS))

    def ping(self) -> None:
        """Return if the storage answers. Raises ``StorageUnavailable``."""
        call(self.redis.ping)

    def has_worker(self) -> bool:
        """A worker has given a sign of life within the last seconds, also if the store's clock was set back since."""

        def order(pipe: Pipeline) -> None:
            pipe.pexpire(WORKER, WORKER_SECONDS * 1000, lt=True)
            pipe.exists(WORKER)

        return bool(pipelined(self.redis, order)[-1])

    def record_worker_heartbeat(self) -> None:
        """Give a worker's sign of life."""
        call(lambda: self.redis.set(WORKER, "1", ex=WORKER_SECONDS))


def _incomplete(game_id: str) -> Incomplete:
    """Say in the log which game has lost a part, and return the refusal."""
    log.error("incomplete_game", game_id=game_id)
    return Incomplete()


def _table(game_id: str, stored: Any) -> Table:
    """Read a game, or say in the log why it can't be. Raises ``NoSuchGame``, ``Unreadable``."""
    if stored is None:
        raise NoSuchGame
    try:
        return table_codec.load(table_codec.unpack(stored))
    except Unreadable as error:
        log.exception("unreadable_game", game_id=game_id, exc_info=error)
        raise
