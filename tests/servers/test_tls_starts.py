"""Stores behind TLS: each thing that can be wrong at a start has its own sentence, and no other one's."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from redis import Redis

from tests.clusters import Node, alone
from tests.ports import free_port
from tests.servers.listening_tls import OPENSSL, certificate, tls_before
from tests.waiting import comes_true
from workers.settings import CannotStart, Settings
from workers.storage.startup_checks import check_stores

pytestmark = pytest.mark.skipif(OPENSSL is None, reason="without openssl there is no certificate to show")

SECONDS = 0.3


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """Give a server that speaks no TLS."""
    with alone(tmp_path_factory.mktemp("node")) as node:
        yield node


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with two certificates and their keys, garbage, and an empty file."""
    folder = tmp_path_factory.mktemp("files")
    for name in ("own", "other"):
        certificate(folder / name)
    (folder / "garbage").write_bytes(b"no certificate")
    (folder / "empty").write_bytes(b"")
    return folder


@pytest.fixture(scope="module")
def listening(node: Node, files: Path) -> Iterator[dict[str, int]]:
    """Give the ports of servers: with TLS, with TLS for clients that show a certificate, without, and of nobody."""
    own = (files / "own" / "cert.pem", files / "own" / "key.pem")
    with ExitStack() as stack:
        tls = stack.enter_context(tls_before(node.port, *own))
        mutual = stack.enter_context(tls_before(node.port, *own, clients=own[0]))
        yield {"tls": tls, "mutual": mutual, "plain": node.port, "nobody": free_port()}


TRUST = "ssl_ca_certs={files}/own/cert.pem"
STARTS = {
    "untrusted": (
        "rediss://127.0.0.1:{tls}",
        "(self-signed certificate): ?ssl_ca_certs=FILE at the end of REDIS_URL names whom",
    ),
    "trusts another": (
        "rediss://127.0.0.1:{tls}?ssl_ca_certs={files}/other/cert.pem",
        "has a certificate that isn't trusted",
    ),
    "no file of trust": ("rediss://127.0.0.1:{tls}?ssl_ca_certs={files}/none", "REDIS_URL names for TLS can't be read"),
    "garbage for trust": (
        "rediss://127.0.0.1:{tls}?ssl_ca_certs={files}/garbage",
        "names for whom to trust (ssl_ca_certs) has no certificate",
    ),
    "nothing for trust": (
        "rediss://127.0.0.1:{tls}?ssl_ca_certs={files}/empty",
        "names for whom to trust (ssl_ca_certs) has no certificate",
    ),
    "another name": ("rediss://localhost:{tls}?" + TRUST, "has a certificate that isn't trusted"),
    "plain to TLS": ("redis://127.0.0.1:{tls}", "speaks TLS: let REDIS_URL begin with rediss://"),
    "TLS to plain": ("rediss://127.0.0.1:{plain}", "speaks no TLS: REDIS_URL begins with rediss://"),
    "no certificate of its own": ("rediss://127.0.0.1:{mutual}?" + TRUST, "wants a certificate of the client's"),
    "another's certificate": (
        "rediss://127.0.0.1:{mutual}?"
        + TRUST
        + "&ssl_certfile={files}/other/cert.pem&ssl_keyfile={files}/other/key.pem",
        "wants a certificate of the client's that it trusts",
    ),
    "key of another": (
        "rediss://127.0.0.1:{mutual}?" + TRUST + "&ssl_certfile={files}/own/cert.pem&ssl_keyfile={files}/other/key.pem",
        "don't belong together",
    ),
    "plain to mutual": ("redis://127.0.0.1:{mutual}", "speaks TLS: let REDIS_URL begin with rediss://"),
    "nobody": ("rediss://127.0.0.1:{nobody}", "doesn't answer: start it"),
    "Sentinels untrusted": ("rediss+sentinel://127.0.0.1:{tls}/games", "has a certificate that isn't trusted"),
    "Sentinels plain to TLS": ("redis+sentinel://127.0.0.1:{tls}/games", "speaks TLS: let REDIS_URL begin"),
    "Sentinels TLS to plain": ("rediss+sentinel://127.0.0.1:{plain}/games", "speaks no TLS: REDIS_URL begins"),
    "a cluster untrusted": ("rediss+cluster://127.0.0.1:{tls}", "has a certificate that isn't trusted"),
    "a cluster TLS to plain": ("rediss+cluster://127.0.0.1:{plain}", "speaks no TLS: REDIS_URL begins"),
}


@pytest.mark.parametrize(("url", "said"), STARTS.values(), ids=STARTS.keys())
def test_each_start_has_its_sentence(
    listening: dict[str, int], files: Path, tmp_path: Path, url: str, said: str
) -> None:
    """One line, which names what to change."""
    settings = Settings(
        data=tmp_path,
        redis_url=url.format(**listening, files=files),
        queue_url=f"redis://127.0.0.1:{listening['plain']}",
    )

    with pytest.raises(CannotStart) as refusal:
        check_stores(settings, SECONDS)

    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert "None" not in str(refusal.value)


@pytest.mark.parametrize("query", [TRUST, TRUST + "&ssl_certfile={files}/own/cert.pem&ssl_keyfile={files}/own/key.pem"])
def test_what_is_right_begins_without_a_word(
    listening: dict[str, int], files: Path, tmp_path: Path, query: str
) -> None:
    """With a certificate of its own where one is wanted."""
    port = listening["mutual" if "certfile" in query else "tls"]
    told: list[str] = []

    check_stores(
        Settings(data=tmp_path, redis_url=f"rediss://127.0.0.1:{port}?{query.format(files=files)}"),
        SECONDS,
        told.append,
    )

    assert told == []


def test_what_is_not_verified_is_said(listening: dict[str, int], tmp_path: Path) -> None:
    """It begins all the same: it was asked for."""
    told: list[str] = []

    check_stores(
        Settings(data=tmp_path, redis_url=f"rediss://127.0.0.1:{listening['tls']}?ssl_cert_reqs=none"),
        SECONDS,
        told.append,
    )

    assert ["isn't verified (ssl_cert_reqs=none in REDIS_URL)" in one for one in told] == [True]


def test_a_store_that_takes_no_writes_is_quoted(tmp_path: Path) -> None:
    """It answers, and says why it can't be used (MISCONF): that it didn't answer would be wrong."""
    with alone(tmp_path / "full") as full, Redis(port=full.port) as redis:
        redis.config_set("save", "3600 1")
        (full.folder / "dump.rdb").mkdir()  # a snapshot can't take its place
        redis.set("game", "7")
        redis.bgsave()
        assert comes_true(lambda: redis.info("persistence")["rdb_last_bgsave_status"] == "err", 10)

        with pytest.raises(CannotStart, match=r"answers, but can't be used now: MISCONF"):
            check_stores(Settings(data=tmp_path, redis_url=f"redis://127.0.0.1:{full.port}"), SECONDS)
