"""Settings: one frozen value, read once from environment variables."""

import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar, Final, Self

from workers.store_addresses import Address

VARIABLE_PREFIX: Final = "REGICIDE_"
"""Prefix of most variables."""
OTHER_VARIABLES: Final = ("COMPILE", "COMPILE_COMMAND", "SUPERVISED", "TOKEN", "FUZZ_CASES", "CHAOS_MINUTES")
"""Names, without the prefix, of variables that are not settings: other commands and child processes read them."""
LOG_LEVELS: Final = ("debug", "info", "warning", "error")
READINESS_TTL_SECONDS: Final = 0.25
"""Seconds for which the result of a readiness check is reused: a check writes to the store, and anybody may ask."""
DURATION_PATTERN: Final = re.compile(r"([0-9]{1,7})([mhd]?)")
MINUTES_BY_UNIT: Final[Mapping[str, int]] = {"m": 1, "h": 60, "d": 24 * 60}
OPERATOR_TOKEN_PATTERN: Final = re.compile(r"[\w.~-]{22,}", re.ASCII)
ORIGIN_PATTERN: Final = re.compile(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?")
"""An origin as browsers send it: lower case, without a path."""


class CannotStart(Exception):
    """Raised if a process can't be started. The message is a sentence for the terminal."""

    status: ClassVar[int] = 1
    """Exit status of the process."""


class UnusableStore(CannotStart):
    """The store can't be used with these settings, and waiting does not help."""

    status = 2


class StoreUnreachable(UnusableStore):
    """The store does not reply or accepts no writes. Waiting may help."""


class BadSetting(CannotStart):
    """An environment variable has an invalid value."""

    status = 2

    def __init__(self, variable: str, problem: str) -> None:
        super().__init__(f"{variable} {problem}.")
        self.variable = variable


def run_or_exit(main: Callable[[], None]) -> None:
    """Run *main*. On ``CannotStart`` write the message to standard error and exit with its status."""
    try:
        main()
    except CannotStart as reason:
        sys.stderr.write(f"{reason}\n")
        sys.exit(reason.status)


@dataclass(frozen=True)
class Settings:
    """All settings of a server.

    ``VARIABLES`` maps each field to its variable. ``redis_url`` None means an embedded server in ``data``. Rates are
    requests per minute; 0 means unlimited. ``proxies`` is the number of trusted proxies. 0 in a ``keep_...`` field
    means no time limit. A relative ``archive`` is inside ``data``; None means no archive.
    """

    data: Path
    host: str = "127.0.0.1"
    port: int = 8000
    redis_url: str | None = None
    queue_url: str | None = None
    replicas: int = 0
    partitions: int = 1
    workers: int = 2
    arena_workers: int = 2
    arena_niceness: int = 19
    web_workers: int = min(2, os.cpu_count() or 1)
    streams: int = 1_000
    keep_alive_seconds: float = 8.0
    body_limit: int = 64 * 1024
    idempotency_hours: int = 24
    sweep_seconds: float = 0.5
    keep_waiting_hours: float = 24
    keep_idle_days: float = 30
    keep_ended_days: float = 30
    archive: Path | None = Path("archive")
    rate_create: int = 600
    rate_jobs: int = 600
    rate_requests: int = 12_000
    limit_ai_games: int = 20
    limit_arenas: int = 2
    proxies: int = 0
    cors_origins: tuple[str, ...] = ()
    operator_token: str = field(default="", repr=False)
    log_level: str = "info"

    @property
    def archive_folder(self) -> Path | None:
        """Return the folder of the archive, or None if there is none."""
        return None if self.archive is None else self.data / self.archive

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Self:
        """Read every setting. An empty variable counts as unset. Raises ``BadSetting``."""
        chosen: dict[str, Any] = {"data": default_data(environ)}
        for name, variable in VARIABLES.items():
            text = environ.get(variable.name, "").strip()
            if text:
                chosen[name] = _parse_value(variable, text)
        settings = cls(**chosen)
        settings._check_stores()
        return settings

    def _check_stores(self) -> None:
        """Refuse settings of the store, its queues and its replicas that can't work together. Raises ``BadSetting``."""
        if self.redis_url is None and self.replicas:
            raise BadSetting("REGICIDE_REPLICAS", "needs a REDIS_URL: the Valkey that `serve` starts has no replicas")
        if self.redis_url is None and self.queue_url is not None:
            raise BadSetting("REGICIDE_QUEUE_URL", "needs a REDIS_URL")
        if self.queue_url is None and self.redis_url and Address.read(self.redis_url).kind == "cluster":
            raise BadSetting("REGICIDE_QUEUE_URL", "must name a server for the queues: they can't be in a cluster")


def default_data(environ: Mapping[str, str]) -> Path:
    """Return the default data folder, inside the user's data folder. It is the same for each working directory.

    ``make serve`` sets ``.regicide`` in the checkout instead, so that two checkouts have separate stores.
    """
    home = Path(environ.get("HOME") or Path.home())
    return Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "regicide"


def _parse_value(variable: "Variable", text: str) -> object:
    """Return the value that *text* has for *variable*. Raises a ``BadSetting`` that names the variable."""
    try:
        return variable.read(text)
    except ValueError as error:
        raise BadSetting(variable.name, str(error)) from error


def _whole(low: int, high: int) -> Callable[[str], int]:
    """Return a parser of integers from *low* to *high*."""

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) <= len(str(high)) and low <= int(text) <= high:
            return int(text)
        raise ValueError(f"must be a whole number from {low} to {high}, not {text!r}")

    return read


