"""Readiness: what is wrong with a server, each thing by a stable code, for programs, and a sentence, for people.

Some of it means that requests had better go elsewhere (``STOPS``); of the rest somebody should know before it does.
"""

import shutil
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from engines.core.phrase import Phrase
from workers.greenlets import SingleFlight
from workers.processes.redis_server import own_disk
from workers.settings import READY_SECONDS, Settings
from workers.storage import queue
from workers.storage.errors import DamagedKey, StorageUnavailable
from workers.storage.health_checks import Reason
from workers.storage.store import Store

STOPS: Final = ("storage_unavailable", "no_worker")
"""Codes of what makes a server unready: games couldn't be kept, or no AI would move."""

CODES: Final = (
    *STOPS,
    "not_durable",
    "evicting",
    "no_spare_replica",
    "disk_nearly_full",
    "queue_unavailable",
    "unreadable_games",
    "behind",
)

DISK_LEFT: Final = 0.05
"""The part of a disk below which it is nearly full."""

LATE: Final = timedelta(seconds=5)
"""So long after it should have been looked after a game counts as late."""

BEHIND_TURNS: Final = 100
"""So many turns that are late, or wait for a worker, are too many."""

NO_WORKER: Final = Phrase("No worker is running, so AIs can't move.")
NO_QUEUE: Final = Phrase("The queue's server can't be reached: AIs wait.")


def watch(store: Store, settings: Settings) -> SingleFlight[list[Reason]]:
    """Return what looks for all that is wrong, four times a second at most, however many ask."""
    return SingleFlight(lambda: reasons(store, settings), READY_SECONDS)


def reasons(store: Store, settings: Settings) -> list[Reason]:
    """Return all that is wrong, the worst first."""
    try:
        found = [*_of_store(store), *_of_work(store)]
    except StorageUnavailable as away:
        found = [Reason("storage_unavailable", away.phrase)]
    except DamagedKey as damaged:
        found = [Reason("unreadable_games", damaged.phrase)]
    return sorted([*found, *_of_disk(settings)], key=lambda reason: CODES.index(reason.code))


def _of_store(store: Store) -> Iterator[Reason]:
    """Yield what is wrong with the store. Raises ``StorageUnavailable``."""
    store.health.probe()
    yield from store.health.durability().wrong(store.replicas.count)


def _of_work(store: Store) -> Iterator[Reason]:
    """Yield what is wrong with those who play for the AIs. Raises ``StorageUnavailable``."""
    if not store.health.has_worker():
        yield Reason("no_worker", NO_WORKER)
    if games := store.unreadable.count():
        phrase = Phrase(
            "{games} games can't be read by every worker: a newer version wrote them, or they are damaged.", games=games
        )
        yield Reason("unreadable_games", phrase)
    turns = store.outbox.count_overdue(LATE)
    try:
        turns += queue.depth(store.broker)
    except StorageUnavailable:
        yield Reason("queue_unavailable", NO_QUEUE)
    if turns > BEHIND_TURNS:
        yield Reason("behind", Phrase("AIs are behind by {turns} turns.", turns=turns))


def _of_disk(settings: Settings) -> Iterator[Reason]:
    """Yield what is wrong with the disk of a store that we have started."""
    folder = own_disk(settings)
    if folder is None:
        return
    disk = shutil.disk_usage(folder)
    if disk.free < DISK_LEFT * disk.total:
        percent = f"{disk.free / disk.total:.1%}".removesuffix("%")
        yield Reason(
            "disk_nearly_full",
            Phrase("The disk that has the games is nearly full: {percent} % are left.", percent=percent),
        )
