"""Acting: what a seat may do now, and doing it."""

from flask import Response

from api import auth, wire
from api.auth import Visit
from api.contract import examples, requests, responses
from api.resources.games import BODY, READING, WRITING
from api.wire import BEARER, Blueprint, answer, store
from engines.types import Json
from workers import turns

blp = Blueprint("actions", __name__, url_prefix="/v1/games/<game_id>", description="List what is legal, and act.")


@blp.route("/actions")
@blp.doc(operationId="listActions")
@auth.visiting
@blp.response(
    200,
    responses.ref("Actions"),
    examples=examples.LEGAL,
)
@blp.refuses(*READING)
def list_actions(visit: Visit) -> Response:
    """List everything that the bearer's seat may do now; nothing for a spectator.

    Each as an object and as text: either can be sent back to act. A seat that needn't act may be able to interrupt.
    """
    return answer({"version": visit.table.version, "actions": visit.table.legal(visit.seat)})


@blp.route("/actions", methods=["POST"])
@blp.doc(operationId="act", security=BEARER)
@auth.seated
@blp.arguments(
    requests.ActionIn,
    examples=examples.ACTIONS,
)
@blp.arguments(requests.ActQuery, location="query")
@blp.arguments(requests.ActHeaders, location="headers")
@blp.response(200, {"oneOf": [responses.ref("Turn"), responses.ref("Rehearsed")]}, examples=examples.TURNS)
@blp.refuses(
    *(*WRITING, *BODY, "bad_action", "bad_card", "not_your_turn", "illegal_action"),
    *("not_started", "game_over", "stale_version", "key_reused", "in_progress"),
)
def act(body: Json, query: Json, headers: Json, visit: Visit) -> Response:
    """Take a turn.

    The answer shows the table as your seat sees it and what happened, after it has been committed.
    Any action listed under `GET .../actions` is accepted.
    """
    game, seat = visit.table, visit.own_seat
    action = _action(body)
    expected = wire.expected_version(headers.get("if_match"), game.version)
    if query["dry_run"]:
        turns.rehearse(store(), game.id, seat, action, expected=expected, known=game)
        return answer({"legal": True})
    key = wire.idempotency_key(headers.get("idempotency_key"), f"{game.id}/{seat}")
    return answer(turns.take(store(), game.id, seat, action, expected=expected, key=key, known=game))


def _action(body: Json) -> object:
    """Return the text of ``{"text": "..."}``, or the action object that the body is."""
    text = body.get("text")
    return text if len(body) == 1 and isinstance(text, str) else body
