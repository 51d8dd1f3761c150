"""The sweeper makes good what was lost, once, and never floods the queue."""

from threading import Event, Thread
from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.waiting import AGES, comes_true
from tests.workers.stores import HUMAN, NOVICE, Clock, assert_sound, due, due_with, open_table, tasks_with, work_off
from workers import game_commands
from workers.background import hints, sweeper
from workers.background.ai_turns import play
from workers.background.sweeper import SWEEPER_RANK, Sweeper
from workers.storage import keys
from workers.storage.due_games import LEAD_TTL_SECONDS, LEASE_SECONDS, SweepTimes, leased, retried, retry_delay
from workers.storage.errors import Unreadable
from workers.storage.keys import LAST_SWEEP, LEADING_SWEEPER
from workers.storage.queue import INTERACTIVE_QUEUE, queue_of, turn_of
from workers.storage.store import Store
from workers.storage.table_codec import pack, unpack
from workers.storage.unreadable_games import MAX_TURN_PASSES

LONG = {"goal": 99}


def lose_jobs(store: Store) -> None:
    """Lose every job, as workers do that are killed with one in their hands."""
    queue_of(store.redis, INTERACTIVE_QUEUE).delete(delete_jobs=False)


def test_a_lost_job_is_repeated(job_store: Store, clock: Clock):
    """Though its id is taken for ever: RQ believes that a killed worker still works on it."""
    game = open_table(job_store, NOVICE, HUMAN, options=LONG)
    lose_jobs(job_store)
    clock.go(1.0)

    swept = Sweeper(job_store).sweep()

    assert swept == 1
    assert queue_of(job_store.redis, INTERACTIVE_QUEUE).job_ids == [f"ai-{game}-0-0-1"]
    work_off(job_store)
    assert job_store.games.load(game).version == 1
    assert_sound(job_store, game)


def test_a_repeated_job_goes_before_all_others(store: Store, clock: Clock):
    """People have waited for it long enough."""
    game = open_table(store, NOVICE, HUMAN)
    lose_jobs(store)
    open_table(store, NOVICE, HUMAN)
    clock.go(1)
    store.redis.zadd(due_with(store, game), {game: 0})

    Sweeper(store).sweep()

    assert queue_of(store.redis, INTERACTIVE_QUEUE).job_ids[0] == f"ai-{game}-0-0-1"


def test_who_has_waited_longest_comes_first(store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch):
    """Of all partitions, and however many pages they fill."""
    monkeypatch.setattr(sweeper, "PAGE_SIZE", 3)
    monkeypatch.setattr(sweeper, "MIN_PAGE_GAMES_PER_PARTITION", 0)
    games = [open_table(store, NOVICE, HUMAN) for _ in range(10)]
    lose_jobs(store)
    clock.go(10)
    for seconds, game in enumerate(games):
        store.redis.zadd(due_with(store, game), {game: store.now().timestamp() - 5 + seconds / 2})

    swept = Sweeper(store).sweep()

    assert swept == len(games)
    assert queue_of(store.redis, INTERACTIVE_QUEUE).job_ids == [f"ai-{game}-0-0-1" for game in games]


def test_a_sweep_asks_for_no_game_alone(store: Store, clock: Clock):
    """The round trips of a sweep are those of its pages and of the partitions."""
    for _ in range(200):
        open_table(store, NOVICE, HUMAN)
    lose_jobs(store)
    clock.go(1)
    before: Any = store.redis.info("stats")

    swept = Sweeper(store).sweep()

    after: Any = store.redis.info("stats")
    assert swept == 200
    assert after["total_reads_processed"] - before["total_reads_processed"] < 100


