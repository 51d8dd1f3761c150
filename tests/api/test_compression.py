"""Compression: texts of some size, for who asks; neither streams nor what has a version as ETag."""

import gzip

import pytest
from flask.testing import FlaskClient

from tests.api.games import ANA, BEN, Game, new_game
from tests.api.puzzles import QUIET

GZIP = {"Accept-Encoding": "gzip"}
LARGE = ["/v1/rulesets", "/v1/rulesets/gridcannon/lessons", "/v1/rulesets/regicide/rules", "/openapi.yaml"]


@pytest.mark.parametrize("path", LARGE)
def test_a_large_text(http: FlaskClient, path: str):
    """It is sent in fewer bytes to who takes gzip; a cache keeps both apart."""
    plain, small = http.get(path), http.get(path, headers=GZIP)

    assert small.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.data) == plain.data
    assert len(small.data) < len(plain.data) / 2
    assert int(small.headers["Content-Length"]) == len(small.data)
    assert "Content-Encoding" not in plain.headers
    for answer in (plain, small):
        assert "Accept-Encoding" in answer.vary


@pytest.mark.parametrize("accepted", ["", "identity", "gzip;q=0", "br"])
def test_who_does_not_take_it(http: FlaskClient, accepted: str):
    """Gets the text as it is."""
    assert "Content-Encoding" not in http.get("/openapi.yaml", headers={"Accept-Encoding": accepted}).headers


@pytest.mark.parametrize("path", ["/healthz", "/problems/invalid", "/v1/nothing"])
def test_a_small_text(http: FlaskClient, path: str):
    """It is sent as it is: there is nothing to gain."""
    answer = http.get(path, headers=GZIP)

    assert "Content-Encoding" not in answer.headers
    assert "Accept-Encoding" not in answer.vary


@pytest.mark.parametrize("path", ["/v1/rulesets/regicide/rules", "/openapi.yaml"])
def test_each_encoding_has_an_etag_of_its_own(http: FlaskClient, path: str):
    """A strong one; by it who has the text is told so, and nothing else is sent."""
    plain, small = http.get(path).headers["ETag"], http.get(path, headers=GZIP).headers["ETag"]

    assert plain != small
    assert not any(tag.startswith("W/") for tag in (plain, small))
    for tag, headers in ((plain, {}), (small, GZIP)):
        again = http.get(path, headers={**headers, "If-None-Match": tag})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
        assert "Accept-Encoding" in again.vary


def test_a_game_is_sent_as_it_is(game: Game):
    """Its ETag is its version, to act by: there is one representation of it."""
    answer = game.ask("GET", "", 0, headers=GZIP)

    assert answer.headers["ETag"] == '"0"'
    assert "Content-Encoding" not in answer.headers


def test_what_may_be_done(http: FlaskClient):
    """A list of some length is compressed, for a bearer too."""
    hand = ["2C", "2D", "2H", "2S", "5S", "6D", "9C"]
    game = new_game(http, ANA, BEN, position={**QUIET, "hands": [hand, ["7C", "8S"]], "tavern": ["4D"]})
    plain, small = game.ask("GET", "/actions", 0), game.ask("GET", "/actions", 0, headers=GZIP)

    assert len(plain.data) >= 1000
    assert gzip.decompress(small.data) == plain.data
    assert {"Authorization", "Accept-Language", "Accept-Encoding"} <= set(small.vary)
