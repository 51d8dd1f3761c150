"""The limit of games in which only AIs play: each client may have so many running, however they were created."""

from engines.table.table import Change
from workers.storage.active_quota import client_hash
from workers.storage.store import Store


def check_ai_game_quota(store: Store, address: str, limit: int, change: Change) -> Change:
    """Return *change*; if only AIs play from then on, count the game for the client.

    Must be called before the commit. *limit* 0 means unlimited. Raises ``TooManyGames``.
    """
    table = change.table
    if table.status == "active" and table.only_ais:
        store.active_quota.admit_game(client_hash(address), table.id, limit)
    elif table.turn_seconds is not None and not table.version:
        store.active_quota.remember(client_hash(address), table.id)
    return change
