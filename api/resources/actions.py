"""Routes of actions: list the legal ones, take one."""

from typing import Final

import orjson
from flask import Response

from api.contract import examples, requests
from api.contract.shared_schemas import ref
from api.http import auth, request_io
from api.http.auth import Access
from api.http.request_io import BEARER_SECURITY, Blueprint, JsonResponse, json_response
from api.http.services import services
from api.language import current_translator, negotiated_language, translator
from api.problems.documents import BODY_CODES, READ_CODES, WRITE_CODES
from engines.core.phrase import Phrase
from engines.core.types import Json
from engines.table import narration
from workers import event_sentences, game_commands
from workers.storage.errors import StaleVersion

NO_TAG_PHRASE: Final = Phrase(
    'If-Match names no version: write the version in quotes, such as "7", several with commas between them, or *.'
)

blp = Blueprint("actions", __name__, url_prefix="/v1/games/<game_id>", description="List what is legal, and act.")


@blp.route("/actions")
@blp.doc(operationId="listActions")
@auth.any_viewer
@blp.response(
    200,
    ref("Actions"),
    examples=examples.LEGAL_ACTIONS,
)
@blp.refuses(*READ_CODES)
def list_actions(access: Access) -> Response:
    """List the legal actions of the bearer's seat. A spectator has none.

    Each action is an object and a text, and either can be sent to act. `label` is the text of a button. A seat that
    isn't to move may be able to interrupt.
    """
    table, seat, language = access.table, access.seat, negotiated_language()

    def write() -> bytes:
        actions = narration.legal(table, seat, translator(language))
        return orjson.dumps({"version": table.version, "actions": actions})

    return JsonResponse(services().store.games.render_cached(table, ("actions", seat, language), write))


@blp.route("/actions", methods=["POST"])
@blp.doc(operationId="act", security=BEARER_SECURITY)
@auth.seat_to_act
@blp.arguments(
    requests.ActionIn,
    examples=examples.ACTION_REQUESTS,
)
@blp.arguments(requests.ActQuery, location="query")
@blp.arguments(requests.ActHeaders, location="headers")
@blp.response(200, {"oneOf": [ref("Turn"), ref("Rehearsed")]}, examples=examples.ACTION_RESPONSES)
@blp.refuses(
    *(*WRITE_CODES, *BODY_CODES, "bad_action", "bad_card", "not_your_turn", "illegal_action"),
    *("not_started", "game_over", "stale_version", "key_reused", "in_progress"),
)
def act(body: Json, query: Json, headers: Json, access: Access) -> Response:
    """Take an action.

    The response is sent after the action was committed. It shows the table and the events as your seat sees them. Any
    action listed under `GET .../actions` is accepted: its `action`, its `text`, or the whole entry. With `dry_run=true`
    nothing is changed. The response then shows what would certainly follow, as far as your seat knows.
    """
    expected = request_io.expected_version(headers.get("if_match"), access.table.version)
    try:
        return _act(body, query, headers, access, expected)
    except StaleVersion as stale:
        if expected == request_io.NO_TAG:
            raise StaleVersion(stale.version, NO_TAG_PHRASE) from stale
        if not access.is_cached or request_io.expected_version(headers.get("if_match"), stale.version) != stale.version:
            raise
        return _act(body, query, headers, access, stale.version)  # the list names it, the cached table is an older one


def _act(body: Json, query: Json, headers: Json, access: Access, expected: int | None) -> Response:
    """Take an action, or check it in a dry run. Raises ``StaleVersion`` unless the game is at *expected*."""
    game, seat = access.table, access.own_seat
    if query["dry_run"]:
        game_commands.check_action(services().store, game, seat, body, expected=expected)
        foreseen = narration.foreseen(game, seat, game.ruleset.read(body), current_translator())
        return json_response({"legal": True, **foreseen})
    key = request_io.idempotency_key(headers.get("idempotency_key"), f"{game.id}/{seat}")
    taken = game_commands.play_action(
        services().store, game, seat, body, expected=expected, key=key, from_cache=access.is_cached
    )
    return json_response({**taken, "events": _with_text(taken["events"], access)})


def _with_text(events: list[Json], access: Access) -> list[Json]:
    """Return events with sentences for the seat that acted."""
    table, seat, translate = access.table, access.own_seat, current_translator()
    return [event_sentences.with_text(table, event, seat, translate) for event in events]
