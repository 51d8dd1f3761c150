"""By which clients are told apart: an IPv4 address, or the network that one client has of IPv6."""

from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

IPV6_PREFIX: Final = 64
"""Bits of an IPv6 address that all addresses of one client share."""


@lru_cache(4096)
def network_of(address: str) -> str:
    """Return whose *address* it is; what is none counts as itself."""
    try:
        client = ip_address(address)
    except ValueError:
        return address
    if not isinstance(client, IPv6Address):
        return address
    if client.ipv4_mapped is not None:  # whoever listens on :: sees IPv4 so
        return str(client.ipv4_mapped)
    return str(ip_network((client, IPV6_PREFIX), strict=False))
