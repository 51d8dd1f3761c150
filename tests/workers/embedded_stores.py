"""Embedded stores under test: commands, servers that are slow to load, and owners that may be killed."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

from redis import Redis, exceptions

from tests.processes import descendants
from tests.waiting import AGES, comes_true
from workers.processes.redis_server import RedisServer

OWNER = """
import sys
from pathlib import Path
from workers.processes.redis_server import RedisServer
from workers.settings import CannotStart

server = RedisServer(Path(sys.argv[1]), Path(sys.argv[2]))
try:
    with server:
        print(server.pid, server.url, flush=True)
        sys.stdin.read()
except CannotStart as reason:
    sys.exit(str(reason))
"""


def ask(url: str, *command: Any) -> Any:
    """Send one command to the server behind *url*."""
    with Redis.from_url(url, decode_responses=True) as client:
        return client.execute_command(*command)


def script(path: Path, text: str) -> Path:
    """Write an executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def slow_to_read(folder: Path, binary: Path, tmp_path: Path, microseconds: int) -> Path:
    """Write a hundred games into *folder*, and return a server that takes so long to read each of them."""
    with RedisServer(folder, binary) as server, Redis.from_url(server.url) as client:
        client.mset({f"game:{number}": token_hex(1000) for number in range(100)})
        client.bgrewriteaof()
        assert comes_true(lambda: not client.info("persistence")["aof_rewrite_in_progress"])
    wait = f"--key-load-delay {microseconds} --loading-process-events-interval-bytes 1024"
    return script(tmp_path / "slow", f'exec {binary} "$@" {wait}')


def is_loading(url: str) -> bool:
    """Say whether the server behind *url* is reading its games."""
    try:
        ask(url, "PING")
    except exceptions.BusyLoadingError:
        return True
    except exceptions.ConnectionError:
        pass
    return False


@contextmanager
def owner(folder: Path, binary: Path) -> Iterator["subprocess.Popen[str]"]:
    """Run a process that starts a store and then prints its server's process id and URL; it ends with its input."""
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(folder), str(binary)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise
        if process.stdin is not None:
            process.stdin.close()
        process.wait(AGES)


def watchers(pid: int, server: object = "watcher") -> list[int]:
    """Return the watchers that process *pid* has started; those of the process *server* alone if it is given."""
    found = {child: command.split() for child, command in descendants(pid).items()}
    return [child for child, words in found.items() if {"watcher", str(server)} <= set(words)]


def servers(pid: int) -> list[int]:
    """Return the servers that process *pid* has started."""
    return [child for child, command in descendants(pid).items() if "valkey-server" in command]
