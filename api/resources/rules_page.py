"""The rules as an HTML page: their Markdown in the style of the other pages."""

from functools import cache
from string import Template
from typing import Final

from markdown_it import MarkdownIt

HTML: Final = "text/html"
PAGE: Final = {"type": "string", "description": "HTML"}
MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable("table")
"""Markdown renderer that shows HTML in a rules text as text."""

HOME: Final = {"en": "All games", "es": "Todas las partidas"}
LEARN: Final = {"en": "Learn to play", "es": "Aprende a jugar"}
WHOLE: Final = Template("""<!doctype html>
<html lang="$language">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>$title</title>
    <link rel="icon" href="/static/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/static/css/table.css">
    <link rel="stylesheet" href="/static/css/rules.css">
    <link rel="modulepreload" href="/static/js/vendor.js">
    <script type="module" src="/static/js/shared/rules.js"></script>
  </head>
  <body>
    <nav class="rules-head"><a class="button" href="/">$home</a>$learn<span id="choices"></span></nav>
    <main class="rules" lang="$language">
$text    </main>
  </body>
</html>
""")


@cache
def page(text: str, title: str, language: str, name: str | None = None) -> str:
    """Return the HTML page of Markdown rules; *name* is a ruleset with lessons."""
    learn = f'<a class="button" href="/learn?ruleset={name}">{LEARN[language]}</a>' if name else ""
    return WHOLE.substitute(
        language=language, title=title, home=HOME[language], learn=learn, text=MARKDOWN.render(text)
    )
