"""What a seat observes follows from its view alone, and its fields say what they are called."""

from random import Random
from typing import Any

import numpy as np
import pytest

import regicide_rl
from engines import RULESETS
from regicide_rl import SeatsEnv
from regicide_rl.environment_base import Observation
from tests.engines.gridcannon.table import ploys
from tests.engines.referee import Json
from tests.engines.regicide.boards import PACK, board
from tests.regicide_rl.reference import IDS, TABLES

PAIRS = 250
"""Number of pairs of worlds per table: 1,500 in all."""


def walk(env: SeatsEnv, rng: Random) -> Any:
    """Play a game by chance; yield at every choice."""
    while not env.terminations[env.agent_selection]:
        yield
        legal = env.observe(env.agent_selection)["action_mask"].nonzero()[0].tolist()
        env.step(rng.choice(legal))


@pytest.mark.parametrize(("ruleset", "players"), TABLES, ids=IDS)
def test_worlds_that_look_alike_are_observed_alike(ruleset: str, players: int) -> None:
    """Positions with one view, hidden cards dealt anew: the same bits and, for who chooses, the same mask."""
    env, other = regicide_rl.env(ruleset, players), regicide_rl.env(ruleset, players)
    pairs, different, game = 0, 0, 0
    while pairs < PAIRS:
        rng, game = Random(game), game + 1
        env.reset(seed=game)
        for _ in walk(env, rng):
            agent = rng.choice(env.agents)
            world = RULESETS[ruleset].imagine(env.view(agent), rng).dump()
            different += world != env.position
            other.reset(options={"position": world})
            assert_alike(observed_anew(env, other, agent), other.observe(agent))
            pairs += 1
    assert different > PAIRS // 2


def observed_anew(env: SeatsEnv, other: SeatsEnv, agent: str) -> Observation:
    """Return the observation of the true position by an environment that begins with it, as the other one does."""
    fresh = regicide_rl.env(env.position["ruleset"], len(env.possible_agents))
    fresh.reset(options={"position": env.position})
    assert fresh.agent_selection == other.agent_selection
    return fresh.observe(agent)


def assert_alike(one: Observation, other: Observation) -> None:
    """Bits and masks are the same."""
    assert np.array_equal(one["observation"], other["observation"])
    assert np.array_equal(one["action_mask"], other["action_mask"])


def test_hidden_cards_would_show() -> None:
    """The comparison above finds a difference: a seat's own cards differ between worlds of another's view."""
    env, other = regicide_rl.env("regicide", 2), regicide_rl.env("regicide", 2)
    env.reset(seed=1)
    other.reset(options={"position": RULESETS["regicide"].imagine(env.view("player_0"), Random(0)).dump()})

    assert not np.array_equal(env.observe("player_1")["observation"], other.observe("player_1")["observation"])


def fields(env: SeatsEnv, agent: str) -> dict[str, list[int]]:
    """Return an observation by the names of its fields: the bits that are set, by their place in the field."""
    environment = RULESETS[env.position["ruleset"]].environment()
    bits, start, found = env.observe(agent)["observation"].tolist(), 0, {}
    for name, size in environment.fields(len(env.possible_agents)).items():
        found[name] = [place for place in range(size) if bits[start + place]]
        start += size
    assert start == len(bits)
    return found


def places(cards: list[str]) -> list[int]:
    """Return the places of cards in the pack."""
    return sorted(map(PACK.index, cards))


def test_fields_of_regicide() -> None:
    """A position of which every field is known (R8, R15, R20, R21)."""
    position = board(
        ["KS 3D 7H", "4S 9C", "5H"], castle="QC KC", enemy="JD", damage=6, shield=4, table="4H 2S", discard="8C TD",
        tavern="AC 6D", packets={"9C": 2, "4S": 2, "AC": 3, "5H": 4, "6D": 4}, turn=1, yielded=[True, False, True],
    )  # fmt: skip
    env = regicide_rl.env("regicide", 3)
    env.reset(options={"position": position})

    seen = fields(env, "player_0")

    assert {name: seen[name] for name in ("hand", "table", "discard", "packets", "next_card")} == {
        "hand": places(["KS", "3D", "7H"]),
        "table": places(["4H", "2S"]),
        "discard": places(["8C", "TD"]),
        "packets": places(["9C", "4S", "AC", "5H", "6D"]),
        "next_card": places(["AC"]),  # a packet of one
    }
    assert {name: seen[name] for name in ("enemy", "health", "immune", "phase", "shield", "attack", "uncovered")} == {
        "enemy": [1], "health": [14], "immune": [0], "phase": [0], "shield": [4], "attack": [6], "uncovered": [0],
    }  # fmt: skip
    assert {name: seen[name] for name in ("castle", "tavern", "solo_yield", "jesters_left", "flips")} == {
        "castle": [2], "tavern": [2], "solo_yield": [], "jesters_left": [0], "flips": [0],
    }  # fmt: skip
    assert [seen[f"cards_{after}"] for after in range(3)] == [[3], [2], [1]]
    assert [seen[f"turn_{after}"] for after in range(3)] == [[], [0], []]
    assert [seen[f"yielded_{after}"] for after in range(3)] == [[0], [], [0]]
    assert seen["known_1"] == places(["4S", "9C"])  # both cards of the packet are there
    assert seen["known_2"] == []  # the 5H may be the 6D of the Tavern


