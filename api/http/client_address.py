"""Whose request it is: the address that is charged for what no token pays."""

from flask import request

from api.http.networks import network_of


def address() -> str:
    """Return whose address the request comes from; of IPv6 the network, since that is what one client has."""
    return network_of(request.remote_addr or "?")
