"""An AI's turn as a job: played once, harmless when late, doubled, or lost; what it records and logs."""

from typing import Any

import pytest
from structlog.testing import capture_logs

from engines.ai import decision
from engines.ai.observation import Observation
from engines.contract.levels import Level
from engines.core.types import Json
from engines.ruleset import Worlds
from engines.table import table_json
from engines.table.note_seals import view_hash
from engines.table.record_parser import load_record
from engines.table.replay import audit
from engines.table.seats import Seat
from engines.table.table import Table
from tests.rulesets import Race, Runner
from tests.waiting import AGES
from tests.workers.stores import (
    ADEPT,
    EXPERT,
    HUMAN,
    NOVICE,
    Clock,
    assert_sound,
    at_once,
    due,
    due_with,
    open_table,
    work_off,
)
from workers import game_commands
from workers.background import ai_turns, job_base
from workers.background.sweeper import Sweeper
from workers.storage.due_games import LEASE_SECONDS, leased, nothing_due, retried
from workers.storage.fair_queues import AI_ONLY_QUEUE
from workers.storage.queue import INTERACTIVE_QUEUE, queue_of, waiting
from workers.storage.store import Store

LONG = {"goal": 99}


def play(store: Store, game: str) -> str:
    """Run the job of a game's current version."""
    return ai_turns.play(store, game, store.games.load(game).version).outcome


@pytest.mark.parametrize("ruleset", ["race", "regicide"])
def test_ais_play_a_game_to_its_end(job_store: Store, ruleset: str):
    """Each turn's commit owes the next; after the last nothing is due."""
    game = open_table(job_store, NOVICE, ADEPT, NOVICE, ruleset=ruleset)

    work_off(job_store, AI_ONLY_QUEUE)

    assert job_store.games.load(game).status == "finished"
    assert due(job_store, game) is None
    assert_sound(job_store, game)


def test_the_record_tells_how_an_ai_came_to_its_move(store: Store):
    """Level, seed and the hash of what it saw: from them the same move can be chosen again."""
    game = open_table(store, NOVICE, HUMAN, options=LONG)
    before = store.games.load(game)

    play(store, game)

    (entry,) = store.history.record(game)
    note, view = entry["ai"], before.view(0)
    assert view is not None
    again = decision.think(decision.Question(note["level"], Observation(before.ruleset, view, 0, note["seed"])))
    assert note["view_sha256"] == view_hash(view)
    assert again.action is not None
    assert again.action.as_json() == entry["action"]


def test_the_record_tells_what_an_ai_has_heard(store: Store):
    """Signals may matter to a choice (R22), and nothing else in the record says which were given."""
    game = open_table(store, HUMAN, ADEPT, ADEPT, options=LONG)
    game_commands.play_action(store, game, 0, "step 0")

    outcomes = [play(store, game) for _ in range(3)]

    assert outcomes == ["signalled", "played", "played"]
    assert [(entry["ai"] or {}).get("signals") for entry in store.history.record(game)] == [None, {"2": "hurry"}, None]


def test_the_record_can_be_audited(store: Store):
    """Everything in it matches, and every AI chooses the same again."""
    game = open_table(store, NOVICE, ADEPT, EXPERT, options=LONG)
    while store.games.load(game).moves < 6:
        assert play(store, game) in ("played", "signalled")
    table = game_commands.change(store, game, lambda table, now: table.abandon(now))
    levels = list[str]()

    found = audit(
        load_record(table_json.record(table, store.history.record(game))), lambda _, ai, __: levels.append(ai.level)
    )

    assert found == []
    assert set(levels) == {"novice", "adept", "expert"}


def test_a_job_that_runs_twice_plays_once(store: Store):
    """The second finds the game at another version."""
    game = open_table(store, NOVICE, HUMAN, options=LONG)

    outcomes = [ai_turns.play(store, game, 0).outcome, ai_turns.play(store, game, 0).outcome]

    assert outcomes == ["played", "overtaken"]
    assert_sound(store, game)


def test_jobs_that_run_at_once_play_once(store: Store):
    """The first commit has the version."""
    game = open_table(store, NOVICE, HUMAN, options=LONG)

    outcomes = at_once(8, lambda _: ai_turns.play(store, game, 0).outcome)

    assert sorted(map(str, outcomes)) == ["overtaken"] * 7 + ["played"]
    assert_sound(store, game)


@pytest.mark.parametrize("end", [lambda table, now: table.abandon(now), lambda table, now: table.act(1, "dash", now)])
def test_a_job_after_the_end_does_nothing(store: Store, end: game_commands.TableCommand):
    """However the game ended."""
    game = open_table(store, NOVICE, HUMAN, options={"goal": 1})
    game_commands.change(store, game, end)

    assert [ai_turns.play(store, game, version).outcome for version in (0, 1, 7)] == [
        "overtaken",
        "passed",
        "overtaken",
    ]
    assert due(store, game) is None
    assert_sound(store, game)


