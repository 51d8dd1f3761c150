"""The laws on texts: the rulings that refusals name, and the sentences in Spanish."""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from string import Formatter
from typing import Final

from api.commands.check_ruleset.generated_games import LawBroken
from engines.contract.facts_for_checks import facts_of
from engines.ruleset import Ruleset

CATALOGUE_LANGUAGES: Final = ("es",)
"""Languages of the catalogues. The code itself is in English."""
RULES_LANGUAGES: Final = ("en", *CATALOGUE_LANGUAGES)
PAGES_CATALOGUE_FOLDER: Final = Path(__file__).parents[2]
"""The folder whose catalogues have the sentences of all pages."""
MAX_LISTED_SENTENCES: Final = 10
"""Maximum number of sentences without a translation that are listed."""
CATALOGUE_HEADER_TEMPLATE: Final = (
    'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n'
)
"""The first entry of a ``.po`` file."""
STRING_LITERAL_PATTERN: Final = r"""(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
TRANSLATED_CALL_PATTERN: Final = re.compile(
    rf"(?<![\w.$])(?:t|msg)\(\s*({STRING_LITERAL_PATTERN}(?:\s*\+\s*{STRING_LITERAL_PATTERN})*)"
)
"""A call in browser code: ``t`` translates the sentence, ``msg`` marks it for translation elsewhere."""


@dataclass(frozen=True)
class SaidPhrase:
    """A sentence in the code: its place, its template and the names of its values.

    It is a call of ``Phrase``, or of ``t`` or ``msg`` in browser code. The template is None if the text is no literal.
    """

    file: str
    line: int
    template: str | None
    values: frozenset[str]


def phrases_in(file: Path, name: str) -> Iterator[SaidPhrase]:
    """Yield every call of ``Phrase`` in the module *file*. *name* is the module's name in the results."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Phrase":
            argument = node.args[0].value if len(node.args) == 1 and isinstance(node.args[0], ast.Constant) else None
            template = argument if isinstance(argument, str) else None
            yield SaidPhrase(name, node.lineno, template, frozenset(str(keyword.arg) for keyword in node.keywords))


def sentences_in(file: Path, folder: Path) -> Iterator[SaidPhrase]:
    """Yield every sentence of a board module: the literal texts that ``t`` and ``msg`` are called with."""
    text = file.read_text("utf-8")
    for match in TRANSLATED_CALL_PATTERN.finditer(text):
        parts = re.findall(STRING_LITERAL_PATTERN, match[1])
        template = "".join(map(ast.literal_eval, parts))
        yield SaidPhrase(str(file.relative_to(folder)), text.count("\n", 0, match.start()) + 1, template, frozenset())


def places(template: str) -> frozenset[str]:
    """Return the placeholders of a template, each with its conversion: ``text!r`` for ``{text!r}``."""
    parts = Formatter().parse(template)
    return frozenset(f"{name}!{written}" if written else name for _, name, _, written in parts if name is not None)


def folder_of(ruleset: Ruleset) -> Path | None:
    """Return the folder of a ruleset's package; None for a ruleset that is a single module."""
    module = sys.modules[type(ruleset).__module__]
    return Path(str(module.__file__)).parent if module.__package__ else None


def rulings_in(text: str, letter: str) -> set[str]:
    """Return the rulings that a text names: *letter* with a number. A range, such as from 1 to 4, names all in it."""
    named = set(re.findall(rf"\b{letter}\d+\b", text))
    for first, last in re.findall(rf"\b{letter}(\d+)[-\u2013](?:{letter})?(\d+)\b", text):
        named |= {f"{letter}{number}" for number in range(int(first), int(last) + 1)}
    return named


def law_of_rulings(ruleset: Ruleset) -> None:
    """Every ruling that the code names is in the rules text. The rules texts of all languages have the same rulings."""
    letter, folder = facts_of(ruleset).rulings, folder_of(ruleset)
    if not letter or folder is None:
        return
    cited = set[str]().union(*(rulings_in(file.read_text("utf-8"), letter) for file in folder.rglob("*.py")))
    texts = {language: folder / f"rules.{language}.md" for language in RULES_LANGUAGES}
    if not texts["en"].is_file():
        raise LawBroken(f"there is no rules.en.md, and the code names rulings: {_listed(cited)}")
    found = {
        language: rulings_in(file.read_text("utf-8"), letter) for language, file in texts.items() if file.is_file()
    }
    for language, explained in found.items():
        if missing := cited - explained:
            raise LawBroken(f"rules.{language}.md lacks {_listed(missing)}, which the code names")
        if differing := explained ^ found["en"]:
            raise LawBroken(f"rules.en.md and rules.{language}.md don't name the same rulings: {_listed(differing)}")


