"""Streams: a live game as server-sent events or NDJSON, from one feed."""

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple

import orjson
from flask import Response, g

from api.contract import examples, requests
from api.contract.shared_schemas import ref
from api.http import auth, request_io
from api.http.auth import Access
from api.http.current_request import accepted_media_types, requesting_network
from api.http.request_io import Blueprint
from api.http.services import services
from api.language import current_translator
from api.problems.documents import READ_CODES
from engines.core.phrase import Translator
from engines.core.schemas import shape
from engines.core.types import Json
from engines.table import table_json
from engines.table.table import ENDED, Table
from workers.feed import Subscription
from workers.storage.errors import StorageUnavailable, UnreadablePast

blp = Blueprint("streams", __name__, url_prefix="/v1/games/<game_id>", description="Watch a game live.")


class StreamFormat(NamedTuple):
    """The format of a stream.

    ``message`` writes a message from its version and its JSON, ``notice`` writes the operator's notice from its JSON,
    and ``keep_alive`` is sent when there has been no message for some time.
    """

    message: Callable[[int, bytes], bytes]
    notice: Callable[[bytes], bytes]
    keep_alive: bytes


EVENTS: Final = "text/event-stream"
LINES: Final = "application/x-ndjson"
STREAM_FORMATS: Final = {
    EVENTS: StreamFormat(
        lambda version, text: b"id: %d\ndata: %b\n\n" % (version, text),
        lambda text: b"event: notice\ndata: %b\n\n" % text,
        b": nothing new\n\n",
    ),
    LINES: StreamFormat(lambda _version, text: text + b"\n", lambda text: text + b"\n", b"\n"),
}
"""Formats by media type. The first is the default."""

ONE: Final = {"anyOf": [ref("Message"), ref("Game"), ref("Notice")]}
LINE: Final = {
    **ONE,
    "description": "One line: first the game, then a message a version; an empty one is a keep-alive.",
}
EVENT: Final = shape(
    {
        "id": {"type": "string", "pattern": f"^({request_io.VERSION_PATTERN.pattern})$", "description": "the version"},
        "event": {"enum": ["message", "notice"], "description": "`notice`: the operator's, without an id"},
        "data": {"type": "string", "contentMediaType": "application/json", "contentSchema": ONE},
    },
    optional=("event", "id"),
    description="One server-sent event: first the game, then a message a version; a comment is a keep-alive.",
)
"""Schema of one server-sent event.

It stands in the contract as the schema of the whole response, because OpenAPI 3.1 has no place for that of an event.
"""


@blp.route("/stream")
@blp.doc(operationId="streamGame")
@auth.any_viewer
@blp.arguments(requests.StreamHeaders, location="headers")
@blp.doc(responses={200: {"content": {LINES: {"schema": LINE, "examples": examples.STREAM_MESSAGES}}}})
@blp.response(200, EVENT, content_type=EVENTS, examples=examples.SERVER_SENT_EVENTS)
@blp.refuses(*READ_CODES, "too_many_streams")
def stream(headers: Json, access: Access) -> Response:
    """Watch the game live, as the bearer may see it.

    The stream begins with a snapshot, the game resource. One `Message` per version follows, in order, until the version
    that ends the game. `Accept` selects server-sent events, whose `id` is the version, or lines of JSON
    (`application/x-ndjson`). With `Last-Event-ID` there is no snapshot, and the first message is of the next version.
    Every few seconds without a message a comment or an empty line is sent. Each change of the operator's notice is a
    message: an event `notice`, or a line `{"notice": ...}`. Sentences are in the language of the request.
    """
    known = _last_version(access.table, headers.get("last_event_id"))
    media_type = accepted_media_types().best_match(STREAM_FORMATS) or EVENTS
    after = access.table.version if known is None else known
    reader, pause = StreamViewer(access, current_translator()), services().settings.keep_alive_seconds
    watch = services().feed.watch(access.table, after, requesting_network())
    body = g.stream = StreamBody(watch, reader, STREAM_FORMATS[media_type], pause, is_new=known is None)
    handed_on: Any = body  # typed ``Any``: Flask passes the body, whose type it doesn't know, to the web server
    headers = {"X-Accel-Buffering": "no", "Vary": "Accept"}  # a proxy must not buffer the stream
    answer = Response(handed_on, headers=headers, mimetype=media_type, direct_passthrough=True)
    answer.call_on_close(body.close)
    return answer


def _close_unsent(error: BaseException | None) -> None:
    """Release the stream slot (a place in the limit of open streams) if an error is sent instead of the stream."""
    if error is not None and "stream" in g:
        g.stream.close()


blp.teardown_app_request(_close_unsent)


def _last_version(table: Table, last_event_id: str | None) -> int | None:
    """Return the version of ``Last-Event-ID``, or None if the game has no such version."""
    if last_event_id is None or not request_io.VERSION_PATTERN.fullmatch(last_event_id):
        return None
    version = int(last_event_id)
    return version if version <= table.version else None


class StreamViewer(NamedTuple):
    """The viewer of a stream, and the translator of its sentences."""

    access: Access
    translate: Translator


class StreamBody:
    """The body of a stream. It ends early if the store fails. A client then reconnects with the last id."""

    def __init__(
        self, watch: Subscription, reader: StreamViewer, form: StreamFormat, pause: float, *, is_new: bool
    ) -> None:
        self._watch = watch
        self._reader = reader
        self._form = form
        self._pause = pause
        self._is_new = is_new
        self._plain: Generator[bytes, None, None] | None = None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        watch, form, (access, translate) = self._watch, self._form, self._reader
        table, viewer = access.table, access.seat
        if self._is_new:
            shown = request_io.with_notice(table_json.resource(table, viewer), watch.notice)
            yield form.message(table.version, orjson.dumps(shown))
        else:
            watch.notice = None
        is_last = table.status in ENDED and watch.version == table.version
        with suppress(StorageUnavailable, UnreadablePast):
            while not is_last:
                update = await watch.next(self._pause)
                if update is None and watch.is_over:
                    return
                if watch.refresh_operator_notice():
                    yield form.notice(orjson.dumps({"notice": watch.notice}))
                elif update is None:
                    yield form.keep_alive
                if update is not None:
                    yield form.message(update.version, update.message(viewer, translate))
                    is_last = update.is_last

    def __iter__(self) -> Iterator[bytes]:
        """Yield what ``__aiter__`` yields, but for a plain WSGI server: one thread per stream, no event loop."""
        self._plain = self._without_a_loop()
        return self._plain

    def _without_a_loop(self) -> Generator[bytes, None, None]:
        with asyncio.Runner() as runner, self._watch:  # the loop closes after the subscription, which uses it
            texts = aiter(self)
            while (text := runner.run(_next(texts))) is not None:
                yield text

    def close(self) -> None:
        """Release the stream slot."""
        if self._plain is not None:
            self._plain.close()
        self._watch.close()


async def _next(texts: AsyncIterator[bytes]) -> bytes | None:
    return await anext(texts, None)
