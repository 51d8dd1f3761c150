"""The metrics of one process, for Prometheus. metrics_store.py sums those of all processes.

Labels are rulesets, levels, statuses and routes. No label names a game, a token or a card.
"""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

REGISTRY: Final = CollectorRegistry()
"""The metrics of this process. Modules with metrics of their own register them here."""

MOVES: Final = Counter("regicide_moves", "Actions committed.", ["ruleset", "by"], registry=REGISTRY)
"""Number of committed actions. The label *by* is ``person`` or ``ai``."""

AI_TURNS: Final = Counter("regicide_ai_turns", "AIs' turns worked on, by outcome.", ["outcome"], registry=REGISTRY)

AI_TURNS_REPEATED: Final = Counter(
    "regicide_ai_turns_repeated", "AIs' turns enqueued again, being overdue.", registry=REGISTRY
)

GAMES_GIVEN_UP: Final = Counter("regicide_games_given_up", "Games abandoned, nobody having acted.", registry=REGISTRY)

GAMES_ARCHIVED: Final = Counter("regicide_games_archived", "Ended games written to the archive.", registry=REGISTRY)

GAMES_DELETED: Final = Counter("regicide_games_deleted", "Ended games deleted from the store.", registry=REGISTRY)

OPEN_STREAMS: Final = Gauge(
    "regicide_streams", "Clients that watch a game live or wait for a change.", registry=REGISTRY
)

OPEN_CONNECTIONS: Final = Gauge("regicide_connections", "Connections of clients.", registry=REGISTRY)

AI_THINKING_SECONDS: Final = Histogram(
    "regicide_ai_thinking_seconds",
    "How long an AI took to decide.",
    ["ruleset", "level"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0),
    registry=REGISTRY,
)

AI_ANSWERING_SECONDS: Final = Histogram(
    "regicide_ai_answering_seconds",
    "From the commit that made it an AI's turn to the commit of its action, including its thinking.",
    ["ruleset", "level"],
    buckets=(0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
    registry=REGISTRY,
)

JOB_SECONDS: Final = Histogram(
    "regicide_job_seconds",
    "How long a worker took for a hint, or for a part of an arena.",
    ["kind"],
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0),
    registry=REGISTRY,
)
