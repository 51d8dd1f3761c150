"""In words: every event and every action has its sentence, or its label, for each reader, in every language."""

import re
from collections import defaultdict
from functools import cache
from itertools import product
from json import dumps

import pytest
from flask.testing import FlaskClient

from api.commands.check_ruleset.checks import written as written_of
from api.commands.check_ruleset.generated_games import setups, through_json
from api.language import LANGUAGES, translator
from engines import RULESETS
from engines.core.cards import SYMBOLS
from engines.core.phrase import YOU, Phrase, sentence
from engines.core.types import Json
from engines.ruleset import Ruleset
from tests.api.games import ADEPT, OPEN, Game, new_game, plain
from tests.api.puzzles import QUIET, position
from tests.contract.test_schemas import GAMES, game, kinds
from tests.rulesets import Race
from tests.servers.entitled import cards_in

MANY = 300
EACH = pytest.mark.parametrize("ruleset", [*RULESETS.values(), Race()], ids=lambda ruleset: ruleset.name)


@cache
def written(ruleset: Ruleset, name: str) -> list[Json]:
    """Return what games have written of a kind, ``Event`` or ``Action``: what is equal once, and ``MANY`` of a type."""
    found = defaultdict[str, dict[str, Json]](dict)
    for players in ruleset.player_counts:
        first, *_, last = setups(ruleset, players)
        for setup, number in product((first, last), range(GAMES)):
            for reached, events in game(setup, number):
                for kind, value in written_of(reached, events):
                    if kind == name and len(found[value["type"]]) < MANY:
                        found[value["type"]][dumps(value)] = through_json(value)
    return [value for of_type in found.values() for value in of_type.values()]


def in_every_language(phrase: Phrase) -> list[str]:
    """Say it in every language; what is left of a template, or of nothing, is no word."""
    said = [phrase.render(translator(language)) for language in LANGUAGES]
    assert all(said)
    assert not any(re.search(r"[{}]|\bNone\b|Phrase|  ", words) for words in said), said
    return said


@EACH
def test_every_event_has_its_sentence(ruleset: Ruleset):
    """For whose it is and for the others, each in their language; it names no card that the reader isn't told of."""
    for event in written(ruleset, "Event"):
        readers: list[str | Phrase] = [""] if event.get("seat") is None else ["Ana", YOU]
        for who in readers:
            english, spanish = in_every_language(ruleset.clause(event, who, lambda seat: f"Ben {seat}"))
            assert cards_in(english.encode()) == cards_in(spanish.encode()) <= cards_in(dumps(event).encode())
            assert ruleset.name == "race" or english != spanish
            assert sentence(english)[0] not in "abcdefghijklmnopqrstuvwxyz"
    assert {event["type"] for event in written(ruleset, "Event")} == kinds(ruleset, "Event")


@EACH
def test_every_action_has_its_label(ruleset: Ruleset):
    """Different actions have different labels, but for those of the two jokers."""
    labels: dict[str, str] = {}
    for action in written(ruleset, "Action"):
        parsed = ruleset.parse(action)
        english, spanish = in_every_language(ruleset.label(parsed, lambda seat: f"Ben {seat}"))
        assert english[0].isupper()
        assert ruleset.name == "race" or english != spanish
        text = str(parsed).replace("X2", "X1")
        assert labels.setdefault(english, text) == text
    assert {action["type"] for action in written(ruleset, "Action")} == set(ruleset.action_types)


def texts(game: Game, holder: int | str | None, language: str = "en") -> list[str]:
    """Return the sentences of what has happened, as a seat is told them."""
    events = plain(game.ask("GET", "/events", holder, headers={"Accept-Language": language}))["events"]
    return [event["text"] for event in events]


def test_a_sentence_is_its_readers(game: Game):
    """Who acts is "you" to themselves, in the answer and in the events; to others they have a name."""
    answer = plain(game.act(0, "play 6D"))

    assert answer["events"][0]["text"] == "You play 6♦ for 6."
    assert "You play 6♦ for 6." in texts(game, 0)
    assert "Ana plays 6♦ for 6." in texts(game, 1)
    assert "Ana plays 6♦ for 6." in texts(game, "host")
    assert "Ana juega 6♦: ataque de 6." in texts(game, None, "es")
    assert "Juegas 6♦: ataque de 6." in texts(game, 0, "es-MX, en;q=0.5")


def test_a_repeated_answer_is_in_the_language_of_its_request(game: Game):
    """What was stored with the key has no words."""
    asked = {"json": {"text": "play 6D"}, "headers": {"Idempotency-Key": "k"}}
    english = plain(game.ask("POST", "/actions", 0, **asked))
    asked["headers"]["Accept-Language"] = "es"
    spanish = plain(game.ask("POST", "/actions", 0, **asked))

    assert english["version"] == spanish["version"]
    assert (english["events"][0]["text"], spanish["events"][0]["text"]) == (
        "You play 6♦ for 6.",
        "Juegas 6♦: ataque de 6.",
    )


