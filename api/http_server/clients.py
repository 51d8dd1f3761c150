"""The connections of a process by client, and which of them is closed when there is no room for another."""

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final, Generic, Protocol, TypeVar

from api.http_server.limits import PROTECTED_CONNECTIONS, PROTECTED_SITE_CONNECTIONS, ConnectionLimits
from api.http_server.states import Eviction
from api.networks import network_of

SITE_PREFIX: Final = 48
"""Bits of an IPv6 address that all addresses of one site share."""


class Evictable(Protocol):
    """A connection."""

    client: "ClientConnections"

    def evict(self) -> None:
        """Close it, so that another can be accepted."""


Member = TypeVar("Member", bound=Evictable)


class ClientConnections:
    """The connections of an IPv4 address, of an IPv6 /64, or of a *site*, the /48 that a /64 is in."""

    def __init__(self, network: str, protected: int, site: "ClientConnections | None" = None) -> None:
        self.network = network
        self.protected = protected
        self.levels = (self,) if site is None else (self, site)
        self.count = 0
        self.evictable: dict[Eviction, dict[Evictable, None]] = {Eviction.FIRST: {}, Eviction.SECOND: {}}
        """Those that wait for the client, the longest first."""

    def move(self, connection: Evictable, before: Eviction, after: Eviction) -> None:
        """Note how *connection* can be evicted from now on."""
        for level in self.levels:
            if before is not Eviction.NEVER:
                level.evictable[before].pop(connection, None)
            if after is not Eviction.NEVER:
                level.evictable[after][connection] = None

    def is_protected(self) -> bool:
        """Return whether it has so few connections that none is evicted for another client's."""
        return all(level.count < level.protected for level in self.levels)

    def evict_longest(self) -> bool:
        """Evict the one that has waited longest, for a request if any does; False if none can be."""
        longest = next((connection for waiting in self.evictable.values() for connection in waiting), None)
        if longest is not None:
            longest.evict()
        return longest is not None


class Clients(Generic[Member]):
    """All connections of a process.

    Clients with ``PROTECTED_CONNECTIONS`` or more make room for others, the one with most connections first.
    """

    def __init__(self, limits: ConnectionLimits) -> None:
        self._limits = limits
        self._by_network: dict[str, ClientConnections] = {}
        self._unprotected: dict[ClientConnections, ClientConnections] = {}
        self.connections: set[Member] = set()

    def of(self, address: str) -> ClientConnections:
        """Return the connections of the client with this address; they are kept while there are any (``add``)."""
        network = network_of(address)
        return self._by_network.get(network) or ClientConnections(
            network, PROTECTED_CONNECTIONS, self._site_of(network)
        )

    def add(self, connection: Member) -> None:
        """Count a connection."""
        self.connections.add(connection)
        self._count(connection.client, 1)

    def remove(self, connection: Member) -> None:
        """Count it no more."""
        self.connections.remove(connection)
        self._count(connection.client, -1)

    def is_full(self) -> bool:
        """Return whether nobody can be accepted, whoever it is."""
        return len(self.connections) >= self._limits.connections and not self._candidates()

    def make_room(self, client: ClientConnections) -> bool:
        """Evict a connection if another of *client* needs it; False if the client has to be refused."""
        for level in client.levels:
            if level.count >= self._limits.per_client:
                return level.evict_longest()
        reserved = 0 if client.is_protected() else self._limits.reserved
        return len(self.connections) < self._limits.connections - reserved or self._evict_one()

    def _count(self, client: ClientConnections, change: int) -> None:
        for level in client.levels:
            level.count += change
            self._by_network[level.network] = self._unprotected[level] = level
            if level.count < level.protected:
                del self._unprotected[level]
            if not level.count:
                del self._by_network[level.network]

    def _candidates(self) -> list[ClientConnections]:
        return [client for client in self._unprotected if any(client.evictable.values())]

    def _evict_one(self) -> bool:
        """Evict a connection of the client that has most; of a site, of the /64 that has most there."""
        candidates = sorted(self._candidates(), key=lambda client: client.count)
        if not candidates:
            return False
        largest = candidates[-1]
        return next((one for one in reversed(candidates[:-1]) if largest in one.levels), largest).evict_longest()

    def _site_of(self, network: str) -> ClientConnections | None:
        address = ip_address(network.partition("/")[0])
        if not isinstance(address, IPv6Address):
            return None
        site = str(ip_network((address, SITE_PREFIX), strict=False))
        return self._by_network.get(site) or ClientConnections(site, PROTECTED_SITE_CONNECTIONS)
