"""Rematches: the first player to ask creates the next game of the same seats, and all other players join it.

The commit that creates the rematch links it to the old game. Thus there is one rematch, even if several ask at once:

  t0  A finds no link         t1  B finds no link
  t2  A commits C, linked     t3  B commits D: refused, ``RematchExists(C)``; B joins C

A rematch that ended before its cards were dealt is passed over, because some of its people never had a seat in it: its
own rematch is created or joined.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from engines.core.errors import AlreadyStarted, GameOver, SeatTaken
from engines.table.table import Change, Table
from workers import game_commands
from workers.storage.commitments import SEED_BYTES
from workers.storage.errors import NoSuchGame, RematchExists
from workers.storage.idempotency import Key
from workers.storage.store import Store
from workers.storage.tokens import HOST_HOLDER, INVITE_HOLDER, Token

TokenOf = Callable[[Sequence[str]], Token]
"""Function from the path to a rematch (``Rematch.path``) to a token in it. The same path gives the same token."""

MAX_PASSED_OVER: Final = 10
"""Maximum number of rematches that ended before the deal and are passed over."""


@dataclass(frozen=True)
class RematchRequest:
    """The client's tokens in the rematch, the client seed and the commitment of a request.

    The invite and the commitment are used only if the request creates the rematch. Only a commitment proves that the
    secret seed was drawn before the client seed was known.
    """

    token_of: TokenOf
    invite_of: TokenOf
    client_seed: str = ""
    commitment: str | None = None


@dataclass(frozen=True)
class Rematch:
    """A rematch in which a player has got a seat."""

    table: Table
    seat: int
    """The player's seat in the rematch."""
    path: tuple[str, ...]
    """The ids of the rematches that were passed over, in order, and of this one."""
    is_new: bool
    """True if the player's request has created it."""


class RematchState(NamedTuple):
    """Who has asked to play again."""

    id: str
    """The rematch."""
    asked: list[int]
    """The seats of the game before whose people have taken their seat in the rematch."""


def create_or_join(store: Store, before: Table, seat: int, request: RematchRequest) -> Rematch:
    """Seat the player of *seat* in the rematch of *before*.

    Raises ``StillRunning``, ``NotYourTurn`` and ``CommitmentGone``. Raises ``AlreadyStarted`` or ``GameOver`` if the
    rematch has started without the player.
    """
    path: tuple[str, ...] = ()
    while True:
        before.check_rematch(seat)
        follows, after = store.games.next_game(before.id), before.seat_in_rematch(seat)
        if follows is None:
            try:
                table = _create(store, before, seat, path, request)
                return Rematch(table, after, (*path, table.id), is_new=True)
            except RematchExists as existing:
                follows = existing.game_id
        path = (*path, follows)
        token = request.token_of(path)
        table, holder, _ = store.games.load_for(follows, token)
        if not table.ended_before_deal or len(path) > MAX_PASSED_OVER:
            return Rematch(_join(store, table, holder, after, token, request.client_seed), after, path, is_new=False)
        before, seat = table, after


def _create(store: Store, before: Table, seat: int, path: tuple[str, ...], request: RematchRequest) -> Table:
    game_id, now = store.keys.new_id(store.keys.partition(before.id)), store.now()
    before.next_game(game_id, bytes(SEED_BYTES), seat, now)  # this may raise, and must do so before the seed is taken
    change = before.next_game(game_id, _seed(store, before, request.commitment), seat, now, request.client_seed)
    seat_key = str(before.seat_in_rematch(seat))
    tokens = {seat_key: request.token_of((*path, game_id)).hash, HOST_HOLDER: store.games.host_token_hash(before.id)}
    if change.table.takes_invites:
        tokens[INVITE_HOLDER] = request.invite_of((*path, game_id)).hash
    store.games.commit(change, None, tokens=tokens, follows=before.id)
    return change.table


def _seed(store: Store, before: Table, commitment_id: str | None) -> bytes:
    """Return the secret seed of the rematch. A repeated request gets the seed of the same commitment again."""
    if commitment_id is None:
        return secrets.token_bytes(SEED_BYTES)
    return store.commitments.take(commitment_id, Key(before.id, "next", ""))


def _join(store: Store, table: Table, holder: str | None, seat: int, token: Token, client_seed: str) -> Table:
    """Seat the player in the rematch *table*, unless *token* has a *holder* there already. Return the rematch."""
    if holder is not None:
        return table

    def rejoin(table: Table, now: datetime) -> Change:
        return table.rejoin(seat, now, client_seed or None)

    try:
        return game_commands.change(store, table, rejoin, tokens={str(seat): token.hash})
    except (AlreadyStarted, GameOver, SeatTaken):
        table, holder, _ = store.games.load_for(table.id, token)
        if holder is None:
            raise
        return table  # a concurrent request of the same player has taken the seat


def find(store: Store, before: Table) -> RematchState | None:
    """Return who has asked for the rematch of *before*, or None if nobody has asked for one or it has been deleted."""
    seats = list(range(len(before.seats)))
    for _ in range(MAX_PASSED_OVER + 1):
        follows = store.games.next_game(before.id)
        if follows is None:
            return None
        try:
            table = store.games.load(follows)
        except NoSuchGame:
            return None
        seats = [before.seat_in_rematch(seat) for seat in seats]
        if not table.ended_before_deal:
            people = [after.kind == "human" and not after.reserved for after in table.seats]
            return RematchState(table.id, [seat for seat, after in enumerate(seats) if people[after]])
        before = table
    return None
