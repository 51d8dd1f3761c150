"""Fifty at once, over real HTTP: each on a connection of their own, let loose together."""

import ssl
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import httpx
import pytest

from tests.api.games import ANA, BEN
from tests.api.puzzles import QUIET, Json
from tests.servers.served import RunningServer, running_server
from tests.waiting import AGES, allowed, comes_true

CROWD = 50
TLS = ssl.create_default_context()
"""Never used, but fifty clients would each make one."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give a server with its own store, workers and web server."""
    with running_server(tmp_path_factory.mktemp("fire") / "data", REGICIDE_SWEEP_SECONDS="0.2") as running:
        yield running


def at_once(served: RunningServer, ask: Callable[[httpx.Client, int], httpx.Response]) -> list[httpx.Response]:
    """Let everybody ask at the same moment, when all are connected."""
    start = Barrier(CROWD)

    def guest(number: int) -> httpx.Response:
        with httpx.Client(base_url=served.url, trust_env=False, timeout=allowed(AGES), verify=TLS) as client:
            client.get("/healthz")
            start.wait()
            return ask(client, number)

    with ThreadPoolExecutor(CROWD) as crowd:
        return list(crowd.map(guest, range(CROWD)))


def new_game(served: RunningServer) -> tuple[str, dict[str, str]]:
    """Set up a game of two at one screen; return its path and the headers of seat 0."""
    body = {"ruleset": "regicide", "seats": [ANA, BEN], "position": QUIET}
    game = httpx.post(f"{served.url}/v1/games", json=body, trust_env=False, timeout=AGES).json()
    return f"/v1/games/{game['id']}", {"Authorization": f"Bearer {game['tokens']['0']}"}


def events_of(served: RunningServer, path: str, headers: dict[str, str]) -> list[Json]:
    """Return what happened since the deal."""
    answer = httpx.get(f"{served.url}{path}/events?after=0", headers=headers, trust_env=False, timeout=AGES)
    events: list[Json] = answer.json()["events"]
    return events


def test_one_key(served: RunningServer):
    """The same move with the same key: it is made once, and everybody hears the same answer."""
    path, headers = new_game(served)
    sent = {**headers, "Idempotency-Key": "the-one", "If-Match": '"0"'}

    answers = at_once(served, lambda client, _: client.post(f"{path}/actions", json={"text": "play 5S"}, headers=sent))

    assert [answer.status_code for answer in answers] == [200] * CROWD
    assert {answer.content for answer in answers} == {answers[0].content}
    assert answers[0].json()["version"] == 1
    assert {event["version"] for event in events_of(served, path, headers)} == {1}


@pytest.mark.parametrize("keys", [True, False])
def test_one_version(served: RunningServer, *, keys: bool):
    """The same version with keys of their own, or none: one acts, the others hear which version there is now."""
    path, headers = new_game(served)

    def act(client: httpx.Client, number: int) -> httpx.Response:
        key = {"Idempotency-Key": f"key-{number}"} if keys else {}
        sent = {**headers, **key, "If-Match": '"0"'}
        return client.post(f"{path}/actions", json={"text": "play 5S"}, headers=sent)

    answers = at_once(served, act)

    assert Counter(answer.status_code for answer in answers) == {200: 1, 412: CROWD - 1}
    refused = [answer.json() for answer in answers if answer.status_code == 412]
    assert {(problem["code"], problem["version"]) for problem in refused} == {("stale_version", 1)}
    assert {event["version"] for event in events_of(served, path, headers)} == {1}


def test_one_game(served: RunningServer):
    """The same creation with the same key: one game, and the same tokens for everybody who asked."""
    body = {"ruleset": "regicide", "seats": [ANA, {"kind": "open"}]}
    sent = {"Idempotency-Key": "one-game-for-all-who-ask-for-it"}
    before = listed(served)

    answers = at_once(served, lambda client, _: client.post("/v1/games", json=body, headers=sent))

    assert [answer.status_code for answer in answers] == [201] * CROWD
    assert {answer.content for answer in answers} == {answers[0].content}
    assert listed(served) - before == {answers[0].json()["id"]}


def listed(served: RunningServer) -> set[str]:
    """Return the public games."""
    answer = httpx.get(f"{served.url}/v1/games?limit=100", trust_env=False, timeout=AGES)
    return {game["id"] for game in answer.json()["games"]}


def test_one_seat(served: RunningServer):
    """One open seat: one sits down, the others hear that it is too late."""
    body = {"ruleset": "regicide", "seats": [ANA, {"kind": "open"}]}
    game = httpx.post(f"{served.url}/v1/games", json=body, trust_env=False, timeout=AGES).json()
    path = f"/v1/games/{game['id']}/join"

    answers = at_once(served, lambda client, number: client.post(path, json={"name": f"Guest {number}"}))

    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: CROWD - 1}
    assert {answer.json()["code"] for answer in answers if answer.is_error} == {"already_started"}


def test_a_slow_player(served: RunningServer):
    """``turn_seconds``: an AI acts for the seat that must, once for each turn; the seat stays the player's."""
    body = {"ruleset": "regicide", "seats": [ANA], "turn_seconds": 1}
    game = httpx.post(f"{served.url}/v1/games", json=body, trust_env=False, timeout=AGES).json()
    path, headers = f"/v1/games/{game['id']}", {"Authorization": f"Bearer {game['tokens']['0']}"}

    def look() -> Json:
        seen: Json = httpx.get(served.url + path, headers=headers, trust_env=False, timeout=AGES).json()
        return seen

    assert game["deadline"] > game["created"]
    assert comes_true(lambda: look()["version"] >= 1, within=15)

    first = events_of(served, path, headers)[0]
    seen = look()
    assert (first["version"], first["seat"]) == (1, 0)
    assert seen["seats"] == [{"seat": 0, **ANA}]
    if seen["status"] == "active":
        assert seen["deadline"] > game["deadline"]


def test_the_server_says_nothing_of_itself(served: RunningServer):
    """Neither which program it is nor which version: nobody looks up what it is known to suffer from."""
    answer = httpx.get(f"{served.url}/healthz", trust_env=False, timeout=AGES)

    assert answer.headers.get_list("Server") == ["regicide"]
    assert "granian" not in str(answer.headers).lower()
