"""The Python client, against the application itself and against servers that misbehave."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import pytest
from flask import Flask

import regicide_client
import regicide_client.types
from regicide_client import (
    CommitmentMismatch,
    JobHandle,
    ProblemError,
    RegicideClient,
    RegicideError,
    ServerUnreachable,
    WaitTimeout,
)
from regicide_client.retry import Clock
from tests.api.games import ANA, BEN, OPEN
from tests.api.puzzles import CHOICE, LAST_BLOW, QUIET
from workers.storage.store import Store

SEATS = [ANA, BEN]


@pytest.fixture
def server(app: Flask, store: Store) -> Iterator[RegicideClient]:
    """Give a client of the application, without a network between."""
    with RegicideClient("", http=httpx.Client(base_url="http://server", transport=httpx.WSGITransport(app))) as server:
        yield server


def test_a_game_from_first_to_last(server: RegicideClient):
    """Create, wait, look, rehearse, act, and read what happened."""
    created = server.create("regicide", SEATS, position=LAST_BLOW, client_seed="mine")
    ana, ben = created.players[0], created.players[1]

    assert ana.wait_for_turn(timeout=0)["to_act"] == [0]
    assert "play 5C" in [legal["text"] for legal in ana.actions()]
    assert ana.dry_run("play 5C")["events"][0]["text"] == "You play 5♣ for 5."
    turn = ana.act({"type": "play", "cards": ["5C"]}, expected=0)

    assert turn["version"] == 1
    assert ben.wait_for_turn(timeout=0)["status"] == "finished"
    assert {event["version"] for event in ben.events(after=0, limit=1)} == {1}
    assert ben.record()["client_seeds"] == ["mine", ""]
    assert ana.past(0)["view"] != ana.past(1)["view"] == ana.fetch()["view"]
    assert [ana.next_game().fetch()["status"], ben.next_game().fetch()["status"]] == ["waiting", "active"]


def test_the_next_game_has_its_seed_promised_too(server: RegicideClient):
    """By who asks first; who comes later may have had another promise, unless nobody else could have been first."""
    first, alone = server.create("regicide", SEATS), server.create("regicide", SEATS[:1])
    first.host.abandon()
    alone.host.abandon()
    promised, other = server.commit(), server.commit()

    ana = first.players[0].next_game(commitment=promised, client_seed="mine")
    ben = first.players[1].next_game(commitment=other, client_seed="his")

    assert ana.fetch()["commitment"] == ben.fetch()["commitment"] == promised["commitment"]
    with pytest.raises(CommitmentMismatch):
        alone.players[0].next_game(commitment={**other, "commitment": promised["commitment"]})


def test_a_seed_is_promised_before_ones_own_is_sent(server: RegicideClient):
    """The game is dealt by it; the promise serves one game."""
    promised = server.commit()

    created = server.create("regicide", SEATS, commitment=promised, client_seed="mine")

    assert created.game["commitment"] == promised["commitment"]
    with pytest.raises(ProblemError) as refused:
        server.create("regicide", SEATS, commitment=promised)
    assert refused.value.code == "commitment_gone"


def test_a_server_that_deals_by_another_seed_than_it_promised(server: RegicideClient):
    """It is caught by whoever asked for the promise."""
    promised, other = server.commit(), server.commit()

    with pytest.raises(CommitmentMismatch):
        server.create("regicide", SEATS, commitment={**promised, "commitment": other["commitment"]})


def test_people_come_and_go(server: RegicideClient):
    """Join, start, signal, hand over, abandon."""
    created = server.create("regicide", [ANA, OPEN, OPEN], private=True)
    ben = server.join(created.game["id"], "Ben", invite=created.invite, seat=2)
    assert ben.fetch()["you"] == 2
    assert created.host.start("novice")["status"] == "active"
    assert created.host.hand_over(0, "adept")["seats"][0]["kind"] == "ai"
    assert created.host.abandon()["status"] == "abandoned"

    choice = server.create("regicide", [ANA, BEN, ANA], position=CHOICE)
    assert choice.players[1].signal("eager")["version"] == 1
    assert server.spectator(choice.game["id"]).fetch()["you"] is None


def test_what_can_be_played(server: RegicideClient):
    """Rulesets, their rules in two languages, games page by page."""
    first, second = (server.create("regicide", SEATS).game["id"] for _ in range(2))

    assert [ruleset["name"] for ruleset in server.rulesets()] == ["regicide", "gridcannon"]
    assert server.ruleset("gridcannon")["players"] == [2, 4]
    assert server.rules("regicide", "es") != server.rules("regicide")
    page = server.games(ruleset="regicide", limit=1)
    assert [game["id"] for game in page["games"]] == [second]
    assert [game["id"] for game in server.games(limit=1, cursor=page["next_cursor"] or "")["games"]] == [first]


def test_a_stream(server: RegicideClient):
    """A snapshot, then each version until the end; or only what came after a version."""
    ana = server.create("regicide", SEATS, position=LAST_BLOW).players[0]
    live = ana.stream()

    snapshot = next(live)
    ana.act("play 5C")
    messages = list(live)

    assert snapshot == {**ana.fetch(), **snapshot}
    assert [(message["version"], message["status"]) for message in messages] == [(1, "finished")]
    assert list(ana.stream(after=0)) == messages
    assert list(ana.stream(after=1)) == []


def test_jobs(server: RegicideClient):
    """A hint is its seat's, an arena has a token of its own; both can be watched and cancelled."""
    ana = server.create("regicide", SEATS, position=QUIET).players[0]

    for job, kind in [(ana.hint("adept"), "hint"), (server.arena("regicide", ["novice"], 2, seed="s"), "arena")]:
        assert (job.fetch()["kind"], job.fetch()["status"]) == (kind, "queued")
        assert job.cancel()["status"] == "cancelled"
        assert job.wait(timeout=0)["status"] == "cancelled"


