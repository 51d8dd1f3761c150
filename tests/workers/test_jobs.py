"""An AI's turn as a job: due with the commit, played once, harmless when late, doubled, or lost."""

from typing import Any

import pytest
from rq.serializers import JSONSerializer
from structlog.testing import capture_logs

from engines import opponents
from engines.record import load_record
from engines.replay import audit
from engines.ruleset import Json
from engines.seats import Seat
from engines.sight import Sight
from engines.table import Table, view_hash
from tests.rulesets import Race, Runner, Tracks
from tests.workers.houses import (
    ADEPT,
    AGES,
    EXPERT,
    HUMAN,
    NOVICE,
    Clock,
    assert_sound,
    at_once,
    open_table,
    work_off,
)
from workers import hints, jobs, names, queue, turns
from workers.connection import text
from workers.errors import StaleVersion
from workers.pool import AiWorker
from workers.queue import ai_queue, enqueue_turn
from workers.store import Store
from workers.sweeper import Sweeper

LONG = {"goal": 99}


def due(store: Store, game: str) -> float | None:
    """Return when the sweeper is to look after a game, in seconds from now; None: not at all."""
    score: Any = store.redis.zscore(names.DUE, game)
    return None if score is None else round(score - store.now().timestamp(), 3)


def worker_of(store: Store) -> AiWorker:
    """Return a worker of the pool, in this process."""
    return AiWorker([ai_queue(store.redis)], connection=store.redis, serializer=JSONSerializer)


def play(store: Store, game: str) -> str:
    """Run the job of a game's current version."""
    return jobs.play(store, game, store.load(game).version).outcome


def test_a_turn_is_due_with_the_commit_that_makes_it(store: Store, clock: Clock):
    """The outbox has it, and one job, named after game, version and seat."""
    game = open_table(store, NOVICE, HUMAN)

    assert due(store, game) == 1.0
    assert ai_queue(store.redis).job_ids == [f"ai-{game}-0-0"]


def test_what_is_refused_enqueues_nothing(store: Store):
    """The job is part of the commit."""
    game = open_table(store, HUMAN, NOVICE, options=LONG)
    stale = store.load(game)
    turns.take(store, game, 0, "step 1")
    before = ai_queue(store.redis).job_ids

    with pytest.raises(StaleVersion):
        store.commit(stale.act(0, "step 2", store.now()), 0)

    assert ai_queue(store.redis).job_ids == before


def test_the_job_of_a_commit_is_one_of_rqs_own(store: Store):
    """As if RQ had enqueued it."""
    game = open_table(store, NOVICE, HUMAN, options=LONG)
    table = store.load(game)
    (asked,) = table.asked(store.now())
    (committed,) = ai_queue(store.redis).jobs

    ai_queue(store.redis).empty()
    enqueue_turn(store.redis, table, asked)
    (enqueued,) = ai_queue(store.redis).jobs

    when = ("created_at", "enqueued_at")
    assert [{**job.to_dict(), **dict.fromkeys(when)} for job in (committed,)] == [
        {**job.to_dict(), **dict.fromkeys(when)} for job in (enqueued,)
    ]


def test_hints_do_not_keep_a_table_waiting(store: Store):
    """A turn goes before all that wait but the oldest, which doesn't wait for ever."""
    asking = [open_table(store, HUMAN, HUMAN) for _ in range(3)]
    oldest, *others = [hints.ask(store, game, 0, 0, "master", "owner").job_id() for game in asking]

    turns_owed = [f"ai-{open_table(store, NOVICE, HUMAN)}-0-0" for _ in range(2)]

    assert ai_queue(store.redis).job_ids == [oldest, *turns_owed, *others]


@pytest.mark.parametrize(
    ("before", "between", "place"),
    [
        (0, 0, 1),  # before the second hint
        (0, 62, 63),  # the second is the last of the first step
        (0, 63, 64),  # the first of the next
        (63, 0, 64),  # each in a step of its own
        (500, 490, 991),  # far behind
        (500, 1000, 1502),  # too far to be looked for: at the end
        (1500, 1000, 2502),  # neither is found
    ],
)
def test_a_turn_goes_before_the_second_hint(store: Store, before: int, between: int, place: int):
    """However many wait for other things, as long as it isn't more than a thousand."""
    hints_asked, others = ["errand-1-0", "errand-2-0"], [f"ai-{number}-0-0" for number in range(before + between)]
    waiting = [*others[:before], hints_asked[0], *others[before:], hints_asked[1]]
    store.redis.rpush(queue.KEY, *waiting)

    game = open_table(store, NOVICE, HUMAN)

    assert ai_queue(store.redis).job_ids == [*waiting[:place], f"ai-{game}-0-0", *waiting[place:]]


