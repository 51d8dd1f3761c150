"""Acting: what is legal, preconditions, keys, rehearsals."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest
from flask.testing import FlaskClient

from tests.api.games import ADEPT, ANA, BEN, Game, new_game, plain
from tests.api.puzzles import LAST_BLOW, QUIET, Json
from workers.storage.idempotency import Key
from workers.storage.store import Store


def test_what_is_legal(game: Game):
    """Everything listed is accepted, in both spellings."""
    listed = plain(game.ask("GET", "/actions", 0))

    assert listed["version"] == 0
    play = {"action": {"type": "play", "cards": ["5S"]}, "text": "play 5S", "label": "Play 5♠"}
    assert play in listed["actions"]
    for legal in listed["actions"]:
        for body in (legal["action"], {"text": legal["text"]}):
            assert plain(game.ask("POST", "/actions?dry_run=true", 0, json=body))["legal"] is True


@pytest.mark.parametrize("holder", [None, "host", 1])
def test_nothing_is_legal_for_those_who_wait(game: Game, holder: int | str | None):
    """A spectator, the host, the other seat."""
    assert plain(game.ask("GET", "/actions", holder)) == {"version": 0, "actions": []}


def test_a_turn(game: Game):
    """The answer is the table after it, as the seat sees it, and what happened."""
    turn = plain(game.act(0, "play 5S"))

    assert turn.keys() == {"version", "status", "outcome", "events", "view", "to_act", "may_act"}
    after = game.look(0)
    assert (turn["version"], turn["view"], turn["to_act"]) == (1, after["view"], after["to_act"])
    assert [{"version": 1, **event} for event in turn["events"]] == game.events(0, after=0)
    assert turn["events"][0]["cards"] == ["5S"]


def test_lower_case_and_tens(http: FlaskClient):
    """People write cards as they like."""
    game = new_game(http, ANA, ADEPT, position={**QUIET, "hands": [["TS"], ["7C"]]})

    plain(game.act(0, "play 10s"))


@pytest.mark.parametrize(
    ("if_match", "status"),
    [
        ('"0"', 200),
        ("*", 200),
        ('"7", "0"', 200),
        (' ,"7" , , "0",', 200),  # empty elements of a list are none (RFC 9110, 5.6.1)
        ('"1"', 412),
        ('"7", "8"', 412),
        ('W/"0"', 412),  # a weak tag never matches strongly
        ("0", 412),
        ('"00"', 412),
        ('"zero"', 412),
        ('""', 412),
        ("", 412),
        ('"-1"', 412),
        ('"' + "9" * 4000 + '"', 412),
        ('"0', 412),
    ],
)
@pytest.mark.parametrize("query", ["", "?dry_run=true"])
def test_if_match(game: Game, if_match: str, status: int, query: str):
    """A move is made at the version that it was meant for, or not at all."""
    response = game.ask("POST", "/actions" + query, 0, json={"text": "play 5S"}, headers={"If-Match": if_match})

    assert response.status_code == status
    assert game.look()["version"] == (1 if status == 200 and not query else 0)
    if status == 412:
        assert response.get_json()["version"] == 0


@pytest.mark.parametrize("if_match", ["0", "", '"0', "*x", 'x"0"', '"0" "1"', '"0", 0', '*, "0"', ","])
@pytest.mark.parametrize("query", ["", "?dry_run=true"])
def test_what_is_no_tag_is_told_how_a_tag_is_written(game: Game, if_match: str, query: str):
    """The game hasn't changed, so that isn't said; a tag that is none spoils the list that it stands in."""
    response = game.ask("POST", "/actions" + query, 0, json={"text": "play 5S"}, headers={"If-Match": if_match})

    problem = response.get_json()
    assert (response.status_code, problem["code"], problem["version"]) == (412, "stale_version", 0)
    assert 'write the version in quotes, such as "7"' in problem["detail"]
    assert game.look()["version"] == 0


def test_a_repeated_request_is_answered_before_its_tag_is_read(game: Game):
    """A key is looked up before If-Match."""
    sent = {"json": {"text": "play 5S"}, "headers": {"Idempotency-Key": "k" * 22}}
    first = plain(game.ask("POST", "/actions", 0, **sent))

    sent["headers"]["If-Match"] = "no tag"
    assert plain(game.ask("POST", "/actions", 0, **sent)) == first


class TestDryRun:
    """A rehearsal changes nothing and reveals nothing."""

    def test_it_changes_nothing(self, game: Game):
        """The version and the events stay."""
        before = (game.look(0), game.events(0))

        assert plain(game.ask("POST", "/actions?dry_run=true", 0, json={"text": "play 5S"}))["legal"] is True

        assert (game.look(0), game.events(0)) == before

    def test_it_tells_what_is_sure(self, game: Game):
        """R8, R11, R13: no card is drawn, so that is all that happens, word for word."""
        foreseen = plain(game.ask("POST", "/actions?dry_run=true", 0, json={"text": "play 5S"}))
        happened = plain(game.act(0, "play 5S"))

        assert foreseen == {"legal": True, "events": happened["events"], "certain": True}
        assert [event["text"] for event in foreseen["events"]] == [
            "You play 5♠ for 5.",
            "Spades block 5 more: the enemy's attack is now 5.",
            "The enemy takes 5: 15 left.",
            "The enemy attacks you for 5.",
        ]

    def test_it_tells_no_draw(self, game: Game):
        """R6: which card comes isn't said, though what the diamond does to the enemy is."""
        foreseen = plain(game.ask("POST", "/actions?dry_run=true", 0, json={"text": "play 6D"}))

        assert foreseen["certain"] is False
        assert [event["type"] for event in foreseen["events"]] == ["played", "enemy_hit", "attacked"]

    def test_false_is_no_rehearsal(self, game: Game):
        """``dry_run=false`` acts."""
        assert plain(game.ask("POST", "/actions?dry_run=false", 0, json={"text": "play 5S"}))["version"] == 1

    @pytest.mark.parametrize("key", ["k", "two words", "k" * 201, "é"])
    def test_it_ignores_keys(self, game: Game, key: str):
        """Even bad ones; and a good one isn't spent."""
        headers = {"Idempotency-Key": key}
        for text in ("play 5S", "play 6D"):
            plain(game.ask("POST", "/actions?dry_run=true", 0, json={"text": text}, headers=headers))

    def test_the_problem_is_the_same(self, game: Game):
        """The action would get it too."""
        for text in ("play 7C", "play 5S 6D", "dance", "play ZZ", "discard 5S"):
            rehearsed = game.ask("POST", "/actions?dry_run=true", 0, json={"text": text})
            assert rehearsed.get_json() == game.act(0, text).get_json()
            assert rehearsed.status_code >= 400


