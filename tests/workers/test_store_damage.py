"""A store that we start ourselves, damaged in every way: it plays on, or says what mends it; it never begins empty."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis

from workers.processes.append_only_file_scan import scan
from workers.processes.redis_server import LOADING_MESSAGE, RedisServer, find_server
from workers.processes.store_damage import DamagedStore, repair
from workers.processes.store_folder import AOF_FOLDER, AOF_MANIFEST_FILE

GAMES = 50
VALUE = "a game " * 20

Damaging = Callable[[Path], None]


def fill(folder: Path, *, kills: bool) -> None:
    """Let a folder have games, each written as a transaction; its server is stopped, or killed."""
    with RedisServer(folder, find_server()) as server:
        with Redis.from_url(server.url) as client:
            for number in range(GAMES):
                with client.pipeline(transaction=True) as pipe:
                    pipe.set(f"game:{number}", VALUE)
                    pipe.rpush("moves", number)
                    pipe.execute()
        if kills:
            assert server.pid is not None
            os.kill(server.pid, 9)


def writes(folder: Path) -> Path:
    """Return the file of writes."""
    return next((folder / AOF_FOLDER).glob("*.incr.aof"))


def cut(count: int) -> Damaging:
    """Take bytes off the end."""
    return lambda folder: os.truncate(writes(folder), writes(folder).stat().st_size - count)


def add(tail: bytes) -> Damaging:
    """Add bytes at the end, after a beginning of a write."""

    def damage(folder: Path) -> None:
        with writes(folder).open("ab") as file:
            file.write(tail)

    return damage


def overwrite(what: bytes, place: float) -> Damaging:
    """Write over a part of the file."""

    def damage(folder: Path) -> None:
        with writes(folder).open("r+b") as file:
            file.seek(int(writes(folder).stat().st_size * place))
            file.write(what)

    return damage


def remove(pattern: str) -> Damaging:
    """Delete a file of the store."""
    return lambda folder: next((folder / AOF_FOLDER).glob(pattern)).unlink()


def rewrite(pattern: str, text: bytes) -> Damaging:
    """Let a file have other bytes."""
    return lambda folder: (next((folder / AOF_FOLDER).glob(pattern)).write_bytes(text), None)[1]


def edit_manifest(edit: Callable[[list[bytes]], list[bytes]]) -> Damaging:
    """Let the list of the store's files have other lines."""

    def damage(folder: Path) -> None:
        file = folder / AOF_FOLDER / AOF_MANIFEST_FILE
        file.write_bytes(b"".join(edit(file.read_bytes().splitlines(keepends=True))))

    return damage


def forget(left: bytes) -> Damaging:
    """Delete what is remembered of the server, or leave so much of it."""

    def damage(folder: Path) -> None:
        (folder / "server.json").write_bytes(left) if left else (folder / "server.json").unlink()

    return damage


def both(*damages: Damaging) -> Damaging:
    """Do one damage after the other."""
    return lambda folder: [damage(folder) for damage in damages][-1]


TORN = [
    pytest.param(cut(1), id="one byte cut"),
    pytest.param(cut(7), id="seven bytes cut"),
    pytest.param(cut(40), id="forty bytes cut"),
    pytest.param(cut(150), id="into the value"),
    pytest.param(cut(230), id="into the transaction"),
    pytest.param(add(bytes(17)), id="zeros"),
    pytest.param(add(bytes(70_000)), id="many zeros"),
    pytest.param(add(b"*3\r\n$3\r\nSET\r\n$4\r\nga" + bytes(4096)), id="a cut write, then zeros"),
]
"""What a crash or a power failure leaves after writes that weren't answered yet."""

REPAIRED = [
    pytest.param(add(os.urandom(300).replace(b"*", b"+")), GAMES, id="garbage"),
    pytest.param(overwrite(bytes(500), 0.5), 1, id="a hole"),
    pytest.param(overwrite(b"$999999999", 0.5), 1, id="a length that swallows the rest"),
    pytest.param(rewrite(AOF_MANIFEST_FILE, b""), GAMES, id="an empty manifest"),
    pytest.param(rewrite(AOF_MANIFEST_FILE, b"\0" * 80), GAMES, id="a manifest of zeros"),
    pytest.param(remove(AOF_MANIFEST_FILE), GAMES, id="no manifest"),
    pytest.param(edit_manifest(lambda lines: [*lines[:-1], lines[-1][:-9]]), GAMES, id="a cut manifest"),
    pytest.param(edit_manifest(lambda lines: lines[:1]), GAMES, id="a manifest without writes"),
    pytest.param(edit_manifest(lambda lines: lines[1:]), GAMES, id="a manifest without a snapshot"),
    pytest.param(edit_manifest(lambda lines: lines * 2), GAMES, id="a manifest that names files twice"),
    pytest.param(both(forget(b""), remove(AOF_MANIFEST_FILE)), GAMES, id="no manifest, and nobody knows the server"),
]
"""What wants `regicide store repair`, and how many games there are at least then."""

