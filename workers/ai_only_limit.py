"""The limit of running games in which only AIs play, per client."""

from engines.table.table import Change
from workers.storage.active_quota import client_hash
from workers.storage.store import Store


def check_ai_game_quota(store: Store, address: str, limit: int, change: Change) -> Change:
    """Count the game of *change* for the client if only AIs play from now on, and return *change*.

    Call this before the commit. *limit* is a number of running games; 0 means unlimited. Raises ``TooManyGames``.
    """
    table = change.table
    if table.status == "active" and table.only_ais:
        store.active_quota.admit_game(client_hash(address), table.id, limit)
    elif table.turn_seconds is not None and not table.version:
        store.active_quota.remember(client_hash(address), table.id)
    return change
