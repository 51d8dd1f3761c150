"""The reader's language: the language that a request asks for, and the translation of every sentence into it.

A catalogue of translations lies in the folder of the package whose phrases it translates: ``messages.es.mo``, which
``make messages`` compiles from ``messages.es.po``. A ruleset has its own catalogue.
"""

from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from typing import Final

from flask import Response, request

from engines import RULESETS
from engines.core.phrase import Translator, english
from engines.ruleset import Ruleset

ENGLISH: Final = "en"
"""Language of the sentences in the code."""
LANGUAGES: Final = (ENGLISH, "es")
"""Supported languages. The first is the default."""


def package_of(ruleset: Ruleset) -> str | None:
    """Return the package with the texts of a ruleset, or None for a ruleset that is a single module without texts."""
    return type(ruleset).__module__.rpartition(".")[0] or None


PACKAGES: Final = ("api", "workers", "engines", *filter(None, map(package_of, RULESETS.values())))
"""The packages that may have a catalogue of translations."""


def negotiated_language() -> str:
    """Return the supported language that the request prefers, or the first of equally preferred languages.

    ``es-MX`` counts as ``es``, and ``*`` as any language that isn't named. If the request accepts no supported
    language, this is the default language.
    """
    if "HTTP_ACCEPT_LANGUAGE" not in request.environ:
        return LANGUAGES[0]
    named: dict[str, tuple[float, int]] = {}
    for place, (tag, quality) in enumerate(request.accept_languages):
        language = tag.partition("-")[0].lower()
        named[language] = max(named.get(language, (0.0, 0)), (quality, -place))
    others = named.get("*", (0.0, 0))
    best = max(LANGUAGES, key=lambda language: named.get(language, others))
    return best if named.get(best, others)[0] > 0 else LANGUAGES[0]


@cache
def translator(language: str) -> Translator:
    """Return the translator into *language*. A sentence without a translation stays English."""
    if language == LANGUAGES[0]:
        return english
    catalogues = NullTranslations()
    for package in PACKAGES:
        compiled = files(package).joinpath(f"messages.{language}.mo")
        if compiled.is_file():
            with compiled.open("rb") as file:
                catalogues.add_fallback(GNUTranslations(file))
    return catalogues.gettext


def current_translator() -> Translator:
    """Return the translator into the request's language."""
    return translator(negotiated_language())


def in_language(response: Response, language: str | None = None) -> Response:
    """Set ``Content-Language`` of *response*, by default to the negotiated language. Return *response*.

    ``caching.set_cache_headers`` adds ``Vary``.
    """
    response.headers["Content-Language"] = language or negotiated_language()
    return response
