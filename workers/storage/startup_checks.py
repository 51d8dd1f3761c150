"""Checks of a store at the start: an error that waiting does not fix is reported in one sentence.

The checks wait for a store that doesn't reply, because it may be starting. A store that refuses the password will go on
refusing it, so this is reported at once.
"""

import re
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from threading import Event
from time import monotonic
from typing import Any, Final

from redis import Redis
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.exceptions import (
    AuthenticationError,
    AuthenticationWrongNumberOfArgsError,
    AuthorizationError,
    BusyLoadingError,
    NoPermissionError,
    RedisClusterException,
    RedisError,
    ResponseError,
)
from redis.retry import Retry

from engines.core.phrase import Phrase, Translator, english
from engines.core.types import Json
from workers.settings import Settings, StoreUnreachable, UnusableStore
from workers.storage.clients import client, primaries, short_timeouts
from workers.storage.commands import is_server_state_error, run_command
from workers.store_addresses import Address

CHECK_INTERVAL_SECONDS: Final = 0.05
"""Delay between two checks of a store that isn't ready yet."""

NOEVICTION_POLICY: Final = "noeviction"
LOADING_MODE: Final = "loading"
"""Mode of a server that is loading its data."""

Reporter = Callable[[str], None]
"""Function that prints a sentence, on the terminal for example."""

REFUSAL_ERRORS: Final = (
    AuthenticationError,
    AuthenticationWrongNumberOfArgsError,
    AuthorizationError,
    NoPermissionError,
)
WRONG_MODE_SENTENCES: Final = {
    ("server", "cluster"): "is part of a cluster: write redis+cluster:// into {variable}",
    ("server", "sentinel"): "is a Sentinel: write redis+sentinel://host:port/NAME into {variable}",
    ("sentinel", "cluster"): "is part of a cluster: write redis+cluster:// into {variable}",
}
"""Sentences for an address whose server runs in another mode, by the address's kind and the server's mode."""


WANTS_CERTIFICATE_SENTENCE: Final = (
    "{place} wants a certificate of the client's that it trusts: ?ssl_certfile=FILE&ssl_keyfile=FILE at the end of "
    "{variable} names one."
)
NO_TLS_SENTENCE: Final = "{place} speaks no TLS: {variable} begins with rediss:// and should with redis://."
TLS_ERROR_SENTENCES: Final = {
    **dict.fromkeys(
        ("CERTIFICATE_REQUIRED", "HANDSHAKE_FAILURE", "UNKNOWN_CA", "EOF_OCCURRED"), WANTS_CERTIFICATE_SENTENCE
    ),
    **dict.fromkeys(("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE"), NO_TLS_SENTENCE),
    "NO_CERTIFICATE_OR_CRL_FOUND": "The file that {variable} names for whom to trust (ssl_ca_certs) has no "
    "certificate.",
    "NO_START_LINE": "A file that {variable} names for TLS has no certificate, or no key.",
    "PEM_LIB": "A file that {variable} names for TLS has no certificate and key that belong together.",
    "KEY_VALUES_MISMATCH": "The certificate and the key that {variable} names don't belong together.",
}
"""Sentences for TLS errors, by a part of OpenSSL's reason."""

WANTS_TLS_SENTENCE: Final = "{place} speaks TLS: let {variable} begin with rediss:// in place of redis://."
PLAIN_REPLY_FIRST_BYTES: Final = (b"+", b"-")
TLS_CLIENT_ERRORS: Final = (ssl.SSLError, FileNotFoundError, PermissionError)
PROBE_TIMEOUT_SECONDS: Final = 1.0

UNVERIFIED_TLS_PATTERN: Final = re.compile(r"[?&]ssl_cert_reqs=none\b", re.IGNORECASE)
UNVERIFIED_TLS_WARNING: Final = (
    "The certificate of the store isn't verified (ssl_cert_reqs=none in {variable}): whoever stands between can read "
    "and change everything."
)

NOT_DURABLE_PHRASE: Final = Phrase(
    "The storage isn't set to write everything to the disk: games may be lost (appendonly no)."
)


@dataclass(frozen=True)
class Reason:
    """A problem that a readiness check reports."""

    code: str
    phrase: Phrase

    def as_json(self, translator: Translator = english) -> Json:
        """Return ``{"code", "detail"}`` in the language of *translator*."""
        return {"code": self.code, "detail": self.phrase.render(translator)}