def test_a_sweeper_that_leads_no_more_stops(store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch):
    """At the next page: another has taken over."""
    monkeypatch.setattr(sweeper, "PAGE_SIZE", 2)
    monkeypatch.setattr(sweeper, "MIN_PAGE_GAMES_PER_PARTITION", 0)
    for _ in range(6):
        open_table(store, NOVICE, HUMAN)
    lose_jobs(store)
    clock.go(1)
    monkeypatch.setattr(sweeper, "LEAD_TTL_SECONDS", 0.0)
    leads = iter([True, True, False])
    monkeypatch.setattr(store.due_games, "try_lead", lambda *_: SweepTimes(0.0, None, None) if next(leads) else None)

    assert Sweeper(store).sweep() == 2


def test_what_has_begun_since_is_not_repeated(store: Store, clock: Clock):
    """A job that worked all the time, or another sweeper, was quicker than the sweep."""
    table = store.games.load(open_table(store, NOVICE, HUMAN))
    clock.go(1.5)
    again = [leased(table), retried(table.id, table.version, 0)]

    begun = store.due_games.put(again)
    clock.go(5)
    twice = [store.due_games.put([retried(table.id, table.version, 0)]) for _ in range(2)]

    assert (begun, twice) == ([0, None], [[1], [None]])


def test_a_fresh_job_is_given_time(store: Store, clock: Clock):
    """A second, before anybody doubts it."""
    open_table(store, NOVICE, HUMAN)
    lose_jobs(store)
    clock.go(0.9)

    assert Sweeper(store).sweep() == 0


def test_a_job_that_works_is_given_time(store: Store, clock: Clock):
    """Its lease."""
    game = open_table(store, NOVICE, HUMAN)
    lose_jobs(store)
    clock.go(0.9)
    store.due_games.put([leased(store.games.load(game))])
    clock.go(LEASE_SECONDS - 0.1)
    early = Sweeper(store).sweep()
    clock.go(0.1)
    store.redis.delete(keys.LEADING_SWEEPER)

    assert (early, Sweeper(store).sweep()) == (0, 1)


def test_what_is_lost_again_and_again_is_repeated_more_and_more_rarely(store: Store, clock: Clock):
    """2 s, 4 s, 8 s and so on, at most a minute; with the next version it begins anew."""
    game = open_table(store, NOVICE, HUMAN, options=LONG)
    sweeping, swept = Sweeper(store), list[int]()
    for second in range(130):
        lose_jobs(store)
        if sweeping.sweep():
            swept.append(second)
        clock.go(1)
    game_commands.change(store, game, lambda table, now: table.act(0, "step 1", now, {"level": "test"}))
    game_commands.play_action(store, game, 1, "step 1")
    lose_jobs(store)
    clock.go(1)

    assert swept == [1, 3, 7, 15, 31, 63, 123]
    assert [retry_delay(n) for n in (1, 6, 1000)] == [2, 60, 60]
    assert sweeping.sweep() == 1
    assert [owed.retries for owed in store.due_games.read([game])] == [1]


def test_jobs_that_wait_in_a_long_queue_are_not_repeated(store: Store, clock: Clock):
    """However long that takes: the queue doesn't grow by being looked at."""
    games = [open_table(store, NOVICE, HUMAN) for _ in range(30)]
    queue, sweeping = queue_of(store.redis, INTERACTIVE_QUEUE), Sweeper(store)
    before = queue.job_ids

    swept = 0
    for _ in range(60):
        clock.go(1)
        swept += sweeping.sweep()

    assert (swept, queue.job_ids, len(before)) == (0, before, len(games))


def test_a_repeated_job_that_waits_is_not_repeated(store: Store, clock: Clock):
    """It counts as much as the first."""
    open_table(store, NOVICE, HUMAN)
    lose_jobs(store)
    sweeping, swept = Sweeper(store), []
    for _ in range(20):
        clock.go(1)
        swept.append(sweeping.sweep())

    assert swept == [1] + [0] * 19
    assert len(queue_of(store.redis, INTERACTIVE_QUEUE).job_ids) == 1


