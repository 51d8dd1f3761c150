"""A hosted game: who may do what when."""

from collections.abc import Mapping
from datetime import timedelta
from typing import ClassVar

import pytest

from engines import RULESETS
from engines.ai.observation import Observation
from engines.core.dealer import SeededDealer, action_seed, game_key, player_seed
from engines.core.errors import (
    AlreadyStarted,
    BadAction,
    BadCard,
    BadOptions,
    BadPosition,
    GameOver,
    IllegalAction,
    NoSuchSeat,
    NotStarted,
    NotYourTurn,
    Refusal,
    SeatTaken,
)
from engines.core.types import Json
from engines.table import table_json
from engines.table.note_seals import view_hash
from engines.table.seats import Seat, merge_seat_options
from engines.table.table import Table, rfc3339
from tests.engines.regicide.boards import board
from tests.engines.tables import (
    ANA,
    BEN,
    CHOOSING,
    FREE,
    LATER,
    NOON,
    NOVICE,
    SEED,
    ended,
    events_of,
    line,
    opened,
    refused,
    table,
)
from tests.rulesets import Race

# Opening


def test_a_full_table_is_dealt_at_once() -> None:
    """No seat is open: version 0 is active, ``started`` and the deal are told."""
    change = opened(ANA, NOVICE)

    game, events = change.table, events_of(change)
    assert (game.status, game.version, game.moves, game.to_act()) == ("active", 0, 0, [0])
    assert events[0] == {"type": "started", "seat": None, "from_position": False}
    assert [event["type"] for event in events].count("dealt") == 14
    assert table_json.line(game, change.entry) is None


def test_an_open_seat_is_waited_for() -> None:
    """Nothing is dealt, nobody sees anything, nobody can act."""
    change = opened(ANA, FREE)

    game = change.table
    assert (game.status, game.version, events_of(change)) == ("waiting", 0, [])
    assert (game.view(0), game.to_act(), game.may_act(), game.legal(0)) == (None, [], [], [])
    assert isinstance(refused(game.act, 0, "yield", NOON), NotStarted)
    assert isinstance(refused(game.signal, 0, "eager", NOON), NotStarted)
    assert isinstance(refused(game.hand_over, 0, "novice", NOON), NotStarted)


def test_the_deal_follows_from_the_seeds() -> None:
    """Number 0 of the game key, which holds each seat's client seed (docs/fairness.md)."""
    key = game_key(SEED, ["añá", ""])
    expected = RULESETS["regicide"].new(2, {}, SeededDealer(action_seed(key, 0)))

    game = table(ANA, BEN)

    assert game.position is not None
    assert game.position.dump() == expected.dump()
    assert game.key == key
    assert game.observation(1) == Observation(game.ruleset, game.position.view(1), 1, player_seed(key, 0, 1))


def test_options_are_filled_in_and_checked() -> None:
    """What the ruleset doesn't know is refused before anybody sits down."""
    assert table(ANA, FREE, options={"first_seat": 1}).options == {"first_seat": 1, "solo_yield": False}
    with pytest.raises(BadOptions):
        opened(ANA, FREE, options={"first_seat": 2})


def test_a_position_may_be_given() -> None:
    """It is dealt as it lies, when everybody is there, and the record says so."""
    given = board(["TC 9C", "8C"])

    waiting = table(ANA, FREE, position=given)
    started = waiting.join(None, "Ben", "", LATER).table

    assert waiting.position is None
    assert started.position is not None
    assert started.position.dump() == given
    assert table_json.record(started.abandon(LATER).table, [])["position"] == given


@pytest.mark.parametrize(
    ("position", "refusal"),
    [
        (board(["TC 9C", "8C", "7C"]), BadPosition),  # three hands for two seats
        (board(["TC", ""], phase="over", outcome={"result": "lost", "reason": "could_not_act", "medal": None,
                                                   "defeated": 9}), BadPosition),  # nothing left to play
        (board(["TC 1Z", ""]), BadCard),
        ({}, BadPosition),
    ],
)  # fmt: skip
def test_positions_that_are_refused(position: Json, refusal: type[Refusal]) -> None:
    """At once, also while a seat is open."""
    with pytest.raises(refusal):
        opened(ANA, FREE, position=position)


@pytest.mark.parametrize(
    ("options", "asks", "expected"),
    [
        ({}, [None, None], {}),  # nobody asked: the ruleset's default stays
        ({"x": 1}, ["red", None], {"x": 1, "families": ["red", None]}),
        ({}, ["black", "red"], {"families": ["black", "red"]}),
        ({"families": ["red", None]}, [None, None], {"families": ["red", None]}),  # the option itself is kept
    ],
)
def test_what_seats_ask_for_becomes_an_option(options: Json, asks: list[str | None], expected: Json) -> None:
    """One list with an entry per seat, null for those that don't ask."""
    seats = [Seat("human", asks={} if ask is None else {"family": ask}) for ask in asks]

    assert merge_seat_options(Families(), options, seats) == expected


