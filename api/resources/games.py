"""Routes of games: create, read, join, start, hand over, abandon, play again."""

import secrets
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Final

import orjson
import structlog
from flask import Response, request

from api.contract import examples, operation_additions, requests
from api.contract.level_names import check_level
from api.contract.shared_schemas import ref
from api.http import auth, request_io
from api.http.auth import Access
from api.http.caching import NO_STORE_CACHE_CONTROL
from api.http.current_request import requesting_network
from api.http.overload import run_exclusively_in_thread, wait_for_news
from api.http.request_io import BEARER_SECURITY, Blueprint, JsonResponse, etag, json_response, with_present_notice
from api.http.services import services
from api.problems.documents import BODY_CODES, READ_CODES, STORE_CODES, WRITE_CODES
from api.problems.errors import NotFound
from api.resources.new_game import new_game
from engines.core.errors import StillRunning
from engines.core.phrase import Phrase
from engines.core.types import Json
from engines.table import table_json
from engines.table.seats import OPERATOR
from engines.table.table import ENDED, Change, Table
from workers import game_commands, rematch
from workers.ai_only_limit import check_ai_game_quota
from workers.feed import Subscription
from workers.storage.concurrent_work_limits import fairness_group
from workers.storage.keys import NEW_GAME_SCOPE
from workers.storage.tokens import HOST_HOLDER, INVITE_HOLDER, Token, digest

JOIN_SCOPE: Final = "join"
"""Part of the scope of Idempotency-Keys for joining. Scopes of actions have the seat's number in its place."""

log: Final = structlog.get_logger(__name__)

blp = Blueprint("games", __name__, url_prefix="/v1/games", description="Set up, look at, join and end games.")


@blp.route("", methods=["POST"])
@blp.doc(operationId="createGame", security=[])
@blp.arguments(
    requests.GameIn,
    examples=examples.NEW_GAME_REQUESTS,
)
@blp.arguments(requests.SecretKeyHeaders, location="headers")
@blp.response(
    201,
    ref("CreatedGame"),
    headers={
        "Location": operation_additions.LOCATION_HEADER_REFERENCE,
        "ETag": operation_additions.ETAG_HEADER_REFERENCE,
    },
    examples=examples.CREATED_GAMES,
)
@blp.refuses(
    *(*BODY_CODES, "bad_options", "bad_position", "bad_card"),
    *("commitment_gone", "key_reused", "in_progress", "too_many_games", *STORE_CODES),
)
def create(body: Json, headers: Json) -> Response:
    """Create a game.

    Only this response shows the tokens: one for each human seat, one for the host. The cards are dealt when no seat is
    open. A repeated request from your address with your Idempotency-Key returns the same tokens, so use a random key of
    22 characters or more, and keep it secret. Each address may have a limited number of running games in which only AIs
    play.
    """
    scope = f"{NEW_GAME_SCOPE}/{request.remote_addr}"
    key = request_io.idempotency_key(headers.get("idempotency_key"), scope, request_io.MIN_UNGUESSABLE_KEY_LENGTH)
    game_id = services().store.games.new_id(key)
    group, commitments = fairness_group(requesting_network()), services().store.commitments
    opening = new_game(body, game_id, group, _with_ai_only_limit, lambda promised: commitments.take(promised, key))
    text = headers.get("idempotency_key", "")
    nonce = secrets.token_hex(32)
    tokens = auth.derived_tokens(nonce, text, game_id, _holders(body["seats"], private=body["private"]))
    first = game_commands.create(
        services().store,
        opening,
        {holder: digest(token) for holder, token in tokens.items()},
        key=key,
        answer=lambda table: {"nonce": nonce, "game": table_json.resource(table, _own_seat(table))},
    )
    game = first["game"]
    # A repeated request gets the first response again, with its game and with the tokens derived from its nonce.
    tokens = auth.derived_tokens(first["nonce"], text, game["id"], _holders(game["seats"], private=body["private"]))
    headers = {
        "Location": f"/v1/games/{game['id']}",
        "ETag": etag(game["version"]),
        "Cache-Control": NO_STORE_CACHE_CONTROL,
    }
    return json_response(with_present_notice({**game, **_as_shown(tokens)}), 201, headers)


