"""Routes of events and signals. A signal is the only message between players."""

from flask import Response

from api.contract import examples, requests
from api.contract.shared_schemas import ref
from api.http import auth, request_io
from api.http.auth import Access
from api.http.overload import run_exclusively_in_thread
from api.http.request_io import BEARER_SECURITY, Blueprint, JsonResponse, json_response
from api.http.services import services
from api.language import current_translator
from api.problems.documents import BODY_CODES, READ_CODES, WRITE_CODES
from engines.core.types import Json
from workers import event_sentences, game_commands

blp = Blueprint("events", __name__, url_prefix="/v1/games/<game_id>", description="What happened, and signals.")


@blp.route("/events")
@blp.doc(operationId="listEvents")
@auth.any_viewer
@blp.arguments(requests.EventsQuery, location="query")
@blp.response(
    200,
    ref("Events"),
    examples=examples.EVENTS,
)
@blp.refuses(*READ_CODES, "unreadable_past")
@run_exclusively_in_thread
def list_events(query: Json, access: Access) -> Response:
    """List the events since a version, including the deal. Hidden cards are shown only to seats that may see them.

    The events are in order, each with its version and a sentence, `text`. A client can show the game from events alone.
    """
    stored = services().store.history.snapshots(access.table.id, query["after"], query.get("limit"))
    table, seat, translate = access.table, access.seat, current_translator()
    shown = [
        {"version": snapshot.version, **event_sentences.with_text(table, event.seen_by(seat), seat, translate)}
        for snapshot in stored
        for event in snapshot.events
    ]
    notes = {str(snapshot.version): snapshot.ai_note for snapshot in stored if snapshot.ai_note is not None}
    return json_response({"events": shown, "ai_notes": notes})


@blp.route("/signals", methods=["POST"])
@blp.doc(operationId="signal", security=BEARER_SECURITY)
@auth.seat_only
@blp.arguments(requests.SignalIn, example={"signal": requests.SIGNALS[0]})
@blp.response(200, ref("Game"), examples=examples.GAMES_SEEN_BY_PLAYER)
@blp.refuses(*WRITE_CODES, *BODY_CODES, "illegal_action", "not_your_turn", "not_started", "game_over")
def signal(body: Json, access: Access) -> Response:
    """Give a signal, one of a few words, when the ruleset allows it.

    Each player may give one signal. At any other time a signal is refused as `illegal_action`, with the ruling on
    signals as `rule` if the ruleset has one. A ruleset without signals always refuses it.
    """
    table, seat = access.table, access.own_seat
    after = game_commands.change(services().store, table, lambda table, now: table.signal(seat, body["signal"], now))
    return JsonResponse(request_io.resource(after, seat))