def test_a_review(server: RegicideClient):
    """A seat reviews itself; who watches says whose decisions, and looks with the token of the job."""
    created = server.create("regicide", SEATS, position=QUIET)
    created.host.abandon()
    ana = created.players[0]

    mine, watched = ana.review(), server.spectator(ana.game_id).review(1, level="novice")

    assert (mine.token, mine.fetch()["kind"]) == (ana.token, "review")
    assert watched.token not in (None, ana.token)
    assert watched.cancel()["status"] == "cancelled"
    with pytest.raises(ProblemError) as refusal:
        ana.review(seat=1)
    assert refusal.value.code == "wrong_token"


def test_a_refusal(server: RegicideClient):
    """Comes as an exception that has everything."""
    player = server.create("regicide", SEATS, position=QUIET).players[1]

    with pytest.raises(ProblemError, match="turn") as refusal:
        player.act("play 7C")

    assert (refusal.value.status, refusal.value.code) == (409, "not_your_turn")
    assert refusal.value.body["title"] == "Not your turn"


def test_waiting_has_an_end(server: RegicideClient):
    """Nobody waits for ever."""
    player = server.create("regicide", SEATS, position=QUIET).players[1]

    with pytest.raises(WaitTimeout):
        player.wait_for_turn(timeout=0.2)


# Servers that misbehave


class Faulty:
    """A server that answers this, one after the other, and a client of it whose clock only its pauses move."""

    def __init__(self, *answers: httpx.Response | type[httpx.TransportError], retry_seconds: float = 5.0) -> None:
        self.asked = list[httpx.Request]()
        self.pauses = list[float]()
        self._left = iter(answers)
        http = httpx.Client(base_url="http://server", transport=httpx.MockTransport(self._answer))
        clock = Clock(lambda: sum(self.pauses), self.pauses.append)
        self.server = RegicideClient("", retry_seconds=retry_seconds, http=http, clock=clock)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        given = next(self._left)
        if isinstance(given, httpx.Response):
            return given
        raise given("no luck", request=request)

    def sent(self, header: str) -> list[str | None]:
        """Return what the requests said there."""
        return [request.headers.get(header) for request in self.asked]


def problem(status: int, code: str, **headers: str) -> httpx.Response:
    """Return a problem document."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"type": "", "title": "", "status": status, "detail": f"It is {code}.", "code": code}
    return httpx.Response(status, json=body, headers=sent)


TURN = httpx.Response(200, json={"version": 1, "events": [], "view": {}, "to_act": []})
AWAY = problem(503, "storage_unavailable", Retry_After="1")
BUSY = problem(409, "in_progress", Retry_After="1")
LIMITED = problem(429, "rate_limited", Retry_After="3")
PROXY = httpx.Response(502, text="<h1>Bad gateway</h1>")


def test_what_has_a_key_is_tried_again():
    """With the same key, while anything is in the way that passes; after the pauses that are asked for."""
    faulty = Faulty(httpx.ConnectError, httpx.ReadError, AWAY, BUSY, LIMITED, PROXY, TURN, retry_seconds=60)

    assert faulty.server.spectator("g").act("yield")["version"] == 1

    assert len(faulty.asked) == 7
    assert len(set(faulty.sent("Idempotency-Key"))) == 1
    assert faulty.sent("Idempotency-Key")[0]
    assert faulty.pauses == [0.05, 0.1, 1.0, 1.0, 3.0, 1.0]


def test_a_seat_is_asked_for_again():
    """With the same key: whoever got no answer isn't left with a seat that nobody has the token of."""
    faulty = Faulty(httpx.ReadError, httpx.Response(200, json={"token": "t"}), retry_seconds=60)

    assert faulty.server.join("g", "Ben").token == "t"

    first, again = faulty.sent("Idempotency-Key")
    assert first == again
    assert len(first or "") >= 22