def _with_ai_only_limit(change: Change) -> Change:
    """Return *change*, or raise ``TooManyGames`` if the client has too many games in which only AIs play."""
    return check_ai_game_quota(services().store, requesting_network(), services().settings.limit_ai_games, change)


def _holders(seats: list[Json], *, private: bool) -> list[str]:
    """Return the holders of a new game's tokens: the numbers of its human seats, the host, and ``INVITE_HOLDER``.

    Only a private game with open seats has an invite.
    """
    own = [str(number) for number, seat in enumerate(seats) if seat["kind"] == "human"]
    invited = private and any(seat["kind"] == "open" for seat in seats)
    return [*own, HOST_HOLDER, *([INVITE_HOLDER] if invited else [])]


def _own_seat(table: Table) -> int | None:
    return next((number for number, seat in enumerate(table.seats) if seat.kind == "human"), None)


def _as_shown(tokens: dict[str, str]) -> Json:
    invite = {"invite": tokens[INVITE_HOLDER]} if INVITE_HOLDER in tokens else {}
    seats = {holder: token for holder, token in tokens.items() if holder in auth.SEAT_HOLDERS}
    return {"tokens": seats, "host_token": tokens[HOST_HOLDER], **invite}


@blp.route("")
@blp.doc(operationId="listGames", security=[])
@blp.arguments(requests.GamesQuery, location="query")
@blp.response(200, ref("Games"), example=examples.GAME_LIST)
@blp.refuses(*STORE_CODES)
@run_exclusively_in_thread
def list_games(query: Json) -> Response:
    """List the public games, newest first, as a spectator sees them.

    To get the next page, send this page's `next_cursor` as `cursor`. The last page has null as `next_cursor`.
    """
    tables, cursor = services().store.games.page(
        query.get("status"), query.get("ruleset"), query["limit"], query.get("cursor")
    )
    shown = [_shown_to_spectators(table) for table in tables]
    games = [orjson.Fragment(game) for game in shown if game is not None]
    return json_response({"games": games, "next_cursor": cursor})


def _shown_to_spectators(table: Table) -> bytes | None:
    """Return the game resource for spectators, or None if the ruleset can't show the position. That is logged."""
    try:
        return request_io.resource(table, None)
    except Exception as error:  # the border to an installed game: its code can raise anything
        log.exception("game_not_shown", game_id=table.id, ruleset=table.ruleset_name, exc_info=error)
        return None


@blp.route("/<game_id>")
@blp.doc(operationId="getGame", responses={"304": {"description": "The game is still at the version that you have."}})
@auth.any_viewer
@blp.arguments(requests.GameQuery, location="query")
@blp.arguments(requests.GameHeaders, location="headers")
@blp.response(
    200,
    ref("Game"),
    headers={"ETag": operation_additions.ETAG_HEADER_REFERENCE},
    examples=examples.GAMES_SEEN_BY_PLAYER,
)
@blp.refuses(*READ_CODES, "too_many_streams")
def show(query: Json, headers: Json, access: Access) -> Response:
    """Show the game as the bearer may see it.

    A seat sees its own cards. The host and spectators see public information. The `ETag` is the version. If it is sent
    as If-None-Match, the response is 304 while nothing has changed. With `wait` too, the response is sent as soon as
    something has changed, or as 304 after that time.
    """
    known = headers.get("if_none_match")
    table = _wait_for_change(access.table, known, query["wait"]) if query["wait"] else access.table
    tag = {"ETag": etag(table.version)}
    if request_io.etag_matches(table.version, known):
        return Response(status=304, headers=tag)
    return JsonResponse(request_io.resource(table, access.seat), headers=tag)