def _duration(unit: str, high: int) -> Callable[[str], float]:
    """Return a parser of durations: a whole number, in *unit* or with a unit of its own (``30m``, ``12h``, ``7d``)."""

    def read(text: str) -> float:
        found = DURATION_PATTERN.fullmatch(text)
        if found is not None:
            value = int(found[1]) * MINUTES_BY_UNIT[found[2] or unit] / MINUTES_BY_UNIT[unit]
            if value <= high:
                return value
        raise ValueError(f"must be a whole number from 0 to {high}, or as in 30m, 12h or 7d, not {text!r}")

    return read


def _seconds(high: int) -> Callable[[str], float]:
    """Return a parser of a number of seconds from 0.05 to *high*."""

    def read(text: str) -> float:
        problem = f"must be a number of seconds from 0.05 to {high}, not {text!r}"
        try:
            seconds = float(text)
        except ValueError as error:
            raise ValueError(problem) from error
        if not 0.05 <= seconds <= high:
            raise ValueError(problem)
        return seconds

    return read


def _store_url(text: str) -> str:
    """Check the URL of a store and return it. The error does not quote the URL, which may hold a password."""
    Address.read(text)
    return text


def _queue_url(text: str) -> str:
    """Check the URL of the queues' server and return it.

    A cluster is refused, because RQ's keys can't be spread over several servers.
    """
    if Address.read(text).kind == "cluster":
        raise ValueError("must name one server, or Sentinels: the queues can't be in a cluster")
    return text


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(text.replace(",", " ").split())
    for origin in origins:
        if not ORIGIN_PATTERN.fullmatch(origin):
            raise ValueError(f"must list origins such as https://play.example, not {origin!r}")
    return origins


def _operator_token(text: str) -> str:
    if not OPERATOR_TOKEN_PATTERN.fullmatch(text):
        raise ValueError("must be 22 or more of the characters A-Z a-z 0-9 _ - . ~ (it is like a password)")
    return text


def _level(text: str) -> str:
    if text.lower() not in LOG_LEVELS:
        raise ValueError(f"must be one of {', '.join(LOG_LEVELS)}, not {text!r}")
    return text.lower()


def _folder(text: str) -> Path:
    """Return the absolute path of a folder. A relative path begins at the working directory."""
    try:
        text.encode()
        return Path(text).expanduser().absolute()
    except UnicodeEncodeError:
        raise ValueError("must be a path in UTF-8") from None
    except RuntimeError:
        raise ValueError("must not begin with the home folder of a user that doesn't exist") from None


def _folder_or_none(text: str) -> Path | None:
    return None if text == "none" else _folder(text)


@dataclass(frozen=True)
class Variable:
    """A variable of the environment: its parser, description and default."""

    name: str
    read: Callable[[str], object]
    description: str
    default_text: str = ""
    """The default in words, for variables where the field's value does not show it."""

    @property
    def flag(self) -> str:
        """Return the command-line option of the variable, as in ``--keep-idle-days``."""
        return f"--{self.name.removeprefix(VARIABLE_PREFIX).lower().replace('_', '-')}"


_read_limit: Final = _whole(0, 1_000_000)

