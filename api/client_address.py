"""Whose request it is: the address that is charged for what no token pays."""

from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from flask import request

IPV6_PREFIX: Final = 64
"""Bits of an IPv6 address that all addresses of one client share."""


def address() -> str:
    """Return whose address the request comes from; of IPv6 the network, since that is what one client has."""
    return _network(request.remote_addr or "?")


@lru_cache(4096)
def _network(sent: str) -> str:
    try:
        client = ip_address(sent)
    except ValueError:
        return sent
    if not isinstance(client, IPv6Address):
        return sent
    if client.ipv4_mapped is not None:  # whoever listens on :: sees IPv4 so
        return str(client.ipv4_mapped)
    return str(ip_network((client, IPV6_PREFIX), strict=False))
