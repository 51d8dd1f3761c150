"""Repeated attempts of a thread that must survive outages of the store."""

from collections.abc import Callable
from typing import Final

import structlog

from workers.storage.errors import StorageUnavailable

log: Final = structlog.get_logger(__name__)


class OutageLogger:
    """Logs the outages of the store for one thread: each reason once in an outage, then the recovery.

    Usually there are two reasons: first the connection breaks, then reconnecting fails.
    """

    def __init__(self, failed: str) -> None:
        self._failed = failed
        """Name of the log event for an attempt that fails for another reason than an outage."""
        self._reasons = set[str]()
        """The reasons that have been logged in the current outage."""

    def run(self, attempt: Callable[[], object]) -> bool:
        """Run *attempt* and return whether it succeeded. Exceptions are logged, so that the calling thread survives."""
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
