"""Doing something again and again, whether or not the storage is there all the time."""

from collections.abc import Callable
from typing import Final

import structlog

from workers.storage.errors import StorageUnavailable

log: Final = structlog.get_logger(__name__)


class Attempts:
    """The attempts of one thread. The log says once that the storage is away, and once that it is back."""

    def __init__(self, failed: str) -> None:
        self._failed = failed
        """What the log calls an attempt that fails otherwise."""
        self._is_away = False

    def make(self, attempt: Callable[[], object]) -> bool:
        """Do it; return whether it was done. Nothing is raised: the thread is to go on."""
        try:
            attempt()
        except StorageUnavailable as error:
            if not self._is_away:
                log.warning("storage_away", reason=str(error.__cause__ or error.phrase))
            self._is_away = True
        except Exception:
            log.exception(self._failed)
        else:
            if self._is_away:
                log.warning("storage_back")
            self._is_away = False
            return True
        return False
