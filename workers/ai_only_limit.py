"""The limit of running games in which only AIs play, per client."""

from engines.table.table import Change
from workers.storage.concurrent_work_limits import client_hash
from workers.storage.store import Store


def check_ai_game_quota(store: Store, address: str, limit: int, change: Change) -> Change:
    """Count the game of *change* for the client if only AIs play from now on, and return *change*.

    Of any other new game with a time limit for turns only the creator is stored, because AIs may later play there
    instead of absent people. Call this before the commit. *limit* is a number of running games; 0 means unlimited.
    Raises ``TooManyGames``.
    """
    table = change.table
    if table.status == "active" and table.only_ais:
        store.concurrent_work_limits.admit_game(client_hash(address), table.id, limit)
    elif table.turn_seconds is not None and not table.version:
        store.concurrent_work_limits.remember(client_hash(address), table.id)
    return change
