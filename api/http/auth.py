"""Bearer tokens: who is asking. Each is opaque, and stands for one seat, or the host, of one game."""

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, Final, cast

from flask import Response, g, request
from werkzeug.exceptions import HTTPException

from api.http.request_io import View
from api.http.services import services
from api.problems.errors import HttpRefusal, NoToken, UnknownToken, WrongToken
from engines import RULESETS
from engines.core.phrase import Phrase
from engines.table.table import Table
from workers.storage.errors import NoSuchGame, NoSuchJob
from workers.storage.keys import ID
from workers.storage.tasks import Task
from workers.storage.tokens import Token

HOST: Final = "host"
INVITE: Final = "invite"
PREFIXES: Final = {HOST: "rh_", INVITE: "ri_"}
SEAT_PREFIX: Final = "rs_"
JOB_PREFIX: Final = "rj_"
SEATS: Final = frozenset(str(seat) for ruleset in RULESETS.values() for seat in range(max(ruleset.player_counts)))
OTHER_SCHEME: Final = Phrase("Tokens are sent as `Authorization: Bearer ...`: this header has another scheme, or none.")
NO_SUCH_GAME: Final = Phrase("There is no game of this id, or it is private and you have no token of it.")


Check = Callable[["Access", Mapping[str, Any]], None]
"""Raises what refuses an access, by the path's other parameters too."""


@dataclass(frozen=True)
class Access:
    """What a token lets its bearer do at one game, and the game as it was when the token was looked up."""

    table: Table
    holder: str | None
    """``"0"`` and so on: a seat; ``"host"``; None: a spectator without a token."""
    guessed: bool = False
    """The game is as this process knows it, which the storage is still to confirm (``Games.cached``)."""

    @property
    def seat(self) -> int | None:
        """The seat whose cards the bearer may see; None for the host and for spectators."""
        return int(self.holder) if self.holder in SEATS else None

    @property
    def own_seat(self) -> int:
        """The seat that acts, where ``seat_only`` lets in nobody else."""
        return int(str(self.holder))


def new_job_token(job_id: str) -> str:
    """Make a token of 256 random bits, for a job that no seat asked for."""
    return written(JOB_PREFIX, job_id, secrets.token_bytes(32))


def derived_tokens(nonce: str, key: str, game_id: str, holders: Iterable[str]) -> dict[str, str]:
    """Return a token for each holder that can be made again: from the random *nonce* and the client's *key* text.

    Only the nonce is kept, and of the key a hash: the storage alone can't give the tokens away.
    """
    secret = bytes.fromhex(nonce)
    return {
        holder: written(PREFIXES.get(holder, SEAT_PREFIX), game_id, _derived(secret, f"{key}/{holder}"))
        for holder in holders
    }


def next_token(game_id: str) -> str:
    """Return the bearer's token in the game of that id, which follows theirs: it is made of the one that was sent."""
    sent = request.headers["Authorization"].partition(" ")[2].strip()
    return written(SEAT_PREFIX, game_id, _derived(sent.encode(), f"next/{game_id}"))


def written(prefix: str, owner: str, bits: bytes) -> str:
    """Write a token of 256 bits, which names the game or job whose it is."""
    return f"{prefix}{owner}_{urlsafe_b64encode(bits).decode().rstrip('=')}"


def _derived(secret: bytes, text: str) -> bytes:
    return hmac.digest(secret, text.encode(), "sha256")


def bearer() -> Token | None:
    """Return the bearer token that was sent; None if no ``Authorization`` was. Raises ``UnknownToken``.

    A header of another scheme, or of none, is refused whatever game or job was asked for: nothing is looked up by it.
    """
    token = bearer_if_any()
    if token is None and "HTTP_AUTHORIZATION" in request.environ:
        raise UnknownToken(OTHER_SCHEME)
    return token


def bearer_if_any() -> Token | None:
    """Return the bearer token that was sent, None where there is none in an ``Authorization`` of that scheme."""
    header = request.environ.get("HTTP_AUTHORIZATION")
    return None if header is None else _token(header)


@lru_cache(4096)
def _token(header: str) -> Token | None:
    scheme, _, token = header.partition(" ")
    return Token.read(token.strip()) if scheme.lower() == "bearer" else None


def open_game(game_id: str, invite: str | None = None) -> Access:
    """Load a game for the bearer of the request's token, or of *invite* while seats are open.

    Raises ``NoSuchGame``, ``UnknownToken``, ``WrongToken``.
    """
    token = bearer()
    if invite is not None:
        table, holder, _ = _load_for(game_id, Token.read(invite))
        if holder == INVITE:
            return _granted(table, None)
    table, holder, known = _load_for(game_id, token)
    if holder is None or holder == INVITE:
        _refuse(table, token, known=known)
        holder = None
    return _granted(table, holder)