def test_a_pause_until_a_date():
    """Retry-After may be one."""
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=4), usegmt=True)
    faulty = Faulty(problem(503, "storage_unavailable", Retry_After=soon), TURN)

    faulty.server.spectator("g").fetch()

    assert 2 < faulty.pauses[0] <= 4


Asking = Callable[[RegicideClient], object]


@pytest.mark.parametrize(
    ("ask", "asked"),
    [
        (lambda server: server.spectator("g").start("adept"), 3),
        (lambda server: server.spectator("g").hint(), 3),
        (lambda server: server.arena("regicide", ["adept"], 1), 3),
    ],
)
def test_what_has_no_key_is_sent_once(ask: Asking, asked: int):
    """Nobody knows whether it has been done; only what never got there, or turned away, is tried again."""
    faulty = Faulty(httpx.ConnectError, LIMITED, httpx.ReadError, TURN)

    with pytest.raises(ServerUnreachable) as lost:
        ask(faulty.server)

    assert isinstance(lost.value.__cause__, httpx.ReadError)
    assert len(faulty.asked) == asked


@pytest.mark.parametrize("answer", [AWAY, PROXY])
def test_nobody_knows_what_has_become_of_it(answer: httpx.Response):
    """Without a key an answer from between isn't asked for twice."""
    faulty = Faulty(answer, TURN)

    with pytest.raises(ProblemError):
        faulty.server.join("g", "Ben")


def test_trying_again_has_an_end():
    """Then the last answer is the answer."""
    faulty = Faulty(*[AWAY] * 20, retry_seconds=3.5)

    with pytest.raises(ProblemError, match="storage_unavailable"):
        faulty.server.rulesets()

    assert faulty.pauses == [1.0, 1.0, 1.0]


def test_a_pause_that_is_too_long_is_not_made():
    """The caller hears at once."""
    faulty = Faulty(problem(429, "rate_limited", Retry_After="60"))

    with pytest.raises(ProblemError) as refusal:
        faulty.server.rulesets()

    assert (refusal.value.status, faulty.pauses) == (429, [])


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<h1>Welcome</h1>"),
        httpx.Response(200, json=[]),
        httpx.Response(200, json={"status": "ok"}),
        httpx.Response(404, text="nothing"),
        httpx.Response(404, json=[]),
        httpx.Response(404, json={"error": "no"}),
    ],
)
def test_somebody_else_answers(answer: httpx.Response):
    """What is no Regicide server is said to be so."""
    with pytest.raises(ProblemError, match="not from a Regicide server") as refusal:
        Faulty(answer).server.rulesets()

    assert (refusal.value.code, refusal.value.status) == ("unknown", answer.status_code)


def test_what_cannot_be_asked():
    """A wrong address is no passing trouble."""
    with pytest.raises(ServerUnreachable, match="gopher://server") as refused:
        RegicideClient("gopher://server").rulesets()

    assert isinstance(refused.value.__cause__, httpx.UnsupportedProtocol)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1", "127.0.0.1:1", "http://[", "http://127.0.0.1:99999", "", "http://"]
)
def test_nobody_is_there(url: str):
    """Whatever is wrong with the address: one kind of error, with a sentence that names the address."""
    with pytest.raises(ServerUnreachable) as refused, RegicideClient(url, retry_seconds=0) as server:
        server.rulesets()

    assert isinstance(refused.value, RegicideError)
    assert str(refused.value).startswith(f"The server at {url}")
    assert str(refused.value).endswith(".")


