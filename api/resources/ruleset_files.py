"""Files of a ruleset for browsers: its ``web`` folder, and its translations as JSON."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from gettext import GNUTranslations
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from typing import Final

from api.language import ENGLISH, LANGUAGES, package_of
from engines.core.types import Json
from engines.ruleset import Ruleset

SUFFIXES: Final = frozenset((".css", ".js", ".json", ".svg"))
"""Endings of the files that are served."""
MODULE: Final = "board.js"
LOBBY: Final = "lobby/about.js"
ICON: Final = "icon.svg"
NO_TRANSLATIONS: Final = b"{}"
"""The catalogue of a ruleset that has none: a missing file would be an error in the console of its pages."""


def address(ruleset: Ruleset, path: str) -> str:
    """Return the URL path of a file of a ruleset."""
    return f"/static/rulesets/{ruleset.name}/{path}"


@cache
def files_of(ruleset: Ruleset) -> Mapping[str, bytes]:
    """Return the served files of a ruleset by path. The files are read only once."""
    package = package_of(ruleset)
    if package is None:
        return {}
    folder = files(package)
    found = {path: file.read_bytes() for path, file in _served_files(folder.joinpath("web"), PurePosixPath())}
    for language in LANGUAGES:
        compiled = folder.joinpath(f"messages.{language}.mo")
        if language != ENGLISH and found:
            translated = _translations(compiled) if compiled.is_file() else NO_TRANSLATIONS
            found.setdefault(f"messages.{language}.json", translated)
            found.setdefault(f"{PurePosixPath(LOBBY).parent}/messages.{language}.json", translated)
    return found


def picture(ruleset: Ruleset) -> Json | None:
    """Return the addresses of a ruleset's board module and its styles, or None if it has no board module.

    A table loads these styles. Those in subfolders are left to the modules beside them.
    """
    paths = files_of(ruleset)
    if MODULE not in paths:
        return None
    styles = [address(ruleset, path) for path in sorted(paths) if path.endswith(".css") and "/" not in path]
    return {"module": address(ruleset, MODULE), "styles": styles}


def address_if_any(ruleset: Ruleset, path: str) -> str | None:
    """Return the URL path of a file of a ruleset, or None if there is no such file."""
    return address(ruleset, path) if path in files_of(ruleset) else None


def _served_files(folder: Traversable, at: PurePosixPath) -> Iterator[tuple[str, Traversable]]:
    """Yield each served file below *folder*, with its path."""
    if folder.is_dir():
        for entry in folder.iterdir():
            path = at / entry.name
            if entry.is_dir():
                yield from _served_files(entry, path)
            elif path.suffix in SUFFIXES:
                yield str(path), entry


def _translations(compiled: Traversable) -> bytes:
    """Return a compiled catalogue as JSON: translation by English sentence."""
    with compiled.open("rb") as file:
        entries = GNUTranslations(file)._catalog  # type: ignore[attr-defined]  # noqa: SLF001  gettext can't list them
    return json.dumps({english: said for english, said in entries.items() if english}, ensure_ascii=False).encode()