HOPELESS = [
    pytest.param(lambda folder: shutil.rmtree(folder / AOF_FOLDER), "appendonlydir is gone", id="no folder"),
    pytest.param(remove("*.base.rdb"), "is gone", id="no snapshot"),
    pytest.param(rewrite("*.base.rdb", b"REDIS0011garbage"), "snapshot .* is damaged", id="a damaged snapshot"),
    pytest.param(remove("*.incr.aof"), "is gone", id="no file of writes"),
    pytest.param(rewrite("*.base.rdb", b""), "snapshot .* is empty", id="an empty snapshot"),
    pytest.param(
        both(forget(b"{"), lambda folder: shutil.rmtree(folder / AOF_FOLDER)),
        "appendonlydir is gone",
        id="both damaged",
    ),
]
"""What only a backup helps against."""


def games(folder: Path, told: list[str] | None = None) -> int:
    """Start the server once more and count what it has."""
    tell = (lambda _: None) if told is None else told.append
    with RedisServer(folder, find_server(), report=tell) as server, Redis.from_url(server.url) as client:
        found = len(client.keys("game:*"))
        assert client.llen("moves") == found
        return found


@pytest.mark.parametrize("damage", TORN)
def test_a_torn_end_is_dropped(tmp_path: Path, damage: Damaging) -> None:
    """Of a server that was killed: the write that was on its way is gone, it is said, and the rest goes on."""
    fill(tmp_path, kills=True)
    damage(tmp_path)
    told: list[str] = []

    found = games(tmp_path, told)

    assert found >= GAMES - 1
    dropped = [line for line in told if line != LOADING_MESSAGE]  # a slow disk is told of too
    assert len(dropped) == 1
    assert "wasn't whole" in dropped[0]
    assert games(tmp_path) == found


@pytest.mark.parametrize(("damage", "least"), REPAIRED)
def test_what_is_damaged_otherwise_is_said_and_mended_by_a_command(
    tmp_path: Path, damage: Damaging, least: int
) -> None:
    """One sentence that names it; nothing is changed until then, and a copy is kept."""
    fill(tmp_path, kills=True)
    damage(tmp_path)
    before = {file.name: file.read_bytes() for file in (tmp_path / AOF_FOLDER).iterdir()}

    with pytest.raises(DamagedStore, match=r"`regicide store repair`") as refusal:
        games(tmp_path)
    assert "\n" not in str(refusal.value)
    assert before.items() <= {file.name: file.read_bytes() for file in (tmp_path / AOF_FOLDER).iterdir()}.items()
    mended = repair(tmp_path, find_server())

    assert mended is not None
    assert before == {file.name: file.read_bytes() for file in mended[1].iterdir()}
    assert least <= games(tmp_path) <= GAMES
    assert repair(tmp_path, find_server()) is None


@pytest.mark.parametrize(("damage", "sentence"), HOPELESS)
def test_what_nothing_mends_is_said(tmp_path: Path, damage: Damaging, sentence: str) -> None:
    """A backup does; the store doesn't begin empty."""
    fill(tmp_path, kills=True)
    damage(tmp_path)

    for attempt in (lambda: games(tmp_path), lambda: repair(tmp_path, find_server())):
        with pytest.raises(DamagedStore, match=sentence) as refusal:
            attempt()
        assert "`regicide restore FILE`" in str(refusal.value)


@pytest.mark.parametrize("left", [0, 3000])
def test_answered_writes_that_are_gone_are_missed(tmp_path: Path, left: int) -> None:
    """After a stop the file is whole: one that is shorter has lost moves, though a server would read it."""
    fill(tmp_path, kills=False)
    os.truncate(writes(tmp_path), left)

    with pytest.raises(DamagedStore, match=r"answered are gone.*`regicide store repair`"):
        games(tmp_path)
    assert repair(tmp_path, find_server()) is not None
    assert games(tmp_path) == scan(writes(tmp_path)).count


def test_without_its_memory_a_store_goes_on(tmp_path: Path) -> None:
    """``server.json`` may be gone: whoever has the folder has the games."""
    fill(tmp_path, kills=True)
    (tmp_path / "server.json").unlink()

    assert games(tmp_path) == GAMES
