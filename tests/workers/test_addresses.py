"""What REDIS_URL may say."""

import pytest

from workers.settings import BadSetting, CannotStart, Settings
from workers.storage.clients import connect, connect_queue, connect_worker
from workers.store_addresses import ALLOWED_SCHEMES_TEXT, NO_ADDRESS_MESSAGE, Address

HOME = {"HOME": "/home/ana"}


@pytest.mark.parametrize(
    ("text", "kind", "nodes", "url", "service"),
    [
        ("redis://db", "server", [("db", 6379)], "redis://db:6379/0", ""),
        ("redis://db:7000/2", "server", [("db", 7000)], "redis://db:7000/2", ""),
        ("redis://", "server", [("localhost", 6379)], "redis://localhost:6379/0", ""),
        ("valkey://u:p@db", "server", [("db", 6379)], "redis://u:p@db:6379/0", ""),
        ("valkeys://:p%40@db", "server", [("db", 6379)], "rediss://:p%40@db:6379/0", ""),
        ("rediss://db?ssl_cert_reqs=none", "server", [("db", 6379)], "rediss://db:6379/0?ssl_cert_reqs=none", ""),
        ("redis://[::1]:7000", "server", [("::1", 7000)], "redis://[::1]:7000/0", ""),
        ("unix:///run/v.sock?db=1", "server", [], "unix:///run/v.sock?db=1", ""),
        ("redis+sentinel://u:p@a,b:7/x/3", "sentinel", [("a", 26379), ("b", 7)], "redis://u:p@a:26379/3", "x"),
        ("rediss+sentinel://a/my%20games", "sentinel", [("a", 26379)], "rediss://a:26379/0", "my games"),
        ("redis+cluster://a:7000,b:7001", "cluster", [("a", 7000), ("b", 7001)], "redis://a:7000/0", ""),
        ("valkeys+cluster://:p@a/", "cluster", [("a", 6379)], "rediss://:p@a:6379/0", ""),
    ],
)
def test_an_address_is_read(text, kind, nodes, url, service):
    """Servers, Sentinels, clusters; with and without TLS, user, password, database, options."""
    assert Address.read(text) == Address(kind, tuple(nodes), url, service)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("http://u:secret@db", f"must begin with {ALLOWED_SCHEMES_TEXT}"),
        ("redis+unix:///v.sock", f"must begin with {ALLOWED_SCHEMES_TEXT}"),
        ("redis:db", f"must begin with {ALLOWED_SCHEMES_TEXT}"),
        ("db:6379", f"must begin with {ALLOWED_SCHEMES_TEXT}"),
        ("redis://u:secret@db:99999", NO_ADDRESS_MESSAGE),
        ("redis://u:secret@[::1", NO_ADDRESS_MESSAGE),
        ("redis+cluster://u:secret@a:1,b:none", NO_ADDRESS_MESSAGE),
        ("redis://u:secret@a,b", "must name one server, or begin with redis+sentinel:// or redis+cluster://"),
        (
            "redis://u:secret@a/games",
            "must end with the number of a database, if with anything, as in redis://127.0.0.1:6379/0",
        ),
        ("redis+cluster://u:secret@a/1", "must not end with the number of a database: a cluster has one alone"),
        (
            "redis+sentinel://u:secret@a",
            "must end with the name of the primary, as in redis+sentinel://127.0.0.1:26379/NAME",
        ),
        ("unix://", "must name a socket, as in unix:///run/valkey.sock"),
    ],
)
def test_what_is_no_address_is_refused(text, complaint):
    """The complaint says what would be right, and doesn't repeat a password."""
    with pytest.raises(BadSetting) as refusal:
        Settings.from_environment({**HOME, "REDIS_URL": text})

    assert str(refusal.value) == f"REDIS_URL {complaint}."


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"REDIS_URL": "redis+cluster://a"}, "REGICIDE_QUEUE_URL must name a server for the queues"),
        (
            {"REDIS_URL": "redis+cluster://a", "REGICIDE_QUEUE_URL": "redis+cluster://a"},
            "REGICIDE_QUEUE_URL must name one server, or Sentinels",
        ),
        ({"REGICIDE_QUEUE_URL": "redis://a"}, "REGICIDE_QUEUE_URL needs a REDIS_URL"),
        ({"REGICIDE_REPLICAS": "1"}, "REGICIDE_REPLICAS needs a REDIS_URL"),
    ],
)
def test_what_cannot_go_together_is_refused(environ, said):
    """A cluster without a place for the queues; wishes for a store that nobody names."""
    with pytest.raises(BadSetting, match=said):
        Settings.from_environment({**HOME, **environ})


@pytest.mark.parametrize("place", ["redis://a", "unix:///a", "redis+sentinel://a/x", "redis+cluster://a"])
@pytest.mark.parametrize("option", ["nonsense=1", "socket_timeout=soon"])
def test_an_option_that_cannot_be_read_is_refused(place, option, tmp_path):
    """Nothing has to be connected for that."""
    with pytest.raises(CannotStart, match="REDIS_URL has an option that can't be read"):
        connect(Settings(data=tmp_path, redis_url=f"{place}?{option}"))


def test_the_queue_may_be_elsewhere(tmp_path):
    """And is where the games are if nobody says so."""
    here = Settings(data=tmp_path, redis_url="redis://a:1")
    elsewhere = Settings(data=tmp_path, redis_url="redis://a:1", queue_url="redis://b:2/3")

    for opened in (connect_queue, connect_worker):
        assert opened(here).connection_pool.connection_kwargs["host"] == "a"
        assert opened(elsewhere).connection_pool.connection_kwargs["port"] == 2
