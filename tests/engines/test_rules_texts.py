"""The rules as people read them: complete in both languages, ruling by ruling."""

import re
import sys
from pathlib import Path

import pytest

from api.commands.check_ruleset.text_laws import rulings_in
from engines import RULESETS

LANGUAGES = ("en", "es")


def folder(name: str) -> Path:
    """Return the folder of a ruleset."""
    return Path(str(sys.modules[type(RULESETS[name]).__module__].__file__)).parent


WITH_TEXTS = [name for name in RULESETS if (folder(name) / "rules.en.md").is_file()]
"""A small ruleset may leave it at what its code says."""


def rulings(text: str) -> set[str]:
    """Return the rulings that a text names, ranges such as R1-R4 written out."""
    return rulings_in(text, "R") | rulings_in(text, "G")


def test_the_games_of_the_house_have_texts() -> None:
    """Both, in both languages."""
    texts = {(name, language) for name in ("gridcannon", "regicide") for language in LANGUAGES}

    assert texts <= set(TEXTS)


TEXTS = [
    (name, language)
    for name in WITH_TEXTS
    for language in LANGUAGES
    if (folder(name) / f"rules.{language}.md").is_file()
]


@pytest.mark.parametrize(("name", "language"), TEXTS)
def test_every_ruling_that_the_engine_cites_is_explained(name: str, language: str) -> None:
    """A refusal names a ruling: whoever hears it finds it in the rules, in both languages."""
    cited = set().union(*(rulings(file.read_text("utf-8")) for file in folder(name).glob("*.py")))

    assert cited - rulings((folder(name) / f"rules.{language}.md").read_text("utf-8")) == set()


@pytest.mark.parametrize("name", [name for name in WITH_TEXTS if (folder(name) / "rules.es.md").is_file()])
def test_both_languages_tell_the_same(name: str) -> None:
    """The two texts have the same sections and name the same rulings."""
    texts = [(folder(name) / f"rules.{language}.md").read_text("utf-8") for language in LANGUAGES]

    assert rulings(texts[0]) == rulings(texts[1])
    assert len({len(re.findall(r"^#+ ", text, re.MULTILINE)) for text in texts}) == 1
