"""The next game of the same seats: whoever asks first sets it up, whoever asks later sits down there.

The commit that creates it links the old game to it, so there is one, however many ask at once:

    t0  A finds no link         t1  B finds no link
    t2  A commits C, linked     t3  B commits D: refused, ``Followed(C)``; B sits down at C
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from engines.core.errors import AlreadyStarted, GameOver, SeatTaken
from engines.table.table import Change, Table
from workers import turns
from workers.storage.commitments import SEED_BYTES
from workers.storage.errors import RematchExists
from workers.storage.idempotency import Key
from workers.storage.store import Store
from workers.storage.tokens import Token

HOST = "host"

TokenOf = Callable[[str], Token]
"""Gives the asker's token in the next game, by its id: always the same."""


@dataclass(frozen=True)
class RematchRequest:
    """What the asker brings: their part of the shuffle, and the commitment by whose seed it is dealt if they are first.

    Only with a commitment do they know that the seed was drawn before their part was.
    """

    client_seed: str = ""
    commitment: str | None = None


def ask(store: Store, before: Table, seat: int, token_of: TokenOf, wishes: RematchRequest) -> tuple[Table, bool]:
    """Return the game after *before*, in which who had *seat* sits, and whether it was made for this.

    Raises ``StillRunning``, ``NotYourTurn``, ``CommitmentGone``; ``AlreadyStarted``, ``GameOver`` if it went on without
    them.
    """
    follows = store.games.next_game(before.id)
    if follows is None:
        try:
            return _made(store, before, seat, token_of, wishes), True
        except RematchExists as followed:
            follows = followed.game_id
    return _sat_down(store, follows, before.seat_in_rematch(seat), token_of(follows), wishes.client_seed), False


def _made(store: Store, before: Table, seat: int, token_of: TokenOf, wishes: RematchRequest) -> Table:
    game_id, now = store.keys.new_id(store.keys.partition(before.id)), store.now()
    before.next_game(game_id, bytes(SEED_BYTES), seat, now)  # what can't be set up takes no seed
    change = before.next_game(game_id, _seed(store, before, wishes.commitment), seat, now, wishes.client_seed)
    place = str(before.seat_in_rematch(seat))
    tokens = {place: token_of(game_id).hash, HOST: store.games.host_token_hash(before.id)}
    store.games.commit(change, None, tokens=tokens, follows=before.id)
    return change.table


def _seed(store: Store, before: Table, promised: str | None) -> bytes:
    """Return the seed of the next game: who asks again for it, since nobody answered, takes the promised one again."""
    if promised is None:
        return secrets.token_bytes(SEED_BYTES)
    return store.commitments.take(promised, Key(before.id, "next", ""))


def _sat_down(store: Store, game_id: str, seat: int, token: Token, client_seed: str) -> Table:
    """Return the game after the seat was taken, unless it has been before."""
    table, holder, _ = store.games.load_for(game_id, token)
    if holder is not None:
        return table

    def come_back(table: Table, now: datetime) -> Change:
        return table.come_back(seat, now, client_seed or None)

    try:
        return turns.change(store, table, come_back, tokens={str(seat): token.hash})
    except (AlreadyStarted, GameOver, SeatTaken):
        table, holder, _ = store.games.load_for(game_id, token)
        if holder is None:
            raise
        return table  # they asked twice at once