def _granted(table: Table, holder: str | None) -> Access:
    """Return the access, and let the request's line in the log name the game."""
    g.game_id = table.id
    return Access(table, holder)


def _load_for(game_id: str, token: Token | None) -> tuple[Table, str | None, bool]:
    """Load a game for a token; one that isn't there looks like one that is private."""
    if not ID.fullmatch(game_id):
        raise NoSuchGame(NO_SUCH_GAME)
    try:
        return services().store.games.load_for(game_id, token)
    except NoSuchGame as refusal:
        raise NoSuchGame(NO_SUCH_GAME) from refusal


def _refuse(table: Table, token: Token | None, *, known: bool) -> None:
    """Refuse whoever has no token of the game, unless they are a spectator of a public one."""
    if table.private:
        raise NoSuchGame(NO_SUCH_GAME)
    if token is not None and known:
        raise WrongToken(Phrase("This token belongs to another game, or to a job."))
    if token is not None:
        raise UnknownToken(Phrase("Nobody has this token: send the one that create or join gave, or none."))


def own_job(job_id: str) -> Task:
    """Return a job of the bearer's own. Raises ``NoSuchJob``, ``NoToken``, ``UnknownToken``, ``WrongToken``."""
    token = bearer()
    if not ID.fullmatch(job_id):
        raise NoSuchJob
    task = services().store.tasks.load(job_id)
    if token is None:
        raise NoToken(Phrase("Send the token that asked for the job: the seat's, or the job's own `job_token`."))
    if hmac.compare_digest(token.hash, task.owner):
        return task
    if services().store.games.token_exists(token):
        raise WrongToken(Phrase("Only the token that asked for the job may look at it or cancel it."))
    raise UnknownToken(Phrase("Nobody has this token: send the one that asked for the job."))


def _requires(check: Check, *, guessing: bool = False) -> Callable[[View], View]:
    """Return a decorator that gives a view the access in place of its ``game_id``, once *check* has let it pass.

    It stands above ``arguments``: whoever may not do this isn't told what is wrong with the body. With *guessing* the
    access may be a guess: the view makes nothing but a change that is based on it.
    """

    def decorator(view: View) -> View:
        def entered(access: Access, args: Any, path: Any) -> Response:
            check(access, path)
            return view(*args, access=access, **path)

        @wraps(view)
        def checked(*args: Any, game_id: str, **path: Any) -> Response:
            if guessing and (guess := _cached_access(game_id)) is not None:
                with suppress(HttpRefusal, HTTPException, NoSuchGame):  # the game as it is decides on that
                    return entered(guess, args, path)
            return entered(open_game(game_id), args, path)

        return cast(View, checked)

    return decorator


def _cached_access(game_id: str) -> Access | None:
    """Return the access to a game as this process knows it, for a plain request; None: look at the game as it is."""
    token = bearer()
    if token is None or request.query_string:
        return None
    guess = services().store.games.cached(game_id, token)
    if guess is None:
        return None
    g.game_id = game_id
    return Access(*guess, guessed=True)


def _require_holder(access: Access, holders: Container[str | None], complaint: Phrase) -> None:
    """Raise ``NoToken`` or ``WrongToken`` unless the token is one of the *holders*'."""
    if access.holder in holders:
        return
    if access.holder is None:
        raise NoToken(Phrase("Spectators may only watch: send the token that create or join gave, as a bearer token."))
    raise WrongToken(complaint)


@_requires
def anyone(_access: Access, _path: Mapping[str, Any]) -> None:
    """Let in everybody who may see the game."""


def _acts(access: Access, _path: Mapping[str, Any]) -> None:
    _require_holder(access, SEATS, Phrase("The host's token doesn't act for a seat: send the seat's own."))


seat_only: Final = _requires(_acts)
"""Lets in whoever acts for a seat."""

seat_to_act: Final = _requires(_acts, guessing=True)
"""Lets in the same, with a game that may be a guess."""


@_requires
def host_only(access: Access, _path: Mapping[str, Any]) -> None:
    """Let in the host."""
    _require_holder(access, (HOST,), Phrase("Only the host may do this: send the host's token."))


@_requires
def path_seat_or_host(access: Access, path: Mapping[str, Any]) -> None:
    """Let in the seat that the path names, and the host."""
    _require_holder(
        access, (HOST, str(path["seat"])), Phrase("This token is another seat's: send the seat's own or the host's.")
    )