VARIABLES: Final[Mapping[str, Variable]] = {
    "host": Variable("HOST", str, "address to listen on"),
    "port": Variable("PORT", _whole(1, 65_535), "port to listen on"),
    "web_workers": Variable("WEB_WORKERS", _whole(1, 64), "web server processes", "`2`; on one core `1`"),
    "streams": Variable(
        "REGICIDE_STREAMS", _whole(0, 10_000), "maximum concurrent streams and long polls per web server process"
    ),
    "workers": Variable(
        "WORKERS",
        _whole(0, 64),
        "worker processes for games with people",
    ),
    "arena_workers": Variable(
        "ARENA_WORKERS",
        _whole(0, 64),
        "worker processes for reviews, arenas and games of AIs alone, at low CPU priority",
    ),
    "arena_niceness": Variable("ARENA_NICENESS", _whole(0, 19), "niceness of these processes, as `nice` counts it"),
    "redis_url": Variable(
        "REDIS_URL",
        _store_url,
        "URL of a Redis or Valkey server, of Sentinels, or of a cluster",
        "a Valkey started by `serve`",
    ),
    "queue_url": Variable(
        "REGICIDE_QUEUE_URL", _queue_url, "URL of a server for the job queues; required with a cluster", "the same"
    ),
    "replicas": Variable(
        "REGICIDE_REPLICAS", _whole(0, 9), "replicas that must acknowledge a move before it is confirmed"
    ),
    "data": Variable(
        "REGICIDE_DATA",
        _folder,
        "folder of the Valkey started by `serve`, where games are kept",
        "`~/.local/share/regicide`",
    ),
    "partitions": Variable(
        "REGICIDE_PARTITIONS",
        _whole(1, 1_024),
        "number of partitions of the store, fixed when the store is created; a cluster spreads them over its servers",
    ),
    "keep_alive_seconds": Variable(
        "REGICIDE_KEEP_ALIVE_SECONDS", _seconds(10), "seconds between keep-alive messages in an idle stream, at most 10"
    ),
    "body_limit": Variable("REGICIDE_BODY_LIMIT", _whole(1_024, 16 * 1024 * 1024), "maximum request body, in bytes"),
    "idempotency_hours": Variable(
        "REGICIDE_IDEMPOTENCY_HOURS", _whole(1, 8_760), "hours until an Idempotency-Key expires"
    ),
    "sweep_seconds": Variable(
        "REGICIDE_SWEEP_SECONDS", _seconds(3_600), "seconds between two checks for overdue AI turns"
    ),
    "keep_waiting_hours": Variable(
        "REGICIDE_KEEP_WAITING_HOURS",
        _duration("h", 87_600),
        "hours, or as in `30m` or `7d`, before a game that nobody joins is abandoned; 0: never",
    ),
    "keep_idle_days": Variable(
        "REGICIDE_KEEP_IDLE_DAYS",
        _duration("d", 3_650),
        "days, or as in `30m` or `12h`, before a game in which nobody acts is abandoned; 0: never",
    ),
    "keep_ended_days": Variable(
        "REGICIDE_KEEP_ENDED_DAYS",
        _duration("d", 3_650),
        "days, or as in `30m` or `12h`, before an ended game is archived and deleted; 0: never",
    ),
    "archive": Variable(
        "REGICIDE_ARCHIVE",
        _folder_or_none,
        "folder of the archive; `none`: ended games are deleted without being archived",
        "`archive` in `REGICIDE_DATA`",
    ),
    "rate_create": Variable(
        "REGICIDE_RATE_CREATE", _read_limit, "games created, next ones too, per client per minute; 0: unlimited"
    ),
    "rate_jobs": Variable(
        "REGICIDE_RATE_JOBS",
        _read_limit,
        "hints, reviews, arenas and answers to puzzles per client per minute; 0: unlimited",
    ),
    "rate_requests": Variable(
        "REGICIDE_RATE_REQUESTS", _read_limit, "other requests per client per minute; 0: unlimited"
    ),
    "limit_ai_games": Variable(
        "REGICIDE_LIMIT_AI_GAMES",
        _read_limit,
        "running games of AIs alone per client; 0: unlimited",
    ),
    "limit_arenas": Variable("REGICIDE_LIMIT_ARENAS", _read_limit, "running arenas per client; 0: unlimited"),
    "proxies": Variable(
        "REGICIDE_PROXIES",
        _whole(0, 9),
        "number of trusted reverse proxies (`X-Forwarded-*`)",
    ),
    "cors_origins": Variable(
        "REGICIDE_CORS_ORIGINS",
        _origins,
        "origins whose pages may ask, with spaces between, as in `https://play.example`",
        "none",
    ),
    "operator_token": Variable(
        "REGICIDE_OPERATOR_TOKEN",
        _operator_token,
        "token of the operator's routes, 22 characters or more; without one there are none, but on a terminal"
        " `serve` makes one and prints it",
        "none",
    ),
    "log_level": Variable("REGICIDE_LOG_LEVEL", _level, "`debug`, `info`, `warning` or `error`; logs are JSON lines"),
}
"""The variables by field. ``regicide serve --help`` and docs/settings.md list them."""


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """Return a sentence on each unknown variable with the prefix. Each suggests a similar known name, if any."""
    known = {variable.name.removeprefix(VARIABLE_PREFIX): variable.name for variable in VARIABLES.values()}
    names = sorted(name for name in environ if name.startswith(VARIABLE_PREFIX))
    unknown = [
        name
        for name in names
        if name.removeprefix(VARIABLE_PREFIX) not in OTHER_VARIABLES and name not in known.values()
    ]
    return [
        _unknown(name, get_close_matches(name.removeprefix(VARIABLE_PREFIX), known, n=1), known) for name in unknown
    ]


def _unknown(name: str, near: list[str], known: Mapping[str, str]) -> str:
    if not near:
        return f"There is no variable {name}: it changes nothing. `regicide serve --help` lists those that there are."
    return f"There is no variable {name}: it changes nothing. Did you mean {known[near[0]]}?"


def settings_table() -> list[tuple[str, str, str]]:
    """Return name, description and default of every variable, in Markdown."""
    return [
        (variable.name, variable.description, variable.default_text or f"`{_plain(field)}`")
        for field, variable in VARIABLES.items()
    ]


def _plain(field: str) -> str:
    """Return the default of a field in the notation of its environment variable."""
    return str(getattr(Settings, field)).removesuffix(".0")
