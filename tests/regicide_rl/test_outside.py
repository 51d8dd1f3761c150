"""A game from outside is an environment by the schemas of its actions, by a table of its own, or says what it lacks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import pytest
from pettingzoo.test import api_test, seed_test

import regicide_rl
from engines import RULESETS
from engines.contract.learning_tasks import Task
from engines.core.dealer import SeededDealer
from engines.ruleset import Action, Environment, Json, NoEnvironment, TableEnvironment, several, whole
from tests.contract.tictactoe import TicTacToe
from tests.rulesets import Race

of_dictionaries = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array", "ignore:Observation space for each agent probably should be"
)


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two small games are in the catalogue, and those below."""
    for kind in (Race, TicTacToe, Endless, Heaps, Squares):
        monkeypatch.setitem(RULESETS, kind.name, kind())


@dataclass(frozen=True)
class Name(Action):
    """Say a number."""

    number: int


@dataclass(frozen=True)
class Take(Action):
    """Take from heaps."""

    heaps: Annotated[tuple[int, ...], several(whole(0, 3))]


class Endless(TicTacToe):
    """A game whose actions have no end."""

    name, title, actions = "endless", "Endless", (Name,)  # type: ignore[assignment]  # other actions


class Heaps(TicTacToe):
    """A game whose actions have lists."""

    name, title, actions = "heaps", "Heaps", (Take,)  # type: ignore[assignment]  # other actions


class SquareEnvironment(TableEnvironment):
    """Three bits for each square: mine, the other's, free."""

    def fields(self, players: int) -> Mapping[str, int]:
        return {f"square_{square}": 3 for square in range(9)}

    def bits(self, view: Json, seat: int) -> bytes:
        return bytes([mark == kind for mark in view["squares"] for kind in (seat, 1 - seat, -1)])


class Squares(TicTacToe):
    """Tic-tac-toe with observations of its own."""

    name, title = "squares", "Squares"

    def environment(self) -> Environment:
        return SquareEnvironment([f"mark {square}" for square in range(9)])


@of_dictionaries
@pytest.mark.parametrize(
    ("ruleset", "players"), [("race", 1), ("race", 2), ("race", 3), ("tictactoe", 2), ("squares", 2)]
)
def test_they_pass_the_tests_of_the_libraries(ruleset: str, players: int) -> None:
    """Those of PettingZoo: interruptions, hidden cards and all."""
    api_test(regicide_rl.env(ruleset, players), num_cycles=100)
    seed_test(lambda: regicide_rl.env(ruleset, players), num_cycles=100)


def test_the_table_has_the_actions_and_the_pass() -> None:
    """By the schemas of their fields; who may interrupt is asked once after each change."""
    env = regicide_rl.env("race", 2)
    env.reset(seed=1)

    assert [env.text(index) for index in range(6)] == ["step 0", "step 1", "step 2", "step 3", "dash", "pass"]
    assert env.observe("player_0")["action_mask"].tolist() == [1, 1, 1, 1, 0, 0]
    env.step(1)
    assert env.agent_selection == "player_0"  # may dash, since it is player_1's turn
    assert env.observe("player_0")["action_mask"].tolist() == [0, 0, 0, 0, 1, 1]
    env.step(5)
    assert env.agent_selection == "player_1"
    assert env.position["total"] == 1


def test_observations_are_of_the_view() -> None:
    """A hidden card makes no difference to others, and does to its seat."""
    env = regicide_rl.env("race", 2)
    env.reset(seed=1)
    seen = {}
    for card in (2, 3):
        env.reset(options={"position": env.position | {"cards": [card, 5]}})
        seen[card] = {agent: env.observe(agent)["observation"].tolist() for agent in env.agents}

    assert seen[2]["player_1"] == seen[3]["player_1"]
    assert seen[2]["player_0"] != seen[3]["player_0"]


def test_observations_of_its_own() -> None:
    """A table with fields and bits of the author's."""
    env = regicide_rl.env("squares")
    env.reset()
    env.step(4)

    assert env.observe("player_0")["observation"].tolist()[12:15] == [1, 0, 0]
    assert env.observe("player_1")["observation"].tolist()[12:15] == [0, 1, 0]


@pytest.mark.parametrize(
    ("ruleset", "lack"),
    [
        ("endless", "Endless has no environment, because the values of number in its action name can't be listed"),
        ("heaps", "Heaps has no environment, because the values of heaps in its action take can't be listed"),
    ],
)
def test_a_game_without_says_what_it_lacks(ruleset: str, lack: str) -> None:
    """In one sentence, which leads to the page."""
    with pytest.raises(NoEnvironment) as refused:
        regicide_rl.env(ruleset)

    assert str(refused.value) == f"{lack}; its ruleset can bring one (docs/rl.md)."


def test_a_table_that_lacks_an_action_says_so() -> None:
    """When it becomes legal."""

    class Lacking(Squares):
        name: ClassVar[str] = "lacking"

        def environment(self) -> Environment:
            return SquareEnvironment(["mark 0"])

    task = Task(Lacking(), 2, {})
    with pytest.raises(NoEnvironment, match="The table of actions lacks 'mark 1', which is legal now"):
        task.deal(SeededDealer(""))
