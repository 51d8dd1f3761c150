"""Once more: the same seats in another game, which whoever asks first sets up."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from flask.testing import FlaskClient

from engines import RULESETS
from engines.table import table_json
from engines.table.record_parser import load_record
from engines.table.replay import verify
from tests.api.games import ADEPT, ANA, BEN, CLEO, OPEN, Game, new_game, plain
from tests.api.puzzles import LAST_BLOW, Json
from tests.api.test_commitments import ask, promised
from workers.rematch import MAX_PASSED_OVER
from workers.storage.store import Store

FAMILIES = {"families": ["red", "black"]}


def over(http: FlaskClient, *seats: Json, **wishes: object) -> Game:
    """Return a game that has ended."""
    game = new_game(http, *seats, **wishes)
    plain(game.ask("DELETE", "", "host"))
    return game


def once_more(game: Game, seat: int, **body: object) -> Json:
    """Ask for the next game, and return what is answered."""
    return plain(game.ask("POST", "/next", seat, **body))


def test_the_first_sets_it_up_and_the_last_deals(http: FlaskClient):
    """201, then 200; people's seats wait for them."""
    game = over(http, ANA, BEN)

    first, second = game.ask("POST", "/next", 0), game.ask("POST", "/next", 1)

    made, joined = first.get_json(), second.get_json()
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.headers["Location"] == second.headers["Location"] == f"/v1/games/{made['id']}"
    assert made["id"] == joined["id"] != game.id
    assert made["seats"] == [{"seat": 0, **ANA}, {"seat": 1, "kind": "open", "name": "Ben", "reserved": True}]
    assert joined["seats"] == [{"seat": 0, **ANA}, {"seat": 1, **BEN}]
    assert (made["status"], joined["status"], made["you"], joined["you"]) == ("waiting", "active", 0, 1)
    assert (list(made["tokens"]), list(joined["tokens"])) == (["0"], ["1"])
    assert len(joined["view"]["hands"][1]) == 7
    assert made["commitment"] != game.created["commitment"]


def test_a_private_game_with_a_seat_for_anybody_has_an_invite(http: FlaskClient):
    """Whoever creates it gets the invite, again too; nobody gets one where all seats are somebody's."""
    game = over(http, ANA, OPEN, private=True)

    made, again = once_more(game, 0), once_more(game, 0)

    assert made["invite"] == again["invite"] != game.created["invite"]
    refused = http.post(f"/v1/games/{made['id']}/join", json={"name": "Ben"})
    assert refused.get_json()["code"] == "no_such_game"
    joined = plain(http.post(f"/v1/games/{made['id']}/join", json={"name": "Ben", "invite": made["invite"]}))
    assert (joined["status"], joined["seat"]) == ("active", 1)
    assert "invite" not in once_more(game, 0)
    assert "invite" not in once_more(over(http, ANA, BEN, private=True), 0)
    assert "invite" not in once_more(over(http, ANA, OPEN), 0)


def test_who_has_asked(http: FlaskClient):
    """Everybody may read it, by the seats of the game that has ended: Gridcannon's move up by one."""
    running, game = new_game(http, ANA, BEN), over(http, ANA, BEN, ruleset="gridcannon")
    assert running.ask("GET", "/next").get_json()["code"] == "still_running"
    assert plain(game.ask("GET", "/next")) == {"id": None, "asked": []}

    following = once_more(game, 1)
    assert plain(game.ask("GET", "/next", 0)) == {"id": following["id"], "asked": [1]}
    once_more(game, 0)
    assert plain(game.ask("GET", "/next"))["asked"] == [0, 1]


def test_who_asks_again_gets_the_same(http: FlaskClient):
    """The same game and the same token, which acts; also when the others have come."""
    game = over(http, ANA, BEN)
    first = once_more(game, 0)
    again = game.ask("POST", "/next", 0)
    once_more(game, 1)
    last = once_more(game, 0)

    assert again.status_code == 200
    assert again.get_json() == first
    assert (last["id"], last["tokens"], last["status"]) == (first["id"], first["tokens"], "active")
    headers = {"Authorization": f"Bearer {first['tokens']['0']}"}
    assert plain(http.get(f"/v1/games/{first['id']}/actions", headers=headers))["actions"]


