"""The client address that requests without a token are counted by."""

from flask import request

from api.http.client_network import network_of


def client_address() -> str:
    """Return the request's IPv4 address, or the IPv6 network that one client has."""
    return network_of(request.remote_addr or "?")