@dataclass(frozen=True)
class Durability:
    """How durably the servers of a store keep writes."""

    is_written: bool
    """True if confirmed writes survive a crash of a server."""
    eviction_policy: str
    """``NOEVICTION_POLICY``, or the policy of a server that evicts games when its memory is full."""
    replicas: int
    """Number of replicas. On a cluster, the number of replicas of the primary that has the fewest."""

    @property
    def durable(self) -> bool:
        """Return whether every confirmed write survives a crash of the store."""
        return not self.reasons

    @property
    def reasons(self) -> tuple[str, ...]:
        """Return the server settings that make the store not durable."""
        policy = self.eviction_policy
        found = {"appendonly no": self.is_written, f"maxmemory-policy {policy}": policy == NOEVICTION_POLICY}
        return tuple(reason for reason, is_well in found.items() if not is_well)

    def readiness_reasons(self, needed: int) -> Iterator[Reason]:
        """Yield the readiness problems. *needed* is the number of replicas that each move must reach."""
        if not self.is_written:
            yield Reason("not_durable", NOT_DURABLE_PHRASE)
        if self.eviction_policy != NOEVICTION_POLICY:
            phrase = Phrase(
                "The storage throws games away when its memory is full (maxmemory-policy {policy}): set noeviction.",
                policy=self.eviction_policy,
            )
            yield Reason("evicting", phrase)
        if needed and self.replicas <= needed:
            phrase = Phrase(
                "No replica can be spared: a move must reach {needed} of {replicas}. When one server dies no move can "
                "be made until it is back: add a replica to each primary, or lower REGICIDE_REPLICAS.",
                needed=needed,
                replicas=self.replicas,
            )
            yield Reason("no_spare_replica", phrase)


def check_stores(settings: Settings, seconds: float | None = None, report: Reporter = lambda _: None) -> None:
    """Wait until the stores of the settings reply. Raises ``UnusableStore``.

    The wait lasts at most *seconds*. While a server loads its data, the wait goes on, and *report* gets a sentence.
    With *seconds* None there is no wait, and only errors that waiting does not fix are raised.
    """
    named = {"REDIS_URL": settings.redis_url, "REGICIDE_QUEUE_URL": settings.queue_url}
    for variable, url in named.items():
        if url is not None:
            if (seconds or 0) and UNVERIFIED_TLS_PATTERN.search(url):
                report(UNVERIFIED_TLS_WARNING.format(variable=variable))
            _check(variable, url, seconds, report)


def durability(redis: Redis) -> Durability:
    """Read how durably a store keeps writes. Raises ``StorageUnavailable``."""
    found = [_info(one) for one in run_command(lambda: primaries(redis))]
    policies = {info.get("maxmemory_policy", NOEVICTION_POLICY) for info in found} - {NOEVICTION_POLICY}
    return Durability(
        is_written=all(int(info.get("aof_enabled", 0)) for info in found),
        eviction_policy=min(policies, default=NOEVICTION_POLICY),
        replicas=min(int(info.get("connected_slaves", 0)) for info in found),
    )


def _info(redis: Redis) -> dict[str, Any]:
    info: dict[str, Any] = run_command(lambda: redis.info("persistence", "memory", "replication"))
    return info


def _check(variable: str, url: str, seconds: float | None, report: Reporter) -> None:
    address, pause, is_reported = Address.read(url), Event(), False
    deadline = monotonic() + (seconds or 0)
    with closing(client(variable, url, **short_timeouts())) as redis:
        while True:
            mode, error = _server_mode(redis, address, variable)
            if mode not in (None, LOADING_MODE):
                break
            if seconds is None:
                return
            if mode == LOADING_MODE:
                deadline = monotonic() + seconds
                if not is_reported:
                    report(f"{address.place} is reading its games, which takes a while if there are many.")
                    is_reported = True
            if monotonic() > deadline:
                raise StoreUnreachable(_unreachable_reason(address, variable, error))
            pause.wait(CHECK_INTERVAL_SECONDS)
    other = WRONG_MODE_SENTENCES.get((address.kind, mode or ""))
    if other is not None:
        raise UnusableStore(f"{address.place} {other.format(variable=variable)}.")


def _server_mode(redis: Redis, address: Address, variable: str) -> tuple[str | None, Exception | None]:
    """Return the mode of the server, and the error because of which it can't be used now, or None if it can be used.

    The mode is ``standalone``, ``cluster`` or ``sentinel``, ``LOADING_MODE`` while the server loads its data, or None
    after any other error. Raises ``UnusableStore`` for an error that waiting does not fix.
    """
    try:
        redis.ping()
        info: dict[str, Any] = redis.info("server")
    except (RedisError, RedisClusterException) as error:
        if any(isinstance(cause, BusyLoadingError) for cause in _causes(error)):
            return LOADING_MODE, error
        _refuse(variable, address, error)
        return None, error
    return str(info.get("redis_mode") or info.get("server_mode")), None  # Valkey calls it ``server_mode``