def test_a_ruleset_that_asks_nothing_gathers_nothing() -> None:
    """Options come back as they were."""
    assert merge_seat_options(RULESETS["regicide"], {"first_seat": 1}, [ANA, BEN]) == {"first_seat": 1}


class Families(Race):
    """A ruleset whose seats may ask for a family."""

    seat_options: ClassVar[Mapping[str, str]] = {"family": "families"}


@pytest.mark.parametrize("families", [[], ["red"], ["red"] * 3, None, "red"])
def test_an_option_of_seats_has_a_value_per_seat(monkeypatch: pytest.MonkeyPatch, families: object) -> None:
    """Whatever the ruleset's own ``check_options`` lets pass: a rematch would move the values with the seats."""
    monkeypatch.setattr(Families, "check_options", lambda *_: {"goal": 12, "families": families})

    with pytest.raises(BadOptions, match="The option families must be a list of 2"):
        Families().filled_options(2, {})


# Joining and starting


def test_joining_takes_the_first_open_seat() -> None:
    """Seats are filled in order; the game starts when the last is taken, in the same version."""
    two = table(FREE, ANA, FREE).join(None, "Ben", "ben's", LATER)
    three = two.table.join(None, "Cleo", "cleo's", LATER)

    assert events_of(two) == [{"type": "joined", "seat": 0, "name": "Ben"}]
    assert (two.table.version, two.table.status, two.table.updated) == (1, "waiting", rfc3339(LATER))
    assert events_of(three)[:2] == [
        {"type": "joined", "seat": 2, "name": "Cleo"},
        {"type": "started", "seat": None, "from_position": False},
    ]
    assert (three.table.version, three.table.status) == (2, "active")
    assert three.table.key == game_key(SEED, ["ben's", "añá", "cleo's"])


def test_joining_a_seat_by_its_number() -> None:
    """Any open one; what the seat asked for stays."""
    game = table(ANA, FREE, Seat("open", asks={"family": "red"})).join(2, "Ben", "", LATER).table

    assert game.seats[2] == Seat("human", name="Ben", asks={"family": "red"})
    assert isinstance(refused(game.join, 2, "Cleo", "", LATER), SeatTaken)
    assert isinstance(refused(game.join, 0, "Cleo", "", LATER), SeatTaken)
    assert isinstance(refused(game.join, 3, "Cleo", "", LATER), NoSuchSeat)
    assert isinstance(refused(game.join, -1, "Cleo", "", LATER), NoSuchSeat)


def test_starting_fills_open_seats_with_ais() -> None:
    """Of the level named; then cards are dealt."""
    change = table(ANA, FREE, FREE).start("adept", LATER)

    assert [seat.kind for seat in change.table.seats] == ["human", "ai", "ai"]
    assert [seat.level for seat in change.table.seats] == [None, "adept", "adept"]
    assert (change.table.version, events_of(change)[0]) == (
        1,
        {"type": "started", "seat": None, "from_position": False},
    )


@pytest.mark.parametrize(
    ("game", "refusal"),
    [(table(ANA, BEN), AlreadyStarted), (table(ANA, FREE).abandon(NOON).table, GameOver)],
    ids=["active", "abandoned"],
)
def test_too_late_to_come_in(game: Table, refusal: type[Refusal]) -> None:
    """Join and start are for tables that wait."""
    assert isinstance(refused(game.join, None, "Cleo", "", LATER), refusal)
    assert isinstance(refused(game.start, "adept", LATER), refusal)


# Acting


def test_an_action_makes_a_version_and_a_line() -> None:
    """Object and text are one; the line says who, what and when."""
    game = table(ANA, BEN)
    listed = game.legal(0)[0]

    change, again = game.act(0, listed["action"], LATER), game.act(0, listed["text"], LATER)

    assert change.entry == again.entry
    assert line(game, change) == {
        "version": 1, "seat": 0, "action": listed["action"], "text": listed["text"], "at": rfc3339(LATER), "ai": None,
    }  # fmt: skip
    assert table_json.dump(change.table) == table_json.dump(again.table)
    assert (change.table.version, change.table.moves, change.table.updated) == (1, 1, rfc3339(LATER))
    assert game.version == 0


def test_actions_are_dealt_by_their_number() -> None:
    """Joins and signals make versions, not actions: action n is dealt by number n."""
    heal = board(["5H TC", "8C 7C"], enemy="JD", discard="2S 3S 4S 5S 6S 7S 8S 9S")
    game = table(ANA, FREE, position=heal).join(None, "Ben", "", NOON).table.hand_over(1, "novice", NOON).table

    change = game.act(0, "play 5H", LATER)

    ruleset = RULESETS["regicide"]
    expected = ruleset.load(heal)
    expected.apply(0, ruleset.parse("play 5H"), SeededDealer(action_seed(game.key, 1)))
    assert (change.table.version, change.table.moves) == (3, 1)
    assert change.table.position is not None
    assert change.table.position.dump() == expected.dump()


