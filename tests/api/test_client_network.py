"""The network of a client: what a proxy writes of it, and what its client has invented."""

import pytest

from api.http.client_network import UNREADABLE, network_of


@pytest.mark.parametrize(
    ("written", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        (" 192.0.2.7 ", "192.0.2.7"),
        ("192.0.2.7:1001", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:5::1", "2001:db8:5::/64"),
        ("[2001:db8:5::2]", "2001:db8:5::/64"),
        ("[2001:db8:5::3]:1001", "2001:db8:5::/64"),
        *[
            (text, UNREADABLE)
            for text in ("", "foo", "unknown", "_hidden", "192.0.2:1", "[foo]:1", "[]", "1.2.3.4:5:6")
        ],
    ],
)
def test_a_client_is_its_network(written: str, network: str):
    """Whatever port it has; all whose address can't be read are one client."""
    assert network_of(written) == network
