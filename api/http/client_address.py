"""The client address, by which requests without a token are counted."""

from api.http.client_network import network_of
from api.http.current_request import current_request


def client_address() -> str:
    """Return the request's IPv4 address, or the IPv6 network of the client."""
    return network_of(current_request().remote_addr or "?")