def _wait_for_change(table: Table, known: str | None, wait: float) -> Table:
    """Wait until the game has a version that *known* (``If-None-Match``) doesn't name, and return the game.

    After *wait* seconds without such a version, return the game as it is.
    """
    if not request_io.etag_matches(table.version, known):
        return table
    until = monotonic() + wait

    async def awaited(watch: Subscription) -> Table:
        shown = table
        while request_io.etag_matches(shown.version, known) and (update := await watch.next(until - monotonic())):
            shown = update.table
        return shown

    with services().feed.watch(table, table.version, requesting_network()) as watch:
        return wait_for_news(awaited(watch))


@blp.route("/<game_id>/views/<version>")
@blp.doc(operationId="getPastView")
@auth.any_viewer
@blp.arguments(requests.PastQuery, location="query")
@blp.response(200, ref("PastView"), examples=examples.PAST_VIEWS)
@blp.refuses(*READ_CODES, "not_found", "still_running", "unreadable_past")
@run_exclusively_in_thread
def show_past(query: Json, access: Access, version: str) -> Response:
    """Show the game as the bearer knew it at an earlier version.

    What became known later isn't shown. After the end, when the record is public, `seat` shows the view of another
    seat.
    """
    table = _past_table(access, version)
    return json_response({"version": table.version, "view": table.view(_viewpoint_seat(access, query.get("seat")))})


@blp.route("/<game_id>/positions/<version>")
@blp.doc(operationId="getPosition")
@auth.any_viewer
@blp.response(200, ref("PastPosition"), examples=examples.POSITIONS)
@blp.refuses(*READ_CODES, "not_found", "still_running", "unreadable_past")
@run_exclusively_in_thread
def show_position(access: Access, version: str) -> Response:
    """Show the whole position at a version of an ended game, including hidden cards.

    To play on from there, create a game with this `position`. Before the start the position is null.
    """
    if access.table.status not in ENDED:
        raise StillRunning(Phrase("A whole position is shown when the game has ended: until then cards are hidden."))
    table = _past_table(access, version)
    position = None if table.position is None else table.position.dump()
    return json_response({"version": table.version, "position": position})


def _past_table(access: Access, version: str) -> Table:
    """Return the game at a version. Raises ``NotFound``."""
    table = (
        services().store.history.table(access.table.id, int(version))
        if request_io.VERSION_PATTERN.fullmatch(version)
        else None
    )
    if table is None:
        raise NotFound(Phrase("The game has versions 0 to {last}.", last=access.table.version))
    return table


def _viewpoint_seat(access: Access, seat: int | None) -> int | None:
    """Return the seat whose view is shown: *seat*, or by default the bearer's seat (None for a spectator).

    Raises ``StillRunning`` for another seat of a running game, and ``NotFound`` if there is no such seat.
    """
    if seat is None or seat == access.seat:
        return access.seat
    if access.table.status not in ENDED:
        raise StillRunning(Phrase("What another seat saw is shown when the game has ended."))
    if seat >= len(access.table.seats):
        raise NotFound(Phrase("The table has seats 0 to {last}.", last=len(access.table.seats) - 1))
    return seat


@blp.route("/<game_id>", methods=["DELETE"])
@blp.doc(operationId="abandonGame", security=BEARER_SECURITY)
@auth.host_or_operator
@blp.response(200, ref("Game"), examples=examples.ABANDONED_GAMES)
@blp.refuses(*WRITE_CODES, "game_over")
def abandon(access: Access) -> Response:
    """End the game without an outcome. Only the host and the operator may do this.

    The game's status becomes `abandoned`, and its record becomes public. If the game is so faulty that it can't be
    shown, `view` is null in the response.
    """
    ended_by = OPERATOR if auth.is_operator() else None
    table = game_commands.change(services().store, access.table, partial(Table.abandon, by=ended_by))
    return JsonResponse(_shown_to_spectators(table) or request_io.resource(replace(table, position=None), None))


