"""The connections of a process by client, and which of them is closed when there is no room for another."""

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final, Protocol

from api.http_server.limits import PROTECTED_CONNECTIONS, PROTECTED_SITE_CONNECTIONS, ConnectionLimits
from api.http_server.states import Eviction
from api.networks import network_of

SITE_PREFIX: Final = 48
"""Bits of an IPv6 address that all addresses of one site share."""


class ManagedConnection(Protocol):
    """A connection, as the listener knows it."""

    client: "ClientConnections"

    def check_timeouts(self, now: float) -> None:
        """End what has taken too long, by the loop's time, and what nobody waits for."""

    def shutdown(self) -> None:
        """Close it, at once or with the response that is being made."""

    def evict(self) -> None:
        """Abort the connection so that another client can be accepted."""


class ClientConnections:
    """The connections of an IPv4 address, of an IPv6 /64, or of a *site*, the /48 that a /64 is in."""

    def __init__(self, network: str, protected: int, site: "ClientConnections | None" = None) -> None:
        self.network = network
        self.protected = protected
        self.site = site
        self.count = 0
        self.evictable: tuple[dict[ManagedConnection, None], ...] = ({}, {})
        """By order of eviction, those that wait for the client, the longest first."""

    def levels(self) -> "tuple[ClientConnections, ...]":
        """Return it, and the site it is in."""
        return (self,) if self.site is None else (self, self.site)

    def move(self, connection: ManagedConnection, before: Eviction, after: Eviction) -> None:
        """Note how *connection* can be evicted from now on."""
        for level in self.levels():
            if before is not Eviction.NEVER:
                level.evictable[before.value].pop(connection, None)
            if after is not Eviction.NEVER:
                level.evictable[after.value][connection] = None

    def is_protected(self) -> bool:
        """Return whether it has so few connections that none is evicted for another client's."""
        return all(level.count < level.protected for level in self.levels())

    def has_evictable(self) -> bool:
        """Return whether any of its connections can be evicted."""
        return any(self.evictable)

    def evict_longest(self) -> bool:
        """Evict the one that has waited longest, for a request if any does; False if none can be."""
        for waiting in self.evictable:
            for connection in waiting:
                connection.evict()
                return True
        return False


class Clients:
    """All connections of a process.

    Clients with ``PROTECTED_CONNECTIONS`` or more make room for others, the one with most connections first.
    """

    def __init__(self, limits: ConnectionLimits) -> None:
        self._limits = limits
        self._by_network: dict[str, ClientConnections] = {}
        self._unprotected: dict[ClientConnections, None] = {}
        self.connections: set[ManagedConnection] = set()

    def of(self, address: str) -> ClientConnections:
        """Return the connections of the client with this address."""
        network = network_of(address)
        found = self._by_network.get(network)
        if found is None:
            found = ClientConnections(network, PROTECTED_CONNECTIONS, self._site_of(network))
            self._by_network[network] = found
        return found

    def add(self, connection: ManagedConnection) -> None:
        """Count a connection."""
        self.connections.add(connection)
        for level in connection.client.levels():
            level.count += 1
            if level.count >= level.protected:
                self._unprotected[level] = None

    def remove(self, connection: ManagedConnection) -> bool:
        """Count it no more; False if it wasn't counted."""
        if connection not in self.connections:
            return False
        self.connections.remove(connection)
        for level in connection.client.levels():
            level.count -= 1
            if level.count < level.protected:
                self._unprotected.pop(level, None)
            self.forget(level)
        return True

    def forget(self, client: ClientConnections) -> None:
        """Forget a client without connections."""
        for level in client.levels():
            if not level.count:
                self._by_network.pop(level.network, None)

    def is_full(self) -> bool:
        """Return whether nobody can be accepted, whoever it is."""
        has_room = len(self.connections) < self._limits.connections
        return not has_room and not any(client.has_evictable() for client in self._unprotected)

    def make_room(self, client: ClientConnections) -> bool:
        """Evict a connection if another of *client* needs it; False if the client has to be refused."""
        for level in client.levels():
            if level.count >= self._limits.per_client:
                return level.evict_longest()
        reserved = 0 if client.is_protected() else self._limits.reserved
        return len(self.connections) < self._limits.connections - reserved or self._evict_one()

    def _evict_one(self) -> bool:
        """Evict a connection of the client that has most; of a site, of the /64 that has most there."""
        candidates = [client for client in self._unprotected if client.has_evictable()]
        if not candidates:
            return False
        largest = max(candidates, key=_count)
        return max((one for one in candidates if one.site is largest), key=_count, default=largest).evict_longest()

    def _site_of(self, network: str) -> ClientConnections | None:
        address = ip_address(network.partition("/")[0])
        if not isinstance(address, IPv6Address):
            return None
        site = str(ip_network((address, SITE_PREFIX), strict=False))
        return self._by_network.setdefault(site, ClientConnections(site, PROTECTED_SITE_CONNECTIONS))


def _count(client: ClientConnections) -> int:
    return client.count
