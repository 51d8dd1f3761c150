"""Every phrase of the code, and its translations: ``make messages`` gathers the ones and compiles the others.

Beside the code of each home lies ``messages.es.po``, which people edit, and ``messages.es.mo``, which is read.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from string import Formatter
from typing import Final

from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT: Final = Path(__file__).parents[2]
RULESETS: Final = sorted(folder.parent for folder in ROOT.glob("engines/*/ruleset.py"))
HOMES: Final = [ROOT / "api", ROOT / "workers", ROOT / "engines", *RULESETS]
LANGUAGES: Final = ("es",)
"""English is what the code speaks."""


@dataclass(frozen=True)
class SaidPhrase:
    """A call of ``Phrase``: where it is, its template (None if that is no literal), and the names of its values."""

    file: str
    line: int
    template: str | None
    values: frozenset[str]


def phrases(home: Path) -> Iterator[SaidPhrase]:
    """Yield every call of ``Phrase`` in *home*, but for those in another home inside it."""
    for file in sorted(home.rglob("*.py")):
        if any(home < other and file.is_relative_to(other) for other in HOMES):
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Phrase":
                yield _said_phrase(str(file.relative_to(ROOT)), node)


def _said_phrase(file: str, call: ast.Call) -> SaidPhrase:
    template = call.args[0].value if len(call.args) == 1 and isinstance(call.args[0], ast.Constant) else None
    values = frozenset(str(keyword.arg) for keyword in call.keywords)
    return SaidPhrase(file, call.lineno, template if isinstance(template, str) else None, values)


def places(template: str) -> frozenset[str]:
    """Return the names in a template, with how they are written: ``{text!r}`` as ``text!r``."""
    parts = Formatter().parse(template)
    return frozenset(f"{name}!{written}" if written else name for _, name, _, written in parts if name is not None)


def gathered(home: Path) -> Catalog:
    """Return a catalogue of the phrases of *home*, without translations."""
    catalogue = Catalog(fuzzy=False)
    for said in phrases(home):
        if said.template is not None:
            catalogue.add(said.template, locations=[(said.file, said.line)])
    return catalogue


def written(home: Path, language: str) -> Catalog:
    """Return the catalogue that lies in *home*; an empty one, if there is none yet."""
    file = home / f"messages.{language}.po"
    if not file.exists():
        return _empty(home, language)
    with file.open("rb") as lines:
        return read_po(lines, locale=language, abort_invalid=True)


def _empty(home: Path, language: str) -> Catalog:
    about = f"# What {home.name} says to people. After an edit: make messages."
    team = {"last_translator": "regicide", "language_team": "regicide", "msgid_bugs_address": "regicide"}
    return Catalog(language, header_comment=about, project="regicide", version="1", fuzzy=False, **team)


def compiled(catalogue: Catalog) -> bytes:
    """Return a catalogue as gettext reads it. What has no translation, or a doubtful one, is left out."""
    out = BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def update(home: Path, language: str) -> None:
    """Bring the catalogue of *home* up to date with the code, and compile it. Translations stay."""
    catalogue = written(home, language)
    catalogue.update(gathered(home), no_fuzzy_matching=True, update_creation_date=False)
    with (home / f"messages.{language}.po").open("wb") as out:
        write_po(out, catalogue, width=116, omit_header=False, ignore_obsolete=True, include_lineno=False)
    (home / f"messages.{language}.mo").write_bytes(compiled(catalogue))
