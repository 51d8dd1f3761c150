"""Bearer tokens. A token is opaque and belongs to one seat or to the host of one game, or to a job."""

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, Final, cast

from flask import Response
from werkzeug.exceptions import HTTPException

from api.http.current_request import MAX_CACHED_HEADER_LENGTH, current_request, request_notes
from api.http.request_io import View
from api.http.services import services
from api.problems.errors import HttpRefusal, NotFound, NoToken, UnknownToken, WrongToken
from engines import RULESETS
from engines.core.phrase import Phrase
from engines.table.table import Table
from workers.storage.errors import NoSuchGame, NoSuchJob, RulesetMissing
from workers.storage.keys import ID_PATTERN
from workers.storage.tasks import Task
from workers.storage.tokens import HOST_HOLDER, INVITE_HOLDER, Token, digest

TOKEN_PREFIXES: Final = {HOST_HOLDER: "rh_", INVITE_HOLDER: "ri_"}
SEAT_PREFIX: Final = "rs_"
JOB_PREFIX: Final = "rj_"
SEAT_HOLDERS: Final = frozenset(
    str(seat) for ruleset in RULESETS.values() for seat in range(max(ruleset.player_counts))
)
OTHER_SCHEME_PHRASE: Final = Phrase(
    "Tokens are sent as `Authorization: Bearer ...`: this header has another scheme, or none."
)
NO_SUCH_GAME_PHRASE: Final = Phrase("There is no game of this id, or it is private and you have no token of it.")


Check = Callable[["Access", Mapping[str, Any]], None]
"""Function that raises a refusal if an access isn't permitted.

Its second argument has the parameters of the path except ``game_id``.
"""


@dataclass(frozen=True)
class Access:
    """The game that a request is about, and the holder whose token the request has."""

    table: Table
    holder: str | None
    """The seat's number as text, ``"host"``, or None for a spectator without a token."""
    is_cached: bool = False
    """True if the game comes from this process's cache and is not confirmed by the store (``Games.cached``)."""

    @property
    def seat(self) -> int | None:
        """The seat whose hand the holder may see, or None for the host and spectators."""
        return int(self.holder) if self.holder in SEAT_HOLDERS else None

    @property
    def own_seat(self) -> int:
        """The holder's seat. Only routes with ``seat_only`` or ``seat_to_act`` may read this."""
        return int(str(self.holder))


def new_job_token(job_id: str) -> str:
    """Return a token of 256 random bits for a job that belongs to no seat."""
    return format_token(JOB_PREFIX, job_id, secrets.token_bytes(32))


def derived_tokens(nonce: str, key: str, game_id: str, holders: Iterable[str]) -> dict[str, str]:
    """Return a token by holder, derived from the random *nonce* (hexadecimal) and the Idempotency-Key *key*.

    A holder is a seat's number as text, ``"host"`` or ``"invite"``.

    The store keeps the nonce and a hash of the key. Therefore the store's contents alone do not reveal the tokens.
    """
    secret = bytes.fromhex(nonce)
    return {
        holder: format_token(TOKEN_PREFIXES.get(holder, SEAT_PREFIX), game_id, _derive_key(secret, f"{key}/{holder}"))
        for holder in holders
    }


def next_token(path: Sequence[str]) -> str:
    """Return the sender's token in the last game of *path*, next games that follow each other from the request's game.

    The token of each game is derived from that of the game before, the first from the token of the request.
    """
    token = _sent_token()
    for game_id in path:
        token = format_token(SEAT_PREFIX, game_id, _derive_key(token.encode(), f"next/{game_id}"))
    return token


def next_invite(path: Sequence[str]) -> str:
    """Return the invite to the last game of *path* if the sender creates it, derived from the token of the game before.

    *path* is that of ``next_token``.
    """
    bits = _derive_key(next_token(path[:-1]).encode(), f"invite/{path[-1]}")
    return format_token(TOKEN_PREFIXES[INVITE_HOLDER], path[-1], bits)


def _sent_token() -> str:
    return current_request().headers["Authorization"].partition(" ")[2].strip()


def format_token(prefix: str, owner: str, bits: bytes) -> str:
    """Return a 256-bit token as text, with the id of its game or job."""
    return f"{prefix}{owner}_{urlsafe_b64encode(bits).decode().rstrip('=')}"


