"""Routes of the catalogue: the rulesets, their rules and lessons."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from flask import Response

from api.contract import requests
from api.contract.operation_additions import NOT_MODIFIED
from api.contract.shared_schemas import ref
from api.http.caching import vary
from api.http.compression import compress_static
from api.http.current_request import accepted_media_types
from api.http.request_io import Blueprint, json_response, run_in_thread
from api.language import (
    ENGLISH,
    LANGUAGES,
    current_translator,
    in_language,
    negotiated_language,
    package_of,
    translator,
)
from api.problems.errors import NoSuchRuleset
from api.resources.html_pages import HTML_MEDIA_TYPE, HTML_SCHEMA, rules_document
from api.resources.ruleset_files import ICON, LOBBY, address_if_any, picture
from engines import RULESETS
from engines.contract import suitable_level
from engines.core.phrase import Phrase, Translator, english, listed
from engines.core.schemas import one_of
from engines.core.types import Json
from engines.ruleset import Ruleset


def _lessons(ruleset: Ruleset, translate: Translator) -> list[Json]:
    return [
        {
            "name": lesson.name,
            "title": lesson.title.render(translate),
            "before": lesson.before.render(translate),
            "after": lesson.after.render(translate),
            "players": ruleset.load(lesson.position).players,
            "position": lesson.position,
            "solution": list(lesson.solution),
            **({"if_wrong": lesson.if_wrong.render(translate)} if lesson.if_wrong else {}),
        }
        for lesson in ruleset.lessons
    ]


def rules_of(ruleset: Ruleset, folder: Traversable | None, asked: str) -> tuple[str, str]:
    """Return the rules and their language: the file in language *asked*, else in English, else ``plain_rules()``."""
    for language in (asked, ENGLISH):
        if folder is None:
            break
        text = folder.joinpath(f"rules.{language}.md")
        if text.is_file():
            return text.read_text("utf-8"), language
    return ruleset.plain_rules(), ENGLISH


def _folder(ruleset: Ruleset) -> Traversable | None:
    package = package_of(ruleset)
    return None if package is None else files(package)


def _rules_introduction(ruleset: Ruleset) -> str:
    text, _ = rules_of(ruleset, _folder(ruleset), ENGLISH)
    return "\n\n".join(text.split("\n\n")[:2]) + "\n"


blp = Blueprint("rulesets", __name__, url_prefix="/v1/rulesets", description="Which games can be played.")

MARKDOWN_MEDIA_TYPE: Final = "text/markdown"


def as_json(ruleset: Ruleset, translate: Translator = english) -> Json:
    """Return everything that a client needs before it creates a game."""
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
        "scale": _scale(ruleset),
        "about": ruleset.about_phrase().render(translate),
        "picture": picture(ruleset),
        "lobby": address_if_any(ruleset, LOBBY),
        "icon": address_if_any(ruleset, ICON),
    }


def _scale(ruleset: Ruleset) -> Json | None:
    """Return the scale of the levels, with the ratings that suit each level. Return None if levels have no ratings."""
    offers = suitable_level.offers(ruleset.levels, ruleset.target_share, cooperative=ruleset.cooperative)
    if not offers:
        return None
    return {
        "unit": suitable_level.PERCENT if ruleset.cooperative else suitable_level.ELO,
        "target": ruleset.target_share,
        "offers": [{**offer._asdict(), "rating": ruleset.levels[offer.level].rating} for offer in offers],
    }


@blp.route("")
@blp.doc(operationId="listRulesets", security=[])
@blp.response(
    200,
    ref("Rulesets"),
    example={"rulesets": [as_json(ruleset) for ruleset in RULESETS.values()]},
)
@run_in_thread
def list_rulesets() -> Response:
    """List the rulesets.

    Each ruleset has everything needed to create a game. Its `name` goes into `POST /v1/games`.
    """
    translate = current_translator()
    return in_language(json_response({"rulesets": [as_json(ruleset, translate) for ruleset in RULESETS.values()]}))


@blp.route("/<name>")
@blp.doc(operationId="getRuleset", security=[])
@blp.response(
    200,
    ref("Ruleset"),
    examples={name: {"summary": ruleset.title, "value": as_json(ruleset)} for name, ruleset in RULESETS.items()},
)
@blp.refuses("no_such_ruleset")
@run_in_thread
def show_ruleset(name: str) -> Response:
    """Show one ruleset: its player counts, options, types of action and levels of AI.

    `options` is a JSON Schema. An option that a seat chooses for itself (`seat_options`) goes into that seat.
    """
    return in_language(json_response(as_json(_ruleset(name), current_translator())))


@blp.route("/<name>/rules")
@blp.doc(operationId="getRules", security=[], responses=NOT_MODIFIED)
@blp.doc(
    responses={
        200: {"content": {HTML_MEDIA_TYPE: {"schema": HTML_SCHEMA, "example": "<!doctype html>\n<h1>Regicide</h1>\n"}}}
    }
)
@blp.arguments(requests.RulesQuery, location="query")
@blp.response(
    200,
    {"type": "string"},
    content_type=MARKDOWN_MEDIA_TYPE,
    example=_rules_introduction(next(iter(RULESETS.values()))),
    headers={"Content-Language": {"description": "Of the text.", "schema": one_of(LANGUAGES)}},
)
@blp.refuses("no_such_ruleset")
@run_in_thread
def show_rules(query: Json, name: str) -> Response:
    """Show the rules and rulings, in English, or in Spanish if there is a Spanish text.

    `lang` or `Accept-Language` selects the language. The rules are Markdown, or HTML if `Accept` prefers `text/html`,
    as browsers do. The `rule` of a problem is the number of a ruling, such as R13.
    """
    ruleset = _ruleset(name)
    text, language = rules_of(ruleset, _folder(ruleset), query.get("lang") or negotiated_language())
    media_type = accepted_media_types().best_match((MARKDOWN_MEDIA_TYPE, HTML_MEDIA_TYPE), MARKDOWN_MEDIA_TYPE)
    if media_type == HTML_MEDIA_TYPE:
        text = rules_document(text, ruleset.title, language, name if ruleset.lessons else None)
    said = Response(text, content_type=f"{media_type}; charset=utf-8")
    vary(said, "Accept")
    return compress_static(in_language(said, language))


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
@run_in_thread
def list_lessons(name: str) -> Response:
    """List the lessons: small positions to learn the game by, the easiest first.

    Create a game from a `position`, with you at seat 0, and take the actions of the `solution` in order. The sentences
    `before` and `after` explain the position, in the language of `Accept-Language`.
    """
    ruleset = _ruleset(name)
    return in_language(json_response({"lessons": _lessons(ruleset, translator(negotiated_language()))}))


def _ruleset(name: str) -> Ruleset:
    ruleset = RULESETS.get(name)
    if ruleset is None:
        raise NoSuchRuleset(Phrase("There is no such ruleset: choose from {rulesets}.", rulesets=listed(RULESETS)))
    return ruleset