def test_buttons_speak(game: Game):
    """Each legal action has its label."""
    labels = {one["text"]: one["label"] for one in plain(game.ask("GET", "/actions", 0))["actions"]}
    spanish = plain(game.ask("GET", "/actions", 0, headers={"Accept-Language": "es"}))["actions"]

    assert labels["play 6D"] == "Play 6♦"
    assert {one["text"]: one["label"] for one in spanish}["play 6D"] == "Juega 6♦"


def test_the_table_speaks_too(http: FlaskClient):
    """Whoever sits down, the start, a handover, the end by the host."""
    game = new_game(http, {"kind": "human", "name": "Ana"}, OPEN)
    joined = plain(game.ask("POST", "/join", json={"name": "Ben"}))
    plain(game.ask("POST", "/seats/0/handover", "host", json={"level": "adept"}))
    game.created["tokens"]["1"] = joined["token"]
    plain(game.ask("DELETE", "", "host"))

    told = [text for text in texts(game, 1) if not text.startswith(("Ana is", "You are"))]
    assert told[:2] == ["You sit down.", "The game begins."]
    assert told[-2:] == ["An AI (adept) plays on for Ana.", "The host has ended the game."]
    assert "Ben se sienta a la mesa." in texts(game, None, "es")
    assert "Una IA (adept) sigue jugando por ti." in texts(game, 0, "es")


def test_an_ai_has_a_name(http: FlaskClient):
    """Each another; the same for as long as the game goes on, and in its events."""
    game = new_game(http, {"kind": "human", "name": "Ada"}, ADEPT, OPEN)
    before = game.look()["seats"][1]["name"]
    plain(game.ask("POST", "/start", "host", json={"level": "novice"}))

    names = [seat["name"] for seat in game.look()["seats"]]
    assert names[:2] == ["Ada", before]
    assert len(set(names)) == 3
    assert any(name in text for name in names[1:] for text in texts(game, 0))


def test_symbols_are_for_sentences():
    """Data has letters."""
    assert not any(
        symbol in dumps(event, ensure_ascii=False)
        for symbol in SYMBOLS
        for event in written(RULESETS["regicide"], "Event")
    )


NAMELESS = {"kind": "human"}


def test_who_has_no_name_is_a_player_by_number(http: FlaskClient):
    """Counted from 1, in events, buttons and refusals; seats as data count from 0."""
    game = new_game(http, NAMELESS, NAMELESS, position=position([["X1", "5C"], ["7C"]]))

    late = game.act(1, "play 7C").get_json()
    plain(game.act(0, "play X1"))
    labels = [one["label"] for one in plain(game.ask("GET", "/actions", 0))["actions"]]
    plain(game.act(0, "choose 1"))

    assert late["detail"] == "It is the turn of Player 1."
    assert labels == ["Go next yourself", "Let Player 2 go next"]
    assert "Player 1 chooses Player 2 to go next." in texts(game, None)
    assert "Jugador 1" in " ".join(texts(game, None, "es"))
    assert game.events()[-1]["seat"] == 1


def test_refusals_speak_of_people_by_name(http: FlaskClient):
    """Whoever is to act, or sits there."""
    regicide, gridcannon = new_game(http, position=QUIET), new_game(http, ruleset="gridcannon")
    waiting = new_game(http, {"kind": "human", "name": "Ana"}, OPEN)
    setting = gridcannon.look()["to_act"][0]
    other = ("Ana", "Ben")[setting]

    assert regicide.act(1, "play 7C").get_json()["detail"] == "It is the turn of Ana."
    assert gridcannon.act(1 - setting, "royal b1").get_json()["detail"] == f"{other} places an opening royal now."
    taken = waiting.ask("POST", "/join", json={"name": "Ben", "seat": 0}).get_json()["detail"]
    assert taken.startswith("Ana sits there")


def test_shields_that_wait(http: FlaskClient):
    """Against an immune enemy of spades they don't count yet, and that is said (R8, R10)."""
    fields = {"castle": [], "tavern": ["2C", "3C"]}
    immune = new_game(http, position=position([["TS", "9C", "8C"], ["7C"]], enemy="JS", **fields))
    other = new_game(http, position=position([["TS", "9C", "8C"], ["7C"]], enemy="JC", **fields))

    told = [plain(game.act(0, "play TS"))["events"][1] for game in (immune, other)]

    waits = "Shields hold 10 more, but the enemy is immune: they wait for a Jester, and its attack is 10."
    assert [event["text"] for event in told] == [waits, "Spades block 10 more: the enemy's attack is now 0."]
    assert [event["suspended"] for event in told] == [True, False]