def _derive_key(secret: bytes, text: str) -> bytes:
    return hmac.digest(secret, text.encode(), "sha256")


def bearer() -> Token | None:
    """Return the request's bearer token, or None without ``Authorization``. Raises ``UnknownToken``.

    Another authentication scheme is refused before any game or job is looked up.
    """
    token = bearer_if_any()
    if token is None and "HTTP_AUTHORIZATION" in current_request().environ:
        raise UnknownToken(OTHER_SCHEME_PHRASE)
    return token


def bearer_if_any() -> Token | None:
    """Return the request's bearer token, or None if ``Authorization`` has no bearer token."""
    header = current_request().environ.get("HTTP_AUTHORIZATION")
    if header is None:
        return None
    return _cached_token(header) if len(header) <= MAX_CACHED_HEADER_LENGTH else _token(header)


def _token(header: str) -> Token | None:
    scheme, _, token = header.partition(" ")
    return Token.read(token.strip()) if scheme.lower() == "bearer" else None


_cached_token: Final = lru_cache(4096)(_token)


def open_game(game_id: str, invite: str | None = None) -> Access:
    """Return the access that the request's token gives to a game.

    A request without a token gets a spectator's access to a public game. While seats are open, the token *invite* gives
    a spectator's access to a private game too. Raises ``NoSuchGame``, ``UnknownToken``, ``WrongToken``.
    """
    token = bearer()
    if invite is not None:
        table, holder, _ = _load_for(game_id, Token.read(invite))
        if holder == INVITE_HOLDER:
            return _access(table, None)
    table, holder, known = _load_for(game_id, token)
    if holder is None or holder == INVITE_HOLDER:
        _refuse(token, private=table.private, known=known)
        holder = None
    return _access(table, holder)


def _access(table: Table, holder: str | None) -> Access:
    """Return *holder*'s access to *table*, and add the game to the request's log line."""
    request_notes().game_id = table.id
    return Access(table, holder)


def _load_for(game_id: str, token: Token | None) -> tuple[Table, str | None, bool]:
    """Return a game, the token's holder or None, and whether the token exists in any game or job.

    A missing game is refused in the same way as a private one.
    """
    if not ID_PATTERN.fullmatch(game_id):
        raise NoSuchGame(NO_SUCH_GAME_PHRASE)
    try:
        return services().store.games.load_for(game_id, token)
    except NoSuchGame as refusal:
        raise NoSuchGame(NO_SUCH_GAME_PHRASE) from refusal
    except RulesetMissing as missing:
        if missing.holder is None or missing.holder == INVITE_HOLDER:
            _refuse(token, private=missing.private, known=missing.token_known)
        raise


def _refuse(token: Token | None, *, private: bool, known: bool) -> None:
    """Raise the error for a request whose *token* gives no access to a game. A public game needs no token.

    Raises ``NoSuchGame`` for a *private* game. For a public game, raises ``WrongToken`` if the token is *known*, which
    means that it belongs to another game or to a job, else ``UnknownToken``.
    """
    if private:
        raise NoSuchGame(NO_SUCH_GAME_PHRASE)
    if token is not None and known:
        raise WrongToken(Phrase("This token belongs to another game, or to a job."))
    if token is not None:
        raise UnknownToken(Phrase("Nobody has this token: send the one that create or join gave, or none."))


def is_operator() -> bool:
    """Return whether the request has the operator's token."""
    own, token = services().settings.operator_token, bearer_if_any()
    return bool(own) and token is not None and hmac.compare_digest(token.hash, digest(own))


def operator_only(view: View) -> View:
    """Return *view* restricted to the operator. The token is checked before the body is read."""

    @wraps(view)
    def checked(*args: Any, **path: Any) -> Response:
        _require_operator()
        return view(*args, **path)

    return cast(View, checked)


def _require_operator() -> None:
    """Raise ``NoToken`` or ``WrongToken`` without the operator's token, or ``NotFound`` if the server has none."""
    if not services().settings.operator_token:
        raise NotFound(Phrase("There is nothing at this path."))
    if bearer() is None:
        raise NoToken(Phrase("Send the operator's token, as a bearer token."))
    if not is_operator():
        raise WrongToken(Phrase("This isn't the operator's token."))


