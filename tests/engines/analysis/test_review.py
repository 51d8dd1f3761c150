"""Reviews: what a decision has lost, from what its seat knew; the same again, whatever lay hidden."""

from datetime import UTC, datetime
from itertools import count
from json import dumps, loads
from random import Random

import pytest

from api.commands.check_ruleset.generated_games import setups
from engines import RULESETS
from engines.ai.observation import Observation
from engines.ai.search import Search
from engines.analysis.review import (
    MISTAKE_CLASSES,
    PastDecision,
    accuracy,
    assess_decision,
    changes_of,
    decisions_of,
    mistake_class,
    past_decision,
    summarize,
    with_texts,
)
from engines.contract.levels import Budget
from engines.core.dealer import SeededDealer
from engines.core.phrase import english
from engines.core.types import Json
from engines.ruleset import Ruleset
from engines.table.record_parser import load_record
from engines.table.replay import Mismatch
from engines.table.seats import Seat
from engines.table.table import Table
from tests.contract.hosted import Hosting
from tests.engines.ai.test_search import every_table, moments, opening
from tests.engines.gridcannon.table import position as gridcannon
from tests.engines.regicide.boards import board
from tests.rulesets import Race

REGICIDE, GRIDCANNON = RULESETS["regicide"], RULESETS["gridcannon"]
NOON = datetime(2026, 1, 1, tzinfo=UTC)

LAST_KING = board(["9C 2D 5D", ""], enemy="KH", castle="", damage=22)
"""``play 9C`` wins (R12); whatever else is played, the blow can't be covered (R14)."""

LAST_JACKS = gridcannon(2, board="c1:JC a3:JD", cells="c2:6C c3:5C b3:6D", drawn="9S", keep="", arms="AH")
"""``place c4`` shoots the rival's last royal, ``place d3`` one's own (G17, G18)."""


def made(ruleset: Ruleset, position: Json, action: str, seat: int = 0) -> PastDecision:
    """Return the decision of a seat that did this in a position."""
    seats = [Seat("human", name=name) for name in ("Ana", "Ben", "Cleo", "Dan")[: position["players"]]]
    opened = Table.open(
        game_id="0" * 20, ruleset=ruleset, options={}, seats=seats, seed=bytes(32), now=NOON, position=position
    )
    done = opened.table.act(seat, action, NOON)
    ((before, entry),) = decisions_of([(None, opened), (opened.table, done)], seat)
    return past_decision(before, entry)


def quick(made: PastDecision, level: str = "novice") -> Json:
    """Return what a level makes of it, here a short one."""
    judgement = assess_decision(made, level)
    assert judgement is not None
    return judgement


@pytest.mark.parametrize(
    ("ruleset", "position", "action", "best", "least"),
    [
        (REGICIDE, LAST_KING, "play 5D", "play 9C", 0.99),
        (REGICIDE, LAST_KING, "play 2D", "play 9C", 0.99),
        (GRIDCANNON, LAST_JACKS, "place d3", "place c4", 0.2),  # G22: either may have royals in the draw pile
    ],
)
def test_a_blunder(ruleset: Ruleset, position: Json, action: str, best: str, least: float) -> None:
    """What loses where something else wins is one, and what wins is good."""
    lost, won = quick(made(ruleset, position, action)), quick(made(ruleset, position, best))

    assert (lost["text"], lost["best"], lost["kind"]) == (action, best, "blunder")
    assert lost["loss"] == round(lost["best_chance"] - lost["chance"], 4) > least
    assert (won["text"], won["best"], won["loss"], won["kind"]) == (best, best, 0, "good")
    assert won["chance"] == won["best_chance"] > 0.6


def test_why_says_what_would_have_been_better() -> None:
    """In the ruleset's words, kept until somebody asks; what was done is named as on its button."""
    judgement = quick(made(REGICIDE, LAST_KING, "play 5D"))

    (shown,) = with_texts(summarize(0, "novice", [loads(dumps(judgement))]), english)["decisions"]

    assert (shown["label"], shown["best_label"]) == ("Play 5♦", "Play 9♣")
    assert (
        shown["why"] == "Player 1 plays 9♣ for 9; the enemy takes 18: 0 left; K♥ falls, exactly, and joins the Tavern: "
        "an estimated 100% to win if experts play on, against 0% for “Play 5♦”."
    )


def test_no_choice_is_good() -> None:
    """Nobody searches, and it doesn't count."""
    only = quick(made(REGICIDE, {**board(["3C", "8C"]), "yielded": [False, True]}, "play 3C"))

    assert (only["chance"], only["best_chance"], only["loss"], only["kind"]) == (None, None, 0, "good")
    assert with_texts(summarize(0, "novice", [only]), english)["decisions"][0]["why"] == "There was nothing else to do."
    assert summarize(0, "novice", [only])["accuracy"] is None


def test_to_act_out_of_turn_is_compared_with_waiting() -> None:
    """Whoever needn't act had another choice: to wait has no action, and its own words."""
    race = Race()
    view = race.new(2, {"goal": 50}, SeededDealer("s")).view(1)
    dash = race.parse({"type": "dash"})

    found = [quick(PastDecision(3, Observation(race, view, 1, str(seed)), dash, options=2)) for seed in range(20)]

    assert {one["text"] for one in found} == {"dash"}
    assert {one["best"] for one in found} == {"dash", "let others act"}
    assert all((one["loss"] == 0) or one["best"] == "let others act" for one in found)


