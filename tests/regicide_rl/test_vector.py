"""Many games at once, beside the same games one by one; and one seat among AIs."""

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

import regicide_rl
from engines.contract.rl_environment import IllegalChoice
from engines.core.errors import BadPosition
from tests.engines.regicide.boards import board, lost
from tests.regicide_rl.reference import IDS, TABLES

GAMES = 5
STEPS = 400


def legal_choices(masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a legal choice of each game, by chance."""
    choices: NDArray[np.int64] = (masks * rng.random(masks.shape)).argmax(axis=1)
    return choices


@pytest.mark.parametrize(("ruleset", "players"), TABLES, ids=IDS)
def test_games_at_once_are_games_one_by_one(ruleset: str, players: int) -> None:
    """Game i of seed s is the AEC environment with seed s + i: seats, observations, masks, rewards, next deals."""
    many = regicide_rl.vector(ruleset, players, GAMES, seed=7)
    ones = [regicide_rl.env(ruleset, players) for _ in range(GAMES)]
    observations, infos = many.reset()
    for game, one in enumerate(ones):
        one.reset(seed=7 + game)
    rng, ended = np.random.default_rng(0), 0
    for _ in range(STEPS):
        for game, one in enumerate(ones):
            seen = one.observe(one.agent_selection)
            assert one.agent_selection == f"player_{infos['agent'][game]}"
            assert np.array_equal(seen["observation"], observations[game])
            assert np.array_equal(seen["action_mask"], infos["action_mask"][game])
        choices = legal_choices(infos["action_mask"], rng)
        observations, rewards, terminations, truncations, infos = many.step(choices)
        for game, one in enumerate(ones):
            one.step(int(choices[game]))
            assert [one.rewards[agent] for agent in one.possible_agents] == rewards[game].tolist()
            assert all(one.terminations.values()) == terminations[game]
            if terminations[game]:
                one.reset()
                ended += 1
        assert not truncations.any()
    assert ended > 0 or ruleset == "gridcannon"


def test_it_is_an_environment_of_gymnasium() -> None:
    """Spaces, shapes and types are as declared."""
    many = regicide_rl.vector("regicide", 2, GAMES, seed=1, shaped=True)
    observations, infos = many.reset()

    assert isinstance(many, VectorEnv)
    assert many.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert observations in many.observation_space
    assert (infos["action_mask"].shape, infos["agent"].shape) == ((GAMES, 345), (GAMES,))
    choices = legal_choices(infos["action_mask"], np.random.default_rng(0))
    assert choices in many.action_space
    observations, rewards, terminations, truncations, infos = many.step(choices)
    assert observations in many.observation_space
    assert (rewards.shape, str(rewards.dtype)) == ((GAMES, 2), "float32")
    assert {str(terminations.dtype), str(truncations.dtype)} == {"bool"}


def play(seed: int | None, resets: int) -> list[Any]:
    """Return what the first steps after some resets show."""
    many = regicide_rl.vector("gridcannon", 2, GAMES, seed=3)
    for _ in range(resets - 1):
        many.reset(seed=seed)
    observations, infos = many.reset(seed=seed)
    seen, rng = [observations.tolist()], np.random.default_rng(0)
    for _ in range(20):
        observations, *_, infos = many.step(legal_choices(infos["action_mask"], rng))
        seen.append(observations.tolist())
    return seen


def test_seeds_repeat_games() -> None:
    """The seed of the constructor serves the first reset, that of a reset that reset."""
    assert play(None, 1) == play(None, 1) == play(3, 1) == play(3, 2)
    assert play(None, 2) != play(None, 1) != play(4, 1)


def test_all_games_begin_with_a_given_position() -> None:
    """Game i is that of the AEC environment with the same position and seed; the games after them are dealt."""
    position = board(["2C 3H", "4C 5D"], turn=1, enemy="KH", tavern="6C 7C 8C 9C TC")
    many, ones = regicide_rl.vector("regicide", 2, GAMES), [regicide_rl.env("regicide", 2) for _ in range(GAMES)]
    observations, infos = many.reset(seed=7, options={"position": position})
    for game, one in enumerate(ones):
        one.reset(seed=7 + game, options={"position": position})
    rng, ended = np.random.default_rng(0), 0
    for _ in range(50):
        for game, one in enumerate(ones):
            assert one.agent_selection == f"player_{infos['agent'][game]}"
            assert np.array_equal(one.observe(one.agent_selection)["observation"], observations[game])
        choices = legal_choices(infos["action_mask"], rng)
        observations, _, terminations, _, infos = many.step(choices)
        for game, one in enumerate(ones):
            one.step(int(choices[game]))
            if terminations[game]:
                one.reset()
                ended += 1
    assert ended >= GAMES


def test_refused_positions_change_nothing() -> None:
    """One of an ended game, or for other players; the seed still serves the next reset."""
    many, fresh = (regicide_rl.vector("regicide", 2, GAMES, seed=3) for _ in range(2))
    ended = board(["2C", "3C"], phase="over", outcome=lost("could_not_suffer", 9))
    for position, said in ((ended, "the game has ended"), (board(["2C"]), "for 2 players")):
        with pytest.raises(BadPosition, match=said):
            many.reset(options={"position": position})

    assert np.array_equal(many.reset()[0], fresh.reset()[0])


@pytest.mark.parametrize("name", ["postion", "options", "turn_limit"])
def test_unknown_options_of_a_reset(name: str) -> None:
    """They are named; PettingZoo's test passes ``options``, which its environment ignores therefore."""
    for env in (regicide_rl.vector(games=2), regicide_rl.solo()):
        with pytest.raises(ValueError, match=f"A reset has no option '{name}': there is position."):
            env.reset(options={name: board(["2C"])})
    if name == "options":
        regicide_rl.env().reset(options={name: 1})
    else:
        with pytest.raises(ValueError, match=f"A reset has no option '{name}': there is position."):
            regicide_rl.env().reset(options={name: board(["2C", "3C"])})


def test_arrays_are_not_used_again() -> None:
    """What a step has returned stays as it was."""
    many = regicide_rl.vector("regicide", 2, GAMES, seed=3)
    observations, infos = many.reset()
    kept, masks = observations.copy(), infos["action_mask"].copy()

    many.step(legal_choices(infos["action_mask"], np.random.default_rng(0)))

    assert np.array_equal(observations, kept)
    assert np.array_equal(infos["action_mask"], masks)


def test_an_illegal_choice_changes_no_game() -> None:
    """The refusal names the game."""
    many = regicide_rl.vector("regicide", 2, 2, seed=3)
    _, infos = many.reset()
    choices = legal_choices(infos["action_mask"], np.random.default_rng(0))

    with pytest.raises(IllegalChoice, match="Action 287, 'choose 0', isn't legal now in game 1"):
        many.step([int(choices[0]), 287])
    with pytest.raises(IllegalChoice, match="There are 2 games, and 3 choices"):
        many.step([0, 0, 0])
    many.step(choices)


def test_one_seat_among_levels() -> None:
    """The other seats play until the agent's chooses; rewards meanwhile are its own."""
    env = regicide_rl.solo("gridcannon", 2, seat=1, opponents="adept", options={"turn_limit": 60})
    for seed in range(4):
        observation, _ = env.reset(seed=seed)
        rng, total, terminated = np.random.default_rng(seed), 0.0, False
        while not terminated:
            assert env.episode.seat == 1
            legal = observation["action_mask"].nonzero()[0]
            observation, reward, terminated, truncated, info = env.step(int(rng.choice(legal)))
            total += reward
            assert (truncated, info) == (False, {})
        winner = env.position["outcome"]["winner"]
        assert total == (0 if winner is None else 1 if winner == 1 else -1)


def test_a_position_to_begin_with() -> None:
    """Others act first, if it is their turn there."""
    env = regicide_rl.solo("regicide", 2, seat=0, opponents="novice")
    env.reset(options={"position": board(["2C 3C", "4C 5C"], turn=1, shield=20, enemy="KH", yielded=[True, False])})

    assert env.episode.seat == 0
    assert env.position["table"] != []
    assert env.text(0) == "play AC"
