"""Open connections grouped by client, and the choice of the connection to evict (close) when a limit is reached."""

from ipaddress import ip_network
from typing import Any, Final

from api.http.client_network import IPV6_PREFIX_LENGTH, network_of
from api.http_server.limits import PROTECTED_CONNECTIONS, PROTECTED_SITE_CONNECTIONS, ConnectionLimits
from api.http_server.states import Eviction

IPV6_SITE_PREFIX_LENGTH: Final = 48
"""Prefix length of the IPv6 network of one site."""


class ConnectionGroup:
    """The connections of one IPv4 address, one IPv6 /64 or one IPv6 /48."""

    def __init__(self, network: str, site: str, protected: int) -> None:
        self.network = network
        self.site = site
        """The /48 that contains this group if this group is an IPv6 /64, else an empty text."""
        self.protected = protected
        """While the group has fewer connections than this, none of them is evicted for another client."""
        self.count = 0
        self.evictable: dict[Eviction, dict[Any, None]] = {Eviction.FIRST: {}, Eviction.SECOND: {}}
        """Evictable connections by eviction class. In each, the connection that has waited longest is first."""

    def evict_longest(self) -> bool:
        """Evict the connection that has waited longest, from the eviction class ``FIRST`` if it has any.

        Return False if no connection can be evicted.
        """
        for waiting in self.evictable.values():
            for connection in waiting:
                connection.close()
                return True
        return False


class OpenConnections:
    """All connections of a process. At the limit, a connection of the largest unprotected group is evicted."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.count = 0
        self._limits = limits
        self._groups: dict[str, ConnectionGroup] = {}
        self._unprotected: dict[str, ConnectionGroup] = {}

    def groups_of(self, address: str) -> tuple[ConnectionGroup, ...]:
        """Return the groups of a connection from *address*."""
        network, site = network_of(address), ""
        if network.endswith(f"/{IPV6_PREFIX_LENGTH}"):
            site = str(ip_network(network).supernet(new_prefix=IPV6_SITE_PREFIX_LENGTH))
        group = self._groups.get(network) or ConnectionGroup(network, site, PROTECTED_CONNECTIONS)
        return (
            (group, self._groups.get(site) or ConnectionGroup(site, "", PROTECTED_SITE_CONNECTIONS))
            if site
            else (group,)
        )

    def add(self, groups: tuple[ConnectionGroup, ...], change: int = 1) -> None:
        """Add *change* (1 or -1) to the number of connections of *groups*."""
        self.count += change
        for group in groups:
            group.count += change
            self._groups[group.network] = self._unprotected[group.network] = group
            if group.count < group.protected:
                del self._unprotected[group.network]
            if not group.count:
                del self._groups[group.network]

    def is_full(self) -> bool:
        """Return whether the process can accept no further connection, whoever the client is."""
        return self.count >= self._limits.connections and not self._candidates()

    def make_room(self, groups: tuple[ConnectionGroup, ...]) -> bool:
        """Make room for one more connection in *groups*, by eviction if needed. Return False if there is no room."""
        for group in groups:
            if group.count >= self._limits.per_client:
                return group.evict_longest()
        is_protected = all(group.count < group.protected for group in groups)
        room = self._limits.connections - (0 if is_protected else self._limits.reserved)
        return self.count < room or self._evict_one()

    def _evict_one(self) -> bool:
        """Evict a connection of the largest unprotected group. If that is a /48, choose its largest /64.

        Return False if no connection can be evicted.
        """
        candidates = sorted(self._candidates(), key=lambda group: group.count, reverse=True)
        for largest in candidates:
            return next((group for group in candidates if group.site == largest.network), largest).evict_longest()
        return False

    def _candidates(self) -> list[ConnectionGroup]:
        return [group for group in self._unprotected.values() if any(group.evictable.values())]
