"""Actions: what a seat may do now, and doing it."""

import orjson
from flask import Response

from api.contract import examples, requests
from api.contract.terms import ref
from api.http import auth, request_io
from api.http.auth import Access
from api.http.request_io import BEARER, Blueprint, answer
from api.http.services import services
from api.language import speaking, tongue, wanted
from api.problems.documents import BODY, READING, WRITING
from engines.core.types import Json
from engines.table import narration
from workers import turns

blp = Blueprint("actions", __name__, url_prefix="/v1/games/<game_id>", description="List what is legal, and act.")


@blp.route("/actions")
@blp.doc(operationId="listActions")
@auth.anyone
@blp.response(
    200,
    ref("Actions"),
    examples=examples.LEGAL,
)
@blp.refuses(*READING)
def list_actions(access: Access) -> Response:
    """List everything that the bearer's seat may do now; nothing for a spectator.

    Each as an object and as text: either can be sent back to act; `label` is what a button would say. A seat that
    needn't act may be able to interrupt.
    """
    table, seat, language = access.table, access.seat, wanted()

    def write() -> bytes:
        actions = narration.legal(table, seat, tongue(language))
        return orjson.dumps({"version": table.version, "actions": actions})

    return Response(
        services().store.games.render_cached(table, ("actions", seat, language), write), mimetype=request_io.JSON
    )


@blp.route("/actions", methods=["POST"])
@blp.doc(operationId="act", security=BEARER)
@auth.seat_to_act
@blp.arguments(
    requests.ActionIn,
    examples=examples.ACTIONS,
)
@blp.arguments(requests.ActQuery, location="query")
@blp.arguments(requests.ActHeaders, location="headers")
@blp.response(200, {"oneOf": [ref("Turn"), ref("Rehearsed")]}, examples=examples.TURNS)
@blp.refuses(
    *(*WRITING, *BODY, "bad_action", "bad_card", "not_your_turn", "illegal_action"),
    *("not_started", "game_over", "stale_version", "key_reused", "in_progress"),
)
def act(body: Json, query: Json, headers: Json, access: Access) -> Response:
    """Take a turn.

    The answer shows the table as your seat sees it and what happened, after it has been committed.
    Any action listed under `GET .../actions` is accepted: its `action`, its `text`, or the whole entry. With
    `dry_run=true` nothing happens: the answer says what would follow for sure, by what your seat knows.
    """
    game, seat = access.table, access.own_seat
    expected = request_io.expected_version(headers.get("if_match"), game.version)
    if query["dry_run"]:
        turns.check_action(services().store, game, seat, body, expected=expected)
        foreseen = narration.foreseen(game, seat, game.ruleset.read(body), speaking())
        return answer({"legal": True, **foreseen})
    key = request_io.idempotency_key(headers.get("idempotency_key"), f"{game.id}/{seat}")
    taken = turns.play_action(services().store, game, seat, body, expected=expected, key=key, from_cache=access.guessed)
    return answer({**taken, "events": _in_words(taken["events"], access)})


def _in_words(events: list[Json], access: Access) -> list[Json]:
    """Return events with what happened as sentences, to who acted."""
    speak = speaking()
    return [narration.told(access.table, event, access.own_seat, speak) for event in events]
