"""The objects that routes work with: one frozen value per application, made by ``create_app``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

from flask import Flask

from api.http.current_request import current_application
from workers.asyncio_greenlets import SingleFlight
from workers.feed import Feed
from workers.metrics_store import MetricsAggregator
from workers.settings import Settings
from workers.storage.rate_limits import RateLimiter
from workers.storage.startup_checks import Reason
from workers.storage.store import Store

EXTENSION_KEY: Final = "regicide"


@dataclass(frozen=True)
class Services:
    """The objects of an application. ``ledger`` adds up its metrics, ``budgets`` counts requests for rate limits."""

    settings: Settings
    store: Store
    feed: Feed
    ledger: MetricsAggregator
    budgets: RateLimiter
    readiness: SingleFlight[list[Reason]]
    contract: Callable[[], str]
    """Function that returns the text of ``openapi.yaml``. Its first call takes a second."""


def services(app: Flask | None = None) -> Services:
    """Return the services of *app*, or of the current application."""
    return cast(Services, (app or current_application()).extensions[EXTENSION_KEY])
