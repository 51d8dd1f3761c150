"""Rematches: the first player to ask creates the next game of the same seats, and all other players join it.

The commit that creates the rematch links it to the old game. Thus there is one rematch, even if several ask at once:

  t0  A finds no link         t1  B finds no link
  t2  A commits C, linked     t3  B commits D: refused, ``RematchExists(C)``; B joins C
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from engines.core.errors import AlreadyStarted, GameOver, SeatTaken
from engines.table.table import Change, Table
from workers import game_commands
from workers.storage.commitments import SEED_BYTES
from workers.storage.errors import NoSuchGame, RematchExists
from workers.storage.idempotency import Key
from workers.storage.store import Store
from workers.storage.tokens import HOST_HOLDER, INVITE_HOLDER, Token

TokenOf = Callable[[str], Token]
"""Function from the id of a rematch to a token in it. The same id gives the same token."""


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


def create_or_join(store: Store, before: Table, seat: int, request: RematchRequest) -> tuple[Table, bool]:
    """Seat the player of *seat* in the rematch of *before*. Return the rematch, and whether this call has created it.

    Raises ``StillRunning``, ``NotYourTurn`` and ``CommitmentGone``. Raises ``AlreadyStarted`` or ``GameOver`` if the
    rematch has started without the player.
    """
    follows = store.games.next_game(before.id)
    if follows is None:
        try:
            return _create(store, before, seat, request), True
        except RematchExists as existing:
            follows = existing.game_id
    return _join(store, follows, before.seat_in_rematch(seat), request.token_of(follows), request.client_seed), False


def _create(store: Store, before: Table, seat: int, request: RematchRequest) -> Table:
    game_id, now = store.keys.new_id(store.keys.partition(before.id)), store.now()
    before.next_game(game_id, bytes(SEED_BYTES), seat, now)  # this may raise, and must do so before the seed is taken
    change = before.next_game(game_id, _seed(store, before, request.commitment), seat, now, request.client_seed)
    seat_key = str(before.seat_in_rematch(seat))
    tokens = {seat_key: request.token_of(game_id).hash, HOST_HOLDER: store.games.host_token_hash(before.id)}
    if change.table.takes_invites:
        tokens[INVITE_HOLDER] = request.invite_of(game_id).hash
    store.games.commit(change, None, tokens=tokens, follows=before.id)
    return change.table


def _seed(store: Store, before: Table, commitment_id: str | None) -> bytes:
    """Return the secret seed of the rematch. A repeated request gets the seed of the same commitment again."""
    if commitment_id is None:
        return secrets.token_bytes(SEED_BYTES)
    return store.commitments.take(commitment_id, Key(before.id, "next", ""))


def _join(store: Store, game_id: str, seat: int, token: Token, client_seed: str) -> Table:
    """Seat the player in the rematch, unless the token already has a seat there. Return the rematch."""
    table, holder, _ = store.games.load_for(game_id, token)
    if holder is not None:
        return table

    def rejoin(table: Table, now: datetime) -> Change:
        return table.rejoin(seat, now, client_seed or None)

    try:
        return game_commands.change(store, table, rejoin, tokens={str(seat): token.hash})
    except (AlreadyStarted, GameOver, SeatTaken):
        table, holder, _ = store.games.load_for(game_id, token)
        if holder is None:
            raise
        return table  # a concurrent request of the same player has taken the seat


def find(store: Store, before: Table) -> Table | None:
    """Return the rematch of *before*, or None if nobody has asked for one or it has been deleted."""
    follows = store.games.next_game(before.id)
    try:
        return None if follows is None else store.games.load(follows)
    except NoSuchGame:
        return None


def asked_seats(before: Table, following: Table) -> list[int]:
    """Return the seats of *before* whose people have taken their seat in the rematch."""
    seats = ((seat, following.seats[before.seat_in_rematch(seat)]) for seat in range(len(before.seats)))
    return [seat for seat, after in seats if after.kind == "human" and not after.reserved]