@pytest.mark.parametrize(("seconds", "finished", "queued"), [(AGES, True, 0), (0.0, False, 1)])
def test_a_job_plays_on_while_its_slice_lasts(
    job_store: Store, monkeypatch: pytest.MonkeyPatch, seconds: float, finished: bool, queued: int
):
    """From AI to AI, without the queue; then the next turn goes to the end of the queue."""
    monkeypatch.setattr(ai_turns, "FOLLOWING_TURNS_SECONDS", seconds)
    game = open_table(job_store, NOVICE, NOVICE, NOVICE, options={"goal": 9})
    job_store.redis.delete(*job_store.redis.keys("regicide:line:*"))

    ai_turns.take_ai_turn(game, 0)

    table = job_store.games.load(game)
    assert (table.status == "finished", table.moves > 1) == (finished, finished)
    assert len(waiting(job_store.redis, AI_ONLY_QUEUE)) == queued
    assert_sound(job_store, game)


def test_a_job_for_no_game_does_nothing(store: Store):
    """It may have been deleted."""
    assert ai_turns.play(store, "0" * 20, 3).outcome == "gone"


def test_an_ai_may_interrupt(store: Store):
    """It is asked before those who must act; its dash changes whose event it is, not whose turn."""
    game = open_table(store, HUMAN, ADEPT, options={"goal": 9})
    game_commands.play_action(store, game, 0, "step 3")
    game_commands.change(store, game, lambda table, now: table.act(1, "step 1", now, {"level": "test"}))
    assert store.games.load(game).to_act() == [0]

    outcome = play(store, game)

    assert outcome == "played"
    assert [entry["text"] for entry in store.history.record(game)] == ["step 3", "step 1", "dash"]


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

    game_commands.play_action(store, game, 0, "step 1")

    assert passed is not None
    assert 25 < passed <= 30
    assert f"ai-{game}-1-1" in queue_of(store.redis, INTERACTIVE_QUEUE).job_ids


def test_a_job_keeps_the_sweeper_away_while_it_works(store: Store, clock: Clock):
    """For its lease, and never brings its look forward."""
    game = open_table(store, NOVICE, HUMAN, options=LONG)
    table = store.games.load(game)

    store.due_games.put([leased(table)])
    first = due(store, game)
    store.redis.zadd(due_with(store, game), {game: store.now().timestamp() + 16})
    store.due_games.put([leased(table)])

    assert (first, due(store, game)) == (LEASE_SECONDS, 16.0)


def test_an_ai_that_thinks_lengthens_its_lease(store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch):
    """As often as it asks whether it is still wanted, a third of the lease apart: who is killed is silent."""
    monkeypatch.setattr(ai_turns, "LEASE_RENEWAL_SECONDS", 0.0)
    game = open_table(store, NOVICE, HUMAN, options=LONG)
    lease = ai_turns.Lease(store, store.games.load(game))
    clock.go(0.5)

    wanted = lease()

    assert (wanted, due(store, game)) == (True, LEASE_SECONDS)
    game_commands.change(store, game, lambda table, now: table.abandon(now))
    assert (lease(), due(store, game)) == (False, None)


def test_each_ai_that_searches_is_given_time(store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch):
    """Its own lease: several may be asked one after the other."""
    game, leased = open_table(store, HUMAN, EXPERT, EXPERT, options=LONG), list[float | None]()

    def think(*_: Any, **__: Any) -> decision.Decision:
        leased.append(due(store, game))
        clock.go(2)
        return decision.Decision(iterations=1)

    monkeypatch.setattr(decision, "think", think)

    outcome = play(store, game)

    assert (outcome, leased) == ("passed", [LEASE_SECONDS, LEASE_SECONDS])


def test_the_outbox_of_a_newer_version_is_left_alone(store: Store, clock: Clock):
    """Whatever a late job wants to say about its own."""
    game = open_table(store, NOVICE, NOVICE, options=LONG)
    late = store.games.load(game)
    play(store, game)

    looks = [nothing_due(late, store.now()), leased(late), retried(late.id, late.version, 0)]
    counted = store.due_games.put(looks)

    assert due(store, game) == 1.0
    assert counted == [None] * 3