def test_nothing_is_due_when_a_person_is_waited_for(store: Store):
    """Unless their time is limited."""
    game = open_table(store, HUMAN)

    assert due(store, game) is None
    assert ai_queue(store.redis).job_ids == []


@pytest.mark.parametrize("ruleset", ["race", "regicide"])
def test_ais_play_a_game_to_its_end(job_store: Store, ruleset: str):
    """Each turn's commit owes the next; after the last nothing is due."""
    game = open_table(job_store, NOVICE, ADEPT, NOVICE, ruleset=ruleset)

    work_off(job_store)

    assert job_store.load(game).status == "finished"
    assert due(job_store, game) is None
    assert_sound(job_store, game)


def test_the_record_tells_how_an_ai_came_to_its_move(store: Store):
    """Level, seed and the hash of what it saw: from them the same move can be chosen again."""
    game = open_table(store, NOVICE, HUMAN, options=LONG)
    before = store.load(game)

    play(store, game)

    (entry,) = store.record(game)
    note, view = entry["ai"], before.view(0)
    assert view is not None
    again = opponents.choose(note["level"], Sight(before.ruleset, view, 0, note["seed"]))
    assert note["view_sha256"] == view_hash(view)
    assert again.action is not None
    assert again.action.as_json() == entry["action"]


def test_the_record_tells_what_an_ai_has_heard(store: Store):
    """Signals may matter to a choice (R22), and nothing else in the record says which were given."""
    game = open_table(store, HUMAN, ADEPT, ADEPT, options=LONG)
    turns.take(store, game, 0, "step 0")

    outcomes = [play(store, game) for _ in range(3)]

    assert outcomes == ["signalled", "played", "played"]
    assert [(entry["ai"] or {}).get("signals") for entry in store.record(game)] == [None, {"2": "hurry"}, None]


def test_the_record_can_be_audited(store: Store):
    """Everything in it matches, and every AI chooses the same again."""
    game = open_table(store, NOVICE, ADEPT, EXPERT, options=LONG)
    while store.load(game).moves < 6:
        assert play(store, game) in ("played", "signalled")
    table = turns.change(store, game, lambda table, now: table.abandon(now))
    told = list[str]()

    found = audit(load_record(table.record(store.record(game))), lambda _, ai, __: told.append(ai.level))

    assert found == []
    assert set(told) == {"novice", "adept", "expert"}


def test_a_job_that_runs_twice_plays_once(store: Store):
    """The second finds the game at another version."""
    game = open_table(store, NOVICE, HUMAN, options=LONG)

    outcomes = [jobs.play(store, game, 0).outcome, jobs.play(store, game, 0).outcome]

    assert outcomes == ["played", "overtaken"]
    assert_sound(store, game)


def test_jobs_that_run_at_once_play_once(store: Store):
    """The first commit has the version."""
    game = open_table(store, NOVICE, HUMAN, options=LONG)

    outcomes = at_once(8, lambda _: jobs.play(store, game, 0).outcome)

    assert sorted(map(str, outcomes)) == ["overtaken"] * 7 + ["played"]
    assert_sound(store, game)


@pytest.mark.parametrize("end", [lambda table, now: table.abandon(now), lambda table, now: table.act(1, "dash", now)])
def test_a_job_after_the_end_does_nothing(store: Store, end: turns.Verb):
    """However the game ended."""
    game = open_table(store, NOVICE, HUMAN, options={"goal": 1})
    turns.change(store, game, end)

    assert [jobs.play(store, game, version).outcome for version in (0, 1, 7)] == ["overtaken", "passed", "overtaken"]
    assert due(store, game) is None
    assert_sound(store, game)


