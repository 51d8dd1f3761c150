"""Routes of the operator: how the server is, its games, and the notice that all tables show."""

import os
from typing import Any, Final

from flask import Response

from api.contract import examples, requests
from api.contract.shared_schemas import ref
from api.http import auth
from api.http.caching import OPERATOR_PATH
from api.http.overload import run_exclusively_in_thread
from api.http.request_io import BEARER_SECURITY, Blueprint, json_response
from api.http.services import services
from api.language import current_translator, in_language
from api.problems.documents import BODY_CODES, STORE_CODES
from engines.core.types import Json
from engines.table.table import STATUSES, Table
from workers import metrics_store, readiness
from workers.storage import queue
from workers.storage.errors import NoSuchGame, RulesetMissing, Unreadable
from workers.storage.store import Store

blp = Blueprint("operator", __name__, url_prefix=OPERATOR_PATH, description="For the operator of the server.")

MAX_LATEST_GAMES: Final = 50
"""Number of games that are listed."""
OPERATOR_CODES: Final = ("not_found", "no_token", "unknown_token", "wrong_token", *STORE_CODES)


@blp.route("")
@blp.doc(operationId="getOperator", security=BEARER_SECURITY)
@auth.operator_only
@blp.response(200, ref("Operator"), example=examples.OPERATOR_OVERVIEW)
@blp.refuses(*OPERATOR_CODES)
@run_exclusively_in_thread
def show_operator() -> Response:
    """Show the state of the server: games, load, queued AI turns, readiness, the notice.

    The response is 404 if the server has no operator's token (`REGICIDE_OPERATOR_TOKEN`).
    """
    own, translate = services(), current_translator()
    reasons = own.readiness.result()
    stopped = {reason.code for reason in reasons} & set(readiness.STOPPING_CODES)
    shown = {
        "games": _counts(own.store),
        "latest": [_game_row(table) for table in _latest(own.store)],
        "load": {"one_minute": os.getloadavg()[0], "processors": os.cpu_count() or 1},
        "ais_waiting": queue.depth(own.store.broker),
        "overdue": own.store.due_games.count_overdue(),
        "store": {"bytes": metrics_store.store_bytes(own.store)},
        "ready": not stopped,
        "reasons": [reason.as_json(translate) for reason in reasons],
        "banner": own.store.notice.read(),
    }
    return in_language(json_response(shown))


@blp.route("/banner", methods=["PUT"])
@blp.doc(operationId="putBanner", security=BEARER_SECURITY)
@auth.operator_only
@blp.arguments(requests.BannerIn, example={"text": "The server restarts at ten: games go on after it."})
@blp.response(200, ref("Banner"), example={"banner": "The server restarts at ten: games go on after it."})
@blp.refuses(*OPERATOR_CODES, *BODY_CODES)
def put_banner(body: Json) -> Response:
    """Set the notice that all tables show, or remove it with null.

    Tables get the notice as `notice` in the game resource and as a message of their streams.
    """
    own = services()
    own.store.notice.write(body["text"])
    own.feed.announce(body["text"])
    return json_response({"banner": body["text"]})


def _counts(store: Store) -> Json:
    """Return the number of games by ruleset and status."""
    counted = metrics_store.game_counts(store)
    rulesets = sorted({standing.partition("/")[0] for standing in counted})
    return {ruleset: {status: counted[f"{ruleset}/{status}"] for status in STATUSES} for ruleset in rulesets}


def _latest(store: Store) -> list[Table]:
    """Return the games that changed last, including private games. Unreadable games are left out."""
    ids = [game for partition in store.keys.all() for game in store.idle.newest(partition, STATUSES, MAX_LATEST_GAMES)]
    tables = list[Table]()
    for game_id in ids:
        try:
            tables.append(store.games.load(game_id))
        except (NoSuchGame, RulesetMissing, Unreadable):
            continue
    return sorted(tables, key=lambda table: table.updated, reverse=True)[:MAX_LATEST_GAMES]


def _game_row(table: Table) -> dict[str, Any]:
    return {
        "id": table.id,
        "ruleset": table.ruleset_name,
        "status": table.status,
        "version": table.version,
        "updated": table.updated,
        "seats": [seat.name or seat.kind for seat in table.seats],
    }
