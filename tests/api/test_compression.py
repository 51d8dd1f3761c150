"""Compression: texts of some size, for who asks; neither streams nor what has a version as ETag."""

from typing import Final

import pytest
from flask.testing import FlaskClient

from api.http.compression import preferred_coding
from tests.api.contract import unpacked
from tests.api.games import ANA, BEN, Game, new_game
from tests.api.puzzles import QUIET

CODINGS = ["br", "gzip"]
BROWSER: Final = {"Accept-Encoding": "gzip, deflate, br, zstd"}
LARGE = ["/v1/rulesets", "/v1/rulesets/gridcannon/lessons", "/v1/rulesets/regicide/rules", "/openapi.yaml"]


@pytest.mark.parametrize("path", LARGE)
@pytest.mark.parametrize("coding", CODINGS)
def test_a_large_text(http: FlaskClient, path: str, coding: str):
    """It is sent in fewer bytes to who takes one of the codings; a cache keeps them apart."""
    plain, small = http.get(path), http.get(path, headers={"Accept-Encoding": coding})

    assert small.headers["Content-Encoding"] == coding
    assert unpacked(small) == plain.data
    assert len(small.data) < len(plain.data) / 2
    assert int(small.headers["Content-Length"]) == len(small.data)
    assert "Content-Encoding" not in plain.headers
    for answer in (plain, small):
        assert "Accept-Encoding" in answer.vary


@pytest.mark.parametrize("path", LARGE)
def test_brotli_is_smaller(http: FlaskClient, path: str):
    """Where a browser asks for both, in any order."""
    small, larger = http.get(path, headers=BROWSER), http.get(path, headers={"Accept-Encoding": "gzip"})

    assert small.headers["Content-Encoding"] == "br"
    assert len(small.data) < len(larger.data)


@pytest.mark.parametrize("accepted", ["", "identity", "gzip;q=0", "br;q=0", "deflate, zstd", "*;q=0"])
def test_who_does_not_take_it(http: FlaskClient, accepted: str):
    """Gets the text as it is."""
    assert "Content-Encoding" not in http.get("/openapi.yaml", headers={"Accept-Encoding": accepted}).headers


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, br", "br"),
        ("br;q=0.5, gzip;q=0.5", "br"),
        ("br;q=0.5, gzip;q=0.8", "gzip"),
        ("BR;Q=0.8 , GZIP;q=0.5", "br"),
        ("br;q=0, gzip", "gzip"),
        ("br, gzip;q=0", "br"),
        ("br;q=0, gzip;q=0", None),
        # ``*`` is every coding that isn't named, identity too
        ("*", "br"),
        ("gzip, *;q=0.5", "gzip"),
        ("gzip;q=0.5, *", "br"),
        ("br;q=0, *", "gzip"),
        ("br, *;q=0", "br"),
        ("br;q=0.2, gzip;q=0.3, *;q=0.5", None),
        # identity is wanted least where it isn't named, else as much as the header says
        ("br;q=0.001", "br"),
        ("identity, gzip", "gzip"),
        ("identity;q=0.5, gzip;q=0.2, br;q=0.4", None),
        ("identity;q=0.5, gzip;q=0.5", "gzip"),
        ("identity;q=0, gzip;q=0.1", "gzip"),
        ("identity;q=0", None),
        ("*;q=0", None),
        # what is no quality is no wish
        ("br;q=2, gzip", "gzip"),
        ("br;q=high", None),
        ("brotli, x", None),
    ],
)
def test_what_is_preferred(accepted: str, coding: str | None):
    """By the qualities of RFC 9110, 12.5.3; None is the text as it is."""
    assert preferred_coding(accepted) == coding


@pytest.mark.parametrize("path", ["/healthz", "/problems/invalid", "/v1/nothing"])
def test_a_small_text(http: FlaskClient, path: str):
    """It is sent as it is: there is nothing to gain."""
    answer = http.get(path, headers=BROWSER)

    assert "Content-Encoding" not in answer.headers
    assert "Accept-Encoding" not in answer.vary


@pytest.mark.parametrize("path", ["/v1/rulesets/regicide/rules", "/openapi.yaml"])
def test_each_encoding_has_an_etag_of_its_own(http: FlaskClient, path: str):
    """A strong one; by it who has the text is told so, and nothing else is sent."""
    asked = [{"Accept-Encoding": coding} for coding in ("identity", *CODINGS)]
    tags = [http.get(path, headers=headers).headers["ETag"] for headers in asked]

    assert len(set(tags)) == len(tags)
    assert not any(tag.startswith("W/") for tag in tags)
    for tag, headers in zip(tags, asked, strict=True):
        again = http.get(path, headers={**headers, "If-None-Match": tag})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
        assert "Accept-Encoding" in again.vary
        assert http.get(path, headers={**headers, "If-None-Match": ", ".join({*tags} - {tag})}).status_code == 200


def test_a_game_is_sent_as_it_is(game: Game):
    """Its ETag is its version, to act by: there is one representation of it."""
    answer = game.ask("GET", "", 0, headers=BROWSER)

    assert answer.headers["ETag"] == '"0"'
    assert "Content-Encoding" not in answer.headers


def test_a_stream_is_sent_as_it_is(game: Game):
    """What happens is readable at once, and nothing depends on what the client takes."""
    game.ask("DELETE", "", "host")
    answer = game.ask("GET", "/stream", headers=BROWSER)

    assert '"status":"abandoned"' in answer.text
    assert "Content-Encoding" not in answer.headers
    assert "Accept-Encoding" not in answer.vary


@pytest.mark.parametrize("coding", CODINGS)
def test_what_may_be_done(http: FlaskClient, coding: str):
    """A list of some length is compressed, for a bearer too."""
    hand = ["2C", "2D", "2H", "2S", "5S", "6D", "9C"]
    game = new_game(http, ANA, BEN, position={**QUIET, "hands": [hand, ["7C", "8S"]], "tavern": ["4D"]})
    plain, small = game.ask("GET", "/actions", 0), game.ask("GET", "/actions", 0, headers={"Accept-Encoding": coding})

    assert len(plain.data) >= 1000
    assert small.headers["Content-Encoding"] == coding
    assert unpacked(small) == plain.data
    assert {"Authorization", "Accept-Language", "Accept-Encoding"} <= set(small.vary)