@blp.route("/<game_id>/join", methods=["POST"])
@blp.doc(operationId="joinGame")
@blp.arguments(requests.JoinIn, example={"name": "Ben", "client_seed": "nobody can foresee this"})
@blp.arguments(requests.SecretKeyHeaders, location="headers")
@blp.response(200, ref("JoinedGame"), examples=examples.JOINED_GAMES)
@blp.refuses(
    *READ_CODES, *BODY_CODES, "not_found", "seat_taken", "already_started", "game_over", "key_reused", "in_progress"
)
def join(body: Json, headers: Json, game_id: str) -> Response:
    """Take an open seat. The game starts when no seat is open.

    Only this response shows the seat's token. A private game requires its `invite`, or any of its tokens. A repeated
    request from your address with your Idempotency-Key returns the same seat and token, so use a random key of 22
    characters or more, and keep it secret.
    """
    game = auth.open_game(game_id, body["invite"]).table
    text, nonce = headers.get("idempotency_key"), secrets.token_hex(32)
    key = request_io.idempotency_key(
        text, f"{game.id}/{JOIN_SCOPE}/{request.remote_addr}", request_io.MIN_UNGUESSABLE_KEY_LENGTH
    )

    def token(seat: int, nonce: str) -> str:
        return auth.derived_tokens(nonce, text or "", game.id, [str(seat)])[str(seat)]

    def said(made: Change, before: Table) -> Json:
        seat = _taken_seat(before, made.table)
        return {"nonce": nonce, "game": {**table_json.resource(made.table, seat), "seat": seat}}

    def tokens(made: Change, before: Table) -> dict[str, str]:
        seat = _taken_seat(before, made.table)
        return {str(seat): digest(token(seat, nonce))}

    joined = game_commands.join(
        services().store,
        game,
        lambda table, now: table.join(body["seat"], body["name"], body["client_seed"] or "", now),
        game_commands.CommitOptions(said, key, tokens),
    )
    game, seat_token = joined["game"], token(joined["game"]["seat"], joined["nonce"])
    return json_response(with_present_notice({**game, "token": seat_token}))


def _taken_seat(before: Table, after: Table) -> int:
    return next(n for n, (was, now) in enumerate(zip(before.seats, after.seats, strict=True)) if was != now)


@blp.route("/<game_id>/start", methods=["POST"])
@blp.doc(operationId="startGame", security=BEARER_SECURITY)
@auth.host_only
@blp.arguments(requests.LevelIn, example={"level": "adept"})
@blp.response(200, ref("Game"), examples=examples.GAMES_SEEN_BY_HOST)
@blp.refuses(*WRITE_CODES, *BODY_CODES, "already_started", "game_over", "too_many_games")
def start(body: Json, access: Access) -> Response:
    """Give the open seats to AIs and deal. Only the host may do this.

    If AIs move first, they play at once. Their moves are in the game's events.
    """
    table = access.table
    check_level(table.ruleset, body["level"])
    after = game_commands.change(
        services().store, table, lambda table, now: _with_ai_only_limit(table.start(body["level"], now))
    )
    return JsonResponse(request_io.resource(after, None))


@blp.route("/<game_id>/seats/<int(fixed_digits=1):seat>/handover", methods=["POST"])
@blp.doc(operationId="handOver", security=BEARER_SECURITY)
@auth.path_seat_or_host
@blp.arguments(requests.LevelIn, example={"level": "adept"})
@blp.response(200, ref("Game"), examples=examples.HANDED_OVER_GAMES)
@blp.refuses(*WRITE_CODES, *BODY_CODES, "not_found", "not_started", "game_over", "too_many_games")
def hand_over(body: Json, access: Access, seat: int) -> Response:
    """Let an AI take over a seat. The seat's player and the host may do this.

    This can't be undone. The seat's token still reads the seat's view, but can't act any more.
    """
    table = access.table
    check_level(table.ruleset, body["level"])
    after = game_commands.change(
        services().store, table, lambda table, now: _with_ai_only_limit(table.hand_over(seat, body["level"], now))
    )
    return JsonResponse(request_io.resource(after, access.seat))


