"""A request that takes a shorter way is answered word for word as by the long one.

The shorter ways: a move is judged on a table that the process has kept, and what a request leaves out isn't validated
again. The same requests go to an application that keeps nothing; all refusals, with any two things wrong at once beside
who asks, and in `make long` all of them.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.app import create_app
from api.http.services import services
from tests.api.contract import ContractClient
from tests.api.games import ANA, BEN, Game, new_game
from tests.api.puzzles import QUIET
from workers.settings import Settings
from workers.storage.store import open_store
from workers.storage.table_cache import TableCache

JSON = "application/json"
BODIES: dict[str, dict[str, Any]] = {
    "legal": {"json": {"text": "play 5S"}},
    "forbidden": {"json": {"text": "play KH"}},
    "not an action": {"json": {"text": "sing"}},
    "no card": {"json": {"text": "play 1Z"}},
    "an object": {"json": {"type": "play", "cards": ["5S"]}},
    "an empty object": {"json": {}},
    "a list": {"json": [1]},
    "null": {"data": "null", "content_type": JSON},
    "nothing": {},
    "no JSON": {"data": "{", "content_type": JSON},
    "another type": {"data": "{}", "content_type": "text/plain"},
    "too much": {"data": "[" + " " * 70_000 + "]", "content_type": JSON},
}
HEADERS: dict[str, dict[str, str]] = {
    "none": {},
    "this version": {"If-Match": '"0"'},
    "another version": {"If-Match": '"7"'},
    "no version": {"If-Match": "x"},
    "a bad key": {"Idempotency-Key": "a b"},
    "Spanish": {"Accept-Language": "es"},
    "another media type": {"Accept": "image/png"},
}
HOLDERS = ("0", "1", "host", "stranger", "nobody", "another scheme")
QUERIES = ("", "dry_run=true", "dry_run=maybe", "dry_run=true&dry_run=true", "unknown=1")
VARYING = ("X-Request-Id", "RateLimit", "Date")


@pytest.fixture(scope="module")
def forgetful(settings: Settings) -> Iterator[Flask]:
    """Give an application over the same store that keeps no table."""
    store = open_store(settings)
    store.games._cache = TableCache(limit=0)
    app = create_app(settings, store)
    app.test_client_class = ContractClient
    yield app
    services(app).feed.close()
    store.close()


def asked(http: FlaskClient, game: Game, holder: str, query: str, headers: dict[str, str], body: Any) -> TestResponse:
    """Ask to act at *game*."""
    token = {
        "stranger": "Bearer rs_00000000000000000000_" + "A" * 43,
        "another scheme": "Basic YTpi",
        "nobody": None,
    }.get(holder, f"Bearer {game.token(holder)}" if holder in ("0", "1", "host") else None)
    own = headers if token is None else {**headers, "Authorization": token}
    return http.post(f"/v1/games/{game.id}/actions?{query}", headers=own, **body)


def told(response: TestResponse) -> tuple[int, dict[str, str], bytes]:
    """Return all that a client is told, but for what differs from one request to the next."""
    headers = {name: value for name, value in response.headers if name not in VARYING}
    return response.status_code, headers, response.data


def is_refused(holder: str, body: str, query: str, headers: str) -> bool:
    """Whether such a request certainly changes nothing."""
    return not (holder == "0" and body in ("legal", "an object") and query == "" and headers in WELCOME)


WELCOME = ("none", "this version", "Spanish")


def faults(query: str, headers: str, body: str) -> int:
    """Return how many parts of a request aren't as they mostly are."""
    return sum((query != "", headers != "none", body != "legal"))


@pytest.mark.parametrize("most", [2, pytest.param(3, marks=pytest.mark.long)])
@pytest.mark.parametrize("holder", HOLDERS)
def test_what_is_refused_is_refused_alike(http: FlaskClient, forgetful: Flask, holder: str, most: int):
    """Whoever asks, with whatever two of body, headers and query: on a kept table and on none.

    Two are enough to show which of them is complained of first; ``make long`` combines all three.
    """
    game, other = new_game(http, ANA, BEN, position=QUIET), forgetful.test_client(use_cookies=False)
    compared = 0
    for query, headers, body in product(QUERIES, HEADERS, BODIES):
        if faults(query, headers, body) > most or not is_refused(holder, body, query, headers):
            continue
        short, long = (asked(one, game, holder, query, HEADERS[headers], BODIES[body]) for one in (http, other))
        assert told(short) == told(long), (query, headers, body)
        compared += 1
    assert compared > (400 if most == 3 else 140)
    assert game.look("host")["version"] == 0


@pytest.mark.parametrize(("headers", "body"), list(product(WELCOME, ("legal", "an object"))))
def test_what_is_done_is_told_alike(http: FlaskClient, forgetful: Flask, headers: str, body: str):
    """A move in one game on a kept table, in another that is the same on none."""
    other = forgetful.test_client(use_cookies=False)
    games = [new_game(http, ANA, BEN, position=QUIET) for _ in range(2)]

    short, long = (
        asked(one, game, "0", "", HEADERS[headers], BODIES[body])
        for one, game in zip((http, other), games, strict=True)
    )

    assert (short.status_code, set(short.headers.keys())) == (200, set(long.headers.keys()))
    assert {**short.get_json(), "view": None} == {**long.get_json(), "view": None}
    assert short.get_json()["view"].keys() == long.get_json()["view"].keys()