def test_an_ai_stands_in_for_a_player_whose_time_is_up(job_store: Store, clock: Clock):
    """Not before; the seat stays the player's, and the record says who acted."""
    game = open_table(job_store, HUMAN, HUMAN, options=LONG, turn_seconds=20)
    sweeper = Sweeper(job_store)
    clock.go(19.9)
    early = sweeper.sweep()

    clock.go(0.2)
    swept = sweeper.sweep()
    work_off(job_store, AI_ONLY_QUEUE)

    (entry,) = job_store.history.record(game)
    table = job_store.games.load(game)
    assert (early, swept) == (0, 1)
    assert (entry["seat"], entry["ai"]["level"]) == (0, "adept")
    assert (table.seats[0].kind, table.to_act()) == ("human", [1])
    assert due(job_store, game) == 20.0


def test_ais_signal_while_signals_are_open(job_store: Store):
    """One version each, before the one who chooses acts; who has given a signal isn't asked for it again."""
    game = open_table(job_store, HUMAN, HUMAN, ADEPT, options=LONG)
    game_commands.play_action(job_store, game, 0, "step 0")

    work_off(job_store)

    table = job_store.games.load(game)
    assert table.signals == {2: "hurry"}
    assert [event.type for snapshot in job_store.history.snapshots(game, 1) for event in snapshot.events] == ["signal"]
    assert_sound(job_store, game)


def test_an_ai_without_a_signal_to_give_keeps_nobody_waiting(job_store: Store):
    """It goes on to whoever must act."""
    game = open_table(job_store, NOVICE, HUMAN, options=LONG)
    game_commands.change(job_store, game, lambda table, now: table.act(0, "step 0", now, {"level": "test"}))

    work_off(job_store)

    assert job_store.games.load(game).signals == {}
    assert due(job_store, game) is None


def test_a_seat_that_is_handed_over_is_played_on(job_store: Store):
    """The commit of the handover owes the turn."""
    game = open_table(job_store, HUMAN, HUMAN, options=LONG)

    game_commands.change(job_store, game, lambda table, now: table.hand_over(0, "novice", now))
    work_off(job_store)

    assert job_store.games.load(game).to_act() == [1]
    assert_sound(job_store, game)


def test_a_start_that_is_owed_to_an_ai_begins_the_game(job_store: Store):
    """The last join deals, and the AI at seat 0 begins."""
    game = open_table(job_store, NOVICE, Seat("open"), options=LONG)
    before = work_off(job_store)

    game_commands.change(job_store, game, lambda table, now: table.join(None, "Ben", "", now))
    work_off(job_store)

    assert (before, job_store.games.load(game).to_act()) == (0, [1])


class Mute(Runner):
    """A policy with a mistake."""

    def choose(self, *_: Any) -> None:
        raise ValueError("I hold AH")


def test_a_failing_ai_is_logged_without_its_words(job_store: Store, race: Race, monkeypatch: pytest.MonkeyPatch):
    """Neither log nor queue repeats an exception's message: it might name a card. The turn stays owed."""
    monkeypatch.setattr(Race, "levels", {"novice": Level(Mute(eager=False))})
    game = open_table(job_store, NOVICE, HUMAN)

    with capture_logs() as lines, pytest.raises(job_base.LoggedJobError) as failure:
        ai_turns.take_ai_turn(game, 0)

    assert (str(failure.value), failure.value.__suppress_context__) == ("ValueError", True)
    assert [line["event"] for line in lines].count("ai_turn_failed") == 1
    said = str([{**line, "exc_info": ""} for line in lines]).replace(game, "")  # its id may have AH in it by chance
    assert "AH" not in said
    assert due(job_store, game) is not None


def test_an_ai_that_must_act_and_does_not_is_a_failure(store: Store, monkeypatch: pytest.MonkeyPatch):
    """Not a pass, after which the game would wait for ever."""
    monkeypatch.setattr(Runner, "choose", lambda *_: None)
    game = open_table(store, NOVICE, HUMAN)

    with capture_logs() as lines, pytest.raises(job_base.LoggedJobError, match="NoActionChosen"):
        play(store, game)

    [line] = [line for line in lines if line["event"] == "ai_turn_failed"]
    assert isinstance(line["exc_info"], decision.NoActionChosen)
    assert (line["game_id"], line["version"], line["ruleset"]) == (game, 0, "race")
    assert (line["seat"], line["ai_level"]) == (0, "novice")
    assert due(store, game) is not None


def test_an_ai_is_shown_its_seats_view_alone(store: Store, monkeypatch: pytest.MonkeyPatch):
    """Never a position."""
    shown: list[Json] = []
    worlds = Race.worlds

    def note(self: Race, view: Json) -> Worlds[Any]:
        shown.append(view)
        return worlds(self, view)

    monkeypatch.setattr(Race, "worlds", note)
    game = open_table(store, NOVICE, HUMAN, HUMAN, options=LONG)
    table: Table = store.games.load(game)

    play(store, game)

    assert shown == [table.view(0)]
    assert shown[0]["cards"][1:] == [None, None]
