"""Setting games up, looking at them, sitting down, starting, leaving, ending."""

import hashlib
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.api.games import ADEPT, ANA, BEN, CLEO, OPEN, Game, new_game, plain
from tests.api.puzzles import LAST_BLOW, QUIET, Json
from workers.storage.store import Store

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
KEYS = {
    *("id", "ruleset", "status", "version", "seats", "to_act", "may_act"),
    *("deadline", "commitment", "created", "updated", "you", "view", "outcome"),
}


def test_a_new_game(http: FlaskClient):
    """The answer is the game, where it is, and the tokens."""
    response = http.post("/v1/games", json={"ruleset": "regicide", "seats": [ANA, ADEPT, OPEN]})
    body: Json = response.get_json()

    assert response.status_code == 201
    assert response.headers["Location"] == f"/v1/games/{body['id']}"
    assert response.headers["ETag"] == '"0"'
    assert response.headers["Cache-Control"] == "private, no-store"
    assert body.keys() == KEYS | {"tokens", "host_token"}
    name = body["seats"][1]["name"]
    assert body["seats"] == [{"seat": 0, **ANA}, {"seat": 1, "name": name, **ADEPT}, {"seat": 2, **OPEN}]
    assert (body["status"], body["version"], body["to_act"], body["view"]) == ("waiting", 0, [], None)
    assert TIME.fullmatch(body["created"])
    assert TIME.fullmatch(body["updated"])
    assert body["tokens"].keys() == {"0"}
    assert re.fullmatch(rf"rs_{body['id']}_[\w-]{{43}}", body["tokens"]["0"])
    assert re.fullmatch(rf"rh_{body['id']}_[\w-]{{43}}", body["host_token"])


def test_tokens_are_kept_as_hashes(http: FlaskClient, store: Store):
    """Nobody who reads the storage can act."""
    game = new_game(http, ANA, OPEN, private=True)

    kept = everything(store)

    for token in (game.token(0), game.token("host"), game.created["invite"]):
        assert token.encode() not in kept
        assert hashlib.sha256(token.encode()).hexdigest().encode() in kept


def everything(store: Store) -> bytes:
    """Return all keys and values of the storage."""
    read: dict[Any, Callable[[Any], object]] = {
        b"string": store.redis.get,
        b"hash": store.redis.hgetall,
        b"list": lambda key: store.redis.lrange(key, 0, -1),
        b"zset": lambda key: store.redis.zrange(key, 0, -1),
        b"set": store.redis.smembers,
        b"stream": store.redis.xrange,
    }
    return repr([(key, read[store.redis.type(key)](key)) for key in store.redis.keys("*")]).encode()


def test_without_open_seats_it_starts(http: FlaskClient):
    """Cards are dealt at once."""
    game = new_game(http, ANA)

    assert game.created["status"] == "active"
    assert game.created["to_act"] == [0]
    assert len(game.created["view"]["hands"][0]) == 8


def test_hot_seat(http: FlaskClient):
    """Each human seat has a token, and sees its own hand alone."""
    game = new_game(http, ANA, BEN, CLEO)

    for seat in range(3):
        hands = game.look(seat)["view"]["hands"]
        assert [number for number, hand in enumerate(hands) if isinstance(hand, list)] == [seat]
    assert not any(isinstance(hand, list) for hand in game.look()["view"]["hands"])
    assert game.look("host") == game.look()


def test_joining(http: FlaskClient):
    """Whoever joins gets a token and the game as they see it; the last one starts it."""
    game = new_game(http, ANA, OPEN, OPEN)

    second = plain(game.ask("POST", "/join", json={"name": "Cleo", "seat": 2}))
    assert (second["seat"], second["you"], second["version"], second["status"]) == (2, 2, 1, "waiting")
    third = plain(game.ask("POST", "/join", json={"name": "Ben", "client_seed": "mine"}))

    assert (third["seat"], third["you"], third["status"]) == (1, 1, "active")
    assert third.keys() == KEYS | {"seat", "token"}
    assert [seat["name"] for seat in third["seats"]] == ["Ana", "Ben", "Cleo"]
    assert third["commitment"] == game.created["commitment"]
    seen = plain(http.get(f"/v1/games/{game.id}", headers={"Authorization": f"Bearer {third['token']}"}))
    assert seen == {key: third[key] for key in KEYS}


def test_an_unlisted_game(http: FlaskClient):
    """It is in no list, nor is its next one; whoever has the id may watch it."""
    game = new_game(http, ANA, BEN, listed=False)
    shown = new_game(http, ANA, BEN)
    plain(game.ask("DELETE", "", "host"))
    following = plain(game.ask("POST", "/next", 0))

    listed = [one["id"] for one in plain(http.get("/v1/games"))["games"]]
    assert shown.id in listed
    assert not {game.id, following["id"]} & {*listed}
    assert game.look()["status"] == "abandoned"


