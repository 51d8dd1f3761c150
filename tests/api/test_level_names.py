"""A level is one of the game's own: Gridcannon has two that Regicide hasn't."""

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from api.commands.cli import main
from api.contract.level_names import LEVELS
from engines import RULESETS
from engines.core.types import Json
from tests.api.games import ADEPT, ANA, OPEN, new_game

OF_GRIDCANNON = {"kind": "ai", "level": "newcomer"}
REFUSED = (
    "Regicide has no level newcomer: it has novice, beginner, apprentice, adept, skilled, veteran, expert, master."
)


def test_all_levels_are_in_one_order():
    """The weakest first, as each game has them."""
    for ruleset in RULESETS.values():
        assert [level for level in LEVELS if level in ruleset.levels] == list(ruleset.levels)
    assert LEVELS[:3] == ("newcomer", "learner", "novice")


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/v1/games", {"ruleset": "regicide", "seats": [ANA, OF_GRIDCANNON]}, "seats.1.level"),
        ("/v1/arenas", {"ruleset": "regicide", "seats": ["adept", "newcomer"], "games": 1}, "seats.1"),
    ],
)
def test_another_games_level_is_refused(http: FlaskClient, path: str, body: Json, field: str):
    """The refusal names the seat, and the levels that there are; in the game that has it the level plays."""
    refusal = http.post(path, json=body)

    assert refusal.status_code == 422
    assert refusal.get_json()["errors"] == {field: [REFUSED]}
    assert http.post(path, json={**body, "ruleset": "gridcannon"}).status_code in (201, 202)


@pytest.mark.parametrize("path", ["/seats/0/handover", "/hints"])
def test_another_games_level_takes_no_seat_and_gives_no_hint(http: FlaskClient, path: str):
    """Of a game that runs."""
    game = new_game(http, ANA, ADEPT)

    refusal = game.ask("POST", path, 0, json={"level": "newcomer"})

    assert refusal.status_code == 422
    assert refusal.get_json()["errors"] == {"level": [REFUSED]}


def test_another_games_level_starts_no_game(http: FlaskClient):
    """Of a table with an open seat."""
    game = new_game(http, ANA, OPEN)

    refusal = game.ask("POST", "/start", "host", json={"level": "learner"})

    assert refusal.status_code == 422
    assert list(refusal.get_json()["errors"]) == ["level"]


def test_the_arena_on_this_machine_refuses_it_too():
    """With the status of a wrong argument."""
    said = CliRunner().invoke(main, ["arena", "--ruleset", "regicide", "--seat", "newcomer", "--games", "1"])

    assert said.exit_code == 2
    assert "regicide has no level newcomer: it has novice, beginner" in " ".join(said.output.split())
