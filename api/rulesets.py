"""The catalogue: which games can be played, and what each of them knows."""

from flask import Response

from api import shapes
from api.errors import NoSuchRuleset
from api.wire import Blueprint, answer
from engines import RULESETS
from engines.opponents import LEVELS
from engines.ruleset import Json, Ruleset

blp = Blueprint("rulesets", __name__, url_prefix="/v1/rulesets", description="Which games can be played.")


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
    ruleset = RULESETS.get(name)
    if ruleset is None:
        raise NoSuchRuleset(f"There is no such ruleset: choose from {', '.join(RULESETS)}.")
    return answer(as_json(ruleset))