@pytest.mark.parametrize(("seconds", "finished", "queued"), [(AGES, True, 0), (0.0, False, 1)])
def test_a_job_plays_on_while_its_slice_lasts(
    job_store: Store, monkeypatch: pytest.MonkeyPatch, seconds: float, finished: bool, queued: int
):
    """From AI to AI, without the queue; then the next turn goes to the end of the queue."""
    monkeypatch.setattr(jobs, "SLICE_SECONDS", seconds)
    game = open_table(job_store, NOVICE, NOVICE, NOVICE, options={"goal": 9})
    ai_queue(job_store.redis).empty()

    jobs.take_ai_turn(game, 0)

    table = job_store.load(game)
    assert (table.status == "finished", table.moves > 1) == (finished, finished)
    assert len(ai_queue(job_store.redis).job_ids) == queued
    assert_sound(job_store, game)


def test_an_ais_turn_leaves_nothing_in_the_queue(job_store: Store):
    """No result, no job, no books about it."""
    open_table(job_store, NOVICE, NOVICE, HUMAN, options=LONG)

    worker_of(job_store).work(burst=True, logging_level="ERROR")

    left = {text(key) for key in job_store.redis.keys("rq:*")} - {"rq:workers", "rq:workers:ai"}
    assert [key for key in left if not key.startswith(("rq:worker:", "rq:clean_registries"))] == []


def test_a_worker_keeps_the_books_of_other_jobs(job_store: Store):
    """RQ's own, results and all."""
    job = ai_queue(job_store.redis).enqueue("math.sqrt", 16.0)

    worker_of(job_store).work(burst=True, logging_level="ERROR")

    assert (job.get_status(), job.return_value()) == ("finished", 4.0)


def test_a_job_for_no_game_does_nothing(store: Store):
    """It may have been deleted."""
    assert jobs.play(store, "nowhere", 3).outcome == "gone"


def test_an_ai_may_interrupt(store: Store):
    """It is asked before those who must act; its dash changes whose event it is, not whose turn."""
    game = open_table(store, HUMAN, ADEPT, options={"goal": 9})
    turns.take(store, game, 0, "step 3")
    turns.change(store, game, lambda table, now: table.act(1, "step 1", now, {"level": "test"}))
    assert store.load(game).to_act() == [0]

    outcome = play(store, game)

    assert outcome == "played"
    assert [entry["text"] for entry in store.record(game)] == ["step 3", "step 1", "dash"]


def test_who_lets_others_act_is_not_asked_again(store: Store):
    """A version at which every AI passed waits for people alone."""
    game = open_table(store, HUMAN, NOVICE, ADEPT, options=LONG)
    assert due(store, game) is not None

    outcome = play(store, game)

    assert outcome == "passed"
    assert due(store, game) is None
    assert Sweeper(store).sweep() == 0


def test_who_let_others_act_is_asked_at_the_next_version(store: Store):
    """And a deadline stays due."""
    game = open_table(store, HUMAN, NOVICE, options=LONG, turn_seconds=30)
    play(store, game)
    passed = due(store, game)

    turns.take(store, game, 0, "step 1")

    assert passed is not None
    assert 25 < passed <= 30
    assert f"ai-{game}-1-1" in ai_queue(store.redis).job_ids


def test_a_job_keeps_the_sweeper_away_while_it_works(store: Store, clock: Clock):
    """For three seconds, and never brings its look forward."""
    game = open_table(store, NOVICE, HUMAN, options=LONG)
    table = store.load(game)

    store.outbox.lease(table, store.now())
    leased = due(store, game)
    store.redis.zadd(names.DUE, {game: store.now().timestamp() + 16})
    store.outbox.lease(table, store.now())

    assert (leased, due(store, game)) == (3.0, 16.0)


def test_the_outbox_of_a_newer_version_is_left_alone(store: Store, clock: Clock):
    """Whatever a late job wants to say about its own."""
    game = open_table(store, NOVICE, NOVICE, options=LONG)
    late = store.load(game)
    play(store, game)

    store.outbox.settle(late)
    store.outbox.lease(late, store.now())

    assert due(store, game) == 1.0
    assert store.outbox.repeat(late, store.now()) is None