def test_a_sweep_never_doubles_a_move(job_store: Store, clock: Clock):
    """A job that was only slow may still come: the repeated one finds its work done."""
    game = open_table(job_store, NOVICE, HUMAN, options=LONG)
    slow = queue_of(job_store.redis, INTERACTIVE_QUEUE).job_ids
    lose_jobs(job_store)
    clock.go(5)
    Sweeper(job_store).sweep()
    job_store.redis.rpush("rq:queue:ai", *slow)

    work_off(job_store)

    assert job_store.games.load(game).version == 1
    assert_sound(job_store, game)


def test_of_several_sweepers_one_works(store: Store, clock: Clock):
    """Another takes over when it gives no sign of life."""
    first, second = Sweeper(store), Sweeper(store)
    for _ in range(4):
        open_table(store, NOVICE, HUMAN)
    lose_jobs(store)
    idle = [first.sweep(), second.sweep()]
    clock.go(5)

    swept = [second.sweep(), first.sweep()]
    store.redis.delete(keys.LEADING_SWEEPER)  # as its expiry does
    lose_jobs(store)
    clock.go(5)
    taken_over = [second.sweep(), first.sweep()]

    assert (idle, swept, taken_over) == ([0, 0], [0, 4], [4, 0])
    assert 0 < store.redis.pttl(keys.LEADING_SWEEPER) <= 2000


def test_a_game_that_vanished_is_forgotten(store: Store, clock: Clock):
    """What is in the outbox and nowhere else."""
    store.redis.zadd(due_with(store, "0" * 20), {"0" * 20: 0})

    Sweeper(store).sweep()

    assert store.redis.zcard(due_with(store, "0" * 20)) == 0


@pytest.mark.parametrize("turn_seconds", [None, 600])
def test_a_game_that_waits_for_people_alone_is_settled(store: Store, clock: Clock, turn_seconds: int | None):
    """If it is in the outbox all the same, it leaves it, or waits for the deadline."""
    game = open_table(store, HUMAN, turn_seconds=turn_seconds)
    store.redis.zadd(due_with(store, game), {game: 0})

    Sweeper(store).sweep()

    score = store.redis.zscore(due_with(store, game), game)
    assert score == (None if turn_seconds is None else store.now().timestamp() + turn_seconds)


def test_a_turn_that_nobody_enqueued_is_made_good(job_store: Store, clock: Clock):
    """A worker that dies between its commit and the next turn, which was its own, leaves it in the outbox."""
    change = job_store.games.load(open_table(job_store, HUMAN, NOVICE, options=LONG)).act(0, "step 1", job_store.now())
    lose_jobs(job_store)
    job_store.games.commit(change, 0, enqueue=False)
    clock.go(1)

    Sweeper(job_store).sweep()
    work_off(job_store)

    assert job_store.games.load(change.table.id).version == 2


def test_it_runs_until_it_is_stopped(store: Store):
    """And by its own clock."""
    game = open_table(store, NOVICE, HUMAN)
    lose_jobs(store)
    store.redis.zadd(due_with(store, game), {game: 0})
    stop = Event()
    thread = Thread(target=Sweeper(store).run, args=(0.05, stop))

    with capture_logs():
        thread.start()
        repeated = store.redis.blmove("rq:queue:ai", "found", 5)
        stop.set()
        thread.join(AGES)

    assert repeated == f"ai-{game}-0-0-1".encode()
    assert not thread.is_alive()


def test_a_task_of_no_known_kind_is_its_own_trouble(job_store: Store, clock: Clock):
    """Another version's, perhaps: it is put off with a line in the log; those behind it are looked after."""
    items = ["kind", "essay", "owner", "o", "asked", "{}", "status", "queued", "progress", "0"]
    job_store.redis.hset(job_store.keys.task("0" * 20), items=items)
    job_store.redis.zadd(tasks_with(job_store, "0" * 20), {"0" * 20: 0})
    game = open_table(job_store, HUMAN, HUMAN, options=LONG)
    task = hints.request_hint(job_store, game, 0, 0, "novice", "owner")
    lose_jobs(job_store)
    clock.go(1.1)

    with capture_logs() as lines:
        swept = [Sweeper(job_store).sweep(), Sweeper(job_store).sweep()]

    assert swept == [1, 0]
    assert queue_of(job_store.redis, INTERACTIVE_QUEUE).job_ids == [f"task-{task.id}-1"]
    assert [line["job_id"] for line in lines if line["event"] == "sweep_failed"] == ["0" * 20]


