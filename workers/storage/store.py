"""The store: one object that holds the clients of the Redis servers and everything that is stored there."""

from collections.abc import Callable
from datetime import datetime

from redis import Redis

from workers.settings import Settings
from workers.storage.clients import connect, connect_queue
from workers.storage.commitments import Commitments
from workers.storage.concurrent_work_limits import ConcurrentWorkLimits
from workers.storage.due_games import DueGames
from workers.storage.games import Games, utc_now
from workers.storage.health import StoreHealth
from workers.storage.history import GameHistory
from workers.storage.idempotency import IdempotencyKeys
from workers.storage.idle_games import IdleGames
from workers.storage.keys import Keys
from workers.storage.operator_notice import OperatorNotice
from workers.storage.queue import TurnQueue
from workers.storage.replicas import Replicas
from workers.storage.store_time import StoreTime
from workers.storage.tasks import Tasks
from workers.storage.unreadable_games import UnreadableGames


def open_store(settings: Settings) -> "Store":
    """Return the store that *settings* name, without connecting to it. Raises ``CannotStart``."""
    return Store(
        connect(settings),
        Keys(settings.partitions),
        answer_ttl=settings.idempotency_hours * 3600,
        broker=None if settings.queue_url is None else connect_queue(settings),
        replicas=settings.replicas,
    )


class Store:
    """Everything that is stored, one attribute for each kind of data. All threads of a process share one object."""

    def __init__(
        self,
        redis: Redis,
        keys: Keys,
        clock: Callable[[], datetime] = utc_now,
        answer_ttl: int = 24 * 3600,
        broker: Redis | None = None,
        replicas: int = 0,
    ) -> None:
        self.redis, self.keys, self.time = redis, keys, StoreTime(redis)
        self.broker = broker or redis
        """The server of the job queues."""
        self.replicas = Replicas(redis, replicas)
        self.idempotency = IdempotencyKeys(redis, keys, self.replicas)
        self.commitments = Commitments(redis, keys, self.replicas, clock)
        self.due_games = DueGames(redis, keys, self.time)
        self.idle = IdleGames(redis, keys)
        self.tasks = Tasks(redis, self.broker, keys, self.time)
        self.concurrent_work_limits = ConcurrentWorkLimits(redis, keys, clock)
        self.unreadable = UnreadableGames(redis, self.time)
        self.turns = TurnQueue(self.broker, creator_of=self.concurrent_work_limits.creator)
        self.games = Games(redis, keys, self.replicas, self.due_games, self.turns, clock, answer_ttl)
        self.history = GameHistory(redis, keys)
        self.notice = OperatorNotice(redis, self.replicas)
        self.health = StoreHealth(redis, keys, self.replicas)

    def now(self) -> datetime:
        """Return the machine's time, which moves and deadlines use."""
        return self.games.now()

    def close(self) -> None:
        """Close the connections to the servers. Connections in use are closed when they are released."""
        self.redis.close()
        self.broker.close()