class TestKey:
    """The same key with the same body acts once."""

    def test_the_first_answer_again(self, game: Game):
        """Whatever has happened since."""
        first = plain(game.act(0, "play 5S", idempotency_key="k"))
        plain(game.ask("POST", "/seats/1/handover", "host", json={"level": "adept"}))

        again = game.act(0, "play 5S", idempotency_key="k")

        assert again.get_json() == first
        assert game.look()["version"] == 2

    def test_before_if_match(self, game: Game):
        """A client whose answer was lost sends both again."""
        first = plain(game.act(0, "play 5S", idempotency_key="k", if_match='"0"'))

        assert plain(game.act(0, "play 5S", idempotency_key="k", if_match='"0"')) == first

    def test_another_body(self, game: Game):
        """The key is spent, whether the body is good or not."""
        plain(game.act(0, "play 5S", idempotency_key="k"))

        for text in ("play 6D", "dance"):
            response = game.act(0, text, idempotency_key="k")
            assert (response.status_code, response.get_json()["code"]) == (422, "key_reused")
        assert game.look()["version"] == 1

    def test_refusals_are_not_remembered(self, game: Game):
        """A key that came with a refused action is still good, with another body too."""
        assert game.act(0, "play 7C", idempotency_key="k").status_code == 422
        assert game.act(0, "dance", idempotency_key="k").status_code == 400
        assert game.act(0, "play 5S", idempotency_key="k", if_match='"9"').status_code == 412

        assert plain(game.act(0, "play 5S", idempotency_key="k"))["version"] == 1

    def test_a_key_is_one_seats(self, http: FlaskClient):
        """Another seat's, another game's same key is another key."""
        games = [new_game(http, position=QUIET) for _ in range(2)]

        answers = [plain(game.act(0, "play 5S", idempotency_key="k")) for game in games]
        assert [answer["version"] for answer in answers] == [1, 1]
        assert games[0].act(1, "play 5S", idempotency_key="k").get_json()["code"] == "not_your_turn"

    @pytest.mark.parametrize("key", ["!", "~" * 200, 'a"b\\c'])
    def test_what_a_key_may_be(self, game: Game, key: str):
        """Any visible ASCII."""
        plain(game.act(0, "play 5S", idempotency_key=key))

    @pytest.mark.parametrize("key", ["", " ", "a b", "é", "k" * 201])
    def test_what_no_key_is(self, game: Game, key: str):
        """Nothing else."""
        response = game.act(0, "play 5S", idempotency_key=key)

        assert (response.status_code, list(response.get_json()["errors"])) == (422, ["Idempotency-Key"])

    def test_many_at_once(self, game: Game):
        """One move; the others are given its answer, or asked to wait."""
        with ThreadPoolExecutor(8) as crowd:
            answers = list(crowd.map(lambda _: game.act(0, "play 5S", idempotency_key="k"), range(16)))

        good = [answer.get_json() for answer in answers if answer.status_code == 200]
        others = {answer.get_json()["code"] for answer in answers if answer.status_code != 200}
        assert good
        assert all(answer == good[0] for answer in good)
        assert others <= {"in_progress"}
        assert all(answer.headers["Retry-After"] == "1" for answer in answers if answer.status_code == 409)
        assert game.look()["version"] == 1


