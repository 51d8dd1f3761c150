"""Real servers on ports of this machine: one alone, a primary with replicas and Sentinels, a cluster.

Each is a process of the embedded server's binary, behind a shell that ends it when the test's process has gone.
"""

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, RedisError
from redis.retry import Retry

from tests.ports import free_port
from tests.waiting import comes_true
from workers.processes.redis_server import find_server

GUARD: Final = '"$@" >"$0" 2>&1 & echo $!; read -r _; kill -KILL $!; wait'
"""A shell that runs a server, says its number, and kills it when nobody holds its input any more."""

SLOTS: Final = 16_384
NAME: Final = "games"
"""How the Sentinels call the primary."""

DOWN_MILLISECONDS: Final = 1_000
"""How long a server must be silent to count as down in a cluster."""

SENTINEL_DOWN_MILLISECONDS: Final = 2_000
"""As Sentinels count. They leave a replica aside for ten seconds that was too busy to answer when they fail over."""

BEGIN_SECONDS: Final = 30.0
DURABLE: Final = ("--appendonly", "yes", "--appendfsync", "everysec")


@dataclass
class Node:
    """A server on a port of 127.0.0.1, which can be killed and started again."""

    folder: Path
    options: Sequence[str] = DURABLE
    port: int = field(default_factory=free_port)
    bus: int = field(default_factory=free_port)
    """By which the servers of a cluster talk to each other."""
    pid: int = 0
    _guard: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it and return when it answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        own = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--save", ""]
        self._guard = subprocess.Popen(
            ["/bin/sh", "-c", GUARD, str(self.folder / "log"), str(find_server()), *self.options, *own],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        assert self._guard.stdout is not None
        self.pid = int(self._guard.stdout.readline())
        assert comes_true(self.answers, BEGIN_SECONDS), (self.folder / "log").read_text()[-2000:]

    def kill(self) -> None:
        """Kill it as a broken machine would: nothing is written out. Harmless if it isn't there."""
        guard, self._guard = self._guard, None
        if guard is not None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            guard.communicate("\n", timeout=BEGIN_SECONDS)

    def client(self, **options: Any) -> Redis:
        """Return a client of this server alone."""
        never = Retry(NoBackoff(), 0)
        return Redis(port=self.port, socket_timeout=2, retry=never, decode_responses=True, **options)

    def ask(self, *words: Any) -> Any:
        """Send one command."""
        with self.client() as client:
            return client.execute_command(*words)

    def answers(self) -> bool:
        """It gives a sign of life; one that wants a password first does too."""
        try:
            return self.ask("PING") is True
        except AuthenticationError:
            return True
        except RedisError:
            return False

    def tells(self, *words: Any) -> Any:
        """Send one command; None if it can't be answered now."""
        try:
            return self.ask(*words)
        except RedisError:
            return None

    def info(self, name: str) -> Any:
        """Return one word of what it tells about itself; None if it doesn't."""
        return (self.tells("INFO", "everything") or {}).get(name)


@contextmanager
def alone(folder: Path, *options: str, port: int | None = None) -> Iterator[Node]:
    """Run one server."""
    with running(Node(folder, (*DURABLE, *options), port or free_port())) as node:
        yield node


@contextmanager
def running(node: Node) -> Iterator[Node]:
    """Start a server, and end it with the block."""
    try:
        node.start()
        yield node
    finally:
        node.kill()


@dataclass
class Guarded:
    """A primary, its replicas, and the Sentinels that watch over them."""

    nodes: list[Node]
    sentinels: list[Node]

    @property
    def url(self) -> str:
        """Where clients ask for the primary."""
        places = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)
        return f"redis+sentinel://{places}/{NAME}"

    def primary(self) -> Node:
        """Return the server that the Sentinels call the primary."""
        told = next(told for one in self.sentinels if (told := one.tells("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)))
        return next(node for node in self.nodes if node.port == int(told[1]))

    def is_whole(self) -> bool:
        """Each Sentinel knows the others and every replica, and each replica has what the primary has."""
        return all(map(self._is_known_to, self.sentinels)) and int(self.primary().info("connected_slaves") or 0) == (
            len(self.nodes) - 1
        )

    def _is_known_to(self, sentinel: Node) -> bool:
        told = _words(sentinel.tells("SENTINEL", "MASTER", NAME))
        others, replicas = int(told.get("num-other-sentinels", 0)), int(told.get("num-slaves", 0))
        return (others, replicas) == (len(self.sentinels) - 1, len(self.nodes) - 1)


@contextmanager
def guarded(folder: Path, replicas: int = 2, sentinels: int = 3) -> Iterator[Guarded]:
    """Run a primary, its replicas and Sentinels, and wait until all know each other."""
    with ExitStack() as stack:
        first = stack.enter_context(alone(folder / "0", "--repl-diskless-sync-delay", "0"))
        follow = ("--replicaof", f"127.0.0.1 {first.port}", "--repl-diskless-sync-delay", "0")
        rest = [stack.enter_context(alone(folder / str(n), *follow)) for n in range(1, replicas + 1)]
        assert comes_true(lambda: int(first.info("connected_slaves") or 0) == replicas, BEGIN_SECONDS)
        watching = [
            stack.enter_context(_sentinel(folder / f"sentinel-{n}", first, sentinels)) for n in range(sentinels)
        ]
        found = Guarded([first, *rest], watching)
        assert comes_true(found.is_whole, BEGIN_SECONDS)
        yield found


@contextmanager
def _sentinel(folder: Path, primary: Node, sentinels: int) -> Iterator[Node]:
    folder.mkdir(parents=True)
    lines = [
        f"sentinel monitor {NAME} 127.0.0.1 {primary.port} {sentinels // 2 + 1}",
        f"sentinel down-after-milliseconds {NAME} {SENTINEL_DOWN_MILLISECONDS}",
        f"sentinel failover-timeout {NAME} 5000",
    ]
    (folder / "sentinel.conf").write_text("\n".join(lines) + "\n")
    with running(Node(folder, (str(folder / "sentinel.conf"), "--sentinel"))) as node:
        yield node


@dataclass
class Clustered:
    """A cluster: primaries, and behind them a replica of each, if it has any."""

    nodes: list[Node]

    @property
    def url(self) -> str:
        """Where clients begin: at two of its servers."""
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes[:2])

    def is_whole(self) -> bool:
        """Each server calls the cluster sound, and each replica has what its primary has."""
        return all(
            "cluster_state:ok" in str(node.tells("CLUSTER", "INFO"))
            and (node.info("role") == "master" or node.info("master_link_status") == "up")
            for node in self.nodes
        )

    def primary_of(self, key: str) -> Node:
        """Return the server that has a key."""
        found = self.find_primary_of(key)
        assert found is not None
        return found

    def primaries(self) -> list[Node]:
        """Return the living servers that take writes."""
        return [node for node in self.nodes if node.info("role") == "master"]

    def give(self, key: str, source: Node, target: Node) -> None:
        """Move a key's slot, with all that is in it, from one primary to another."""
        slot = source.ask("CLUSTER", "KEYSLOT", key)
        target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.ask("CLUSTER", "MYID"))
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target.ask("CLUSTER", "MYID"))
        names = source.ask("CLUSTER", "GETKEYSINSLOT", slot, 1000)
        source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *names)
        for node in (target, source):
            node.ask("CLUSTER", "SETSLOT", slot, "NODE", target.ask("CLUSTER", "MYID"))

    def find_primary_of(self, key: str) -> Node | None:
        """Return the living server that has a key, if there is one now."""
        for node in self.nodes:
            if node.info("role") == "master" and node.tells("CLUSTER", "KEYSLOT", key) in _slots(node):
                return node
        return None


