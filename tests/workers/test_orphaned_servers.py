"""Servers whose owner or watcher was killed: another watcher is started, or the next owner ends them first."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from tests.processes import are_gone
from tests.waiting import AGES, comes_true
from tests.workers.embedded_stores import ask, is_loading, owner, servers, slow_to_read, watchers
from workers.processes import lock_holders
from workers.processes.redis_server import RedisServer, ServerFailed, find_server
from workers.processes.store_folder import FolderInUse

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux says who holds a lock")

HOLDER = """
import fcntl, os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(file, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder for games that isn't there yet."""
    return tmp_path / "store"


@pytest.fixture
def binary() -> Path:
    """Give the server that a user would get."""
    return find_server()


def orphan(folder: Path, binary: Path) -> int:
    """Kill a server's watcher and its owner, with a game in the store, and return the server's process id."""
    with owner(folder, binary) as process:
        assert process.stdout is not None
        pid, url = process.stdout.readline().split()
        ask(url, "SET", "game", "7")
        for victim in (*watchers(process.pid), process.pid):
            os.kill(victim, signal.SIGKILL)
    assert not are_gone([int(pid)])
    return int(pid)


@pytest.fixture
def orphaned(folder: Path, binary: Path) -> Iterator[int]:
    """Give a server that nobody ends, and kill it after the test if it still runs."""
    pid = orphan(folder, binary)
    yield pid
    if not are_gone([pid]):
        os.kill(pid, signal.SIGKILL)
        assert comes_true(lambda: are_gone([pid]))


def exists(pid: int) -> bool:
    """Say whether there is a process with that id, be it a zombie."""
    return Path(f"/proc/{pid}").exists()


def test_a_killed_watcher_is_replaced_and_leaves_no_zombie(folder: Path, binary: Path) -> None:
    """The server isn't disturbed, and it is said once."""
    told = list[str]()
    with RedisServer(folder, binary, report=told.append) as server:
        pid, (watcher,) = server.pid, watchers(os.getpid(), server.pid)
        os.kill(watcher, signal.SIGKILL)
        assert comes_true(lambda: are_gone([watcher]))

        assert not server.restart_if_dead()
        assert not server.restart_if_dead()

        (other,) = watchers(os.getpid(), pid)
        assert other != watcher
        assert not exists(watcher)
        assert server.pid == pid
        assert ask(server.url, "PING")
    assert told == ["The process that ends the store if this one is killed had ended, and was started again."]
    assert not exists(other)


def test_a_watcher_that_could_not_be_started_is_tried_again(
    folder: Path, binary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while there are too many processes: the server goes on meanwhile."""

    def refuse(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    with RedisServer(folder, binary) as server:
        (watcher,) = watchers(os.getpid(), server.pid)
        os.kill(watcher, signal.SIGKILL)
        assert comes_true(lambda: are_gone([watcher]))
        monkeypatch.setattr(subprocess, "Popen", refuse)
        for _ in range(2):
            with pytest.raises(ServerFailed, match=r"The process that ends the store in .* can't be started now: Res"):
                server.restart_if_dead()
        monkeypatch.undo()

        assert not server.restart_if_dead()
        assert len(watchers(os.getpid(), server.pid)) == 1
        assert ask(server.url, "PING")


def test_a_watcher_that_is_killed_while_the_server_reads_is_replaced(
    folder: Path, binary: Path, tmp_path: Path
) -> None:
    """So the server ends with its owner then, too."""
    slow = slow_to_read(folder, binary, tmp_path, microseconds=1_000_000)
    with owner(folder, slow) as process:
        assert comes_true(lambda: is_loading(f"unix://{folder}/valkey.sock"))
        (server,), (watcher,) = servers(process.pid), watchers(process.pid)
        os.kill(watcher, signal.SIGKILL)
        assert comes_true(lambda: bool(watchers(process.pid)))
        assert not exists(watcher)

        process.kill()
        assert comes_true(lambda: are_gone([server]))


@pytest.mark.parametrize("place", ["store", "a" * 120], ids=["short path", "long path"])
def test_the_next_owner_ends_an_orphaned_server(tmp_path: Path, binary: Path, place: str) -> None:
    """It has what the orphan confirmed, and says what it has done."""
    pid, told = orphan(tmp_path / place, binary), list[str]()

    with RedisServer(tmp_path / place, binary, report=told.append) as server:
        assert are_gone([pid])
        assert ask(server.url, "GET", "game") == "7"

    assert told == [f"The store of a server that was killed still ran, as process {pid}: it was ended."]


def test_an_orphan_that_reads_its_games_is_ended_too(folder: Path, binary: Path, tmp_path: Path) -> None:
    """Its owner was killed before it had answered: nothing is lost."""
    slow = slow_to_read(folder, binary, tmp_path, microseconds=1_000_000)
    with owner(folder, slow) as process:
        assert comes_true(lambda: is_loading(f"unix://{folder}/valkey.sock"))
        process.send_signal(signal.SIGSTOP)  # so that it doesn't replace the watcher
        (pid,) = servers(process.pid)
        for victim in (*watchers(process.pid), process.pid):
            os.kill(victim, signal.SIGKILL)

    with RedisServer(folder, binary) as server:
        assert are_gone([pid])
        assert ask(server.url, "DBSIZE") == 100


def test_an_orphan_that_hangs_is_killed(
    folder: Path, binary: Path, orphaned: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every write that it confirmed is on the disk."""
    monkeypatch.setattr(lock_holders, "STOP_TIMEOUT_SECONDS", 0.1)
    os.kill(orphaned, signal.SIGSTOP)

    with RedisServer(folder, binary) as server:
        assert are_gone([orphaned])
        assert ask(server.url, "GET", "game") == "7"


def test_one_of_two_next_owners_wins(folder: Path, binary: Path, orphaned: int) -> None:
    """The other one is told who has won, and leaves the winner's server alone."""
    with owner(folder, binary) as first, owner(folder, binary) as second:
        assert first.stdout is not None
        assert second.stdout is not None
        said = {first: first.stdout.readline(), second: second.stdout.readline()}
        (winner,) = [process for process, line in said.items() if line]
        (loser,) = [process for process, line in said.items() if not line]
        assert loser.wait(AGES) == 1
        assert loser.stderr is not None
        assert f"Process {winner.pid} keeps its games in {folder} already. Stop it" in loser.stderr.read()

        pid, url = said[winner].split()
        assert are_gone([orphaned])
        assert servers(winner.pid) == [int(pid)]
        assert ask(url, "GET", "game") == "7"


@pytest.mark.usefixtures("orphaned")
def test_whoever_has_the_owners_id_now_is_left_alone(folder: Path, binary: Path) -> None:
    """The owner's id was given to another process, which doesn't hold the lock."""
    with subprocess.Popen(["sleep", "600"]) as stranger:
        (folder / "lock").write_text(f"{stranger.pid}\n")

        with RedisServer(folder, binary) as server:
            assert ask(server.url, "GET", "game") == "7"

        assert stranger.poll() is None
        stranger.kill()


def test_a_server_is_no_orphan_while_its_owner_lives(folder: Path, binary: Path) -> None:
    """Even if its watcher has died: the owner is named, and neither is disturbed."""
    with owner(folder, binary) as process:
        assert process.stdout is not None
        pid, url = process.stdout.readline().split()
        os.kill(watchers(process.pid)[0], signal.SIGKILL)

        with pytest.raises(FolderInUse, match=rf"Process {process.pid} keeps its games in .*REGICIDE_DATA"):
            RedisServer(folder, binary).start()

        assert servers(process.pid) == [int(pid)]
        assert ask(url, "PING")


def test_a_server_is_no_orphan_because_its_owner_has_another_id_here(folder: Path, binary: Path) -> None:
    """A container writes the id that its processes have inside; outside, that is another process or none."""
    with owner(folder, binary) as process, subprocess.Popen(["sleep", "600"]) as stranger:
        assert process.stdout is not None
        pid, url = process.stdout.readline().split()
        (folder / "lock").write_text(f"{stranger.pid}\n")

        with pytest.raises(FolderInUse):
            RedisServer(folder, binary).start()

        assert servers(process.pid) == [int(pid)]
        assert ask(url, "PING")
        stranger.kill()


def test_a_holder_that_is_no_server_is_named_and_left_alone(folder: Path, binary: Path) -> None:
    """The process that really holds the lock is named, not the one that was written down."""
    folder.mkdir()
    with subprocess.Popen(["true"]) as dead:
        pass
    (folder / "lock").write_text(f"{dead.pid}\n")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder / "lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"

        with pytest.raises(FolderInUse, match=rf"Process {holder.pid} keeps its games in"):
            RedisServer(folder, binary).start()

        assert holder.poll() is None
        holder.kill()


def test_an_orphan_that_cannot_be_ended_safely_is_named(
    folder: Path, binary: Path, orphaned: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On an old Linux an id might pass to another process before the signal: a person ends the orphan."""

    def refuse(_: int) -> NoReturn:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(os, "pidfd_open", refuse)

    with pytest.raises(FolderInUse, match=rf"Process {orphaned} keeps its games in"):
        RedisServer(folder, binary).start()

    assert not are_gone([orphaned])


def test_a_holder_that_cannot_be_seen_is_described(
    folder: Path, binary: Path, orphaned: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in another container, or where the system doesn't say who holds a lock: the sentence doesn't claim to know."""
    written = (folder / "lock").read_text().strip()
    monkeypatch.setattr(lock_holders, "PROC", tmp_path / "none")

    with pytest.raises(FolderInUse, match=rf"Process {written}, or a server that it left behind, keeps its games in"):
        RedisServer(folder, binary).start()

    assert not are_gone([orphaned])
