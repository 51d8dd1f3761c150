"""Events: what happened, as each may know it; and signals, the one thing that players may say."""

from flask import Response

from api.contract import examples, requests
from api.contract.terms import ref
from api.http import auth
from api.http.auth import Access
from api.http.overload import run_exclusively_in_thread
from api.http.request_io import BEARER, Blueprint, answer
from api.http.services import services
from api.language import speaking
from api.problems.documents import BODY, READING, WRITING
from engines.core.types import Json
from engines.table import narration, table_json
from workers import turns

blp = Blueprint("events", __name__, url_prefix="/v1/games/<game_id>", description="What happened, and signals.")


@blp.route("/events")
@blp.doc(operationId="listEvents")
@auth.anyone
@blp.arguments(requests.EventsQuery, location="query")
@blp.response(
    200,
    ref("Events"),
    examples=examples.EVENTS,
)
@blp.refuses(*READING, "unreadable_past")
@run_exclusively_in_thread
def list_events(query: Json, access: Access) -> Response:
    """Tell what happened since a version, the deal included; hidden cards only to those who may know them.

    In order, each with the version that it belongs to, and with `text`, a sentence for you: a client can show the game
    from them alone.
    """
    stored = services().store.snapshots(access.table.id, query["after"], query.get("limit"))
    table, seat, speak = access.table, access.seat, speaking()
    shown = [
        {"version": snapshot.version, **narration.with_text(table, event.seen_by(seat), seat, speak)}
        for snapshot in stored
        for event in snapshot.events
    ]
    notes = {str(snapshot.version): snapshot.ai_note for snapshot in stored if snapshot.ai_note is not None}
    return answer({"events": shown, "ai_notes": notes})


@blp.route("/signals", methods=["POST"])
@blp.doc(operationId="signal", security=BEARER)
@auth.seat_only
@blp.arguments(requests.SignalIn, example={"signal": requests.SIGNALS[0]})
@blp.response(200, ref("Game"), examples=examples.SEEN)
@blp.refuses(*WRITING, *BODY, "illegal_action", "not_your_turn", "not_started", "game_over")
def signal(body: Json, access: Access) -> Response:
    """Give a signal: one of a few words, at the moments at which the ruleset allows it.

    One signal each; at any other time it is refused. `illegal_action` says so, with the ruling on signals as `rule`
    where the ruleset has one. In a ruleset without signals there is no such moment.
    """
    table, seat = access.table, access.own_seat
    after = turns.change(services().store, table, lambda table, now: table.signal(seat, body["signal"], now))
    return answer(table_json.resource(after, seat))
