"""HTML documents that the server renders: the rules, and the page of unknown paths."""

from functools import cache
from string import Template
from typing import TYPE_CHECKING, Final

from api.language import translator
from engines.core.phrase import Phrase

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

HTML_MEDIA_TYPE: Final = "text/html"
HTML_SCHEMA: Final = {"type": "string", "description": "HTML"}
HOME_LINK_PHRASE: Final = Phrase("All games")
LESSONS_LINK_PHRASE: Final = Phrase("Learn to play")
DOCUMENT_TEMPLATE: Final = Template("""<!doctype html>
<html lang="$language">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>$title</title>
    <link rel="icon" href="/static/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/static/css/tokens.css">
$head  </head>
  <body>
$body
  </body>
</html>
""")
RULES_HEAD_HTML: Final = """    <link rel="stylesheet" href="/static/css/rules.css">
    <link rel="modulepreload" href="/static/js/vendor.js">
    <script type="module" src="/static/js/shared/rules.js"></script>
"""


def document(language: str, title: str, body: str, head: str = "") -> str:
    """Return an HTML document in *language*. *head* is added to the head that every document has."""
    return DOCUMENT_TEMPLATE.substitute(language=language, title=title, body=body, head=head)


def home_link(language: str) -> str:
    """Return a link to the lobby that looks like a button."""
    return f'<a class="button" href="/">{HOME_LINK_PHRASE.render(translator(language))}</a>'


@cache
def _markdown() -> "MarkdownIt":
    """Return the Markdown renderer. It shows HTML in a rules text as plain text."""
    from markdown_it import MarkdownIt  # noqa: PLC0415  servers start faster without it

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _render_markdown(text: str) -> str:
    """Return Markdown as HTML. Preformatted blocks can be focused, so that wide ones can be scrolled by keys."""
    return str(_markdown().render(text)).replace("<pre>", '<pre tabindex="0">')


@cache
def rules_document(text: str, title: str, language: str, name: str | None = None) -> str:
    """Return the HTML document of Markdown rules. *name* is the ruleset's name if it has lessons, else None."""
    lessons = (
        f'<a class="button" href="/learn?ruleset={name}">{LESSONS_LINK_PHRASE.render(translator(language))}</a>'
        if name
        else ""
    )
    navigation = f'<nav class="rules-head">{home_link(language)}{lessons}<span id="choices"></span></nav>'
    body = f'    {navigation}\n    <main class="rules" lang="{language}">\n{_render_markdown(text)}    </main>'
    return document(language, title, body, RULES_HEAD_HTML)
