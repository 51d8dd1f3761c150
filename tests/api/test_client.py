"""The Python client, against the application itself and against servers that misbehave."""

from collections.abc import Callable, Iterator

import httpx
import pytest
from flask import Flask

from api.client import Problem, Server, TookTooLong
from tests.api.house import ANA, BEN, OPEN
from tests.api.puzzles import CHOICE, LAST_BLOW, QUIET
from workers.store import Store

SEATS = [ANA, BEN]


@pytest.fixture
def server(app: Flask, store: Store) -> Iterator[Server]:
    """Give a client of the application, without a network between."""
    with Server("", http=httpx.Client(base_url="http://house", transport=httpx.WSGITransport(app))) as server:
        yield server


def test_a_game_from_first_to_last(server: Server):
    """Create, wait, look, rehearse, act, and read what happened."""
    created = server.create("regicide", SEATS, position=LAST_BLOW, client_seed="mine")
    ana, ben = created.players[0], created.players[1]

    assert ana.wait_for_turn(within=0)["to_act"] == [0]
    assert "play 5C" in [legal["text"] for legal in ana.actions()]
    ana.rehearse("play 5C")
    turn = ana.act({"type": "play", "cards": ["5C"]}, expected=0)

    assert turn["version"] == 1
    assert ben.wait_for_turn(within=0)["status"] == "finished"
    assert {event["version"] for event in ben.events(after=0, limit=1)} == {1}
    assert ben.record()["client_seeds"] == ["mine", ""]


def test_people_come_and_go(server: Server):
    """Join, start, signal, hand over, abandon."""
    created = server.create("regicide", [ANA, OPEN, OPEN], private=True)
    ben = server.join(created.game["id"], "Ben", invite=created.invite, seat=2)
    assert ben.look()["you"] == 2
    assert created.host.start("novice")["status"] == "active"
    assert created.host.hand_over(0, "adept")["seats"][0]["kind"] == "ai"
    assert created.host.abandon()["status"] == "abandoned"

    choice = server.create("regicide", [ANA, BEN, ANA], position=CHOICE)
    assert choice.players[1].signal("eager")["version"] == 1
    assert server.spectator(choice.game["id"]).look()["you"] is None
    assert "regicide" in [ruleset["name"] for ruleset in server.rulesets()]


def test_a_refusal(server: Server):
    """Comes as an exception that has everything."""
    player = server.create("regicide", SEATS, position=QUIET).players[1]

    with pytest.raises(Problem, match="turn") as refusal:
        player.act("play 7C")

    assert (refusal.value.status, refusal.value.code) == (409, "not_your_turn")
    assert refusal.value.body["title"] == "Not your turn"


def test_waiting_has_an_end(server: Server):
    """Nobody waits for ever."""
    player = server.create("regicide", SEATS, position=QUIET).players[1]

    with pytest.raises(TookTooLong):
        player.wait_for_turn(within=0.2)


def faulty(*answers: httpx.Response | type[httpx.TransportError], patience: float = 5.0) -> tuple[Server, list[str]]:
    """Return a client of a server that does this, one after the other, and the keys that it was sent."""
    left, keys = iter(answers), list[str]()

    def answer(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers.get("Idempotency-Key", ""))
        given = next(left)
        if isinstance(given, httpx.Response):
            return given
        raise given("no luck", request=request)

    http = httpx.Client(base_url="http://house", transport=httpx.MockTransport(answer))
    return Server("", patience=patience, http=http), keys


TURN = httpx.Response(200, json={"version": 1, "events": [], "view": {}, "to_act": []})
AWAY = httpx.Response(503, json={"code": "storage_unavailable"}, headers={"Retry-After": "1"})
BUSY = httpx.Response(409, json={"code": "in_progress"}, headers={"Retry-After": "1"})


def test_what_has_a_key_is_tried_again():
    """With the same key, while the server is away or the first copy is still being worked on."""
    server, keys = faulty(httpx.ConnectError, httpx.ReadError, AWAY, BUSY, TURN)
    with server:
        assert server.spectator("g").act("yield")["version"] == 1

    assert len(keys) == 5
    assert len(set(keys)) == 1
    assert keys[0]


@pytest.mark.parametrize(
    "ask", [lambda server: server.join("g", "Ben"), lambda server: server.spectator("g").start("adept")]
)
def test_what_has_no_key_is_sent_once(ask: Callable[[Server], object]):
    """Nobody knows whether it has been done; only what never got there is tried again."""
    server, keys = faulty(httpx.ConnectError, httpx.ReadError, TURN)
    with server, pytest.raises(httpx.ReadError):
        ask(server)

    assert len(keys) == 2


def test_patience_has_an_end():
    """Then the last answer is the answer."""
    server, _ = faulty(
        *[httpx.Response(503, json=PROBLEM, headers={"Retry-After": "1"}) for _ in range(20)], patience=0.2
    )
    with server, pytest.raises(Problem) as refusal:
        server.rulesets()

    assert refusal.value.code == "storage_unavailable"


PROBLEM = {"status": 503, "code": "storage_unavailable", "detail": "The storage is away.", "title": ""}
