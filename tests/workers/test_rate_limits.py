"""Budgets: nobody gets more than the limit, whoever pretends to be somebody else included."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest
from redis import Redis

from workers.settings import Settings
from workers.storage import keys
from workers.storage.errors import StorageUnavailable
from workers.storage.rate_limits import WINDOW_SECONDS, RateLimiter, _Lease
from workers.storage.store import Store, open_store
from workers.storage.tokens import Token

KEYS, GAME, OTHER_GAME = keys.Keys(), "0" * 20, "1" * 20
HOME, AWAY = "192.0.2.1", "198.51.100.7"


class Minutes:
    """A clock of a process."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def token(name: str, prefix: str = "rs") -> Token:
    """Return a token that says it is of the game (Cleo's: of another one), or with another prefix of the job."""
    return Token.read(f"{prefix}_{OTHER_GAME if name == 'cleo' else GAME}_{name:x<43}")


@pytest.fixture
def minutes() -> Minutes:
    """Give a clock that the test sets."""
    return Minutes()


@pytest.fixture
def budgets(database: Redis, minutes: Minutes) -> RateLimiter:
    """Give the budgets of a process over an empty store."""
    database.hset(KEYS.tokens(GAME), mapping={"0": token("ana").hash, "1": token("ben").hash})
    database.hset(KEYS.tokens(OTHER_GAME), mapping={"0": token("cleo").hash})
    return RateLimiter(database, KEYS, minutes)


def spent(budgets: RateLimiter, times: int, limit: int, name: str | None, address: str = HOME) -> list[int]:
    """Spend, and return what was left each time."""
    spender = None if name is None else token(name)
    return [budgets.consume("requests", limit, spender, address).remaining for _ in range(times)]


@pytest.mark.parametrize("limit", [1, 3, 49, 50, 149, 1000])
def test_the_limit_is_exact(budgets: RateLimiter, limit: int):
    """However large the shares are: what is left counts down to nothing, and then it is too much."""
    assert spent(budgets, limit + 3, limit, "ana") == [*range(limit - 1, -1, -1), -1, -1, -1]


def test_a_window_of_before_the_clock_was_set_back_is_over(budgets: RateLimiter, database: Redis, minutes: Minutes):
    """It would have lasted for an hour more: who waits for as long as they are told to may ask again."""
    spent(budgets, 3, 2, "ana")
    name = keys.budget("requests", GAME)
    database.pexpire(name, 3_600_000)
    minutes.seconds = WINDOW_SECONDS

    assert spent(budgets, 3, 2, "ana") == [1, 0, -1]
    assert 0 < database.pttl(name) <= WINDOW_SECONDS * 1000


def test_each_pays_for_themself(budgets: RateLimiter):
    """Games, addresses and budgets know nothing of each other."""
    spent(budgets, 3, 2, "ana")

    assert spent(budgets, 1, 2, "cleo") == [1]
    assert spent(budgets, 1, 2, None) == [1]
    assert spent(budgets, 1, 2, None, AWAY) == [1]
    assert budgets.consume("create", 2, token("ana"), HOME).remaining == 1
    assert spent(budgets, 1, 2, "ana", AWAY) == [-1]  # a token pays wherever it is


def test_all_tokens_of_a_game_share_its_budget(budgets: RateLimiter):
    """Whoever has many seats, or is given one after the other, gains nothing by it; nor does whoever invents one."""
    assert spent(budgets, 2, 4, "ana") == [3, 2]
    assert spent(budgets, 3, 4, "ben") == [1, 0, -1]
    assert spent(budgets, 1, 4, "ana") == [-1]
    assert spent(budgets, 1, 4, "nobody") == [3]  # of the address's
    assert spent(budgets, 1, 4, "cleo") == [3]


def test_what_needs_no_storage_is_counted_without_it(settings: Settings, minutes: Minutes):
    """By each process for itself, and by address; a minute later all is as it was."""
    away = open_store(Settings(data=settings.data, redis_url=f"unix://{settings.data}/nothing"))
    here = RateLimiter(away.redis, away.keys, minutes)

    assert [here.consume_local("pages", 2, HOME).remaining for _ in range(4)] == [1, 0, -1, -1]
    assert here.consume_local("pages", 2, AWAY).remaining == 1
    minutes.seconds = WINDOW_SECONDS + 0.1
    assert here.consume_local("pages", 2, HOME).remaining == 1


def test_invented_tokens_gain_nothing(budgets: RateLimiter):
    """They are paid by the address, one each; those who live there aren't charged for shares."""
    limit = 500

    assert [budgets.consume("requests", limit, token(f"nobody-{n}"), HOME).remaining for n in range(limit + 1)][
        -3:
    ] == [
        1,
        0,
        -1,
    ]
    assert spent(budgets, 1, limit, None) == [-1]
    assert spent(budgets, 1, limit, "ana") == [limit - 1]


