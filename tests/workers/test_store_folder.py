"""The folder of our own store: it remembers its server, keeps the server's log, and says what a crash has torn."""

import json
import os
from pathlib import Path

import pytest

from tests.workers.embedded_stores import ask, script
from workers.processes.redis_server import RedisServer, find_server, find_servers, own_server
from workers.processes.store_folder import AOF_FOLDER, IncompatibleServer, KnownServer, read_server_marker, server_of
from workers.settings import Settings


def program(path: Path, says: str) -> Path:
    """Write a program that says which server it is."""
    return script(path, f"echo '{says}'")


def written_by(folder: Path, kind: str, version: str, path: Path) -> None:
    """Let a folder have games of that server."""
    (folder / AOF_FOLDER).mkdir(parents=True)
    (folder / "server.json").write_text(json.dumps({"kind": kind, "version": version, "path": str(path)}))


VALKEY = "Valkey server v=9.1.2 sha=00000000:1 malloc=libc bits=64 build=1"
NEWER = "Valkey server v=10.0.0 sha=00000000:1 malloc=libc bits=64 build=1"
OLDER = "Valkey server v=8.0.1 sha=00000000:1 malloc=libc bits=64 build=1"
REDIS = "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1"


def test_the_folder_remembers_who_wrote_it(tmp_path: Path) -> None:
    """As soon as the server has answered."""
    folder, binary = tmp_path / "store", find_server()
    assert read_server_marker(folder) is None

    with RedisServer(folder, binary) as server:
        version = ask(server.url, "INFO", "server")

    known = read_server_marker(folder)
    assert known == KnownServer.of(binary)
    assert known is not None
    assert known.version in (version.get("valkey_version"), version["redis_version"])


def test_who_wrote_it_goes_before_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that was installed since doesn't get the games: it would find a bad file."""
    settings, ours = Settings(data=tmp_path / "data"), find_server()
    with RedisServer(settings.data / "store", ours) as server:
        ask(server.url, "SET", "game", "7")
    stranger = program(tmp_path / "bin" / "valkey-server", REDIS)
    monkeypatch.setenv("PATH", f"{stranger.parent}:{os.environ['PATH']}")
    assert find_servers()[0] == stranger

    again = own_server(settings)

    assert again is not None
    with again:
        assert ask(again.url, "GET", "game") == "7"


@pytest.mark.parametrize(
    ("here", "chosen"),
    [([REDIS, VALKEY], 1), ([OLDER, NEWER], 1), ([NEWER, VALKEY], 0)],
    ids=["of its kind", "not older", "the first"],
)
def test_who_wrote_it_is_gone(tmp_path: Path, here: list[str], chosen: int) -> None:
    """Another one of its kind, as new or newer, reads it, such as the wheel's in another environment."""
    written_by(tmp_path / "store", "Valkey", "9.1.2", tmp_path / "gone")
    found = [program(tmp_path / str(number) / "server", says) for number, says in enumerate(here)]

    assert server_of(tmp_path / "store", lambda: found) == found[chosen]


@pytest.mark.parametrize("says", [REDIS, OLDER, "none of them"])
def test_nobody_reads_it(tmp_path: Path, says: str) -> None:
    """It is said who wrote it, who is here, and what to do; the exit status is that of what waiting doesn't mend."""
    written_by(tmp_path / "store", "Valkey", "9.1.2", tmp_path / "gone")
    found = [program(tmp_path / "other", says)]

    with pytest.raises(
        IncompatibleServer, match=r"were written by Valkey 9\.1\.2 \(.*gone\).*REGICIDE_DATA"
    ) as refusal:
        server_of(tmp_path / "store", lambda: found)

    assert refusal.value.status == 2


def test_an_older_one_in_its_place_is_not_taken(tmp_path: Path) -> None:
    """As when a package was downgraded."""
    same = program(tmp_path / "same", OLDER)
    newer = program(tmp_path / "newer", NEWER)
    written_by(tmp_path / "store", "Valkey", "9.1.2", same)

    assert server_of(tmp_path / "store", lambda: [same, newer]) == newer


def test_a_new_store_takes_the_first(tmp_path: Path) -> None:
    """Nothing is written yet."""
    assert server_of(tmp_path / "store", lambda: [Path("first"), Path("second")]) == Path("first")


def test_a_torn_write_is_told_with_its_size(tmp_path: Path) -> None:
    """A crash tore the last write: the others are there, and how much was dropped is said."""
    folder, binary, told = tmp_path / "store", find_server(), list[str]()
    with RedisServer(folder, binary, report=told.append) as server:
        ask(server.url, "SET", "game", "7")
    assert told == []
    (file,) = (folder / AOF_FOLDER).glob("*.incr.aof")
    torn = b"*3\r\n$3\r\nSET\r\n$4\r\ngame\r\n$100\r\ntorn"
    with file.open("ab") as journal:
        journal.write(torn)

    with RedisServer(folder, binary, report=told.append) as server:
        assert ask(server.url, "GET", "game") == "7"
    with RedisServer(folder, binary, report=told.append):
        pass

    (sentence,) = told
    assert f"its {len(torn)} bytes were dropped" in sentence


def test_the_servers_log_goes_on(tmp_path: Path) -> None:
    """What it said before a start is still there; a large log is put aside once."""
    folder, binary = tmp_path / "store", find_server()
    with RedisServer(folder, binary):
        pass
    before = (folder / "server.log").read_text()
    with RedisServer(folder, binary):
        pass
    assert (folder / "server.log").read_text().startswith(before)

    (folder / "server.log").write_text("x" * (1 << 21))
    with RedisServer(folder, binary):
        pass

    assert (folder / "server.log.1").read_text() == "x" * (1 << 21)
    assert 0 < (folder / "server.log").stat().st_size < 1 << 20
