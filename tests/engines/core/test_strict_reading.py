"""What is read as a card, a verb, a cell or a number: ASCII and the suits' symbols, nothing that only looks alike."""

# ruff: noqa: RUF001  look-alikes are what these tests are about

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from unicodedata import decimal, digit, normalize

import pytest

from engines import RULESETS
from engines.core.cards import BY_NAME, NAMES, SYMBOLS, parse_card
from engines.core.errors import BadAction, BadCard
from engines.core.strict_reading import words_of
from engines.core.types import Json

ASCII = [chr(code) for code in range(128)]
TEXTS = {
    "regicide": ["play 3D 10S KH X1", "discard TC ah", "choose 2", "yield", "flip"],
    "gridcannon": [
        "draw", "place b4", "royal c1", "armour e3", "return", "declare AH reassignment",
        "declare X1 forced_attack", "reassign b2 c3", "switch c1 b5", "force d4", "recall X2",
    ],
}  # fmt: skip

ASSIGNED = (*range(128, 0x3_4000), *range(0xE_0000, 0xE_1000))
"""The planes of Unicode that have characters of their own; the others are for private use, or empty."""


def likenesses(character: str) -> Iterator[str]:
    """Yield what Python makes of *character* when it ignores case, reads a number, or normalises."""
    yield from (character.upper(), character.lower(), character.casefold(), normalize("NFKC", character))
    yield normalize("NFKC", character).casefold()
    yield from (str(number) for read in (decimal, digit) if (number := read(character, None)) is not None)
    if character.isspace():
        yield " "


@cache
def look_alikes() -> dict[str, list[str]]:
    """Return, for each ASCII character, all others that Python takes for it in some way, in both cases (slow)."""
    found = defaultdict(list)
    for code in ASSIGNED:
        character = chr(code)
        for likeness in set(likenesses(character)) & set(ASCII):
            for written in {likeness, likeness.upper(), likeness.lower()}:
                found[written].append(character)
    return found


def forged(text: str) -> Iterator[str]:
    """Yield *text* with one of its characters replaced by each that looks alike."""
    for place, character in enumerate(text):
        for other in look_alikes()[character]:
            yield text[:place] + other + text[place + 1 :]


def test_there_is_something_to_forge() -> None:
    """The long s, the Kelvin sign, other scripts' digits, full width and white space are among them."""
    alike = look_alikes()

    assert ["ſ" in alike["S"], "\u212a" in alike["k"], "٣" in alike["3"], "²" in alike["2"]] == [True] * 4
    assert ["Ｈ" in alike["H"], "\xa0" in alike[" "], "\u2003" in alike[" "]] == [True] * 3


def spellings(name: str) -> set[str]:
    """Return every spelling of a card that an action may have."""
    rank, suit = name[0], name[1]
    if rank == "X":
        return {name, name.lower()}
    ranks = {rank, rank.lower(), "10" if rank == "T" else rank}
    return {written + mark for written in ranks for mark in (suit, suit.lower(), SYMBOLS["CDHS".index(suit)])}


@pytest.mark.parametrize("name", NAMES)
def test_a_card_has_its_spellings_and_no_others(name: str) -> None:
    """Lower case, 10 for T, and the suits' symbols; a character that only looks alike is no card."""
    assert {parse_card(spelling) for spelling in spellings(name)} == {BY_NAME[name]}
    for spelling in spellings(name):
        for forgery in (*forged(spelling), spelling + "\ufe0f", f" {spelling}"):
            with pytest.raises(BadCard):
                parse_card(forgery)


@pytest.mark.parametrize(("ruleset", "text"), [(name, text) for name, texts in TEXTS.items() for text in texts])
def test_an_action_is_written_in_ascii(ruleset: str, text: str) -> None:
    """No verb, card, cell, slot, seat or space is read from a character that only looks like it."""
    RULESETS[ruleset].parse(text)
    for forgery in forged(text):
        with pytest.raises((BadAction, BadCard)):
            RULESETS[ruleset].parse(forgery)


@pytest.mark.parametrize(
    ("ruleset", "action", "code"),
    [
        ("regicide", {"type": "play", "cards": ["3ſ"]}, "bad_card"),
        ("regicide", {"type": "discard", "cards": ["\u212aH"]}, "bad_card"),
        ("regicide", {"type": "choose", "seat": "٢"}, "bad_action"),
        ("regicide", {"type": "plaｙ", "cards": ["3S"]}, "bad_action"),
        ("regicide", "choose ²", "bad_action"),
        ("regicide", "play 3ſ", "bad_card"),
        ("regicide", "play\xa03S", "bad_action"),
        ("gridcannon", {"type": "place", "cell": "b٤"}, "bad_action"),
        ("gridcannon", {"type": "place_royal", "slot": "ｃ1"}, "bad_action"),
        ("gridcannon", {"type": "recall", "card": "Aſ"}, "bad_card"),
        ("gridcannon", {"type": "declare", "card": "AH", "ploy": "reaſsignment"}, "bad_action"),
        ("gridcannon", "declare Aſ reassignment", "bad_card"),
    ],
)
def test_the_refusal_of_what_looks_alike(ruleset: str, action: Json | str, code: str) -> None:
    """A card that is none is ``bad_card``; a verb, a seat or a place that is none is ``bad_action``."""
    with pytest.raises((BadAction, BadCard)) as refused:
        RULESETS[ruleset].parse(action)

    assert refused.value.code == code


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("play 3D 3S", ["play", "3D", "3S"]),
        (" PLAY\t3D  3s\n", ["play", "3D", "3s"]),
        ("", []),
        ("\u212aick", ["\u212aick"]),
        ("PLAY\u20033D", ["PLAY\u20033D"]),
        ("a\x1cb", ["a\x1cb"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    """ASCII white space sets them apart; the verb's letters, if ASCII, are lower case."""
    assert words_of(text) == words
