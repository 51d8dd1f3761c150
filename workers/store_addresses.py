"""Addresses of stores: the values of ``REDIS_URL`` and ``REGICIDE_QUEUE_URL``.

  redis://user:password@host:6379/0                     a server; with TLS rediss://; valkey:// and valkeys:// as well
  unix:///run/valkey.sock                               a server, by its socket
  redis+sentinel://host:26379,host2:26379/NAME/0        the primary that these Sentinels call NAME
  redis+cluster://host:7000,host2:7000                  a cluster that has these servers

Client options follow a question mark, as in ``?ssl_ca_certs=/etc/ca.pem``. A password for the Sentinels themselves is
given as ``?sentinel_password=...``.
"""

import re
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import SplitResult, unquote, urlsplit

SCHEME_PATTERN: Final = re.compile(r"(redis|valkey)(s?)(?:\+(sentinel|cluster))?")
NO_ADDRESS_MESSAGE: Final = "must be an address such as redis://127.0.0.1:6379"
DEFAULT_PORT_BY_KIND: Final = {"server": 6379, "sentinel": 26379, "cluster": 6379}
ALLOWED_SCHEMES_TEXT: Final = (
    "redis://, rediss://, unix://, redis+sentinel:// or redis+cluster:// (or valkey in place of redis)"
)


@dataclass(frozen=True)
class Address:
    """The parsed address of a store."""

    kind: str
    """``server``, ``sentinel`` or ``cluster``."""
    nodes: tuple[tuple[str, int], ...]
    """Hosts and ports of the server, of the Sentinels, or of some servers of the cluster. Empty for a Unix socket."""
    url: str
    """The URL for redis-py, with user, password, database and options. With several nodes it names the first."""
    service: str = ""
    """The name of the primary at the Sentinels."""

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse a URL. The error, ``ValueError``, does not quote the URL, because the URL may hold a password."""
        parts = _parts(text)
        if parts.scheme == "unix":
            if not parts.path.strip("/"):
                raise ValueError("must name a socket, as in unix:///run/valkey.sock")
            return cls("server", (), text)
        scheme = SCHEME_PATTERN.fullmatch(parts.scheme)
        if scheme is None or not text.lower().startswith(f"{parts.scheme}://"):
            raise ValueError(f"must begin with {ALLOWED_SCHEMES_TEXT}")
        kind = scheme[3] or "server"
        user, at, hosts = parts.netloc.rpartition("@")
        nodes = tuple(_node(host, DEFAULT_PORT_BY_KIND[kind]) for host in hosts.split(","))
        if kind == "server" and len(nodes) > 1:
            raise ValueError("must name one server, or begin with redis+sentinel:// or redis+cluster://")
        service, database = _path(kind, parts.path)
        host, port = nodes[0]
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        query = f"?{parts.query}" if parts.query else ""
        return cls(kind, nodes, f"redis{scheme[2]}://{user}{at}{place}/{database}{query}", service)

    @property
    def is_tls(self) -> bool:
        return self.url.startswith("rediss:")

    @property
    def place(self) -> str:
        """Return the address as text for messages, without user and password."""
        where = " and ".join(f"{host} port {port}" for host, port in self.nodes) or unquote(urlsplit(self.url).path)
        return {
            "server": f"The store at {where}",
            "sentinel": f"The store that the Sentinels at {where} call {self.service}",
            "cluster": f"The cluster at {where}",
        }[self.kind]


def _parts(text: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        _ = parts.port if "," not in parts.netloc else None
    except ValueError:
        raise ValueError(NO_ADDRESS_MESSAGE) from None
    return parts


def _node(text: str, port: int) -> tuple[str, int]:
    place = _parts(f"//{text}")
    return place.hostname or "localhost", place.port or port


def _path(kind: str, path: str) -> tuple[str, str]:
    """Return the primary's name at the Sentinels ("" unless *kind* is ``sentinel``) and the number of the database."""
    words = path.strip("/").split("/")
    service = unquote(words.pop(0)) if kind == "sentinel" else ""
    if kind == "sentinel" and not service:
        raise ValueError("must end with the name of the primary, as in redis+sentinel://127.0.0.1:26379/NAME")
    database = "/".join(words) or "0"
    if not (database.isascii() and database.isdigit()):
        raise ValueError("must end with the number of a database, if with anything, as in redis://127.0.0.1:6379/0")
    if kind == "cluster" and int(database):
        raise ValueError("must not end with the number of a database: a cluster has one alone")
    return service, database
