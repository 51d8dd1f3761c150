"""Why an AI did what it did: a hint about a decision of the past, when the game has ended."""

import pytest
from flask.testing import FlaskClient

from tests.api.games import ADEPT, ANA, Game, new_game, plain
from tests.api.puzzles import QUIET, Json
from tests.api.test_jobs import job, job_store  # noqa: F401  a fixture
from tests.workers.stores import work_off
from workers.storage.store import Store


@pytest.fixture
def played(http: FlaskClient, store: Store) -> Game:
    """Give a private game in which Ana has played, and then the AI."""
    game = new_game(http, ANA, ADEPT, position=QUIET, private=True)
    plain(game.act(0, "play 5S"))
    plain(game.act(0, "discard 6D"))
    work_off(store)
    return game


def decided_at(game: Game) -> int:
    """Return the version at which the AI decided first."""
    first = next(event for event in game.events(0) if event.get("seat") == 1 and event["type"] == "played")
    version: int = first["version"]
    return version - 1


def why(game: Game, store: Store, **wishes: object) -> Json:
    """Return the result of a hint."""
    response = game.ask("POST", "/hints", 0, json=wishes)
    assert response.status_code == 202, response.text
    work_off(store)
    ended = plain(job(game, response.get_json()["id"], token=game.token(0)))
    assert ended["status"] == "finished", ended
    result: Json = ended["result"]
    return result


@pytest.mark.parametrize("level", [{}, {"level": "beginner"}, {"level": "expert"}])
def test_why_an_ai_did_what_it_did(played: Game, store: Store, level: Json):
    """Whoever asks: what it did comes first, beside all that it could have done."""
    plain(played.ask("DELETE", "", "host"))
    version = decided_at(played)

    told = why(played, store, version=version, **level)

    record = plain(played.ask("GET", "/record", 0))
    done = next(entry for entry in record["actions"] if entry["version"] == version + 1)
    assert done["ai"]["level"] == "adept"
    assert told["version"] == version
    assert told["actions"][0]["text"] == done["text"]
    assert len(told["actions"]) > 1
    assert told["why"]


def test_nobody_is_told_while_the_game_runs(played: Game):
    """It would show what the AI has in its hand."""
    response = played.ask("POST", "/hints", 0, json={"version": decided_at(played)})

    assert (response.status_code, response.get_json()["code"]) == (409, "still_running")


@pytest.mark.parametrize("version", [0, 1000])
def test_where_no_ai_decided(played: Game, version: int):
    """Ana did, or nobody."""
    plain(played.ask("DELETE", "", "host"))

    response = played.ask("POST", "/hints", 0, json={"version": version})

    assert (response.status_code, response.get_json()["code"]) == (404, "not_found")
