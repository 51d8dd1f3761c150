"""The client address that requests without a token are counted by."""

from api.http.client_network import network_of
from api.http.request_context import current_request


def client_address() -> str:
    """Return the request's IPv4 address, or the IPv6 network that one client has."""
    return network_of(current_request().remote_addr or "?")