def test_an_ai_stands_in_for_a_player_whose_time_is_up(job_store: Store, clock: Clock):
    """Not before; the seat stays the player's, and the record says who acted."""
    game = open_table(job_store, HUMAN, HUMAN, options=LONG, turn_seconds=20)
    sweeper = Sweeper(job_store)
    clock.go(19.9)
    early = sweeper.sweep()

    clock.go(0.2)
    swept = sweeper.sweep()
    work_off(job_store)

    (entry,) = job_store.record(game)
    table = job_store.load(game)
    assert (early, swept) == (0, 1)
    assert (entry["seat"], entry["ai"]["level"]) == (0, "adept")
    assert (table.seats[0].kind, table.to_act()) == ("human", [1])
    assert due(job_store, game) == 20.0


def test_ais_signal_while_signals_are_open(job_store: Store):
    """One version each, before the one who chooses acts; who has given a signal isn't asked for it again."""
    game = open_table(job_store, HUMAN, HUMAN, ADEPT, options=LONG)
    turns.take(job_store, game, 0, "step 0")

    work_off(job_store)

    table = job_store.load(game)
    assert table.signals == {2: "hurry"}
    assert [event.full["type"] for _, told in job_store.events(game, 1) for event in told] == ["signal"]
    assert_sound(job_store, game)


def test_an_ai_without_a_signal_to_give_keeps_nobody_waiting(job_store: Store):
    """It goes on to whoever must act."""
    game = open_table(job_store, NOVICE, HUMAN, options=LONG)
    turns.change(job_store, game, lambda table, now: table.act(0, "step 0", now, {"level": "test"}))

    work_off(job_store)

    assert job_store.load(game).signals == {}
    assert due(job_store, game) is None


def test_a_seat_that_is_handed_over_is_played_on(job_store: Store):
    """The commit of the handover owes the turn."""
    game = open_table(job_store, HUMAN, HUMAN, options=LONG)

    turns.change(job_store, game, lambda table, now: table.hand_over(0, "novice", now))
    work_off(job_store)

    assert job_store.load(game).to_act() == [1]
    assert_sound(job_store, game)


def test_a_start_that_is_owed_to_an_ai_begins_the_game(job_store: Store):
    """The last join deals, and the AI at seat 0 begins."""
    game = open_table(job_store, NOVICE, Seat("open"), options=LONG)
    before = work_off(job_store)

    turns.change(job_store, game, lambda table, now: table.join(None, "Ben", "", now))
    work_off(job_store)

    assert (before, job_store.load(game).to_act()) == (0, [1])


class Mute(Runner):
    """A policy with a mistake."""

    def choose(self, *_: Any) -> None:
        raise ValueError("I hold AH")


def test_a_failing_ai_is_logged_without_its_words(job_store: Store, race: Race, monkeypatch: pytest.MonkeyPatch):
    """Neither log nor queue repeats an exception's message: it might name a card. The turn stays owed."""
    monkeypatch.setattr(Race, "policies", {"novice": Mute(eager=False)})
    game = open_table(job_store, NOVICE, HUMAN)

    with capture_logs() as lines, pytest.raises(jobs.JobFailed) as failure:
        jobs.take_ai_turn(game, 0)

    assert (str(failure.value), failure.value.__suppress_context__) == ("ValueError", True)
    assert "AH" not in str([{**line, "exc_info": ""} for line in lines])
    assert due(job_store, game) is not None


def test_an_ai_that_must_act_and_does_not_is_a_failure(store: Store, monkeypatch: pytest.MonkeyPatch):
    """Not a pass, after which the game would wait for ever."""
    monkeypatch.setattr(Runner, "choose", lambda *_: None)
    game = open_table(store, NOVICE, HUMAN)

    with pytest.raises(jobs.Undecided):
        play(store, game)

    assert due(store, game) is not None


def test_an_ai_is_shown_its_seats_view_alone(store: Store, monkeypatch: pytest.MonkeyPatch):
    """Never a position."""
    shown: list[Json] = []
    worlds = Race.worlds

    def note(self: Race, view: Json) -> Tracks:
        shown.append(view)
        return worlds(self, view)

    monkeypatch.setattr(Race, "worlds", note)
    game = open_table(store, NOVICE, HUMAN, HUMAN, options=LONG)
    table: Table = store.load(game)

    play(store, game)

    assert shown == [table.view(0)]
    assert shown[0]["cards"][1:] == [None, None]
