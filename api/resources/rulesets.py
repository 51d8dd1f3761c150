"""The catalogue: which games can be played, and what each of them knows."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from flask import Response, request

from api.contract import requests
from api.contract.operations import UNCHANGED
from api.contract.terms import ref
from api.http.caching import vary
from api.http.compression import unchanging
from api.http.request_io import Blueprint, answer, aside
from api.language import ENGLISH, LANGUAGES, in_language, package_of, tongue, wanted
from api.problems.errors import NoSuchRuleset
from api.resources.rules_page import HTML, PAGE, page
from engines import RULESETS
from engines.core.phrase import Phrase, Translator, english, listed
from engines.core.schemas import one_of
from engines.core.types import Json
from engines.ruleset import Ruleset


def _lessons(ruleset: Ruleset, speak: Translator) -> list[Json]:
    return [
        {
            "name": lesson.name,
            "title": lesson.title.render(speak),
            "before": lesson.before.render(speak),
            "after": lesson.after.render(speak),
            "position": lesson.position,
            "solution": list(lesson.solution),
        }
        for lesson in ruleset.lessons
    ]


def rules_of(ruleset: Ruleset, folder: Traversable, asked: str) -> tuple[str, str]:
    """Return the rules and their language: the text that lies in *folder*, else the English one, else plain words."""
    for language in (asked, ENGLISH):
        text = folder.joinpath(f"rules.{language}.md")
        if text.is_file():
            return text.read_text("utf-8"), language
    return ruleset.plain_rules(), ENGLISH


def _opening_of_rules(ruleset: Ruleset) -> str:
    text, _ = rules_of(ruleset, files(package_of(ruleset)), ENGLISH)
    return "\n\n".join(text.split("\n\n")[:2]) + "\n"


blp = Blueprint("rulesets", __name__, url_prefix="/v1/rulesets", description="Which games can be played.")

MARKDOWN: Final = "text/markdown"


def as_json(ruleset: Ruleset) -> Json:
    """Return what there is to know before a game."""
    return {
        "name": ruleset.name,
        "title": ruleset.title,
        "players": list(ruleset.player_counts),
        "cooperative": ruleset.cooperative,
        "options": ruleset.options,
        "seat_options": list(ruleset.seat_options),
        "actions": list(ruleset.action_types),
        "levels": list(ruleset.levels),
        "ratings": {name: level.rating for name, level in ruleset.levels.items() if level.rating is not None},
    }


@blp.route("")
@blp.doc(operationId="listRulesets", security=[])
@blp.response(
    200,
    ref("Rulesets"),
    example={"rulesets": [as_json(ruleset) for ruleset in RULESETS.values()]},
)
@aside
def list_rulesets() -> Response:
    """List the rulesets.

    Each with what there is to know before a game: `name` goes into `POST /v1/games`.
    """
    return answer({"rulesets": [as_json(ruleset) for ruleset in RULESETS.values()]})


@blp.route("/<name>")
@blp.doc(operationId="getRuleset", security=[])
@blp.response(
    200,
    ref("Ruleset"),
    examples={name: {"summary": ruleset.title, "value": as_json(ruleset)} for name, ruleset in RULESETS.items()},
)
@blp.refuses("no_such_ruleset")
@aside
def show_ruleset(name: str) -> Response:
    """Show one ruleset: its player counts, options, types of action and levels of AI.

    `options` is a JSON Schema; what a seat may ask for by itself (`seat_options`) goes into its seat.
    """
    return answer(as_json(_named(name)))


@blp.route("/<name>/rules")
@blp.doc(operationId="getRules", security=[], responses=UNCHANGED)
@blp.doc(responses={200: {"content": {HTML: {"schema": PAGE, "example": "<!doctype html>\n<h1>Regicide</h1>\n"}}}})
@blp.arguments(requests.RulesQuery, location="query")
@blp.response(
    200,
    {"type": "string"},
    content_type=MARKDOWN,
    example=_opening_of_rules(next(iter(RULESETS.values()))),
    headers={"Content-Language": {"description": "Of the text.", "schema": one_of(LANGUAGES)}},
)
@blp.refuses("no_such_ruleset")
@aside
def show_rules(query: Json, name: str) -> Response:
    """Show the rules and our rulings, in English or, by `Accept-Language` or `lang`, in Spanish if there is a text.

    They are Markdown, or a page if `Accept` would rather have `text/html`, as a browser's does. A ruling's
    number, as in R13, is what problems name as `rule`.
    """
    ruleset = _named(name)
    text, language = rules_of(ruleset, files(package_of(ruleset)), query.get("lang") or wanted())
    media_type = request.accept_mimetypes.best_match((MARKDOWN, HTML), MARKDOWN)
    if media_type == HTML:
        text = page(text, ruleset.title, language, name if ruleset.lessons else None)
    said = Response(text, content_type=f"{media_type}; charset=utf-8")
    vary(said, "Accept")
    return unchanging(in_language(said, language))


@blp.route("/<name>/lessons")
@blp.doc(operationId="listLessons", security=[])
@blp.response(
    200,
    ref("Lessons"),
    examples={
        name: {"summary": ruleset.title, "value": {"lessons": _lessons(ruleset, english)[:1]}}
        for name, ruleset in RULESETS.items()
    },
)
@blp.refuses("no_such_ruleset")
@aside
def list_lessons(name: str) -> Response:
    """List small positions to learn the game by, the easiest first.

    Begin a game from a `position`, you at seat 0, and take the actions of the `solution` in turn. The sentences
    `before` and `after` say what there is to see, in the language of `Accept-Language`.
    """
    ruleset = _named(name)
    return in_language(answer({"lessons": _lessons(ruleset, tongue(wanted()))}))


def _named(name: str) -> Ruleset:
    ruleset = RULESETS.get(name)
    if ruleset is None:
        raise NoSuchRuleset(Phrase("There is no such ruleset: choose from {rulesets}.", rulesets=listed(RULESETS)))
    return ruleset
