"""The connections of a process by client, and which of them is closed when there is no room for another."""

from ipaddress import ip_network
from typing import Any, Final

from api.http.networks import IPV6_PREFIX, network_of
from api.http_server.limits import PROTECTED_CONNECTIONS, PROTECTED_SITE_CONNECTIONS, ConnectionLimits
from api.http_server.states import Eviction

SITE_PREFIX: Final = 48
"""Bits of an IPv6 address that all addresses of one site share."""


class Group:
    """The connections of an IPv4 address, of an IPv6 /64, or of an IPv6 /48."""

    def __init__(self, network: str, site: str, protected: int) -> None:
        self.network = network
        self.site = site
        """The /48 that a /64 is in."""
        self.protected = protected
        """With fewer, none is evicted for another client's."""
        self.count = 0
        self.evictable: dict[Eviction, dict[Any, None]] = {Eviction.FIRST: {}, Eviction.SECOND: {}}
        """The connections that wait for their client, the longest first."""

    def evict_longest(self) -> bool:
        """Evict the one that has waited longest, for a request if any does; False if none can be."""
        for waiting in self.evictable.values():
            for connection in waiting:
                connection.close()
                return True
        return False


class Clients:
    """All connections of a process. The largest of the groups that aren't protected makes room for others."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.count = 0
        self._limits = limits
        self._groups: dict[str, Group] = {}
        self._unprotected: dict[str, Group] = {}

    def groups_of(self, address: str) -> tuple[Group, ...]:
        """Return the groups that a connection from *address* is in."""
        network, site = network_of(address), ""
        if network.endswith(f"/{IPV6_PREFIX}"):
            site = str(ip_network(network).supernet(new_prefix=SITE_PREFIX))
        group = self._groups.get(network) or Group(network, site, PROTECTED_CONNECTIONS)
        return (group, self._groups.get(site) or Group(site, "", PROTECTED_SITE_CONNECTIONS)) if site else (group,)

    def add(self, groups: tuple[Group, ...], change: int = 1) -> None:
        """Count a connection more in *groups*, or one less."""
        self.count += change
        for group in groups:
            group.count += change
            self._groups[group.network] = self._unprotected[group.network] = group
            if group.count < group.protected:
                del self._unprotected[group.network]
            if not group.count:
                del self._groups[group.network]

    def is_full(self) -> bool:
        """Return whether nobody can be accepted, whoever it is."""
        return self.count >= self._limits.connections and not self._candidates()

    def make_room(self, groups: tuple[Group, ...]) -> bool:
        """Evict a connection if another in *groups* needs it; False if that has to be refused."""
        for group in groups:
            if group.count >= self._limits.per_client:
                return group.evict_longest()
        is_protected = all(group.count < group.protected for group in groups)
        room = self._limits.connections - (0 if is_protected else self._limits.reserved)
        return self.count < room or self._evict_one()

    def _evict_one(self) -> bool:
        """Evict from the largest group that isn't protected; if that is a /48, from the largest such /64 in it."""
        candidates = sorted(self._candidates(), key=lambda group: group.count, reverse=True)
        for largest in candidates:
            return next((group for group in candidates if group.site == largest.network), largest).evict_longest()
        return False

    def _candidates(self) -> list[Group]:
        return [group for group in self._unprotected.values() if any(group.evictable.values())]
