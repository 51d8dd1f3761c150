"""Nobody sits down under a name that looks like another's, or like none."""

import sys
import unicodedata

import pytest
from flask.testing import FlaskClient
from marshmallow import ValidationError

from api.contract.player_names import INVISIBLE_CHARACTERS, check_name
from tests.api.games import ANA, OPEN, Game, new_game

HIDDEN = [
    *("U+3164 HANGUL FILLER", "U+2800 BRAILLE PATTERN BLANK", "U+115F HANGUL CHOSEONG FILLER"),
    *("U+1160 HANGUL JUNGSEONG FILLER", "U+FFA0 HALFWIDTH HANGUL FILLER", "U+034F COMBINING GRAPHEME JOINER"),
    *("U+200B ZERO WIDTH SPACE", "U+200D ZERO WIDTH JOINER", "U+200C ZERO WIDTH NON-JOINER", "U+2060 WORD JOINER"),
    *("U+00AD SOFT HYPHEN", "U+202E RIGHT-TO-LEFT OVERRIDE", "U+FE0F VARIATION SELECTOR-16", "U+FEFF ZERO WIDTH"),
    *("U+180E MONGOLIAN VOWEL SEPARATOR", "U+E0100 VARIATION SELECTOR-17", "U+17B4 KHMER VOWEL", "U+000A", "U+00A0"),
    *("U+1D159 MUSICAL SYMBOL NULL NOTEHEAD", "U+E0041 TAG LATIN CAPITAL LETTER A", "U+E000", "U+2028", "U+0378"),
]


@pytest.mark.parametrize("named", HIDDEN)
@pytest.mark.parametrize("written", ["{}", "{}{}", "Ana{}", "A{}na", "{}Ana", "Ana {}"])
def test_an_invisible_character_is_refused_by_its_name(named: str, written: str):
    """Alone, doubled, and anywhere in a name that somebody else may have."""
    with pytest.raises(ValidationError) as refusal:
        check_name(written.replace("{}", chr(int(named.partition(" ")[0].removeprefix("U+"), base=16))))

    ((phrase,),) = refusal.value.normalized_messages().values()
    assert named in str(phrase)


@pytest.mark.parametrize(
    "name",
    [
        *("Ana", "Ana María", "O'Neill", "李雷", "محمد", "Zoë", "Z͑oe", "ᄒᆞᆫ글", "¿Quién?", "3♠"),
        *("👩‍🚀", "👩🏽‍🚀", "❤️‍🔥", "🏳️‍🌈", "🧑‍⚕️", "❤️", "1️⃣", "♥︎", "👨‍👩‍👧", "Ana 👩‍🚀"),
        *("می‌خواهم", "علی‌رضا", "क्‍ष", "क्‌ष"),
    ],
)
def test_a_name_in_any_script_and_emoji_is_a_name(name: str):
    """Also where a joiner is part of how it is written: in Persian, in Hindi, between emoji."""
    check_name(name)


def test_whatever_unicode_calls_ignorable_is_known():
    """What is named a filler or a selector by Unicode itself, as this Python knows it, and is printable and unseen."""
    words = ("HANGUL FILLER", "SEONG FILLER", "VARIATION SELECTOR", "PATTERN BLANK", "SCRIPT FILLER")
    every = [chr(code) for code in range(sys.maxunicode + 1)]
    alike = {one for one in every if one.isprintable() and any(word in unicodedata.name(one, "") for word in words)}

    assert alike <= INVISIBLE_CHARACTERS


def test_whoever_joins_is_told_which_character_it_is(http: FlaskClient):
    """In a problem of that field, for a seat of one's own and for one that is taken later."""
    game: Game = new_game(http, ANA, OPEN)
    joined = game.ask("POST", "/join", json={"name": "Ana\u3164"})
    made = http.post("/v1/games", json={"ruleset": "regicide", "seats": [{"kind": "human", "name": "\u2800"}]})

    said = [joined.get_json()["errors"], made.get_json()["errors"]]

    assert [answer.status_code for answer in (joined, made)] == [422, 422]
    assert "U+3164 HANGUL FILLER" in said[0]["name"][0]
    assert "U+2800 BRAILLE PATTERN BLANK" in said[1]["seats.0.name"][0]


@pytest.mark.parametrize("seed", ["a\nb", "\x00", "a\x7f", "\x85", "\r\n", "a\n"])
def test_a_client_seed_has_no_control_characters(http: FlaskClient, seed: str):
    """Two seats' seeds are joined by a line break: one that has one could be taken for two."""
    game: Game = new_game(http, ANA, OPEN)
    joined = game.ask("POST", "/join", json={"name": "Ben", "client_seed": seed})
    made = http.post("/v1/games", json={"ruleset": "regicide", "seats": [ANA], "client_seed": seed})

    assert [answer.status_code for answer in (joined, made)] == [422, 422]
    assert [list(answer.get_json()["errors"]) for answer in (joined, made)] == [["client_seed"]] * 2
