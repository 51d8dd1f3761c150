"""The time machine: at every version, what each saw then, and no more."""

from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient
from structlog.testing import capture_logs

from engines import RULESETS
from engines.ai import decision
from engines.ai.observation import Observation
from tests.api.games import ANA, BEN, OPEN, Game, new_game, plain
from tests.api.puzzles import LAST_BLOW, Json
from workers.storage.store import Store

VIEWERS = (0, 1, None)
LONG = 10
"""A game of more versions is looked at, at least."""

SHORT: dict[str, Json] = {"gridcannon": {"turn_limit": 24}}
"""Options of games that would be much longer than that."""


def seen(game: Game) -> dict[int | None, Json]:
    """Return what each sees now."""
    return {viewer: game.look(viewer)["view"] for viewer in VIEWERS}


def move(game: Game, known: Json) -> None:
    """Act as an adept would, for whoever must."""
    seat, ruleset = known["to_act"][0], RULESETS[known["ruleset"]]
    view = game.look(seat)["view"]
    action = decision.think(decision.Question("adept", Observation(ruleset, view, seat, str(known["version"])))).action
    plain(game.act(seat, str(action)))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_whole_games(http: FlaskClient, ruleset: str):
    """Every view of every version is shown again as it was shown, to whoever it was shown to."""
    while whole_game(http, ruleset) <= LONG:
        pass  # by chance a game may be lost at once: then another one


def whole_game(http: FlaskClient, ruleset: str) -> int:
    """Play a game, then look back at all of it; return how many versions it had."""
    game = new_game(http, ANA, BEN, ruleset=ruleset, client_seed="past", options=SHORT.get(ruleset, {}))
    shown = [seen(game)]
    while (known := game.look())["status"] == "active":
        move(game, known)
        shown.append(seen(game))

    assert len(shown) == game.look()["version"] + 1
    for version, views in enumerate(shown):
        for viewer, view in views.items():
            assert plain(game.ask("GET", f"/views/{version}", viewer)) == {"version": version, "view": view}
    return len(shown)


def test_before_the_start(http: FlaskClient):
    """There was nothing to see, for whoever sat there then and for whoever came later."""
    game = new_game(http, ANA, OPEN)
    ben = plain(game.ask("POST", "/join", json={"name": "Ben"}))

    for token in (game.token(0), ben["token"]):
        answer = game.ask("GET", "/views/0", headers={"Authorization": f"Bearer {token}"})
        assert plain(answer) == {"version": 0, "view": None}


@pytest.mark.parametrize(
    "version", ["1", "-1", "00", "+0", "0.0", "x", "9" * 15, "9" * 16, "9" * 5000, "%D9%A0", "%00"]
)
def test_a_version_that_never_was(game: Game, version: str):
    """Is not found; the sentence says which there are."""
    refusal = game.ask("GET", f"/views/{version}", 0)

    assert (refusal.status_code, refusal.get_json()["code"]) == (404, "not_found")
    assert "versions 0 to 0" in refusal.get_json()["detail"]


def test_of_a_private_game(http: FlaskClient):
    """Only those with a token of it look back."""
    game = new_game(http, ANA, BEN, private=True)

    assert game.ask("GET", "/views/0").get_json()["code"] == "no_such_game"
    assert plain(game.ask("GET", "/views/0", "host"))["version"] == 0


def test_with_the_eyes_of_another_seat(http: FlaskClient):
    """After the end alone; before it there are but one's own."""
    game = new_game(http, ANA, BEN, position=LAST_BLOW)
    shown = seen(game)

    assert plain(game.ask("GET", "/views/0?seat=0", 0))["view"] == shown[0]
    assert game.ask("GET", "/views/0?seat=1", 0).get_json()["code"] == "still_running"
    assert game.ask("GET", "/views/0?seat=0").get_json()["code"] == "still_running"
    game.act(0, "play 5C")
    assert plain(game.ask("GET", "/views/0?seat=1", 0))["view"] == shown[1]
    assert plain(game.ask("GET", "/views/0?seat=0"))["view"] == shown[0]
    assert game.ask("GET", "/views/0?seat=2", 0).get_json()["code"] == "not_found"
    assert game.ask("GET", "/views/0?seat=x", 0).get_json()["code"] == "invalid"


def test_play_on_from_a_position(http: FlaskClient):
    """After the end alone, hidden cards too; a new game from it begins with just that position."""
    game = new_game(http, ANA, BEN, position=LAST_BLOW)
    assert game.ask("GET", "/positions/0", 0).get_json()["code"] == "still_running"
    game.act(0, "play 5C")

    shown = plain(game.ask("GET", "/positions/0"))
    assert (shown["version"], shown["position"]["hands"]) == (0, LAST_BLOW["hands"])
    again = new_game(http, ANA, BEN, position=shown["position"])
    assert again.look(1)["view"] == plain(game.ask("GET", "/views/0?seat=1", 0))["view"]
    assert game.ask("GET", "/positions/9").get_json()["code"] == "not_found"


def test_a_past_that_another_engine_played(game: Game, store: Store):
    """It isn't shown, nor what happened there; the game as it is can be seen and goes on. The log says where it was."""
    plain(game.act(0, "play 5S"))
    store.redis.hset(store.keys.game(game.id), "opening", store_of_another_seed(store, game.id))

    with capture_logs() as lines:
        refusals = [game.ask("GET", path, 0) for path in ("/views/0", "/events", "/events?after=0")]

    assert [(one.status_code, one.get_json()["code"]) for one in refusals] == [(500, "unreadable_past")] * 3
    assert [line["version"] for line in lines if line["event"] == "unreadable_past"] == [1] * 3
    assert plain(game.act(0, "discard 6D"))["version"] == 2
    plain(game.ask("DELETE", "", "host"))
    assert game.ask("GET", "/record").get_json()["code"] == "unreadable_past"


def store_of_another_seed(store: Store, game_id: str) -> bytes:
    """Return how the game would have been opened with another seed."""
    stored: Any = store.redis.hget(store.keys.game(game_id), "opening")
    opening = orjson.loads(stored)
    return orjson.dumps({**opening, "seed": "ab" * 32})
