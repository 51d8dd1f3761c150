"""Watching a game live: server-sent events and NDJSON, two forms of one feed."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import orjson
from flask import Response, current_app, request

from api import auth, schemas, wire
from api.auth import Visit
from api.games import READING
from api.wire import Blueprint, feed
from engines.ruleset import Json
from engines.table import Table
from workers.errors import StorageUnavailable
from workers.feed import Watch
from workers.moments import ENDED

blp = Blueprint("streams", __name__, url_prefix="/v1/games/<game_id>", description="Watch a game live.")


class Form(NamedTuple):
    """How messages, each of a version and JSON, are written one after the other."""

    message: Callable[[int, bytes], bytes]
    keep_alive: bytes


EVENTS: Final = "text/event-stream"
LINES: Final = "application/x-ndjson"
FORMS: Final = {
    EVENTS: Form(lambda version, text: b"id: %d\ndata: %b\n\n" % (version, text), b": nothing new\n\n"),
    LINES: Form(lambda _version, text: text + b"\n", b"\n"),
}
"""By media type; the first is for whoever takes either."""

MESSAGE = {
    "version": 8,
    "events": [{"type": "played", "seat": 0, "cards": ["5C"]}],
    "view": {"ruleset": "regicide"},
    "to_act": [1],
    "may_act": [],
    "status": "active",
}


@blp.route("/stream")
@blp.doc(operationId="streamGame")
@auth.visiting
@blp.arguments(schemas.StreamHeaders, location="headers")
@blp.response(200, {"type": "string"}, content_type=EVENTS)
@blp.refuses(*READING, "too_many_streams")
def stream(headers: Json, visit: Visit) -> Response:
    """Watch the game live, as the bearer may know it.

    First a snapshot, the game resource; then one `Message` a version, in order, until the version that ends the game.
    By `Accept` they are server-sent events, whose `id` is the version, or lines of JSON (`application/x-ndjson`). With
    `Last-Event-ID` there is no snapshot: the first message is of the version after that one. Every few seconds without
    a message there is a comment, or an empty line.
    """
    known = _version_of(visit.table, headers.get("last_event_id"))
    media_type = request.accept_mimetypes.best_match(FORMS) or EVENTS
    watch = feed().watch(visit.table, visit.table.version if known is None else known)
    answer = Response(
        _written(watch, visit, FORMS[media_type], current_app.extensions["keep_alive"], is_new=known is None),
        mimetype=media_type,
        headers={"X-Accel-Buffering": "no"},  # a proxy before us shall pass on what there is
    )
    answer.call_on_close(watch.close)
    return answer


def _version_of(table: Table, last_event_id: str | None) -> int | None:
    """Return the version that a reader has already; None if it is no version of this game."""
    if last_event_id is None or not wire.VERSION.fullmatch(last_event_id):
        return None
    version = int(last_event_id)
    return version if version <= table.version else None


def _written(watch: Watch, visit: Visit, form: Form, pause: float, *, is_new: bool) -> Iterator[bytes]:
    """Yield everything that is sent. Whoever is cut off, by us or by the storage, comes again with the last id."""
    table = visit.table
    if is_new:
        yield form.message(table.version, orjson.dumps(table.resource(visit.seat)))
    is_over = table.status in ENDED and watch.version == table.version
    try:
        while not is_over:
            moment = watch.next(pause)
            if moment is not None:
                yield form.message(moment.version, moment.message(visit.seat))
                is_over = moment.is_last
            elif watch.is_over:
                return
            else:
                yield form.keep_alive
    except StorageUnavailable:
        return
