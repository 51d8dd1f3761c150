"""Games in which nobody but AIs plays: a client may have so many under way, however they came about."""

from engines.table.table import Change
from workers.storage.active_quota import client_of
from workers.storage.store import Store


def admitted(store: Store, address: str, limit: int, change: Change) -> Change:
    """Return *change*; if only AIs play from then on, the game counts for who asks. Raises ``TooManyGames``.

    *limit* 0: any number. It is counted before it is committed, since afterwards would be too late.
    """
    table = change.table
    if table.status == "active" and table.only_ais:
        store.active_quota.admit_game(client_of(address), table.id, limit)
    elif table.turn_seconds is not None and not table.version:
        store.active_quota.remember(client_of(address), table.id)
    return change