def test_starting(http: FlaskClient):
    """The host gives open seats to AIs."""
    game = new_game(http, ANA, OPEN)

    started = plain(game.ask("POST", "/start", "host", json={"level": "novice"}))

    assert (started["status"], started["version"], started["you"]) == ("active", 1, None)
    ai = started["seats"][1]
    assert ai == {"seat": 1, "kind": "ai", "name": ai["name"], "level": "novice"}
    assert not any(isinstance(hand, list) for hand in started["view"]["hands"])


@pytest.mark.parametrize("holder", [1, "host"])
def test_handing_over(game: Game, holder: int | str):
    """An AI plays on: for the seat itself or for the host; the seat's token acts no more."""
    after = plain(game.ask("POST", "/seats/1/handover", holder, json={"level": "adept"}))

    assert after["seats"][1]["kind"] == "ai"
    assert after["version"] == 1
    assert after["you"] == (1 if holder == 1 else None)
    said = {"text": "An AI (adept) plays on for Ben."}
    assert game.events()[-1] == {"version": 1, "type": "handed_over", "seat": 1, "level": "adept", **said}
    assert game.act(1, "play 7C").get_json()["code"] == "not_your_turn"


def test_abandoning(game: Game):
    """The host ends it; nobody has won."""
    after = plain(game.ask("DELETE", "", "host"))

    assert (after["status"], after["outcome"], after["to_act"], after["version"]) == ("abandoned", None, [], 1)
    assert game.look()["status"] == "abandoned"


def test_the_record(http: FlaskClient):
    """After the end everything is shown, and the seed is the one that was committed to."""
    game = new_game(http, position=LAST_BLOW, client_seed="ana's")
    plain(game.act(0, "play 5C"))

    record = plain(game.ask("GET", "/record"))

    assert game.look()["outcome"]["result"] == "won"
    assert hashlib.sha256(bytes.fromhex(record["seed"])).hexdigest() == game.created["commitment"]
    assert record["client_seeds"] == ["ana's", ""]
    assert record["position"] == LAST_BLOW
    [entry] = record["actions"]
    assert (entry["version"], entry["seat"], entry["text"], entry["ai"]) == (1, 0, "play 5C", None)


def test_the_creators_client_seed(http: FlaskClient):
    """It belongs to their first human seat, wherever that is."""
    game = new_game(http, ADEPT, ANA, BEN, client_seed="mine")
    plain(game.ask("DELETE", "", "host"))

    assert plain(game.ask("GET", "/record"))["client_seeds"] == ["", "mine", ""]


def test_turn_seconds(http: FlaskClient):
    """Somebody who must act has a deadline."""
    assert TIME.fullmatch(new_game(http, ANA, turn_seconds=60).created["deadline"])
    assert new_game(http, ANA).created["deadline"] is None


def test_starting_from_a_position(game: Game):
    """The cards lie as they were given."""
    view = game.look(0)["view"]

    assert view["hands"][0] == sorted(QUIET["hands"][0])
    assert view["enemy"] == "JH"


@pytest.mark.parametrize(
    ("sent", "status"),
    [('"0"', 304), ('W/"0"', 304), ('"7", "0"', 304), ("*", 304), ('"7"', 200), ('"00"', 200), ("0", 200), ("", 200)],
)
def test_what_a_reader_has_already(game: Game, sent: str, status: int):
    """The tag is the version; the same isn't sent again."""
    response = game.ask("GET", "", 0, headers={"If-None-Match": sent})

    assert response.status_code == status
    assert response.headers["ETag"] == '"0"'
    assert (response.data == b"") == (status == 304)


def test_each_change_has_a_version(game: Game):
    """A tag that was good isn't, after a move."""
    plain(game.act(0, "play 5S"))

    assert game.ask("GET", "", 0, headers={"If-None-Match": '"0"'}).headers["ETag"] == '"1"'


