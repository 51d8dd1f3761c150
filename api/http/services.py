"""What the routes work with: one frozen value for each application, made by ``create_app``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

from flask import Flask, current_app

from workers.feed import Feed
from workers.greenlets import SingleFlight
from workers.metrics_store import MetricsAggregator
from workers.settings import Settings
from workers.storage.health_checks import Reason
from workers.storage.rate_limits import RateLimiter
from workers.storage.store import Store

KEY: Final = "regicide"


@dataclass(frozen=True)
class Services:
    """Where games are kept, where what happens is published, how much a client may ask for."""

    settings: Settings
    store: Store
    feed: Feed
    ledger: MetricsAggregator
    budgets: RateLimiter
    readiness: SingleFlight[list[Reason]]
    contract: Callable[[], str]
    """Returns the text of ``openapi.yaml``; the first call takes a second."""


def services(app: Flask | None = None) -> Services:
    """Return the services of *app*, or of the application that answers."""
    return cast(Services, (app or current_app).extensions[KEY])