def test_every_name_of_the_package():
    """What the package promises, it has; and nothing that it raises is of another kind."""
    errors = [regicide_client.ProblemError, regicide_client.WaitTimeout, regicide_client.ServerUnreachable]

    assert all(hasattr(regicide_client, name) for name in regicide_client.__all__)
    assert all(issubclass(error, regicide_client.RegicideError) for error in errors)


# Waiting


def test_waiting_is_left_to_the_server():
    """One request waits for as long as it may, then another."""
    same = httpx.Response(304)
    faulty = Faulty(same, problem(503, "too_many_streams", Retry_After="2"), same, TURN)

    assert faulty.server.spectator("g").wait_for_change(0, timeout=100)["version"] == 1

    assert [request.url.params.get("wait") for request in faulty.asked] == ["25"] * 4
    assert faulty.sent("If-None-Match") == ['"0"'] * 4


def test_waiting_for_a_job():
    """It is looked at less and less often, and not for ever."""
    job: dict[str, Any] = {"id": "j", "kind": "hint", "status": "running"}
    running, done = httpx.Response(200, json=job), httpx.Response(200, json={**job, "status": "finished"})
    faulty, endless = Faulty(*[running] * 8, done), Faulty(*[running] * 20)

    assert JobHandle(faulty.server, "j", "rs_x").wait(timeout=60)["status"] == "finished"
    assert faulty.pauses == [0.05, 0.1, 0.2, 0.4, 0.8, 1.0, 1.0, 1.0]
    assert faulty.sent("Authorization") == ["Bearer rs_x"] * 9

    with pytest.raises(WaitTimeout, match="still running"):
        JobHandle(endless.server, "j", "rs_x").wait(timeout=3)


# Streams


class Broken(httpx.SyncByteStream):
    """A body that breaks off."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __iter__(self) -> Iterator[bytes]:
        yield self._text.encode()
        raise httpx.ReadError("The line broke.")


def lines(*messages: object) -> str:
    """Return messages as a stream sends them, an empty line between."""
    return "\n\n".join(json.dumps(message) for message in messages) + "\n"


def message(version: int, status: str = "active") -> dict[str, object]:
    """Return a message."""
    return {"version": version, "status": status}


def test_a_stream_is_taken_up_where_it_broke():
    """Whatever broke it: each version comes once, in order."""
    faulty = Faulty(
        httpx.Response(200, stream=Broken(lines(message(3), message(4)))),
        httpx.ConnectError,
        problem(503, "too_many_streams", Retry_After="2"),
        httpx.Response(200, text=lines(message(4), message(5))[:-5]),  # within a line
        httpx.Response(200, text=lines(message(5), message(6))),  # cut off
        httpx.Response(200, json=message(7)),  # the game goes on
        httpx.Response(200, text=lines(message(7, "finished"))),
        retry_seconds=5,
    )

    versions = [message["version"] for message in faulty.server.spectator("g").stream()]

    assert versions == [3, 4, 5, 6, 7]
    assert faulty.sent("Last-Event-ID") == [None, "4", "4", "4", "4", None, "6"]
    assert faulty.sent("Accept").count("application/x-ndjson") == 6


def test_a_notice_in_a_stream_is_no_version():
    """It is left out, first or in between, and nothing is asked again because of it."""
    faulty = Faulty(
        httpx.Response(200, text=lines({"notice": "Hi"}, message(3), {"notice": None}, message(4, "finished")))
    )

    assert list(faulty.server.spectator("g").stream()) == [message(3), message(4, "finished")]
    assert faulty.sent("Last-Event-ID") == [None]


def test_a_stream_that_has_nothing_more():
    """The game had ended at that version already."""
    faulty = Faulty(httpx.Response(200), httpx.Response(200, json=message(7, "abandoned")))

    assert list(faulty.server.spectator("g").stream(after=7)) == []


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([httpx.ConnectError] * 9, (ServerUnreachable, httpx.ConnectError)),
        ([problem(503, "too_many_streams", Retry_After="1")] * 9, (ProblemError, type(None))),
        ([problem(404, "no_such_game")], (ProblemError, type(None))),
        ([httpx.Response(200)] * 9, (ServerUnreachable, httpx.RemoteProtocolError)),
    ],
)
def test_a_stream_that_cannot_be_had(answers: Sequence[Any], expected: tuple[type[Exception], type[object]]):
    """It isn't tried for ever there either; what won't pass is said at once."""
    error, cause = expected

    with pytest.raises(error) as refused:
        list(Faulty(*answers, retry_seconds=3).server.spectator("g").stream())

    assert isinstance(refused.value.__cause__, cause)
