"""Readiness: the problems of a server, each with a stable code for programs and a sentence for people.

Some problems mean that requests should go to another server (``STOPPING_CODES``). All other problems are warnings.
"""

import shutil
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from engines.core.phrase import Phrase
from workers.asyncio_greenlets import SingleFlight
from workers.processes.redis_server import own_disk
from workers.settings import READINESS_TTL_SECONDS, Settings
from workers.storage import queue
from workers.storage.errors import DamagedKey, StorageUnavailable
from workers.storage.startup_checks import Reason
from workers.storage.store import Store

STOPPING_CODES: Final = ("storage_unavailable", "no_worker")
"""Codes that make a server unready: games couldn't be stored, or no AI would move."""

REASON_CODES_WORST_FIRST: Final = (
    *STOPPING_CODES,
    "not_durable",
    "evicting",
    "no_spare_replica",
    "disk_nearly_full",
    "queue_unavailable",
    "unreadable_games",
    "behind",
)

MIN_FREE_DISK_FRACTION: Final = 0.05
"""Fraction of free disk space below which the disk counts as nearly full."""

OVERDUE_AFTER: Final = timedelta(seconds=5)
"""A game counts as late if its check by the sweeper is overdue by more than this time."""

MAX_WAITING_TURNS: Final = 100
"""Number of late games plus queued jobs above which the AIs count as behind."""

NO_WORKER_PHRASE: Final = Phrase("No worker is running, so AIs can't move.")
NO_QUEUE_PHRASE: Final = Phrase("The queue's server can't be reached: AIs wait.")


def cached_reasons(store: Store, settings: Settings) -> SingleFlight[list[Reason]]:
    """Return the readiness check. It runs at most four times a second, and concurrent callers share its result."""
    return SingleFlight(lambda: reasons(store, settings), READINESS_TTL_SECONDS)


def reasons(store: Store, settings: Settings) -> list[Reason]:
    """Return all problems, the worst first."""
    try:
        found = [*_store_reasons(store), *_worker_reasons(store)]
    except StorageUnavailable as away:
        found = [Reason("storage_unavailable", away.phrase)]
    except DamagedKey as damaged:
        found = [Reason("unreadable_games", damaged.phrase)]
    return sorted([*found, *_disk_reasons(settings)], key=lambda reason: REASON_CODES_WORST_FIRST.index(reason.code))


def _store_reasons(store: Store) -> Iterator[Reason]:
    """Yield the problems of the store. Raises ``StorageUnavailable``."""
    store.health.probe()
    yield from store.health.durability().readiness_reasons(store.replicas.count)


def _worker_reasons(store: Store) -> Iterator[Reason]:
    """Yield the problems of the workers and queues. Raises ``StorageUnavailable``."""
    if not store.health.has_worker():
        yield Reason("no_worker", NO_WORKER_PHRASE)
    if games := store.unreadable.count():
        phrase = Phrase(
            "{games} games can't be read by every worker: a newer version wrote them, or they are damaged.", games=games
        )
        yield Reason("unreadable_games", phrase)
    turns = store.due_games.count_overdue(OVERDUE_AFTER)
    try:
        turns += queue.depth(store.broker)
    except StorageUnavailable:
        yield Reason("queue_unavailable", NO_QUEUE_PHRASE)
    if turns > MAX_WAITING_TURNS:
        yield Reason("behind", Phrase("AIs are behind by {turns} turns.", turns=turns))


def _disk_reasons(settings: Settings) -> Iterator[Reason]:
    """Yield the problems of the disk of an embedded store."""
    folder = own_disk(settings)
    if folder is None:
        return
    disk = shutil.disk_usage(folder)
    if disk.free < MIN_FREE_DISK_FRACTION * disk.total:
        percent = f"{disk.free / disk.total:.1%}".removesuffix("%")
        yield Reason(
            "disk_nearly_full",
            Phrase("The disk that has the games is nearly full: {percent} % are left.", percent=percent),
        )
