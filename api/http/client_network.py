"""The network that identifies a client: an IPv4 address, or an IPv6 prefix."""

import re
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

IPV6_PREFIX_LENGTH: Final = 64
"""Prefix length of the IPv6 network of one client."""


UNREADABLE: Final = "?"
"""The network of all clients whose address can't be read. Invented texts of a proxy's client are no new clients."""

WITH_PORT: Final = re.compile(r"\[(?P<v6>[^\]]*)\](:\d*)?|(?P<v4>[\d.]+):\d*", re.ASCII)
"""An address as some proxies write it: with a port, or an IPv6 address in brackets."""


@lru_cache(4096)
def network_of(address: str) -> str:
    """Return the network of an *address*, which may have a port. Any other text gives ``UNREADABLE``."""
    ported = WITH_PORT.fullmatch(address.strip())
    try:
        client = ip_address(address.strip() if ported is None else ported["v6"] or ported["v4"] or "")
    except ValueError:
        return UNREADABLE
    if not isinstance(client, IPv6Address):
        return str(client)
    if client.ipv4_mapped is not None:  # a socket on :: reports IPv4 addresses in this form
        return str(client.ipv4_mapped)
    return str(ip_network((client, IPV6_PREFIX_LENGTH), strict=False))
