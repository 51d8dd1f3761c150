"""The catalogue: which games can be played, and what each of them knows."""

from functools import cache
from importlib.resources import files
from typing import Final

from flask import Response, request

from api import shapes
from api.errors import NoSuchRuleset
from api.wire import Blueprint, answer
from engines import RULESETS
from engines.opponents import LEVELS
from engines.ruleset import Json, Ruleset

blp = Blueprint("rulesets", __name__, url_prefix="/v1/rulesets", description="Which games can be played.")

MARKDOWN: Final = "text/markdown"
LANGUAGES: Final = ("en", "es")


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
        "levels": list(LEVELS),
    }


@blp.route("")
@blp.doc(operationId="listRulesets", security=[])
@blp.response(200, shapes.ref("Rulesets"))
@blp.refuses("not_acceptable")
def list_rulesets() -> Response:
    """List the rulesets."""
    return answer({"rulesets": [as_json(ruleset) for ruleset in RULESETS.values()]})


@blp.route("/<name>")
@blp.doc(operationId="getRuleset", security=[])
@blp.response(200, shapes.ref("Ruleset"))
@blp.refuses("no_such_ruleset", "not_acceptable")
def show_ruleset(name: str) -> Response:
    """Show one ruleset: its player counts, options, types of action and levels of AI."""
    return answer(as_json(_named(name)))


@blp.route("/<name>/rules")
@blp.doc(operationId="getRules", security=[])
@blp.response(
    200,
    {"type": "string"},
    content_type=MARKDOWN,
    headers={"Content-Language": {"schema": {"type": "string", "enum": list(LANGUAGES)}}},
)
@blp.refuses("no_such_ruleset", "not_acceptable")
def show_rules(name: str) -> Response:
    """Show the rules and our rulings as Markdown, in English or, by `Accept-Language`, in Spanish."""
    wanted = [tag.partition("-")[0].lower() for tag in request.accept_languages.values()]  # the dearest first
    language = next((tag for tag in wanted if tag in LANGUAGES), LANGUAGES[0])
    headers = {"Content-Language": language, "Vary": "Accept-Language"}
    return Response(_rules(_named(name), language), headers=headers, content_type=f"{MARKDOWN}; charset=utf-8")


def _named(name: str) -> Ruleset:
    ruleset = RULESETS.get(name)
    if ruleset is None:
        raise NoSuchRuleset(f"There is no such ruleset: choose from {', '.join(RULESETS)}.")
    return ruleset


@cache
def _rules(ruleset: Ruleset, language: str) -> str:
    """Read the text that lies in the ruleset's folder."""
    folder = files(type(ruleset).__module__.rpartition(".")[0])
    return folder.joinpath(f"rules.{language}.md").read_text("utf-8")