class TestPrivate:
    """A private game isn't there for those who have no token of it."""

    @pytest.fixture
    def hidden(self, http: FlaskClient) -> Game:
        return new_game(http, ANA, OPEN, private=True)

    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("GET", ""),
            ("GET", "/events"),
            ("GET", "/actions"),
            ("GET", "/record"),
            ("DELETE", ""),
            ("POST", "/actions"),
            ("POST", "/signals"),
            ("POST", "/start"),
            ("POST", "/join"),
            ("POST", "/seats/0/handover"),
        ],
    )
    @pytest.mark.parametrize("token", ["none", "garbage", "another game's"])
    def test_it_is_not_there(self, hidden: Game, method: str, path: str, token: str):
        """The answer is the one for a game that never was."""
        tokens = {"garbage": "x", "another game's": new_game(hidden.http, ANA).token(0)}
        headers = {"Authorization": f"Bearer {tokens[token]}"} if token in tokens else {}

        here = hidden.ask(method, path, headers=headers, json={"name": "Dora"})
        nowhere = hidden.ask(method, path, at="0" * 20, headers=headers, json={"name": "Dora"})

        assert here.get_json()["code"] == "no_such_game"
        assert (here.status_code, here.get_json()) == (nowhere.status_code, nowhere.get_json())

    def test_its_own_tokens_open_it(self, hidden: Game):
        """The creator sees it."""
        assert hidden.look(0)["you"] == 0
        assert hidden.look("host")["you"] is None

    def test_an_invite_lets_in(self, hidden: Game):
        """And does nothing else."""
        invite = hidden.created["invite"]
        assert invite.startswith("ri_")
        assert hidden.ask("GET", headers={"Authorization": f"Bearer {invite}"}).status_code == 404
        assert hidden.ask("POST", "/join", json={"name": "Dora", "invite": hidden.token(0)}).status_code == 404

        joined = plain(hidden.ask("POST", "/join", json={"name": "Ben", "invite": invite}))

        assert joined["status"] == "active"
        again = hidden.ask("POST", "/join", json={"name": "Dora", "invite": invite})
        assert again.get_json()["code"] == "already_started"

    def test_the_host_needs_no_invite(self, hidden: Game):
        """A token of the game will do."""
        assert plain(hidden.ask("POST", "/join", "host", json={"name": "Ana too"}))["seat"] == 1

    def test_it_is_on_no_list(self, hidden: Game):
        """Only public games are."""
        public = new_game(hidden.http, ANA)

        assert [game["id"] for game in plain(hidden.http.get("/v1/games"))["games"]] == [public.id]

    def test_no_invite_to_a_full_house(self, http: FlaskClient):
        """Nor to a public one: anybody may join that."""
        assert "invite" not in new_game(http, ANA, private=True).created
        assert "invite" not in new_game(http, ANA, OPEN).created


