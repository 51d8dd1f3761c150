"""The environments pass the tests of PettingZoo and Gymnasium, at all tables."""

from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Discrete
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test

import regicide_rl
from engines.contract.rl_environment import IllegalChoice
from engines.core.errors import BadOptions, BadPosition
from tests.engines.regicide.boards import board
from tests.regicide_rl.reference import IDS, TABLES

of_dictionaries = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array", "ignore:Observation space for each agent probably should be"
)
"""What PettingZoo says of every environment with masks that isn't its own."""

tables = pytest.mark.parametrize(("ruleset", "players"), TABLES, ids=IDS)


@tables
@of_dictionaries
def test_pettingzoo_api(ruleset: str, players: int) -> None:
    """``api_test`` passes, with shaped rewards too."""
    api_test(regicide_rl.env(ruleset, players), num_cycles=300)
    api_test(regicide_rl.env(ruleset, players, shaped=True), num_cycles=300)


@tables
def test_pettingzoo_seeds(ruleset: str, players: int) -> None:
    """``seed_test`` passes: same seed, same episode."""
    seed_test(lambda: regicide_rl.env(ruleset, players), num_cycles=300)


@tables
def test_pettingzoo_render(ruleset: str, players: int, capsys: pytest.CaptureFixture[str]) -> None:
    """``render_test`` passes: text, returned or printed."""
    render_test(lambda render_mode: regicide_rl.env(ruleset, players, render_mode=render_mode))

    assert capsys.readouterr().out.count("\n") >= 10


@tables
@pytest.mark.filterwarnings("ignore:.*Not able to test alternative render modes.*")  # they are tested below
@pytest.mark.parametrize("opponents", ["novice", "random"])
def test_gymnasium(ruleset: str, players: int, opponents: str) -> None:
    """``check_env`` passes; it chooses illegal actions too."""
    for seat in range(players):
        env = regicide_rl.solo(ruleset, players, seat, opponents, render_mode="ansi")
        check_env(env)
        assert isinstance(env.render(), str)


def test_agents_are_seats() -> None:
    """``possible_agents[i]`` is seat i, and ``agent_selection`` is who is on turn, at a given position too."""
    env = regicide_rl.env("regicide", 3)
    env.reset(options={"position": board(["2C", "3C", "4C"], turn=2)})

    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert env.agent_selection == "player_2"
    assert env.unwrapped.position["hands"] == [["2C"], ["3C"], ["4C"]]
    assert env.unwrapped.view("player_1")["hands"][1] == ["3C"]


def test_actions_have_texts() -> None:
    """345 of Regicide, at all tables, and 197 of Gridcannon; each is another."""
    for (ruleset, players), count in zip(TABLES, [345] * 4 + [197] * 2, strict=True):
        env = regicide_rl.env(ruleset, players)
        assert env.action_space("player_0") == Discrete(count)
        assert len({env.text(index) for index in range(count)}) == count
    texts = map(regicide_rl.env("gridcannon").text, (0, 1, 196))
    assert list(texts) == ["draw", "place b2", "pass"]


def outcome(ruleset: str, players: int, seed: int, *, shaped: bool = False) -> tuple[dict[str, Any], list[float]]:
    """Play a game by chance; return its last position and the sum of each seat's rewards."""
    env = regicide_rl.env(ruleset, players, {"turn_limit": 200} if ruleset == "gridcannon" else {}, shaped=shaped)
    env.reset(seed=seed)
    rng, sums = np.random.default_rng(seed), dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, *_ = env.last()
        assert observation is not None
        sums[agent] += reward
        env.step(None if terminated else rng.choice(observation["action_mask"].nonzero()[0]))
    return env.position, [sums[agent] for agent in env.possible_agents]


def test_rewards_are_the_outcome() -> None:
    """1 to who has won, -1 to who has lost, 0 in a draw; shaped ones add how far a seat came."""
    results = [outcome("gridcannon", 2, seed) for seed in range(12)]
    for position, rewards in results:
        winner = position["outcome"]["winner"]
        assert rewards == ([0, 0] if winner is None else [1 if seat == winner else -1 for seat in range(2)])
    assert len({tuple(rewards) for _, rewards in results}) > 1

    position, rewards = outcome("regicide", 1, 4, shaped=True)
    assert rewards == [pytest.approx(-1 + position["outcome"]["defeated"] / 12)]


def test_the_wrong_action_is_refused() -> None:
    """The mask names the legal ones; the game goes on."""
    env = regicide_rl.env("regicide", 2)
    env.reset(seed=0)
    before = env.position

    with pytest.raises(IllegalChoice, match="Action 287, 'choose 0', isn't legal now: choose by the mask"):
        env.step(287)
    with pytest.raises(IllegalChoice, match="There is no action 345: the last is 344"):
        env.step(345)
    assert env.position == before
    with pytest.raises(TypeError):
        env.step(287.5)  # type: ignore[arg-type]

    alone = regicide_rl.solo("regicide", 1)
    alone.reset(seed=0)
    _, reward, terminated, _, info = alone.step(287)
    assert (reward, terminated) == (-1.0, True)
    assert info["illegal"].startswith("Action 287")


def test_what_there_is_not() -> None:
    """Rulesets, tables, levels, seats, options and positions that don't exist are refused in a sentence."""
    with pytest.raises(ValueError, match="no ruleset 'chess'"):
        regicide_rl.env("chess")
    with pytest.raises(ValueError, match="Gridcannon is for 2, 4 players, not 3"):
        regicide_rl.vector("gridcannon", 3)
    with pytest.raises(ValueError, match="no level 'genius'"):
        regicide_rl.solo("regicide", 2, opponents="genius")
    with pytest.raises(ValueError, match="no seat 2"):
        regicide_rl.solo("regicide", 2, seat=2)
    with pytest.raises(ValueError, match="at least one game"):
        regicide_rl.vector("regicide", 2, games=0)
    with pytest.raises(BadOptions):
        regicide_rl.env("regicide", 2, {"first_seat": 2})
    with pytest.raises(BadPosition, match="This table is for 2 players"):
        regicide_rl.env("regicide", 2).reset(options={"position": board(["2C"])})
    with pytest.raises(RuntimeError, match="call reset first"):
        regicide_rl.env().render()
