"""A store that throws away what it has no memory for: a game that has lost a part is refused, never half told."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.app import create_app
from tests.api.games import Game, plain
from workers.settings import Settings
from workers.storage.store import Store, open_store

MOVES = ("play 5S", "discard 6D", "play 9C")


@pytest.fixture
def played(game: Game) -> Game:
    """Give a game of a few moves, which this process hasn't kept."""
    for version, move in enumerate(MOVES):
        seat = game.look()["to_act"][0]
        text = move if version == 0 else plain(game.ask("GET", "/actions", seat))["actions"][0]["text"]
        plain(game.act(seat, text))
    assert game.look()["version"] == len(MOVES)
    return game


def keys_of(store: Store, game: Game) -> dict[str, str]:
    """Return the keys that a game has of its own."""
    keys = store.keys
    return {"game": keys.game(game.id), "journal": keys.journal(game.id), "tokens": keys.tokens(game.id)}


def told(game: Game) -> Iterator[TestResponse]:
    """Ask all that there is to know of a game."""
    for path in ("", "/actions", "/events", "/events?after=2", "/views/1", "/views/2", "/record"):
        yield game.ask("GET", path, 0)


@pytest.mark.parametrize("part", ["game", "journal", "tokens"])
def test_a_game_without_a_part_is_refused(played: Game, store: Store, settings: Settings, part: str) -> None:
    """Whatever is asked is answered as a whole game would, or ``unreadable``: never with some of the moves."""
    played.ask("DELETE", "", "host")
    whole = [(answer.status_code, answer.get_json()) for answer in told(played)]
    store.redis.delete(keys_of(store, played)[part])

    with closing(open_store(settings)) as another:  # another process, which has kept nothing
        asked = Game(create_app(settings, another).test_client(), played.created)
        answers = [(answer.status_code, answer.get_json()) for answer in told(asked)]

    for (status, body), before in zip(answers, whole, strict=True):
        assert (status, body) == before or (status, body["code"]) == (500, "unreadable")
    assert answers[-1][1]["code"] == "unreadable", "the record has every move or isn't told"


def test_no_move_is_made_where_the_journal_is_lost(played: Game, store: Store) -> None:
    """It would begin a journal without a beginning."""
    before = played.look()
    seat = before["to_act"][0]
    text = plain(played.ask("GET", "/actions", seat))["actions"][0]["text"]
    store.redis.delete(keys_of(store, played)["journal"])

    refusal = played.act(seat, text)

    assert (refusal.status_code, refusal.get_json()["code"]) == (500, "unreadable")
    assert played.look() == before
    assert not store.redis.exists(keys_of(store, played)["journal"])


def test_a_game_that_never_was_is_not_found(http: FlaskClient, game: Game, store: Store) -> None:
    """Nor is one that was deleted, which all of it is at once."""
    store.redis.delete(*keys_of(store, game).values())

    for answer in (http.get("/v1/games/aaaaaaaaaaaaaaaaaaaa"), game.ask("GET")):
        assert (answer.status_code, answer.get_json()["code"]) == (404, "no_such_game")