class TestList:
    """Public games, newest first, as a spectator sees them."""

    def test_no_games(self, http: FlaskClient):
        """The shape is the same."""
        assert plain(http.get("/v1/games")) == {"games": [], "next_cursor": None}

    def test_pages(self, http: FlaskClient):
        """Each game is on one page, the newest first."""
        ids = [new_game(http, ANA, OPEN).id for _ in range(5)]
        found, cursor = [], None

        while True:
            page = plain(http.get("/v1/games", query_string={"limit": 2} | ({"cursor": cursor} if cursor else {})))
            found += [game["id"] for game in page["games"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break

        assert found == ids[::-1]

    def test_by_status_and_ruleset(self, http: FlaskClient):
        """Both can be asked for."""
        waiting, active = new_game(http, ANA, OPEN), new_game(http, ANA)

        for status, expected in (("waiting", [waiting.id]), ("active", [active.id]), ("finished", [])):
            page = plain(http.get("/v1/games", query_string={"status": status, "ruleset": "regicide"}))
            assert [game["id"] for game in page["games"]] == expected

    def test_nobodys_hand_is_shown(self, http: FlaskClient):
        """Even to somebody who has a token of one."""
        game = new_game(http, ANA)

        [shown] = plain(http.get("/v1/games", headers={"Authorization": f"Bearer {game.token(0)}"}))["games"]

        assert shown == game.look()


class TestIdempotencyOfJoining:
    """The same key with the same body takes one seat: by the rules of setting a game up."""

    KEY: Json = {"Idempotency-Key": "a-key-that-none-guesses"}  # noqa: RUF012  never changed
    BODY: Json = {"name": "Ben", "client_seed": "nobody foresees it"}  # noqa: RUF012  never changed

    def join(self, game: Game, **changes: object) -> TestResponse:
        """Ask for a seat with the key."""
        body = {**self.BODY, "invite": game.created.get("invite"), **changes}
        return game.ask("POST", "/join", json=body, headers=self.KEY)

    @pytest.mark.parametrize("private", [False, True])
    @pytest.mark.parametrize("seats", [(ANA, OPEN), (ANA, OPEN, OPEN)], ids=["the last seat", "one of two"])
    def test_the_first_answer_again(self, http: FlaskClient, seats: tuple[Json, ...], *, private: bool):
        """The same seat, and a token that works, whatever has happened since."""
        game = new_game(http, *seats, private=private)

        first = plain(self.join(game))
        plain(game.ask("DELETE", "", "host"))
        again = plain(self.join(game))

        assert again == first
        assert (again["seat"], again["version"]) == (1, 1)
        headers = {"Authorization": f"Bearer {again['token']}"}
        assert plain(game.ask("GET", headers=headers))["you"] == 1

    def test_another_body(self, http: FlaskClient):
        """The key is spent."""
        game = new_game(http, ANA, OPEN, OPEN)
        plain(self.join(game))

        answer = self.join(game, name="Cleo")

        assert (answer.status_code, answer.get_json()["code"]) == (422, "key_reused")
        assert game.look()["version"] == 1

    def test_another_game_another_address_or_none(self, http: FlaskClient):
        """A key belongs to one game and one address; without one each request takes a seat."""
        game, other = (new_game(http, ANA, OPEN, OPEN, OPEN) for _ in range(2))
        first, elsewhere = plain(self.join(game)), plain(self.join(other))
        stranger = game.ask(
            "POST", "/join", json=self.BODY, headers=self.KEY, environ_base={"REMOTE_ADDR": "192.0.2.7"}
        )
        keyless = game.ask("POST", "/join", json=self.BODY)

        assert [one["seat"] for one in (first, elsewhere, plain(stranger), plain(keyless))] == [1, 1, 2, 3]
        assert len({one["token"] for one in (first, elsewhere, plain(stranger), plain(keyless))}) == 4

    @pytest.mark.parametrize("key", ["a", "k" * 21])
    def test_a_key_that_can_be_guessed(self, http: FlaskClient, key: str):
        """Is refused: whoever repeats it would be given the seat's token."""
        game = new_game(http, ANA, OPEN)

        answer = game.ask("POST", "/join", json=self.BODY, headers={"Idempotency-Key": key})

        assert (answer.status_code, list(answer.get_json()["errors"])) == (422, ["Idempotency-Key"])
        assert game.look()["version"] == 0

    def test_a_refusal_is_not_remembered(self, http: FlaskClient):
        """The same key may take another seat."""
        game = new_game(http, ANA, OPEN)
        assert self.join(game, seat=0).get_json()["code"] == "seat_taken"

        assert plain(self.join(game))["seat"] == 1

    def test_many_at_once(self, http: FlaskClient):
        """One seat; the others are given its answer, or asked to wait."""
        game = new_game(http, ANA, OPEN, OPEN, OPEN)

        with ThreadPoolExecutor(8) as crowd:
            answers = list(crowd.map(lambda _: self.join(game), range(16)))

        good = [answer.get_json() for answer in answers if answer.status_code == 200]
        assert good
        assert all(answer == good[0] for answer in good)
        assert {answer.get_json()["code"] for answer in answers if answer.status_code != 200} <= {"in_progress"}
        assert game.look()["version"] == 1

    def test_the_storage_alone_has_no_tokens(self, http: FlaskClient, store: Store):
        """Neither the token nor the key's text is kept."""
        game = new_game(http, ANA, OPEN)
        token = plain(self.join(game))["token"]

        kept = everything(store)

        assert token.encode() not in kept
        assert self.KEY["Idempotency-Key"].encode() not in kept


class TestIdempotency:
    """The same key with the same body sets up one game."""

    BODY: Json = {"ruleset": "regicide", "seats": [ANA, OPEN], "private": True}  # noqa: RUF012  never changed
    KEY: Json = {"Idempotency-Key": "a-key-that-none-guesses"}  # noqa: RUF012  never changed

    def test_the_first_answer_again(self, http: FlaskClient):
        """Tokens too; they work."""
        first, again = (http.post("/v1/games", json=self.BODY, headers=self.KEY) for _ in range(2))

        assert (first.status_code, again.status_code) == (201, 201)
        assert first.get_json() == again.get_json()
        assert first.headers["Location"] == again.headers["Location"]
        assert Game(http, again.get_json()).look(0)["you"] == 0

    def test_another_body(self, http: FlaskClient):
        """The key is spent."""
        http.post("/v1/games", json=self.BODY, headers=self.KEY)

        other = http.post("/v1/games", json={**self.BODY, "private": False}, headers=self.KEY)

        assert (other.status_code, other.get_json()["code"]) == (422, "key_reused")
        assert plain(http.get("/v1/games"))["games"] == []

    @pytest.mark.parametrize("key", ["a", "k" * 21])
    def test_a_key_that_can_be_guessed(self, http: FlaskClient, key: str):
        """Is refused: whoever repeats it from the same address would be given the seat's tokens."""
        answer = http.post("/v1/games", json=self.BODY, headers={"Idempotency-Key": key})

        assert (answer.status_code, list(answer.get_json()["errors"])) == (422, ["Idempotency-Key"])
        assert "22" in answer.get_json()["detail"]

    def test_the_storage_alone_has_no_tokens(self, http: FlaskClient, store: Store):
        """Neither a token nor the key's text is kept."""
        headers = {"Idempotency-Key": "a-very-long-and-secret-key"}
        game = Game(http, plain(http.post("/v1/games", json=self.BODY, headers=headers)))

        kept = everything(store)

        for secret in ("a-very-long-and-secret-key", game.token(0), game.token("host"), game.created["invite"]):
            assert secret.encode() not in kept
