"""The pages that are drawn in the browser: documents without text, which load styles and one script."""

import json
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Final

from api.resources.html_pages import document
from api.resources.ruleset_files import picture
from engines import RULESETS


def _installed_games() -> str:
    """Return what every page knows of the installed rulesets without a request, as JSON for an HTML attribute."""
    games = {
        ruleset.name: {"title": ruleset.title, "lessons": bool(ruleset.lessons), "picture": picture(ruleset)}
        for ruleset in RULESETS.values()
    }
    return escape(json.dumps(games, ensure_ascii=False, separators=(",", ":")), quote=False).replace("'", "&#39;")


@dataclass(frozen=True)
class BrowserPage:
    """The parts of a page that differ from page to page.

    Styles are names of files in ``web/css``, scripts are paths in ``web/js``, both without their ending.
    """

    title: str
    styles: tuple[str, ...]
    script: str
    preloaded: tuple[str, ...]
    """Scripts that ``script`` imports. The browser loads them at once, not one after the other."""
    without_javascript: str
    """HTML that is shown where JavaScript is switched off."""
    head: str = ""
    """HTML lines to be added to the head."""

    @cached_property
    def html(self) -> bytes:
        """The document, made once. Its language is English until the script sets another."""
        lines = [
            f"<meta name=\"games\" content='{_installed_games()}'>",
            '<link rel="manifest" href="/static/manifest.json">',
            *[f'<link rel="stylesheet" href="/static/css/{name}.css">' for name in self.styles],
            *self.head.splitlines(),
            *[f'<link rel="modulepreload" href="/static/js/{name}.js">' for name in ("vendor", *self.preloaded)],
            f'<script type="module" src="/static/js/{self.script}.js"></script>',
        ]
        head = "".join(f"    {line}\n" for line in lines)
        body = f'    <div id="page"></div>\n    <noscript>{self.without_javascript}</noscript>'
        return document("en", self.title, body, head).encode()


LOBBY: Final = BrowserPage(
    title="Regicide",
    styles=("invite", "lobby"),
    script="lobby/lobby",
    preloaded=("shared/i18n", "shared/client", "shared/games"),
    head='<meta name="description" content="Card games in the browser: against experts now, or with your friends.">',
    without_javascript="""
      <h1>Regicide</h1>
      <p>The tables need JavaScript. Without it: <a href="/docs/contract">the contract for programs</a>,
        <a href="/v1/rulesets">the games</a>, whose rules are at <code>/v1/rulesets/{name}/rules</code>,
        <a href="/v1/games">the public games</a>.</p>
    """,
)
TABLE: Final = BrowserPage(
    title="Regicide",
    styles=("table",),
    script="table/table",
    preloaded=(
        *("shared/saved", "shared/i18n", "shared/client", "table/state", "shared/cards", "table/keys", "table/log"),
        *("table/scenes", "table/action_panel", "table/top"),
    ),
    head="""\
<link rel="preload" href="/static/fonts/grenze-700.woff2" as="font" type="font/woff2" crossorigin>
<link rel="preload" href="/static/fonts/cabin-400.woff2" as="font" type="font/woff2" crossorigin>
<link rel="preload" href="/static/pictures/cards.svg" as="fetch" crossorigin>""",
    without_javascript="""This table needs JavaScript. Without it, <a href="/docs/contract">the contract</a> says how a
      program plays.""",
)
LESSONS: Final = BrowserPage(
    title="Learn to play",
    styles=("lobby",),
    script="learn/learn",
    preloaded=("shared/i18n", "shared/client", "shared/games", "learn/lesson_progress"),
    without_javascript="""The lessons need JavaScript. Without it: <a href="/v1/rulesets">the games</a>, whose rules are
      at <code>/v1/rulesets/{name}/rules</code>.""",
)
PUZZLES: Final = BrowserPage(
    title="Puzzles",
    styles=("lobby",),
    script="puzzles/list",
    preloaded=("shared/i18n", "shared/client", "shared/games", "puzzles/puzzles"),
    without_javascript='The puzzles need JavaScript. Without it: <a href="/v1/puzzles">the puzzles for programs</a>.',
)
ABOUT: Final = BrowserPage(
    title="About",
    styles=("lobby",),
    script="about/about",
    preloaded=("shared/i18n",),
    without_javascript="""Licences: <a href="/static/licences/OFL-Grenze.txt">Grenze</a>,
      <a href="/static/licences/OFL-Cabin.txt">Cabin</a>,
      <a href="/static/licences/CC-BY-3.0-game-icons.txt">icons</a>.""",
)
OPERATOR: Final = BrowserPage(
    title="Operator",
    styles=("lobby", "operator"),
    script="operator/operator",
    preloaded=("shared/i18n", "shared/client"),
    head='<meta name="robots" content="noindex">',
    without_javascript="""This page needs JavaScript. Without it: <code>regicide games</code>,
      <code>regicide close</code> and <code>regicide banner</code> on the server's machine, or
      <a href="/docs/contract">the operator's routes</a>.""",
)