def test_cards_set_aside_are_seen_by_their_seat_alone() -> None:
    """R13: the position stays unchanged while a discard is incomplete, and nobody else sees its cards."""
    position = board(["6C 7C 8C", "2C"], phase="suffer", enemy="JH")
    env = regicide_rl.env("regicide", 2)
    env.reset(options={"position": position})
    texts = [env.text(index) for index in range(345)]
    assert (fields(env, "player_0")["uncovered"], fields(env, "player_1")["uncovered"]) == ([10], [10])

    env.step(texts.index("discard 6C"))

    assert env.position == position
    assert fields(env, "player_0")["set_aside"] == places(["6C"])
    assert (fields(env, "player_0")["uncovered"], fields(env, "player_1")["uncovered"]) == ([4], [10])
    assert fields(env, "player_1")["set_aside"] == []

    env.step(texts.index("discard 8C"))

    assert env.position["discard"] == ["6C", "8C"]
    assert fields(env, "player_1")["set_aside"] == []


def gridcannon_position() -> Json:
    """Return a position in which every field of an observation is known."""
    env = regicide_rl.env("gridcannon", 2)
    env.reset(seed=3)
    position = env.position
    grid: Json = {cell: [] for cell in position["grid"]} | {"b2": ["5H", "9C"], "c2": ["2S"], "c3": ["7H"]}
    royals = {
        "c1": {"card": "JS", "armour": ["3C", "4S"], "alive": True},
        "a2": {"card": "KD", "armour": [], "alive": True},
        "b1": {"card": "QC", "armour": [], "alive": False},
    }
    return position | {
        "phase": "draw", "turn": 1, "turns": 990, "grid": grid, "royals": royals, "opening": [],
        "draw_pile": ["JC", "QH", "6D", "TS", "8D"], "known_bottom": 1, "drawn": None, "arsenals": [["AC"], ["X1"]],
        "ploys": ploys("1 AD reassignment, 0 X2 forced_attack"),
        "recalled": ["AC"],
    }  # fmt: skip


def test_fields_of_gridcannon() -> None:
    """Cells, royals, the pile, the queue and the seats, clockwise from the viewer (G14, G22)."""
    position = {key: value for key, value in gridcannon_position().items() if key != "aside"}
    env = regicide_rl.env("gridcannon", 2)
    env.reset(options={"position": position})

    seen = fields(env, "player_1")

    assert (seen["top_b2"], seen["below_b2"], seen["height_b2"]) == ([7, 9], [3, 11], [1])
    assert (seen["top_c3"], seen["below_c3"], seen["top_d4"], seen["height_d4"]) == ([5, 11], [], [], [])
    assert (seen["royal_c1"], seen["alive_c1"], seen["owner_c1"]) == ([0, 6], [0], [0])
    assert (seen["armour_c1"], seen["lacking_c1"]) == ([7], [18 - 9])  # 11 + 7, less the 2 and the 7
    assert (seen["owner_a2"], seen["lacking_a2"]) == ([1], [13])  # neither 9C nor 2S hits a King of diamonds
    assert (seen["kills_own"], seen["kills_others"]) == ([], [])
    assert (seen["royal_b1"], seen["alive_b1"], seen["armour_b1"]) == ([1, 3], [], [])
    assert (seen["bottom"], seen["draw_pile"], seen["drawn"]) == (places(["8D"]), [5], [])
    assert {*places(["JC", "QH", "6D", "TS", "KH"])} <= {*seen["unseen"]}
    assert not {*places(["8D", "5H", "9C", "AC", "X1", "X2", "3C", "KD"])} & {*seen["unseen"]}
    assert (seen["phase"], seen["turns_left"], seen["recalled"]) == ([1], [4], [0])
    assert (seen["ploy_0"], seen["as_0"], seen["by_0"]) == ([1], [0], [0])
    assert (seen["ploy_1"], seen["as_1"], seen["by_1"]) == ([5], [2], [1])
    assert seen["ploy_2"] == []
    assert (seen["family_0"], seen["arsenal_0"], seen["turn_0"], seen["acts_0"]) == ([0, 3], [4], [0], [0])
    assert (seen["standing_0"], seen["fallen_0"], seen["standing_1"], seen["fallen_1"]) == ([1], [1], [1], [0])


def test_shots_that_would_kill() -> None:
    """Fields name the cells whose shot would kill a royal of the viewer, or another's (G9, G10)."""
    position = {key: value for key, value in gridcannon_position().items() if key != "aside"}
    grid = position["grid"] | {"c2": ["9S"], "c3": ["9H"], "c4": ["3H"]}
    env = regicide_rl.env("gridcannon", 2)
    env.reset(options={"position": position | {"grid": grid}})

    # c2 and c3 hit the Jack on c1 with 18, by a shot at c4; its health and armour are 18.
    assert [fields(env, "player_1")[name] for name in ("kills_own", "kills_others")] == [[7], []]
    assert [fields(env, "player_0")[name] for name in ("kills_own", "kills_others")] == [[], [7]]