def test_a_game_that_cannot_be_read_is_its_own_trouble(job_store: Store, clock: Clock):
    """Somebody else may read it: its job is repeated, with a line in the log; lists leave it out."""
    broken = open_table(job_store, NOVICE, HUMAN, options=LONG)
    clock.go(0.1)
    sound = open_table(job_store, NOVICE, HUMAN, options=LONG)
    packed: Any = job_store.redis.hget(job_store.keys.game(broken), "table")
    of_no_ruleset = pack({**unpack(packed), "position": {"of": "no ruleset"}})
    job_store.redis.hset(job_store.keys.game(broken), "table", of_no_ruleset)
    lose_jobs(job_store)
    clock.go(1.0)

    with capture_logs() as lines:
        swept = Sweeper(job_store).sweep()

    assert swept == 2
    assert queue_of(job_store.redis, INTERACTIVE_QUEUE).job_ids == [f"ai-{broken}-0-0-1", f"ai-{sound}-0-0-1"]
    assert [line["game_id"] for line in lines if line["event"] == "unreadable_game"] == [broken]
    assert job_store.unreadable.count() == 1
    another = Store(job_store.redis, job_store.keys)  # one that hasn't kept the game as it was
    listed, _ = another.games.page(None, None, 10, None)
    assert [table.id for table in listed] == [sound]
    with pytest.raises(Unreadable):
        another.games.load(broken)


@pytest.mark.parametrize(
    ("other", "gives_way"), [("0123456789abcdef", True), (f"{SWEEPER_RANK}-0", False), (f"{SWEEPER_RANK + 1}-0", False)]
)
def test_a_sweeper_of_an_older_version_gives_way(store: Store, other: str, gives_way: bool) -> None:
    """At once, and for good: those before ranks have none in their names, and put off what they can't read."""
    store.redis.set(LEADING_SWEEPER, other, px=60_000)
    ours = Sweeper(store)

    leads = store.due_games.try_lead(ours.name, store.now()) is not None

    assert (leads, store.due_games.try_lead(other, store.now()) is None) == (gives_way, gives_way)


def test_a_lease_is_cut_to_its_length(store: Store) -> None:
    """The store's clock was set back by an hour while a sweeper that died had the lead: another soon has it."""
    store.redis.set(LEADING_SWEEPER, f"{SWEEPER_RANK}-died", px=3_600_000)
    other = Sweeper(store)

    store.redis.set(LAST_SWEEP, f"{store.time() + 3600} {store.now().timestamp() + 3600}")

    assert store.due_games.try_lead(other.name, store.now()) is None
    assert store.redis.pttl(LEADING_SWEEPER) <= LEAD_TTL_SECONDS * 1000
    found = list[SweepTimes | None]()

    def takes_over() -> bool:
        found.append(store.due_games.try_lead(other.name, store.now()))
        return found[-1] is not None

    assert comes_true(takes_over, within=5)
    assert found[-1] is not None
    assert found[-1].swept is not None
    assert found[-1].swept - found[-1].now > 3590, "whoever takes over sees that the clock has jumped"


@pytest.mark.parametrize("jump", [-3600.0, -30.0, 3600.0])
def test_when_a_clock_has_jumped_turns_are_due_at_once(job_store: Store, clock: Clock, jump: float) -> None:
    """The job was lost before, and the sweeper's next look is by the old clock."""
    game = open_table(job_store, NOVICE, HUMAN, options=LONG)
    lose_jobs(job_store)
    sweeping = Sweeper(job_store)
    sweeping.sweep()
    steady = clock.steady()
    clock.go(jump)
    job_store.games.steady = lambda: steady

    job_store.redis.delete(LEADING_SWEEPER)
    with capture_logs() as lines:
        sweeping.sweep()

    assert lines[0]["event"] == "clock_jumped"
    assert queue_of(job_store.redis, INTERACTIVE_QUEUE).job_ids == [f"ai-{game}-0-0-1"]


