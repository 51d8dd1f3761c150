"""The network that identifies a client: an IPv4 address, or an IPv6 prefix."""

from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

IPV6_PREFIX_LENGTH: Final = 64
"""Prefix length of the IPv6 network of one client."""


@lru_cache(4096)
def network_of(address: str) -> str:
    """Return the network of an *address*. Any other text is returned unchanged."""
    try:
        client = ip_address(address)
    except ValueError:
        return address
    if not isinstance(client, IPv6Address):
        return address
    if client.ipv4_mapped is not None:  # a socket on :: reports IPv4 addresses in this form
        return str(client.ipv4_mapped)
    return str(ip_network((client, IPV6_PREFIX_LENGTH), strict=False))