def law_of_languages(ruleset: Ruleset) -> None:
    """Every ``Phrase`` is a literal with a value for each placeholder. It is translated if there is a catalogue."""
    folder = folder_of(ruleset)
    if folder is None:
        return
    for one in _phrases(folder):
        where = f"{one.file}, line {one.line}"
        if not one.template:
            raise LawBroken(
                f"{where}: the argument of Phrase is no literal text: write the sentence with {{places}}, and"
                " give their values as keywords"
            )
        if one.values and {place.partition("!")[0] for place in places(one.template)} != one.values:
            raise LawBroken(f"{where}: the places of {one.template!r} aren't its values {sorted(one.values)}")
    for language in CATALOGUE_LANGUAGES:
        _check_translations(folder, language)


def _phrases(folder: Path) -> list[SaidPhrase]:
    return [one for file in sorted(folder.rglob("*.py")) for one in phrases_in(file, str(file.relative_to(folder)))]


def _sentences(folder: Path) -> dict[str, SaidPhrase]:
    """Return each sentence in a game's folder with its first place in the code, Python before JavaScript."""
    shown = [one for file in sorted(folder.glob("web/**/*.js")) for one in sentences_in(file, folder)]
    first = dict[str, SaidPhrase]()
    for one in (*_phrases(folder), *shown):
        if one.template:
            first.setdefault(one.template, one)
    return first


class _Missing(NullTranslations):
    """A catalogue without translations: each sentence becomes an empty text."""

    def gettext(self, message: str) -> str:  # noqa: ARG002  the signature of gettext
        return ""


def _check_translations(folder: Path, language: str) -> None:
    compiled = folder / f"messages.{language}.mo"
    if not _is_compiled(folder, language):
        return
    said, catalogue = _sentences(folder), _catalogue(compiled)
    for template in said:
        translation = catalogue.gettext(template)
        if translation and places(translation) != places(template):
            raise LawBroken(f"{compiled.name}: the translation of {template!r} has other places: {translation!r}")
    if missing := _missing(said, catalogue, language):
        lines = [f"{one.file}, line {one.line}: {one.template!r}" for one in missing[:MAX_LISTED_SENTENCES]]
        more = [f"and {len(missing) - MAX_LISTED_SENTENCES} more"] if len(missing) > MAX_LISTED_SENTENCES else []
        raise LawBroken("\n".join([f"{compiled.name} lacks {len(missing)} of {len(said)} sentences:", *lines, *more]))


def _is_compiled(folder: Path, language: str) -> bool:
    """Return whether a compiled catalogue exists. Raises ``LawBroken`` if only its source exists."""
    source, compiled = (folder / f"messages.{language}.{ending}" for ending in ("po", "mo"))
    if source.is_file() and not compiled.is_file():
        raise LawBroken(f"{source.name} isn't compiled: there is no {compiled.name}")
    return compiled.is_file()


def _missing(said: dict[str, SaidPhrase], catalogue: NullTranslations, language: str) -> list[SaidPhrase]:
    """Return the sentences without a translation, sorted by file and line.

    For a sentence in browser code a translation in the pages' catalogue is enough.
    """
    of_pages = _catalogue(PAGES_CATALOGUE_FOLDER / f"messages.{language}.mo")
    missing = [
        one
        for template, one in said.items()
        if not catalogue.gettext(template) and not (one.file.endswith(".js") and of_pages.gettext(template))
    ]
    return sorted(missing, key=lambda one: (one.file, one.line))


def entries_to_fill_in(folder: Path, language: str) -> str:
    """Return the sentences without a translation as entries of a ``.po`` file, with a header if the file is new.

    Raises ``LawBroken`` if the catalogue isn't compiled.
    """
    begun = _is_compiled(folder, language)
    catalogue = _catalogue(folder / f"messages.{language}.mo") if begun else _Missing()
    entries = [_entry(one) for one in _missing(_sentences(folder), catalogue, language)]
    return "\n".join(entries if begun else [CATALOGUE_HEADER_TEMPLATE.format(language=language), *entries])


def _entry(one: SaidPhrase) -> str:
    template = str(one.template)
    quoted = template.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    flag = "#, python-brace-format\n" if places(template) else ""
    return f'#: {one.file}:{one.line}\n{flag}msgid "{quoted}"\nmsgstr ""\n'


def _catalogue(file: Path) -> NullTranslations:
    with file.open("rb") as compiled:
        catalogue = GNUTranslations(compiled)
    catalogue.add_fallback(_Missing())
    return catalogue


def untranslated(ruleset: Ruleset) -> list[str]:
    """Return the languages without a catalogue of the ruleset, in which its sentences are shown in English."""
    folder = folder_of(ruleset)
    return [one for one in CATALOGUE_LANGUAGES if folder is None or not (folder / f"messages.{one}.po").is_file()]


def _listed(rulings: set[str]) -> str:
    return ", ".join(sorted(rulings, key=lambda ruling: (len(ruling), ruling)))