def test_one_of_many(game: Game):
    """Of moves meant for one version, one is made."""
    with ThreadPoolExecutor(8) as crowd:
        statuses = list(crowd.map(lambda _: game.act(0, "play 5S", if_match='"0"').status_code, range(16)))

    assert sorted(statuses) == [200] + [412] * 15


def test_a_key_that_is_being_worked_on(game: Game, store: Store):
    """The second request isn't kept waiting for long."""
    body = json.dumps({"text": "play 5S"})
    key = Key(scope=f"{game.id}/0", text="k", body_digest=sha256(body.encode()).hexdigest())
    headers = {"Idempotency-Key": "k", "Content-Type": "application/json"}

    with store.idempotency.reserve(key):
        response = game.ask("POST", "/actions", 0, data=body, headers=headers)

    assert (response.status_code, response.get_json()["code"]) == (409, "in_progress")
    assert response.get_json()["retry_after"] == 1
    assert response.headers["Retry-After"] == "1"
    assert game.look()["version"] == 0


FORMS = {
    "object": lambda one: one["action"],
    "text": lambda one: {"text": one["text"]},
    "entry": lambda one: one,
    "entry without a label": lambda one: {"action": one["action"], "text": one["text"]},
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("ruleset", ["regicide", "gridcannon"])
def test_an_action_in_any_form(http: FlaskClient, ruleset: str, form: Callable[[Json], Json]):
    """Whatever ``GET .../actions`` lists is taken as it is listed, whole or in part; rehearsed too."""
    game = new_game(http, ANA, BEN, ruleset=ruleset)
    listed = plain(game.ask("GET", "/actions", 0))["actions"][0]

    rehearsed = plain(game.ask("POST", "/actions?dry_run=true", 0, json=form(listed)))
    done = plain(game.ask("POST", "/actions", 0, json=form(listed)))

    assert rehearsed["events"][0]["type"] == done["events"][0]["type"]
    assert done["version"] == 1


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"action": {"type": "yield"}, "text": "play 5S"}, "something else"),
        ({"action": {"type": "yield"}, "value": 0.5}, "'value'"),
        ({"action": None}, "An action is an object"),
        ({"action": {"action": {"type": "yield"}}}, "An action has a type"),
        ({"text": "yield", "label": "Yield"}, "An action has a type"),
    ],
)
def test_what_is_no_entry(game: Game, entry: Json, said: str):
    """It is refused in a sentence."""
    answer = game.ask("POST", "/actions", 0, json=entry)

    assert (answer.status_code, answer.get_json()["code"]) == (400, "bad_action")
    assert said in answer.get_json()["detail"]


def test_a_turn_says_how_the_game_stands(http: FlaskClient):
    """Whoever goes by the answer alone knows when to stop."""
    game, won = new_game(http, position=QUIET), new_game(http, position=LAST_BLOW)

    going, ended = plain(game.act(0, "play 5S")), plain(won.act(0, "play 5C"))

    for answer, told in ((going, game.look(0)), (ended, won.look(0))):
        shared = ("version", "status", "outcome", "view", "to_act", "may_act")
        assert {name: answer[name] for name in shared} == {name: told[name] for name in shared}
    assert (going["status"], going["outcome"]) == ("active", None)
    assert (ended["status"], ended["outcome"]["result"]) == ("finished", "won")