def test_a_next_game_that_ends_before_the_deal_is_passed_over(http: FlaskClient):
    """Whoever had no seat in it gets one in the game after it, and so does everybody else, however they ask."""
    game = over(http, ANA, BEN, ruleset="gridcannon")
    passed = once_more(game, 0)
    plain(game.ask("DELETE", "", "host", at=passed["id"]))
    assert plain(game.ask("GET", "/next")) == {"id": None, "asked": []}

    first = game.ask("POST", "/next", 1)
    made = first.get_json()
    assert first.status_code == 201
    assert made["id"] not in (game.id, passed["id"])
    assert plain(game.ask("GET", "/next")) == {"id": made["id"], "asked": [1]}
    headers = {"Authorization": f"Bearer {passed['tokens']['1']}"}
    there = plain(http.post(f"/v1/games/{passed['id']}/next", headers=headers))
    here = once_more(game, 0)

    assert there["id"] == here["id"] == made["id"] == once_more(game, 1)["id"]
    assert there["tokens"] == here["tokens"]
    assert here["status"] == "active"
    assert [seat["kind"] for seat in here["seats"]] == ["human", "human"]
    assert [seat["name"] for seat in here["seats"]] == ["Ana", "Ben"]  # moved up twice
    assert plain(game.ask("GET", "/next"))["asked"] == [0, 1]


def test_there_is_an_end_of_passing_over(http: FlaskClient):
    """Of many that ended before the deal, the last is answered as what it is."""
    game = over(http, ANA, BEN)
    last = game
    for _ in range(MAX_PASSED_OVER + 1):
        made = plain(last.ask("POST", "/next", 0))
        last = Game(http, {**made, "host_token": game.created["host_token"]})
        plain(last.ask("DELETE", "", "host"))

    assert game.ask("POST", "/next", 1).get_json()["code"] == "game_over"
    assert plain(game.ask("GET", "/next")) == {"id": None, "asked": []}


def test_who_handed_over_has_no_next_game_whoever_asked_first(http: FlaskClient):
    """An AI plays on, in the next game too, and without the seed of the person who sat there."""
    game = new_game(http, ANA, BEN, CLEO, client_seed="Ana's")
    plain(game.ask("POST", "/seats/0/handover", 0, json={"level": "adept"}))
    plain(game.ask("DELETE", "", "host"))

    early = game.ask("POST", "/next", 0)
    made = once_more(game, 1)
    late = game.ask("POST", "/next", 0)
    once_more(game, 2)
    record = end(Game(http, {**game.created, "id": made["id"]}))

    assert [said.get_json()["code"] for said in (early, late)] == ["not_your_turn"] * 2
    assert record["client_seeds"] == ["", "", ""]


def test_all_ask_at_once(http: FlaskClient):
    """There is one game, set up once, and everybody sits in it."""
    game = over(http, ANA, BEN, CLEO)
    with ThreadPoolExecutor(6) as crowd:
        answers = list(crowd.map(lambda seat: game.ask("POST", "/next", seat), [0, 1, 2] * 2))

    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [201]
    assert len({answer.get_json()["id"] for answer in answers}) == 1
    tokens = [answer.get_json()["tokens"] for answer in answers]
    assert tokens[:3] == tokens[3:]
    last = once_more(game, 0)
    assert (last["status"], [seat["kind"] for seat in last["seats"]]) == ("active", ["human"] * 3)


def test_rivals_move_up(http: FlaskClient):
    """Who was second begins; families go with their seats; the options stay."""
    game = over(http, ANA, BEN, ruleset="gridcannon", options={**FAMILIES, "turn_limit": 77})

    made = once_more(game, 0)
    ended = once_more(game, 1)

    assert [seat["name"] for seat in ended["seats"]] == ["Ben", "Ana"]
    assert (made["you"], list(made["tokens"]), ended["you"]) == (1, ["1"], 0)
    assert ended["view"]["families"] == ["black", "red"]
    assert ended["view"]["turn_limit"] == 77


def test_ais_sit_down_at_once(http: FlaskClient, store: Store):
    """With one person the cards are dealt at once; the AI keeps its name, and the record is true."""
    game = over(http, ANA, ADEPT)
    before = game.look()["seats"]

    made = once_more(game, 0)

    assert (made["status"], made["seats"]) == ("active", before)
    table = store.games.load(made["id"])
    assert verify(load_record(table_json.record(table.abandon(store.now()).table, []))) == []


def test_nobody_else_sits_down(http: FlaskClient):
    """A seat that waits is no open seat; but the host may give it to an AI, and then who comes is too late."""
    game = over(http, ANA, BEN)
    made = once_more(game, 0)
    following = Game(http, {**game.created, "id": made["id"]})

    for body in ({"name": "Zoe"}, {"name": "Zoe", "seat": 1}):
        assert following.ask("POST", "/join", json=body).get_json()["code"] == "seat_taken"
    started = plain(following.ask("POST", "/start", "host", json={"level": "adept"}))
    late = game.ask("POST", "/next", 1)

    assert started["seats"][1]["kind"] == "ai"
    assert "reserved" not in started["seats"][1]
    assert (late.status_code, late.get_json()["code"]) == (409, "already_started")
    assert once_more(game, 0)["tokens"] == made["tokens"]