@blp.route("/<game_id>/next", methods=["POST"])
@blp.doc(operationId="nextGame", security=BEARER_SECURITY)
@auth.seat_only
@blp.arguments(requests.NextIn, required=False, example={"client_seed": "nobody can foresee this"})
@blp.response(200, ref("NextGame"), examples=examples.NEXT_GAMES)
@blp.doc(responses=operation_additions.NEXT_GAME_CREATED_RESPONSE)
@blp.refuses(
    *WRITE_CODES, *BODY_CODES, "commitment_gone", "still_running", "not_your_turn", "already_started", "game_over"
)
def next_game(body: Json, access: Access) -> Response:
    """Play again with the same seats. The first request creates the new game (201).

    The response to every request, also to a repeated one (200), has the new game and the token of your seat in it. AIs
    are seated at once. The cards are dealt when all people have asked. A new game that is ended before that is passed
    over: asking again leads to the next one. In a competitive game the seats move up by one. Options, privacy and the
    host's token stay. If the game is private and has seats for anybody, whoever creates it also gets an `invite`. The
    body may be left out. It counts when you are seated, not when you ask again. A `commitment` counts only if you
    create the game (201). The game's `commitment` shows which one was used.
    """
    wishes = rematch.RematchRequest(
        lambda path: Token.read(auth.next_token(path)),
        lambda path: Token.read(auth.next_invite(path)),
        body["client_seed"] or "",
        body["commitment"],
    )
    taken = rematch.create_or_join(services().store, access.table, access.own_seat, wishes)
    shown = with_present_notice(table_json.resource(taken.table, taken.seat))
    tokens = {"tokens": {str(taken.seat): auth.next_token(taken.path)}, **_invite_to_next(taken)}
    headers = {"Location": f"/v1/games/{taken.table.id}"}
    return json_response({**shown, **tokens}, 201 if taken.is_new else 200, headers)


def _invite_to_next(taken: rematch.Rematch) -> Json:
    """Return the invite to a private game with seats for anybody, if the request's sender has created the game."""
    if not taken.table.takes_invites:
        return {}
    invite = auth.next_invite(taken.path)
    _, holder, _ = services().store.games.load_for(taken.table.id, Token.read(invite))
    return {"invite": invite} if holder == INVITE_HOLDER else {}


@blp.route("/<game_id>/record")
@blp.doc(operationId="getRecord")
@auth.any_viewer
@blp.response(200, ref("GameRecord"), examples=examples.RECORDS)
@blp.refuses(*READ_CODES, "still_running", "unreadable_past")
@run_exclusively_in_thread
def record(access: Access) -> Response:
    """Show the record of an ended game: the secret seed, every action and every AI's seed.

    With the record anybody can deal the cards again, replay the game, and compare the seed with the `commitment`.
    """
    return json_response(table_json.record(access.table, services().store.history.record(access.table.id)))


@blp.route("/<game_id>/next")
@blp.doc(operationId="showNextGame")
@auth.any_viewer
@blp.response(200, ref("Rematch"), examples=examples.REMATCH_STATES)
@blp.refuses(*READ_CODES, "still_running")
def show_next(access: Access) -> Response:
    """Show which seats of an ended game have asked to play again.

    `id` is the next game's id, or null while nobody has asked. `asked` lists the seats of this game that have asked.
    """
    if access.table.status not in ENDED:
        raise StillRunning(Phrase("The next game begins when this one has ended."))
    following = rematch.find(services().store, access.table)
    return json_response({"id": None, "asked": []} if following is None else following._asdict())