def test_a_tasks_own_token_pays(budgets: RateLimiter, database: Redis):
    """As a game's does: whoever looks after an arena doesn't spend what the others have who live there."""
    database.hset(KEYS.task(GAME), "owner", token("arena", "rj").hash)

    left = [budgets.consume("requests", 2, token("arena", "rj"), HOME).remaining for _ in range(3)]

    assert left == [1, 0, -1]
    assert spent(budgets, 1, 2, None) == [1]


def test_the_window_ends(budgets: RateLimiter, minutes: Minutes, database: Redis):
    """A minute after the first request all is as it was; until then the seconds say how long it takes."""
    assert budgets.consume("requests", 1, token("ana"), HOME).seconds == WINDOW_SECONDS
    minutes.seconds = 20.5
    assert (
        budgets.consume("requests", 1, token("ana"), HOME).remaining,
        budgets.consume("requests", 1, token("ana"), HOME).seconds,
    ) == (
        -1,
        40,
    )

    assert 0 < database.pttl(keys.budget("requests", GAME)) <= WINDOW_SECONDS * 1000
    database.delete(keys.budget("requests", GAME))  # as it expires by itself
    minutes.seconds = 60.1

    assert spent(budgets, 2, 1, "ana") == [0, -1]


def test_two_processes_share_a_budget(budgets: RateLimiter, database: Redis, minutes: Minutes):
    """Together they hand out the limit at most, and all of it but a share each."""
    other, limit = RateLimiter(database, KEYS, minutes), 100

    left = [
        process.consume("requests", limit, token("ana"), HOME).remaining
        for _ in range(limit)
        for process in (budgets, other)
    ]

    assert limit - 4 <= sum(number >= 0 for number in left) <= limit


@pytest.mark.parametrize("limit", [20, 400])
def test_threads_share_a_budget(budgets: RateLimiter, limit: int):
    """Of many at once just as many as the limit get through."""
    with ThreadPoolExecutor(16) as pool:
        left = list(
            pool.map(lambda _: budgets.consume("requests", limit, token("ana"), HOME).remaining, range(limit + 100))
        )
    left += spent(budgets, limit, limit, "ana")  # what some had still fetched when others were turned away

    assert sum(number >= 0 for number in left) == limit


class WaitingRateLimiter(RateLimiter):
    """Counts requests in the store, but keeps those for which it waits from being counted in the process."""

    def __init__(self, redis: Redis, counted: Barrier, go_on: Event) -> None:
        super().__init__(redis, KEYS)
        self._counted, self._go_on = counted, go_on

    def _new_lease(self, budget_key: tuple[str, str], limit: int, size: int) -> _Lease:
        lease = super()._new_lease(budget_key, limit, size)
        if lease.unclaimed >= 0:
            self._counted.wait()
            assert self._go_on.wait(60)
        return lease


def test_requests_in_progress_are_no_reserve(budgets: RateLimiter, database: Redis):
    """Whoever sends many at once gets no more by being turned away before the others are counted."""
    limit, go_on = 16, Event()
    counted = Barrier(limit + 1)
    waiting = WaitingRateLimiter(database, counted, go_on)
    with ThreadPoolExecutor(limit) as pool:
        allowed = [pool.submit(spent, waiting, 1, limit, "ana") for _ in range(limit)]
        counted.wait(60)
        refused = spent(waiting, 3, limit, "ana")
        go_on.set()

    assert refused == [-1, -1, -1]
    assert sorted(left for job in allowed for left in job.result()) == [*range(limit)]
    assert spent(waiting, 1, limit, "ana") == [-1]


def test_the_storage_is_asked_seldom(budgets: RateLimiter, database: Redis):
    """Once a share; and not at all by whoever has nothing left."""
    before = calls(database)
    spent(budgets, 1500, 1000, "ana")

    assert calls(database) - before <= 1000 // 20 + 1


def calls(database: Redis) -> int:
    """Return how many scripts the server has run."""
    return sum(
        stats["calls"]
        for command, stats in database.info("commandstats").items()
        if command in ("cmdstat_evalsha", "cmdstat_eval")
    )


def test_without_storage(settings: Settings, store: Store):
    """Nothing is free: whoever can't be counted is told to come again."""
    away = open_store(Settings(data=settings.data, redis_url=f"unix://{settings.data}/nothing"))

    with pytest.raises(StorageUnavailable):
        RateLimiter(away.redis, away.keys).consume("requests", 5, None, HOME)
