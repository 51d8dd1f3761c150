"""Caches between the server and its readers: none of them gives one reader what another was shown."""

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from hishel import SqliteStorage
from hishel.httpx import CacheClient
from playwright.sync_api import Page

from tests.servers.served import RunningServer
from tests.waiting import AGES
from tests.web.conftest import Visit
from tests.web.tables import ANA, BEN, HTTP, Json, Made, make

Headers = dict[str, str]
Read = Callable[[str, Headers], Json]

FETCH = "([path, headers]) => fetch(path, {headers}).then((answer) => answer.json())"
"""As any page does it, with the cache that the browser has."""

PATHS = ("", "/actions", "/events", "/views/0")


@pytest.fixture
def made(served: RunningServer) -> Made:
    """Give a game of two seats, each with cards that the others don't see."""
    return make(served.url, ANA, BEN)


def readers(made: Made) -> dict[str, Headers]:
    """Return what each reader of a game sends: both seats, the host, and a spectator without a token."""
    tokens = {**made.body["tokens"], "host": made.body["host_token"]}
    return {**{who: {"Authorization": f"Bearer {token}"} for who, token in tokens.items()}, "spectator": {}}


def hold_readers(made: Made, read: Read) -> None:
    """Each reader is told the same through a cache as without one, whoever has read before them."""
    who = readers(made)
    for path in (f"/v1/games/{made.id}{rest}" for rest in PATHS):
        told = {name: HTTP.get(made.url + path, headers=headers).json() for name, headers in who.items()}
        assert told["0"] != told["1"]
        for first in range(len(who)):  # so each of them reads before each of the others
            order = [*who, *who][first : first + len(who)]
            assert {name: read(path, who[name]) for name in order} == told, (path, order)


def test_a_browser_keeps_readers_apart(visit: Visit, made: Made):
    """Chromium's own cache, asked by a plain ``fetch``."""
    page: Page = visit("/").page

    hold_readers(made, lambda path, headers: page.evaluate(FETCH, [path, headers]))


def test_a_cache_of_a_program_keeps_readers_apart(made: Made, tmp_path: Path):
    """A cache by the letter of RFC 9111, private to a program that plays several seats."""
    storage = SqliteStorage(database_path=tmp_path / "cache.db")
    with CacheClient(base_url=made.url, storage=storage, rfc=True) as cached:
        hold_readers(made, lambda path, headers: cached.get(path, headers=headers).json())


def test_a_tag_still_saves_a_body(made: Made):
    """Whoever keeps their own copy sends its tag, and is answered 304 without a body."""
    headers = readers(made)["0"]
    path = f"{made.url}/v1/games/{made.id}"
    first = httpx.get(path, headers=headers, timeout=AGES)

    again = httpx.get(path, headers={**headers, "If-None-Match": first.headers["ETag"]}, timeout=AGES)

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["Cache-Control"] == first.headers["Cache-Control"] == "private, no-store"