@contextmanager
def clustered(folder: Path, primaries: int = 3, *, replicated: bool = True) -> Iterator[Clustered]:
    """Run a cluster of primaries, with a replica each if it is *replicated*."""
    with ExitStack() as stack:
        count = 2 * primaries if replicated else primaries
        nodes = [stack.enter_context(_member(folder / str(number))) for number in range(count)]
        for number, node in enumerate(nodes):
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            nodes[0].ask("CLUSTER", "MEET", "127.0.0.1", node.port, node.bus)
        share = -(-SLOTS // primaries)
        for number, node in enumerate(nodes[:primaries]):
            node.ask("CLUSTER", "ADDSLOTSRANGE", number * share, min(SLOTS, (number + 1) * share) - 1)
        assert comes_true(lambda: all(len(_layout(node)) == len(nodes) for node in nodes), BEGIN_SECONDS)
        for primary, replica in zip(nodes, nodes[primaries:], strict=False):
            replica.ask("CLUSTER", "REPLICATE", primary.ask("CLUSTER", "MYID"))
        found = Clustered(nodes)
        assert comes_true(found.is_whole, BEGIN_SECONDS)
        yield found


@contextmanager
def _member(folder: Path) -> Iterator[Node]:
    """Run a server that is to be in a cluster."""
    node = Node(folder)
    options = {
        "cluster-enabled": "yes",
        "cluster-port": str(node.bus),
        "cluster-config-file": str(folder / "nodes.conf"),
        "cluster-node-timeout": str(DOWN_MILLISECONDS),
        "cluster-replica-validity-factor": "0",
        "cluster-allow-replica-migration": "no",
        "repl-diskless-sync-delay": "0",
    }
    node.options = (*DURABLE, *(word for name, value in options.items() for word in (f"--{name}", value)))
    with running(node):
        yield node


def _words(told: Any) -> dict[str, Any]:
    """Return an answer of names and values, in either version of the protocol."""
    if isinstance(told, Mapping):
        return dict(told)
    return dict(zip(told[::2], told[1::2], strict=True)) if told else {}


def _layout(node: Node) -> list[Any]:
    """Return what a server says about the cluster, a line for each server that it knows."""
    return [line.split() for line in str(node.tells("CLUSTER", "NODES") or "").splitlines()]


def _slots(node: Node) -> set[int]:
    """Return the slots that a primary has."""
    own: list[str] = next((words[8:] for words in _layout(node) if "myself" in words[2]), [])
    ranges = [word.partition("-") for word in own]
    return {slot for first, _, last in ranges for slot in range(int(first), int(last or first) + 1)}
