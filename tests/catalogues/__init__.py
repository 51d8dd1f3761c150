"""Gather the sentences of the code, and compile their translations: ``make messages``.

Beside the code of each home lies ``messages.es.po``, which people edit, and ``messages.es.mo``, which Python reads.
The sentences of a home's browser code are in the same catalogue; the browser reads them from ``messages.es.json``.
"""

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from api.commands.check_ruleset.text_laws import TRANSLATED_CALL_PATTERN, SaidPhrase, phrases_in, sentences_in

ROOT: Final = Path(__file__).parents[2]
RULESETS: Final = sorted(
    folder.parent for folder in [*ROOT.glob("engines/*/ruleset.py"), *ROOT.glob("examples/*/*/ruleset.py")]
)
HOMES: Final = [ROOT / "api", ROOT / "workers", ROOT / "engines", *RULESETS]
PAGES: Final = ROOT / "api" / "web"
BROWSER_CODE: Final = {ROOT / "api": PAGES / "js"} | {home: home / "web" for home in RULESETS}
"""Where the browser code of a home is."""
SHARED: Final = PAGES / "js" / "shared"
PAGE_FOLDERS: Final = [PAGES / "js" / page for page in ("lobby", "table", "learn", "puzzles", "about", "operator")]
LANGUAGES: Final = ("es",)
"""English is what the code speaks."""


def phrases(home: Path) -> Iterator[SaidPhrase]:
    """Yield every call of ``Phrase`` in *home*, but for those in another home inside it."""
    for file in sorted(home.rglob("*.py")):
        if any(home < other and file.is_relative_to(other) for other in HOMES):
            continue
        yield from phrases_in(file, str(file.relative_to(ROOT)))


def browser_files(home: Path) -> list[Path]:
    """Return the browser code of *home* that is our own."""
    folder = BROWSER_CODE.get(home)
    return [] if folder is None else sorted(file for file in folder.rglob("*.js") if not file.match("vendor*"))


def browser_folders(home: Path) -> list[Path]:
    """Return the folders of the browser code of *home*: each has its own sentences, as pages load only some."""
    return sorted(
        {file.parent for file in browser_files(home) if TRANSLATED_CALL_PATTERN.search(file.read_text("utf-8"))}
    )


def browser_sentences(home: Path, folder: Path | None = None) -> Iterator[SaidPhrase]:
    """Yield every sentence of the browser code of *home*, or of one folder of it."""
    for file in browser_files(home):
        if folder not in (None, file.parent):
            continue
        yield from sentences_in(file, ROOT)


def gathered(home: Path) -> Catalog:
    """Return a catalogue of the phrases of *home*, without translations."""
    catalogue = Catalog(fuzzy=False)
    for said in (*phrases(home), *browser_sentences(home)):
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


def loaded_sentences(home: Path, folder: Path) -> set[str]:
    """Return the sentences of a folder; for a page's folder also the shared ones, so that it loads one file."""
    folders = {folder, SHARED} if folder in PAGE_FOLDERS else {folder}
    return {str(said.template) for each in folders for said in browser_sentences(home, each)}


def for_browser(home: Path, folder: Path, catalogue: Catalog) -> str:
    """Return the translations of a folder's sentences as JSON."""
    sentences = sorted(loaded_sentences(home, folder))
    translated = {sentence: message.string for sentence in sentences if (message := catalogue.get(sentence))}
    return json.dumps(translated, ensure_ascii=False, indent=0) + "\n"


def update(home: Path, language: str) -> list[str]:
    """Bring the catalogue of *home* up to date with the code, and compile it. Translations stay.

    Returns the sentences that have no translation.
    """
    catalogue = written(home, language)
    catalogue.update(gathered(home), no_fuzzy_matching=True, update_creation_date=False)
    with (home / f"messages.{language}.po").open("wb") as out:
        write_po(out, catalogue, width=116, omit_header=False, ignore_obsolete=True, include_lineno=False)
    (home / f"messages.{language}.mo").write_bytes(compiled(catalogue))
    for folder in browser_folders(home):
        (folder / f"messages.{language}.json").write_text(for_browser(home, folder, catalogue), "utf-8")
    return [str(message.id) for message in catalogue if message.id and not message.string]
