"""Doing something again and again, whether or not the storage is there all the time."""

from collections.abc import Callable
from typing import Final

import structlog

from workers.storage.errors import StorageUnavailable

log: Final = structlog.get_logger(__name__)


class OutageLogger:
    """The attempts of one thread. The log says that the storage is away, once for each reason, and that it is back.

    A connection that ended is the first reason; why there is no new one follows.
    """

    def __init__(self, failed: str) -> None:
        self._failed = failed
        """What the log calls an attempt that fails otherwise."""
        self._reasons = set[str]()
        """Why the storage is away, as far as that was said."""

    def run(self, attempt: Callable[[], object]) -> bool:
        """Do it; return whether it was done. Nothing is raised: the thread is to go on."""
        try:
            attempt()
        except StorageUnavailable as error:
            reason = str(error.__cause__ or error.phrase)
            if reason not in self._reasons:
                log.warning("storage_away", reason=reason)
            self._reasons.add(reason)
        except Exception:
            log.exception(self._failed)
        else:
            if self._reasons:
                log.warning("storage_back")
            self._reasons.clear()
            return True
        return False