def _refuse(
    variable: str, address: Address, error: Exception, kinds: tuple[type[BaseException], ...] = (BaseException,)
) -> None:
    """Raise ``UnusableStore`` if waiting does not fix *error*. Return if it may.

    The error and its chain of causes are examined, but only exceptions of *kinds*.
    """
    for cause in (one for one in _causes(error) if isinstance(one, kinds)):
        if isinstance(cause, REFUSAL_ERRORS) or "AuthenticationError" in str(cause):  # Sentinels' errors arrive as text
            raise UnusableStore(f"{address.place} refuses the user or the password that {variable} has.") from error
        if isinstance(cause, ssl.SSLCertVerificationError):
            raise UnusableStore(
                f"{address.place} has a certificate that isn't trusted ({cause.verify_message}): "
                f"?ssl_ca_certs=FILE at the end of {variable} names whom to trust."
            ) from error
        if isinstance(cause, ssl.SSLError):
            raise UnusableStore(_tls_error_sentence(cause, variable, address)) from error
        if isinstance(cause, FileNotFoundError | PermissionError) and address.nodes:
            raise UnusableStore(f"A file that {variable} names for TLS can't be read: {cause.strerror}.") from error
        if isinstance(cause, RedisClusterException) and "Cluster mode is not enabled" in str(cause):
            raise UnusableStore(f"{address.place} is no cluster: let {variable} begin with redis://.") from error
        if isinstance(cause, ResponseError) and not is_server_state_error(cause):
            raise UnusableStore(f"{address.place} can't be used: {cause}.") from error


def _tls_error_sentence(error: ssl.SSLError, variable: str, address: Address) -> str:
    """Return a sentence for a TLS error. Some of OpenSSL's errors have only a text and no reason."""
    reason = error.reason or ""
    for part, sentence in TLS_ERROR_SENTENCES.items():
        if part in reason or part.lower().replace("_", " ") in str(error).lower():
            return sentence.format(place=address.place, variable=variable)
    return f"{address.place} speaks no TLS that is understood: {reason or error.args[-1]}."


def _unreachable_reason(address: Address, variable: str, error: Exception | None) -> str:
    """Return a sentence for a store that stayed unusable. *error* is the last error."""
    for host, port in address.nodes:
        found = (
            _handshake_error_sentence(variable, address, host, port)
            if address.is_tls
            else _wants_tls_sentence(host, port)
        )
        if found is not None:
            return found.format(place=f"The server at {host} port {port}", variable=variable)
    said = next((str(cause) for cause in _causes(error) if isinstance(cause, ResponseError)), None)
    if said is not None:
        return f"{address.place} answers, but can't be used now: {said.rstrip('.')}."
    return f"{address.place} doesn't answer: start it, or let {variable} name another."


def _wants_tls_sentence(host: str, port: int) -> str | None:
    """Return a sentence if the server speaks TLS, which the URL does not request; else None."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection((host, port), timeout=PROBE_TIMEOUT_SECONDS) as sock,
            context.wrap_socket(sock),
        ):
            return WANTS_TLS_SENTENCE
    except OSError:
        return None


def _handshake_error_sentence(variable: str, address: Address, host: str, port: int) -> str | None:
    """Return a sentence if a TLS handshake with this server fails, else None.

    The handshake is tried anew, because clients of Sentinels and clusters don't report why it failed.
    """
    if _is_plain(host, port):
        return NO_TLS_SENTENCE  # a handshake would time out, because the server waits for the end of a command
    chosen = {name: value for name, value in parse_url(address.url).items() if name.startswith("ssl")}
    once = Retry(NoBackoff(), 0)
    with Redis(host=host, port=port, ssl=True, socket_timeout=PROBE_TIMEOUT_SECONDS, retry=once, **chosen) as redis:
        try:
            redis.ping()
        except RedisError as error:
            try:
                _refuse(variable, replace(address, nodes=((host, port),), kind="server"), error, TLS_CLIENT_ERRORS)
            except UnusableStore as refusal:
                return str(refusal).replace("The store at", "The server at")
    return None


def _is_plain(host: str, port: int) -> bool:
    """Return whether the server at this address replies without TLS."""
    try:
        with socket.create_connection((host, port), timeout=PROBE_TIMEOUT_SECONDS) as sock:
            sock.sendall(b"PING\r\n")
            return sock.recv(1) in PLAIN_REPLY_FIRST_BYTES
    except OSError:
        return False


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