def test_compiled_or_not() -> None:
    """The same numbers from the engines as they are written and as machine code: this runs on both."""
    race = Race()
    view = {**race.new(3, {"goal": 12}, SeededDealer("s")).view(0), "total": 5}
    step = race.parse("step 1")

    found = [
        quick(PastDecision(0, Observation(race, view, 0, str(seed)), step, options=4), "expert") for seed in range(3)
    ]

    assert [(one["best"], one["chance"], one["best_chance"]) for one in found] == [
        ("step 1", 0.5333, 0.5333),
        ("step 1", 0.5138, 0.5138),
        ("step 2", 0.5356, 0.5311),
    ]


@pytest.mark.search
@every_table
def test_what_lay_hidden_changes_nothing(ruleset: Ruleset, players: int) -> None:
    """Law 7 for reviews: in worlds that a seat can't tell apart the same decision is judged alike."""
    *_, last = moments(ruleset, players, 3, every=9)
    seat = last.to_act()[0]
    action, views = str(last.legal(seat)[-1]), last.view(seat)
    worlds = [ruleset.imagine(views, Random(dream)).dump() for dream in range(3)]
    assert len({dumps(world) for world in worlds}) > 1 or players == 1, "nothing is hidden here"

    found = [quick(made(ruleset, world, action, seat)) for world in worlds]

    assert found[1:] == found[:1] * 2


def test_it_stops_when_it_is_told() -> None:
    """In the first search or in the second; then there is nothing to tell."""
    for after in (3, 250):
        asked = count()
        stop = lambda asked=asked, after=after: next(asked) == after  # noqa: E731  bound in each round
        assert assess_decision(made(REGICIDE, LAST_KING, "play 5D"), "novice", should_stop=stop) is None


def test_both_are_visited_as_often_in_the_same_worlds() -> None:
    """What is compared with itself fares as well as itself."""
    search = Search(Observation(REGICIDE, opening(), 0, "s"))
    first = search.ranked()[0].action

    rounds = search.compare([first, search.ranked()[-1].action], Budget(40))

    assert rounds == 40
    assert [search.estimate(estimate.action).visits for estimate in search.ranked()[:2]] == [40, 40]
    assert search.counts()[0][0] == 80


@pytest.mark.search
@pytest.mark.parametrize("name", RULESETS)
def test_a_record_is_reviewed(name: str) -> None:
    """Each action of a seat, at the version before it; twice it is the same."""
    setup = setups(RULESETS[name], 2)[0]
    hosted = (Hosting(setup, seed, ("novice",), abandoned=True).record() for seed in count())
    record = next(r for r in map(load_record, hosted) if 5 < sum(entry.seat == 0 for entry in r.entries) < 15)
    found = list[Mismatch]()

    mine = decisions_of(changes_of(record, found), 0)
    reviews = [
        summarize(0, "novice", [quick(past_decision(before, entry)) for before, entry in mine]) for _ in range(2)
    ]

    acted = [entry for entry in record.entries if entry.seat == 0]
    assert found == []
    assert [one["version"] for one in reviews[0]["decisions"]] == [entry.before for entry in acted]
    assert [one["text"] for one in reviews[0]["decisions"]] == [entry.text for entry in acted]
    assert reviews[0] == reviews[1]
    assert 0.3 < reviews[0]["accuracy"] <= 1


def test_signals_are_weighed() -> None:
    """R22: a decision is judged by what others had signalled; of a record, as far as an AI wrote it down."""
    choosing = board(["5C", "6C", "7C"], phase="choose", table="X1", immune=False)
    seats = [Seat("human")] * 3
    opened = Table.open(
        game_id="0" * 20, ruleset=REGICIDE, options={}, seats=seats, seed=bytes(32), now=NOON, position=choosing
    )
    signalled = opened.table.signal(1, "eager", NOON)
    chosen = signalled.table.act(0, "choose 1", NOON)

    ((before, entry),) = decisions_of([(None, opened), (opened.table, signalled), (signalled.table, chosen)], 0)

    assert past_decision(before, entry).observation.signals == {1: "eager"}
    assert past_decision(before, entry).version == 1


@pytest.mark.parametrize(
    ("loss", "called"),
    [(0, "good"), (0.0499, "good"), (0.05, "inaccuracy"), (0.1, "mistake"), (0.2, "blunder"), (1, "blunder")],
)
def test_bounds(loss: float, called: str) -> None:
    """As the documentation has them."""
    assert mistake_class(loss) == called
    assert called in MISTAKE_CLASSES


@pytest.mark.parametrize(
    ("losses", "share"),
    [([], None), ([0, 0], 1), ([0.05], 0.7982), ([0.1], 0.6358), ([0.2], 0.4002), ([1], 0), ([0, 0.2], 0.7001)],
)
def test_accuracy(losses: list[float], share: float | None) -> None:
    """The mean of what each decision is worth: the curve of chess servers."""
    assert accuracy(losses) == share
