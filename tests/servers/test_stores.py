"""Stores of one's own: what is said of one that can't be used, and of one that may lose what it has."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from redis import Redis
from redis.client import Pipeline
from redis.exceptions import ResponseError

from tests.clusters import NAME, Node, alone, clustered, guarded
from tests.ports import free_port
from tests.servers.listening_tls import OPENSSL, certificate, tls_before
from tests.waiting import comes_true
from workers.settings import CannotStart, Settings
from workers.storage.clients import connect
from workers.storage.commands import Script, run_command, run_pipeline
from workers.storage.errors import StorageUnavailable
from workers.storage.startup_checks import check_stores, durability

PASSWORD = "correct horse"


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """Give a server that wants a password."""
    with alone(tmp_path_factory.mktemp("locked"), "--requirepass", PASSWORD) as node:
        yield node


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    """Give a server of the test's own."""
    with alone(tmp_path / "node") as node:
        yield node


def refusal(url: str, tmp_path: Path, queue_url: str | None = None) -> str:
    """Return why nothing can be begun with a store."""
    with pytest.raises(CannotStart) as refusal:
        check_stores(Settings(data=tmp_path, redis_url=url, queue_url=queue_url), seconds=0.1)
    return str(refusal.value)


@pytest.mark.parametrize("account", ["", ":wrong@", "ana:correct%20horse@"])
def test_a_wrong_password(locked, account, tmp_path):
    """It is said at once, with the variable that has it, and isn't repeated."""
    said = refusal(f"redis://{account}127.0.0.1:{locked.port}", tmp_path)

    assert said == (f"The store at 127.0.0.1 port {locked.port} refuses the user or the password that REDIS_URL has.")


@pytest.mark.parametrize("words", ["api", "workers", "api.commands.cli serve", "api.commands.cli worker"])
def test_whatever_is_started_says_so(words, locked):
    """In its last line, and exits with status 2."""
    environ = {**os.environ, "REDIS_URL": f"redis://:wrong@127.0.0.1:{locked.port}", "PORT": str(free_port())}

    command = [sys.executable, "-m", *words.split()]
    end = subprocess.run(command, check=False, env=environ, stdin=subprocess.PIPE, capture_output=True, text=True)

    assert (end.returncode, end.stdout) == (2, "")
    assert "refuses the user or the password that REDIS_URL has." in end.stderr.strip().splitlines()[-1]
    assert "Traceback" not in end.stderr


def test_the_right_password(locked, tmp_path):
    """It may be written as an option too."""
    for url in (
        f"redis://:correct%20horse@127.0.0.1:{locked.port}",
        f"valkey://127.0.0.1:{locked.port}?password=correct%20horse",
    ):
        check_stores(Settings(data=tmp_path, redis_url=url), seconds=5)


def test_the_queue_is_looked_at_too(node, locked, tmp_path):
    """And it is said which of both it is."""
    said = refusal(f"redis://127.0.0.1:{node.port}", tmp_path, f"redis://127.0.0.1:{locked.port}")

    assert said.endswith("refuses the user or the password that REGICIDE_QUEUE_URL has.")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("redis://127.0.0.1:{port}/99", "can't be used: DB index is out of range."),
        ("redis+cluster://127.0.0.1:{port}", "is no cluster: let REDIS_URL begin with redis://."),
        ("redis://127.0.0.1:1", "doesn't answer: start it, or let REDIS_URL name another."),
        ("redis+cluster://127.0.0.1:1", "doesn't answer: start it, or let REDIS_URL name another."),
        ("redis+sentinel://127.0.0.1:{port}/x", "can't be used: unknown command 'SENTINEL'"),
        ("unix:///none/v.sock", "doesn't answer: start it, or let REDIS_URL name another."),
        ("redis://no.such.host.invalid", "doesn't answer: start it, or let REDIS_URL name another."),
        ("rediss://127.0.0.1:{port}?ssl_ca_certs=/none.pem", "can't be read: No such file or directory."),
    ],
)
def test_what_cannot_be_used_is_said(node, url, said, tmp_path):
    """In one sentence, without a traceback."""
    assert said in refusal(url.format(port=node.port), tmp_path)


@pytest.mark.skipif(OPENSSL is None, reason="without openssl there is no certificate to show")
@pytest.mark.parametrize("kind", ["sentinel", "cluster"])
def test_sentinels_and_a_cluster_behind_tls(kind, tmp_path):
    """Whoever is asked, and whoever is named in the answer, speaks TLS; without a certificate nothing is read."""
    cert, key = certificate(tmp_path / "tls")
    with ExitStack() as stack:
        if kind == "sentinel":
            servers = stack.enter_context(guarded(tmp_path / "guarded", replicas=0, sentinels=1))
            nodes, asked, path = servers.nodes, servers.sentinels[0], f"/{NAME}"
        else:
            nodes, path = stack.enter_context(clustered(tmp_path / "cluster", primaries=2)).nodes, ""
            asked = nodes[0]
        moved = dict[int, int]()
        for node in nodes:
            moved[node.port] = stack.enter_context(tls_before(node.port, cert, key, moved))
        port = moved.get(asked.port) or stack.enter_context(tls_before(asked.port, cert, key, moved))
        url = f"rediss+{kind}://127.0.0.1:{port}{path}"
        trusting = Settings(data=tmp_path, redis_url=f"{url}?ssl_ca_certs={cert}", queue_url="redis://127.0.0.1:1")
        with closing(connect(trusting)) as redis:
            for name in "abcdef":
                redis.set(name, name)
            assert [redis.get(name) for name in "abcdef"] == [name.encode() for name in "abcdef"]
        with pytest.raises(StorageUnavailable), closing(connect(replace(trusting, redis_url=url))) as redis:
            run_command(lambda: redis.get("a"))


