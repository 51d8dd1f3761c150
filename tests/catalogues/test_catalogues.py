"""Everything that people are told can be told in every language."""

import re
from functools import cache
from json import dumps, loads
from pathlib import Path

import pytest

from api.commands.check_ruleset.text_laws import SaidPhrase, places
from engines.core.phrase import Phrase, join_and, join_clauses, join_or
from tests.catalogues import (
    HOMES,
    LANGUAGES,
    RULESETS,
    browser_files,
    browser_folders,
    compiled,
    for_browser,
    gathered,
    loaded_sentences,
    phrases,
    written,
)

each_home = pytest.mark.parametrize("home", HOMES, ids=lambda home: home.name)
each_language = pytest.mark.parametrize("language", LANGUAGES)

SEAT_NUMBER = re.compile(r"\bseat \{", re.IGNORECASE)
SAME: set[object] = {
    *("{only}", "{first}; {rest}", "{field}: {complaint}", "{who}: {what}", "{first} {rest}", "{name} ({level})"),
    *("{line}", "{enemy}  |  {piles}", "{mark} {who}: {cards}", "{mark} {who} ({family}): {cards}"),
    "Arsenal",
}
"""What is the same in every language."""


@cache
def all_phrases() -> list[SaidPhrase]:
    """Return every phrase of every home; not at import, for each process of pytest imports this file."""
    return [said for home in HOMES for said in phrases(home)]


def test_there_is_something_to_say():
    """The search for phrases finds them, in every home but that of a small ruleset, which may say none of its own."""
    assert len(all_phrases()) > 200
    silent = [home for home in HOMES if not any(phrases(home))]
    assert [home for home in silent if home not in RULESETS or {"regicide", "gridcannon"} & {home.name}] == []


def test_each_template_is_a_literal():
    """Anything else couldn't be looked up. Its places are filled by its values, none of them in vain."""

    def is_wrong(said: SaidPhrase) -> bool:
        filled = {place.partition("!")[0] for place in places(said.template)} if said.template else set()
        return not said.template or (bool(said.values) and filled != said.values)

    assert [f"{said.file}:{said.line}" for said in all_phrases() if is_wrong(said)] == []


def test_sentences_speak_of_people():
    """By a name, or as "Player 1"; "seat 0" is what stands in data, of which only what reads data speaks."""
    of_seats = {said.file for said in all_phrases() if SEAT_NUMBER.search(said.template or "")}

    assert {Path(file).stem for file in of_seats} <= {"notation", "record_parser", "record_review"}


@each_home
@each_language
def test_catalogues_are_complete(home: Path, language: str):
    """A catalogue has what its home says, no more and no less, and all of it is translated: else ``make messages``."""
    catalogue = written(home, language)

    assert {message.id for message in gathered(home)} == {message.id for message in catalogue}
    assert not catalogue.obsolete
    assert [message.id for message in catalogue if message.id and (message.fuzzy or not message.string)] == []
    assert [m.id for m in catalogue if m.id and m.id not in SAME and m.id == m.string] == []


@each_home
@each_language
def test_translations_have_the_same_places(home: Path, language: str):
    """A sentence with values has all of them in every language, written alike, whenever they are filled in."""
    for message in written(home, language):
        if message.id:
            assert places(str(message.id)) == places(str(message.string)), message.id


@each_home
@each_language
def test_what_is_read_is_what_was_written(home: Path, language: str):
    """The compiled catalogue is of this very text: else ``make messages``."""
    assert (home / f"messages.{language}.mo").read_bytes() == compiled(written(home, language))


@each_home
@each_language
def test_the_browser_reads_what_was_written(home: Path, language: str):
    """The sentences of its code, all of them translated and no others: else ``make messages``."""
    for folder in browser_folders(home):
        text = (folder / f"messages.{language}.json").read_text("utf-8")

        assert text == for_browser(home, folder, written(home, language))
        assert set(loads(text)) == loaded_sentences(home, folder)


SPOKEN = re.compile(r"(?<![\w.$])(?:t|msg)\(\s*(.[^,)]*)")
VARIABLE = re.compile(r"[\w.?\[\]]+(?: \?\? .*)?")


@each_home
def test_sentences_of_the_browser_are_literals(home: Path):
    """Or variables, whose sentences are marked by ``msg``; a sentence that is put together couldn't be looked up."""
    arguments = [match[1] for file in browser_files(home) for match in SPOKEN.finditer(file.read_text("utf-8"))]

    assert [one for one in arguments if one[0] not in "\"'" and not VARIABLE.fullmatch(one)] == []


SPANISH = {"{a} or {b}": "{a} o {b}", "no {what!r}": "ningún {what!r}", "a card": "una carta", '{"a": 1}': '{"b": 1}'}


@pytest.mark.parametrize(
    ("phrase", "english", "spanish"),
    [
        (Phrase("a card"), "a card", "una carta"),
        (Phrase('{"a": 1}'), '{"a": 1}', '{"b": 1}'),  # without values braces are braces
        (Phrase("no {what!r}", what="{a}"), "no '{a}'", "ningún '{a}'"),  # what a client sent isn't a template
        (Phrase("{a} or {b}", a=Phrase("a card"), b=7), "a card or 7", "una carta o 7"),
        (Phrase("unheard of {a}", a=1), "unheard of 1", "unheard of 1"),
        (join_or(["b2"]), "b2", "b2"),
        (join_or(["b2", "c3", "d4"]), "b2, c3 or d4", "b2, c3 or d4"),
        (join_and(["b2", "c3"]), "b2 and c3", "b2 and c3"),
        (Phrase("{a} or {b}").bind({"a": Phrase("a card"), "b": 7, "c": [8]}), "a card or 7", "una carta o 7"),
        (join_clauses([Phrase("a card")] * 3), "a card; a card; a card", "una carta; una carta; una carta"),
    ],
)
def test_a_phrase(phrase: Phrase, english: str, spanish: str):
    """Is said in English by itself, and in any tongue, as far as that goes."""
    assert str(phrase) == str(Phrase.load(loads(dumps(phrase.as_json())))) == english
    assert phrase.render(lambda template: SPANISH.get(template, template)) == spanish