@pytest.mark.parametrize("jump", [-3600.0, 0.0, 3600.0])
def test_a_jump_does_not_shorten_a_deadline(job_store: Store, clock: Clock, jump: float) -> None:
    """Who has thought for 20 of their 60 seconds has 40 left; after a clock was set back all of it, at most."""
    game = open_table(job_store, HUMAN, HUMAN, turn_seconds=60)
    sweeping = Sweeper(job_store)

    def live(seconds: float) -> int:
        done = 0
        for step in [5.0] * int(seconds // 5) + [seconds % 5]:
            clock.go(step)
            done += sweeping.sweep()
        return done

    live(20)
    clock.go(jump)
    job_store.games.steady = lambda: clock.steady() - jump
    sweeping.sweep()
    left = due(job_store, game)
    early = live((left or 0) - 0.1), job_store.games.pending_ais(job_store.games.load(game))

    assert left == (40.0 if jump >= 0 else 60.0)
    assert early == (0, [])
    assert live(0.2) == 1
    assert [one.seat for one in job_store.games.pending_ais(job_store.games.load(game))] == [0]


def test_a_signal_leaves_a_deadline_where_a_jump_has_put_it(job_store: Store, clock: Clock) -> None:
    """Who is granted time again for a clock that was put forward keeps it, whatever others say meanwhile."""
    game = open_table(job_store, HUMAN, HUMAN, HUMAN, options=LONG, turn_seconds=60)
    game_commands.play_action(job_store, game, 0, "step 0")
    sweeping = Sweeper(job_store)
    sweeping.sweep()
    steady = clock.steady()
    clock.go(3600.0)
    job_store.games.steady = lambda: steady
    sweeping.sweep()
    job_store.games.steady = clock.steady
    before = due(job_store, game)

    game_commands.change(job_store, game, lambda table, now: table.signal(2, "hurry", now))
    game_commands.change(job_store, game, lambda table, now: table.signal(0, "hurry", now))

    assert (before, due(job_store, game)) == (60.0, 60.0)
    clock.go(59.9)
    assert (sweeping.sweep(), job_store.games.pending_ais(job_store.games.load(game))) == (0, [])
    clock.go(0.2)
    assert sweeping.sweep() == 1
    assert [one.seat for one in job_store.games.pending_ais(job_store.games.load(game))] == [1]


def test_a_turn_at_a_game_that_cannot_be_read_is_passed_on(job_store: Store) -> None:
    """To the head of the queue, so often that another surely had it; then the sweeper is left to ask."""
    game = open_table(job_store, NOVICE, HUMAN, options=LONG)
    readable: Any = job_store.redis.hget(job_store.keys.game(game), "table")
    job_store.redis.hset(job_store.keys.game(game), "table", pack({**unpack(readable), "position": {"of": "tomorrow"}}))
    lose_jobs(job_store)
    newer = Store(job_store.redis, job_store.keys)

    outcome = play(newer, game, 0).outcome
    (passed,) = queue_of(job_store.redis, INTERACTIVE_QUEUE).job_ids
    passes = sum(newer.unreadable.may_pass_to_other_worker(game, 0) for _ in range(2 * MAX_TURN_PASSES))
    job_store.redis.hset(job_store.keys.game(game), "table", readable)

    assert (outcome, turn_of(passed), passes) == ("unreadable", (game, 0), MAX_TURN_PASSES - 1)
    assert newer.unreadable.count() == 1
    assert work_off(job_store) == 1
    assert job_store.games.load(game).version == 1