def test_a_server_without_tls(tmp_path):
    """One that answers a greeting it doesn't understand."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        Thread(target=_object, args=(listener,), daemon=True).start()
        said = refusal(f"rediss://127.0.0.1:{listener.getsockname()[1]}", tmp_path)

    assert "speaks no TLS: REDIS_URL begins with rediss:// and should with redis://" in said


def _object(listener: socket.socket) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            with client:
                client.recv(65_536)
                client.sendall(b"-ERR Protocol error\r\n")


def test_who_is_taken_for_another(tmp_path):
    """A Sentinel is no store, nor is one server of a cluster."""
    with guarded(tmp_path / "guarded", replicas=1, sentinels=1) as store:
        port = store.sentinels[0].port
        assert "is a Sentinel: write redis+sentinel://" in refusal(f"redis://127.0.0.1:{port}", tmp_path)
        assert "doesn't answer" in refusal(f"redis+sentinel://127.0.0.1:{port}/chess", tmp_path)
        check_stores(Settings(data=tmp_path, redis_url=store.url), seconds=5)
    with clustered(tmp_path / "clustered") as cluster:
        port = cluster.nodes[0].port
        assert "is part of a cluster: write redis+cluster://" in refusal(f"redis://127.0.0.1:{port}", tmp_path)
        check_stores(Settings(data=tmp_path, redis_url=cluster.url), seconds=5)
        with closing(connected(cluster.url, tmp_path)) as redis:
            assert durability(redis).durable
            assert durability(redis).replicas == 1


def connected(url: str, tmp_path: Path) -> Redis:
    """Return a client as the store has it."""
    return connect(Settings(data=tmp_path, redis_url=url))


def test_what_may_be_lost_is_said(node, tmp_path):
    """A server that writes nothing to the disk, or throws away what it has."""
    with closing(connected(f"redis://127.0.0.1:{node.port}", tmp_path)) as redis:
        assert durability(redis).reasons == ()
        node.ask("CONFIG", "SET", "appendonly", "no")
        node.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        assert durability(redis).reasons == ("appendonly no", "maxmemory-policy allkeys-lru")
        assert not durability(redis).durable


@pytest.mark.parametrize(
    "setting",
    [
        ("CONFIG", "SET", "maxmemory", "1"),  # OOM
        ("CONFIG", "SET", "min-replicas-to-write", "1"),  # NOREPLICAS
        ("REPLICAOF", "127.0.0.1", "1"),  # READONLY
    ],
    ids=lambda words: words[-2],
)
def test_a_server_that_takes_no_writes_is_unavailable(node, setting, tmp_path):
    """However it is asked: by a command, in a pipeline, by a script."""
    with closing(connected(f"redis://127.0.0.1:{node.port}", tmp_path)) as redis:
        node.ask(*setting)
        write = Script(redis, "return redis.call('SET', KEYS[1], ARGV[1])")
        for ask in (
            lambda: run_command(lambda: redis.set("k", "v")),
            lambda: run_pipeline(redis, _set),
            lambda: run_command(lambda: write(keys=["k"], args=["v"])),
        ):
            with pytest.raises(StorageUnavailable):
                ask()


def _set(pipe: Pipeline) -> None:
    pipe.set("k", "v")
    pipe.get("k")


def test_who_waits_is_told_that_the_primary_has_become_a_replica(node, tmp_path):
    """A blocked read ends with an error that counts as any other of the server's state."""
    raised: list[Exception] = []
    with closing(connected(f"redis://127.0.0.1:{node.port}", tmp_path)) as redis:

        def wait() -> None:
            try:
                run_command(lambda: redis.blpop(["k"], 3))
            except StorageUnavailable as error:
                raised.append(error)

        waiter = Thread(target=wait)
        waiter.start()
        until_blocked = node.client()
        assert comes_true(lambda: until_blocked.info("clients")["blocked_clients"] > 0, within=3)
        node.ask("REPLICAOF", "127.0.0.1", "1")
        waiter.join(10)
        until_blocked.close()

    assert len(raised) == 1


def test_a_busy_server_is_unavailable(node, tmp_path):
    """A script that doesn't end keeps everybody out until it is killed."""
    node.ask("CONFIG", "SET", "busy-reply-threshold", "50")
    endless = Thread(target=_run_for_ever, args=(node,))
    endless.start()
    with closing(connected(f"redis://127.0.0.1:{node.port}", tmp_path)) as redis:

        def is_busy() -> bool:
            try:
                redis.get("k")
            except ResponseError:
                return True
            return False

        assert comes_true(is_busy, within=10)
        with pytest.raises(StorageUnavailable):
            run_pipeline(redis, _set)
        node.ask("SCRIPT", "KILL")
    endless.join(10)


def _run_for_ever(node: Node) -> None:
    with suppress(ResponseError), node.client() as client:
        client.eval("while true do end", 0)