def test_refusals_of_actions() -> None:
    """Malformed before whose turn it is, before what is allowed."""
    game = table(ANA, BEN, position=board(["TC 9C", "8C"]))

    assert isinstance(refused(game.act, 1, "dance", NOON), BadAction)
    assert isinstance(refused(game.act, 1, "play 1Z", NOON), BadCard)
    assert isinstance(refused(game.act, 1, "play 8C", NOON), NotYourTurn)
    assert isinstance(refused(game.act, 0, "play 8C", NOON), IllegalAction)


def test_a_seat_that_was_handed_over_is_the_ais() -> None:
    """Its old player is refused; what the AI chose is taken, and the line says so."""
    game = table(ANA, BEN).hand_over(0, "novice", NOON).table
    thought = {"level": "novice", "iterations": 0}

    assert isinstance(refused(game.act, 0, "yield", NOON), NotYourTurn)
    change = game.act(0, "yield", NOON, thought)
    seen = {"seed": player_seed(game.key, 1, 0), "view_sha256": view_hash(game.view(0) or {})}
    assert line(game, change)["ai"] == thought | seen


def test_after_the_end_everything_is_refused() -> None:
    """Finished or abandoned: no verb, no action, nobody is asked."""
    finished = ended()[0]
    abandoned = table(ANA, BEN, turn_seconds=5).abandon(LATER).table
    assert (finished.status, abandoned.status, abandoned.version) == ("finished", "abandoned", 1)
    for game in (finished, abandoned):
        verbs = [(game.act, 0, "yield", NOON), (game.signal, 0, "eager", NOON), (game.hand_over, 0, "adept", NOON),
                 (game.abandon, NOON), (game.join, None, "Ben", "", NOON), (game.start, "adept", NOON)]  # fmt: skip
        assert [type(refused(*verb)) for verb in verbs] == [GameOver] * 6
        assert (game.to_act(), game.may_act(), game.legal(0), game.deadline) == ([], [], [], None)
        assert game.pending_ais(NOON + timedelta(days=1)) == []


def test_an_abandoned_game_is_still_seen() -> None:
    """The view stays; there is no outcome."""
    game = table(ANA, BEN).abandon(LATER).table

    assert game.view(0) == table(ANA, BEN).view(0)
    assert table_json.resource(game, None)["outcome"] is None
    assert events_of(table(ANA, FREE).abandon(LATER)) == [{"type": "abandoned", "seat": None}]


# Signals


def test_signals_are_given_once_until_the_choice() -> None:
    """Each other seat one (R22); they make versions, and are gone with the next action."""
    game = table(ANA, BEN, ANA, position=CHOOSING)
    change = game.signal(2, "eager", NOON)
    both = change.table.signal(1, "reluctant", NOON).table

    assert events_of(change) == [{"type": "signal", "seat": 2, "signal": "eager"}]
    assert (both.version, both.moves, both.signals) == (2, 0, {2: "eager", 1: "reluctant"})
    again = refused(both.signal, 2, "reluctant", NOON)
    assert (again.code, getattr(again, "rule", None)) == ("illegal_action", "R22")
    assert both.act(0, "choose 2", NOON).table.signals == {}


def test_a_word_that_is_no_signal() -> None:
    """R22: there are two signals, and the refusal names them."""
    refusal = refused(table(ANA, BEN, ANA, position=CHOOSING).signal, 1, "maybe", NOON)

    assert (refusal.code, getattr(refusal, "rule", None)) == ("illegal_action", "R22")
    assert "eager and reluctant" in refusal.detail


def test_nobody_signals_for_an_ai_that_plays_on() -> None:
    """R22: a seat that was handed over has one signal, the AI's."""
    game = table(ANA, BEN, ANA, position=CHOOSING).hand_over(1, "novice", NOON).table

    assert refused(game.signal, 1, "eager", NOON).code == "not_your_turn"
    assert game.signal(1, "eager", NOON, by_ai=True).table.signals == {1: "eager"}


@pytest.mark.parametrize("number", [10**6 + 1, 10**9])
def test_a_game_starts_from_numbers_that_can_grow(number: int) -> None:
    """What is stored after any number of moves must be readable: an opening stays far below the limit."""
    opening = {**board(["TC 9C 7S", "8C"]), "shield": number}

    with pytest.raises(BadPosition, match=str(number)):
        table(ANA, BEN, position=opening)


@pytest.mark.parametrize(
    ("seat", "signal", "position"),
    [
        (0, "eager", CHOOSING),  # R22: who chooses doesn't signal
        (1, "eager", board(["TC 9C", "8C", "7C"])),  # R22: not in step 1
    ],
)
def test_signals_that_are_refused(seat: int, signal: str, position: Json) -> None:
    """At any other time, by anybody else, of any other kind."""
    refusal = refused(table(ANA, BEN, ANA, position=position).signal, seat, signal, NOON)

    assert (refusal.code, getattr(refusal, "rule", None)) == ("illegal_action", "R22")


def test_a_game_without_signals_refuses_them_by_no_ruling() -> None:
    """Gridcannon has no signals, so no ruling of another game is named; the refusal has no rule at all."""
    game = table(ANA, BEN, ruleset="gridcannon")

    refusal = refused(game.signal, 1, "eager", NOON)

    assert (refusal.code, set(refusal.as_json())) == ("illegal_action", {"code", "detail"})
