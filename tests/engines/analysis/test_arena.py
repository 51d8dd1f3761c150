"""Arenas: the same games again wherever they are played, and rates that say how sure they are."""

from collections import Counter
from dataclasses import replace
from json import dumps, loads
from typing import cast

import pytest

from engines import RULESETS
from engines.ai.decision import NoActionChosen
from engines.ai.search import never
from engines.analysis.arena import Arena, GameInProgress, GameResult, play, result, resume
from engines.contract.levels import Budget, Level
from engines.core.confidence import wilson
from tests.rulesets import Race, Runner


def arena(*seats: str, ruleset: str = "gridcannon", games: int = 4, seed: str = "s") -> Arena:
    """Return an arena."""
    return Arena(ruleset, seats, games, {}, seed)


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        (0, 0, 0.0, 1.0),
        (0, 10, 0.0, 0.2775),  # by the textbook: Wilson 1927, Newcombe 1998
        (5, 10, 0.2366, 0.7634),
        (81, 263, 0.2553, 0.3662),
        (10, 10, 0.7225, 1.0),
    ],
)
def test_wilson(wins: int, games: int, low: float, high: float) -> None:
    """The interval of a rate."""
    assert wilson(wins, games) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.search
@pytest.mark.parametrize("ruleset", RULESETS)
def test_equal_seeds_give_equal_games(ruleset: str) -> None:
    """In whatever order they are played; other numbers and other seeds give others."""
    same = arena("adept", "novice", ruleset=ruleset)
    first = [play(same, number) for number in (0, 1, 2)]

    assert [play(same, number) for number in (2, 1, 0)] == first[::-1]
    assert len({str(game) for game in first}) == 3
    assert play(arena("adept", "novice", ruleset=ruleset, seed="t"), 0) not in first


@pytest.mark.search
def test_searches_are_repeated_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """They think by iterations: on a machine that is a thousand times slower the game is the same."""
    levels = cast(dict[str, Level], RULESETS["regicide"].levels)
    monkeypatch.setitem(levels, "expert", replace(levels["expert"], budget=Budget(iterations=12, seconds=0.5)))
    same = arena("expert", ruleset="regicide")
    first = play(same, 0)
    monkeypatch.setattr("engines.ai.search.monotonic", iter(range(10**9)).__next__)

    again, by_clock = play(same, 0), play(replace(same, by_clock=True), 0)

    assert again == first
    assert by_clock != first


def test_rivals_change_seats() -> None:
    """Each contender sits at each seat equally often; a team stays where it is."""
    rivals, team = arena("expert", "adept", "novice", "adept"), arena("expert", "adept", ruleset="regicide")

    sat = Counter((rivals.contender(number, seat), seat) for number in range(8) for seat in range(4))

    assert sat == Counter({(one, seat): 2 for one in range(4) for seat in range(4)})
    assert [team.contender(number, 1) for number in range(3)] == [1, 1, 1]


def won(winner: int | None, reason: str = "last_family") -> GameResult:
    """Return a game of Gridcannon that *winner* has won; None: a draw."""
    return GameResult({"result": "draw" if winner is None else "won", "winner": winner, "reason": reason}, 7)


def test_a_win_counts_for_the_contender_not_the_seat() -> None:
    """Seat 1 belongs to contender 0 in game 1."""
    told = result(arena("expert", "adept"), {0: won(0), 1: won(1), 2: won(1), 3: won(None, "exhausted")}, 1.23)

    assert [(seat["seat"], seat["level"], seat["wins"], seat["draws"]) for seat in told["seats"]] == [
        (0, "expert", 2, 1),
        (1, "adept", 1, 1),
    ]
    assert told["seats"][0] == {**told["seats"][0], "rate": 0.5, "low": 0.15, "high": 0.85}
    assert told["outcomes"] == {"last_family": 3, "exhausted": 1}
    assert (told["games"], told["mean_score"], told["seconds"]) == (4, None, 1.2)


def test_a_team_shares_its_wins() -> None:
    """R18: medals are counted, enemies averaged."""

    def solo(medal: str | None, defeated: int, actions: int) -> GameResult:
        outcome = {"result": "won" if medal else "lost", "reason": "", "medal": medal, "defeated": defeated}
        return GameResult(outcome, actions)

    games = {0: solo("gold", 12, 50), 1: solo(None, 3, 10), 2: solo("gold", 12, 60), 3: solo("bronze", 12, 70)}

    told = result(arena("adept", "novice", ruleset="regicide"), games, 0)

    assert [seat["wins"] for seat in told["seats"]] == [3, 3]
    assert (told["mean_score"], told["turns"]) == (9.75, {"median": 50, "p99": 70})
    assert told["outcomes"] == {"gold": 2, "lost": 1, "bronze": 1}


def test_the_hundredth_part_is_the_longest() -> None:
    """The 99th percentile of 100 games is the second longest."""
    games = {number: GameResult(won(0).outcome, number) for number in range(1, 101)}

    assert result(arena("adept", "adept"), games, 0)["turns"] == {"median": 50, "p99": 99}


def test_nothing_played_is_a_result_too() -> None:
    """Anything is possible then."""
    told = result(arena("adept", "adept"), {}, 0)

    assert (told["games"], told["seats"][0]["low"], told["seats"][0]["high"]) == (0, 0, 1)
    assert told["turns"] == {"median": None, "p99": None}


def test_it_stops_when_told_to() -> None:
    """In the middle of a game, or of a thought: nothing comes of it."""
    assert play(arena("adept", "adept"), 0, iter([False] * 5 + [True]).__next__) is None
    assert play(arena("master", ruleset="regicide"), 0, iter([False] * 5 + [True] * 2).__next__) is None


def test_arenas_are_stored() -> None:
    """``load`` is the inverse."""
    asked = Arena("regicide", ("adept", "novice"), 7, {"first_seat": 1}, "s", by_clock=True)

    assert Arena.load(asked.as_json()) == asked


def test_a_policy_that_decides_nothing_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not an endless game. Also: any ruleset will do."""
    monkeypatch.setitem(RULESETS, Race.name, Race())
    assert play(arena("adept", "novice", ruleset="race"), 0) is not None
    monkeypatch.setattr(Runner, "choose", lambda *_: None)

    with pytest.raises(NoActionChosen):
        play(arena("adept", "novice", ruleset="race"), 0)


@pytest.mark.parametrize("ruleset", ["regicide", "gridcannon"])
def test_a_game_that_is_paused_is_the_same_game(ruleset: str):
    """After every action, written down, and gone on with from there: by the same seeds, to the same end."""
    contenders = arena("adept", "novice", ruleset=ruleset, seed="paused")
    begun, pauses = None, 0

    while not isinstance(game := resume(contenders, 3, begun, never, lambda: True), GameResult):
        assert game is not None
        begun, pauses = GameInProgress.load(loads(dumps(game.as_json()))), pauses + 1

    assert game == play(contenders, 3)
    assert pauses == game.actions