def test_open_seats_stay_open(http: FlaskClient):
    """For anybody."""
    made = once_more(over(http, ANA, OPEN), 0)

    joined = plain(http.post(f"/v1/games/{made['id']}/join", json={"name": "Zoe"}))

    assert (joined["status"], joined["seat"]) == ("active", 1)


def test_privacy_and_puzzles_stay(http: FlaskClient):
    """A private game's next one is hidden too; a position is begun again."""
    game = over(http, ANA, BEN, private=True, position=LAST_BLOW)

    made = once_more(game, 0)
    played = once_more(game, 1)

    assert http.get(f"/v1/games/{made['id']}").status_code == 404
    assert played["view"]["enemy"] == "KS"


@pytest.mark.parametrize("ruleset", RULESETS)
def test_not_before_the_end(http: FlaskClient, ruleset: str):
    """409; nor for who isn't of its seats, nor where an AI plays on."""
    game = new_game(http, ANA, BEN, ruleset=ruleset)
    early = game.ask("POST", "/next", 0)
    plain(game.ask("POST", "/seats/1/handover", 1, json={"level": "adept"}))
    plain(game.ask("DELETE", "", "host"))

    assert (early.status_code, early.get_json()["code"]) == (409, "still_running")
    assert game.ask("POST", "/next").get_json()["code"] == "no_token"
    assert game.ask("POST", "/next", "host").get_json()["code"] == "wrong_token"
    assert game.ask("POST", "/next", 1).get_json()["code"] == "not_your_turn"
    assert once_more(game, 0)["status"] == "active"


def test_whoever_is_first_has_the_seed_promised(http: FlaskClient):
    """Then all send their part: who plays alone can't have the cards of the next game chosen for them either."""
    game = over(http, ANA, BEN)
    first = promised(http)

    made = plain(game.ask("POST", "/next", 0, json={"commitment": first["id"], "client_seed": "Ana's"}))
    once_more(game, 1, json={"client_seed": "Ben's"})
    record = end(Game(http, {**game.created, "id": made["id"]}))

    assert made["commitment"] == first["commitment"]
    assert (record["commitment"], record["client_seeds"]) == (first["commitment"], ["Ana's", "Ben's"])
    assert verify(load_record(record)) == []


def test_what_is_said_when_one_sits_already_changes_nothing(http: FlaskClient):
    """Nor does a commitment of who comes later: it can be used for another game."""
    game = over(http, ANA, BEN)
    made = plain(game.ask("POST", "/next", 0, json={"client_seed": "Ana's"}))
    late, more = promised(http), promised(http)

    once_more(game, 0, json={"client_seed": "another", "commitment": late["id"]})
    once_more(game, 1, json={"client_seed": "Ben's", "commitment": more["id"]})
    record = end(Game(http, {**game.created, "id": made["id"]}))

    assert (record["commitment"], record["client_seeds"]) == (made["commitment"], ["Ana's", "Ben's"])
    assert {ask(http, one["id"])["commitment"] for one in (late, more)} == {late["commitment"], more["commitment"]}


def test_a_commitment_that_serves_no_next_game(http: FlaskClient):
    """Gone, it is refused, and there is no game; where there is to be none, it isn't used up."""
    running, game, one = new_game(http, ANA, BEN), over(http, ANA), promised(http)

    early = running.ask("POST", "/next", 0, json={"commitment": one["id"]})
    made = plain(game.ask("POST", "/next", 0, json={"commitment": one["id"]}))
    other = over(http, ANA)
    gone = other.ask("POST", "/next", 0, json={"commitment": one["id"]})

    assert early.get_json()["code"] == "still_running"
    assert made["commitment"] == one["commitment"]
    assert (gone.status_code, gone.get_json()["code"]) == (409, "commitment_gone")
    assert other.ask("POST", "/next", 0).status_code == 201


@pytest.mark.parametrize("body", [{"client_seed": "a\nb"}, {"client_seed": 5}, {"commitment": "x"}, {"seed": "x"}, []])
def test_what_next_does_not_take(http: FlaskClient, body: object):
    """As when a game is set up."""
    game = over(http, ANA)

    assert game.ask("POST", "/next", 0, json=body).get_json()["code"] == "invalid"
    assert game.ask("POST", "/next", 0).status_code == 201


def end(game: Game) -> Json:
    """Give a game up, and return its record."""
    plain(game.ask("DELETE", "", "host"))
    return plain(game.ask("GET", "/record", "host"))
