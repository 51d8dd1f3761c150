"""A store behind TLS whose certificates are exchanged while games are played: nobody is started again for it."""

from collections.abc import Callable
from pathlib import Path
from shutil import copyfile
from time import monotonic

import httpx
import pytest

from tests.clusters import alone
from tests.servers.listening_tls import OPENSSL, Front, certificate, fronted
from tests.servers.served import running_server
from tests.servers.test_failover import QUIETLY, SHORT, Traffic
from tests.waiting import AGES, comes_true

pytestmark = pytest.mark.skipif(OPENSSL is None, reason="without openssl there is no certificate to show")

BACK_SECONDS = 5.0
UNTRUSTED = "CERTIFICATE_VERIFY_FAILED"
LONE = {"ruleset": "regicide", "seats": [{"kind": "human", "name": "Ana"}]}
NEVER_LIMITED = {"REGICIDE_RATE_CREATE": "0", "REGICIDE_RATE_REQUESTS": "0", "WEB_WORKERS": "1"}


class Files:
    """The certificates of a store that its operator exchanges: its own, the server's, and whom both trust."""

    def __init__(self, folder: Path, front: Front) -> None:
        self._folder, self._front = folder, front
        for name in ("old", "new", "stranger"):
            certificate(folder / name)
        self.trust, self.client = folder / "trust.pem", folder / "client"
        self.client.mkdir()
        self.trusts("old")
        self.is_client("old")
        self.shows("old")

    def trusts(self, *signers: str) -> None:
        """Let the server of games trust whose certificates are signed by these."""
        self.trust.write_text("".join((self._folder / name / "cert.pem").read_text() for name in signers))

    def is_client(self, signer: str) -> None:
        """Let the server of games have a new certificate."""
        for file in certificate(self._folder / "made", self._folder / signer):
            copyfile(file, self.client / file.name)

    def changes_clients(self, signer: str) -> None:
        """Let clients be trusted by a new signer, and the server of games have its certificate."""
        self.is_client(signer)
        self.shows(signer, signer)

    def shows(self, signer: str, clients: str = "old") -> None:
        """Let the store have a new certificate, and trust clients whose one is signed by the signer *clients*."""
        cert, key = certificate(self._folder / "shown", self._folder / signer)
        self._front.show(cert, key, self._folder / clients / "cert.pem")


def exchange(files: Files) -> dict[str, Callable[[], None]]:
    """Return what an operator does, in order; after each all connections end."""
    return {
        "the store's own": lambda: files.shows("old"),
        "the client's own": lambda: files.is_client("old"),
        "one more signer is trusted": lambda: files.trusts("old", "new"),
        "the store's signer": lambda: files.shows("new"),
        "the signer of clients": lambda: files.changes_clients("new"),
        "the old signer is trusted no more": lambda: files.trusts("new"),
    }


def test_certificates_are_exchanged_under_play(tmp_path: Path) -> None:
    """Moves go on within seconds each time; a certificate that isn't trusted is said, and mended without a start."""
    with alone(tmp_path / "node") as node, fronted(Front(node.port)) as front:
        files = Files(tmp_path / "files", front)
        url = (
            f"rediss://127.0.0.1:{front.own_port}?ssl_ca_certs={files.trust}"
            f"&ssl_certfile={files.client}/cert.pem&ssl_keyfile={files.client}/key.pem"
        )
        with running_server(tmp_path / "data", **QUIETLY, **NEVER_LIMITED, REDIS_URL=url) as served:
            traffic = Traffic(served, SHORT)
            with traffic, httpx.Client(base_url=served.url, trust_env=False, timeout=AGES) as http:

                def creates() -> bool:
                    return http.post("/v1/games", json=LONE).status_code == 201

                def said() -> str:
                    return served.log.read_text("utf-8")

                for what, do in exchange(files).items():
                    do()
                    front.drop()
                    began = monotonic()
                    assert comes_true(creates, BACK_SECONDS), what
                    print(f"{what}: back after {monotonic() - began:.2f} s")  # noqa: T201
                files.shows("stranger", "new")
                front.drop()
                assert comes_true(lambda: http.get("/readyz").status_code == 503, BACK_SECONDS)
                assert comes_true(lambda: UNTRUSTED in said(), BACK_SECONDS), said()
                files.shows("new", "new")
                began = monotonic()
                assert comes_true(creates, BACK_SECONDS)
                print(f"mended: back after {monotonic() - began:.2f} s")  # noqa: T201
            print(traffic.said("certificates were exchanged"))  # noqa: T201