def host_or_operator(view: View) -> View:
    """Return *view* restricted to the host. The operator may use it in any game."""
    for_host = host_only(view)

    @wraps(view)
    def checked(*args: Any, game_id: str, **path: Any) -> Response:
        if not is_operator():
            return for_host(*args, game_id=game_id, **path)
        if not ID_PATTERN.fullmatch(game_id):
            raise NoSuchGame(NO_SUCH_GAME_PHRASE)
        return view(*args, access=_access(services().store.games.load(game_id), HOST_HOLDER), **path)

    return cast(View, checked)


def own_job(job_id: str) -> Task:
    """Return the job, which the request's token must own.

    Raises ``NoSuchJob``, ``NoToken``, ``UnknownToken``, ``WrongToken``.
    """
    token = bearer()
    if not ID_PATTERN.fullmatch(job_id):
        raise NoSuchJob
    task = services().store.tasks.load(job_id)
    if token is None:
        raise NoToken(Phrase("Send the token that asked for the job: the seat's, or the job's own `job_token`."))
    if hmac.compare_digest(token.hash, task.owner):
        return task
    if services().store.games.token_exists(token):
        raise WrongToken(Phrase("Only the token that asked for the job may look at it or cancel it."))
    raise UnknownToken(Phrase("Nobody has this token: send the one that asked for the job."))


def _requires(check: Check, *, allow_cached: bool = False) -> Callable[[View], View]:
    """Return a decorator that checks an access with *check* and passes it to the view instead of ``game_id``.

    The decorator must stand above ``arguments``, so that the token is checked before the body. With *allow_cached* the
    access may come from the cache, so the view may only make a change that the store confirms.
    """

    def decorator(view: View) -> View:
        def entered(access: Access, args: Any, path: Any) -> Response:
            check(access, path)
            return view(*args, access=access, **path)

        @wraps(view)
        def checked(*args: Any, game_id: str, **path: Any) -> Response:
            if allow_cached and (guess := _cached_access(game_id)) is not None:
                with suppress(
                    HttpRefusal, HTTPException, NoSuchGame
                ):  # a refusal by the cached game is not final: the stored game decides
                    return entered(guess, args, path)
            return entered(open_game(game_id), args, path)

        return cast(View, checked)

    return decorator


def _cached_access(game_id: str) -> Access | None:
    """Return the access to a cached game. Return None if the store must be read, as for a request with a query."""
    token = bearer()
    if token is None or current_request().query_string:
        return None
    guess = services().store.games.cached(game_id, token)
    if guess is None:
        return None
    request_notes().game_id = game_id
    return Access(*guess, is_cached=True)


def _require_holder(access: Access, holders: Container[str | None], complaint: Phrase) -> None:
    """Raise ``NoToken`` or ``WrongToken`` (with *complaint*) unless *holders* has the holder of the access."""
    if access.holder in holders:
        return
    if access.holder is None:
        raise NoToken(Phrase("Spectators may only watch: send the token that create or join gave, as a bearer token."))
    raise WrongToken(complaint)


@_requires
def any_viewer(_access: Access, _path: Mapping[str, Any]) -> None:
    """Admit everybody who may see the game. ``_requires`` makes this check a decorator."""


def _require_seat(access: Access, _path: Mapping[str, Any]) -> None:
    _require_holder(access, SEAT_HOLDERS, Phrase("The host's token doesn't act for a seat: send the seat's own."))


seat_only: Final = _requires(_require_seat)
"""Decorator that admits the token of a seat."""

seat_to_act: Final = _requires(_require_seat, allow_cached=True)
"""Decorator that admits the token of a seat. The game may come from the cache."""


@_requires
def host_only(access: Access, _path: Mapping[str, Any]) -> None:
    """Admit only the host's token. ``_requires`` makes this check a decorator."""
    _require_holder(access, (HOST_HOLDER,), Phrase("Only the host may do this: send the host's token."))


@_requires
def path_seat_or_host(access: Access, path: Mapping[str, Any]) -> None:
    """Admit the tokens of the seat in the path and of the host. ``_requires`` makes this check a decorator."""
    _require_holder(
        access,
        (HOST_HOLDER, str(path["seat"])),
        Phrase("This token is another seat's: send the seat's own or the host's."),
    )
