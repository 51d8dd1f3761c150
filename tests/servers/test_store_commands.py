"""Commands for who runs a server: records out and in, backups, and what is kept no longer."""

import errno
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis import Redis

from api.commands.command_base import InvalidInput
from api.commands.operator_commands import _opened_output, _read_from_archive
from regicide_client.client import Player
from tests.ports import free_port
from tests.servers.commands import refused, run, said
from tests.servers.served import COMMAND, running_server
from tests.waiting import AGES, allowed
from workers.processes.redis_server import RedisServer, find_server
from workers.processes.store_folder import AOF_FOLDER, server_of
from workers.settings import UnusableStore

HUMAN = {"kind": "human", "name": "Ana"}
NOBODY = 65_534
NOVICES = [{"kind": "ai", "level": "novice"}] * 2


@dataclass(frozen=True)
class Played:
    """A data folder in which a server has served, the records of its ended games, and one that runs."""

    folder: Path
    records: list[Any]
    runs: str
    token: str


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Let a server serve two games to their ends, and one that goes on."""
    folder = tmp_path_factory.mktemp("served") / "data"
    with running_server(folder) as served, served.client() as client:
        hosts = [client.create(ruleset, NOVICES).host for ruleset in ("regicide", "gridcannon")]
        for host in hosts:
            host.wait_for_turn(timeout=allowed(AGES))
        ana = client.create("regicide", [HUMAN]).players[0]
        ana.act(ana.actions()[0]["text"])
        return Played(folder, [host.record() for host in hosts], ana.game_id, str(ana.token))


@pytest.fixture
def data(played: Played, tmp_path: Path) -> Path:
    """Give a copy of that folder, in which nobody serves."""
    copied = tmp_path / "data"
    shutil.copytree(played.folder, copied, ignore=shutil.ignore_patterns("*.sock"))
    return copied


def test_games_are_listed_and_closed(played: Played, data: Path):
    """While nobody serves: by status, the last changed first; one that has ended or isn't there is refused."""
    listed = run("games", data=data)
    active = run("games", "--status", "active", "--status", "waiting", data=data)
    closed = run("close", played.runs, data=data)

    assert listed.returncode == 0
    lines = listed.stdout.splitlines()
    assert (len(lines), len(active.stdout.splitlines())) == (3, 1)
    assert lines[0].split()[:4] == [played.runs, "regicide", "active", "1"]
    assert "Ana" in lines[0]
    assert (closed.returncode, closed.stdout) == (0, f"Game {played.runs} is closed.\n")
    assert run("games", "--status", "abandoned", data=data).stdout.split()[0] == played.runs
    assert "has ended" in run("close", played.runs, data=data).stderr
    assert run("close", "0" * 20, data=data).returncode == 1


def test_what_is_no_id_is_no_game(data: Path):
    """Also a link, or the word that stands for the id on a page: one sentence."""
    for text in ("ID", "https://play.example.org/play#0123", ""):
        ended = run("close", text, data=data)
        assert (ended.returncode, ended.stderr) == (1, "Error: There is no game of this id.\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_what_root_writes_is_the_servers(data: Path, tmp_path: Path):
    """A server that runs as another user can read its folder after each command of root, also behind a link.

    A file with a second name stays root's: it could be any file of the machine.
    """
    linked, file = tmp_path / "linked", tmp_path / "games.backup"
    linked.symlink_to(data)
    outside = tmp_path / "outside"
    outside.touch()
    (data / "second").hardlink_to(outside)
    (data / "away").symlink_to(outside)
    age(data)
    for path in (data, *data.rglob("*")):
        if path.name not in ("second", "away"):
            os.chown(path, NOBODY, NOBODY)

    for words in (
        *(("backup", file), ("restore", "--force", file), ("store", "repair"), ("export", tmp_path / "games.jsonl")),
        *(("games",), ("banner", "Back at ten."), ("prune",), ("import", tmp_path / "games.jsonl")),
    ):
        done = run(*map(str, words), data=linked)
        assert done.returncode == 0, done.stderr
        others = {path.name for path in data.rglob("*") if path.lstat().st_uid != NOBODY}
        assert others == {"second"}, words
    assert (data / "archive").is_dir()
    assert (outside.stat().st_uid, file.stat().st_uid) == (0, 0)


@pytest.mark.skipif(os.geteuid() != 0, reason="root has no folder that it may not read")
def test_a_store_of_another_user_is_refused(data: Path):
    """In one sentence."""
    data.parent.chmod(0o711)
    (data / "store").chmod(0o700)
    script = "import os; from api.commands.operator_commands import list_games; os.seteuid(65534); list_games([])"
    environ = {**os.environ, "REGICIDE_DATA": str(data), "REDIS_URL": ""}

    ended = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=False)

    assert "is another user's" in refused(ended)
    os.seteuid(NOBODY)
    try:
        with pytest.raises(UnusableStore, match="is another user's"):
            server_of(data / "store", list)
    finally:
        os.seteuid(0)


def test_a_backup_goes_where_a_link_leads(played: Played, data: Path, tmp_path: Path):
    """And only to a file: a pipe or a device would be replaced."""
    target, link, pipe = (tmp_path / name for name in ("target", "link", "pipe"))
    link.symlink_to(target)
    os.mkfifo(pipe)

    assert run("backup", str(link), data=data).returncode == 0

    assert (link.readlink(), target.stat().st_size > 0) == (target, True)
    assert "is no file" in refused(run("backup", str(pipe), data=data))
    assert pipe.is_fifo()


def test_an_archive_alone_is_exported(played: Played, data: Path, tmp_path: Path):
    """Where there never was a store; a store whose files are gone is told as such by each command."""
    records = tmp_path / "games.jsonl"
    assert run("export", str(records), data=data).returncode == 0
    alone = tmp_path / "alone"
    assert run("import", str(records), data=alone).returncode == 0

    exported = run("export", data=alone)

    assert (exported.returncode, by_id(lines(exported.stdout))) == (0, by_id(played.records))
    shutil.rmtree(data / "store" / AOF_FOLDER)
    for words in (["games"], ["export"]):
        assert f"its folder {AOF_FOLDER} is gone" in refused(run(*words, data=data))


def test_players_hear_of_what_the_operator_does(tmp_path: Path):
    """A game is closed under its players, a banner reaches open streams, while the server runs.

    The banner is printed, and taken back.
    """
    data = tmp_path / "data"
    with running_server(data) as served, served.client() as client:
        ana = client.create("regicide", [HUMAN], private=True).players[0]
        assert ana.game_id in run("games", data=data).stdout
        assert run("close", ana.game_id, data=data).returncode == 0
        assert ana.wait_for_change(0, timeout=allowed(AGES))["status"] == "abandoned"

        path = f"{served.url}/v1/games/{client.create('regicide', [HUMAN]).game['id']}/stream"
        with httpx.stream("GET", path, headers={"Accept": "application/x-ndjson"}, timeout=allowed(AGES)) as stream:
            told = (line for line in stream.iter_lines() if line)
            assert "notice" not in json.loads(next(told))
            assert run("banner", "Back at ten.", data=data).returncode == 0
            assert json.loads(next(told)) == {"notice": "Back at ten."}
            assert run("banner", data=data).stdout == "Back at ten.\n"
            assert run("banner", "--clear", data=data).returncode == 0
            assert json.loads(next(told)) == {"notice": None}
    for wrong in (("two\nlines",), ("x" * 201,), ("",), ("both", "--clear"), ("\udcff",)):
        assert run("banner", *wrong, data=data).returncode == 2
    assert run("banner", data=data).stdout == "No banner is shown.\n"


def age(data: Path) -> None:
    """Let it be a long time since anything happened in a game."""
    with RedisServer(data / "store", find_server()) as server, Redis.from_url(server.url) as client:
        for name in client.keys("*:idle:*"):
            client.zadd(name, dict.fromkeys(client.zrange(name, 0, -1), 0), xx=True)


def lines(text: str | bytes) -> list[Any]:
    """Read JSON lines."""
    return [json.loads(line) for line in text.splitlines()]


def by_id(records: list[Any]) -> list[Any]:
    """Put records into an order."""
    return sorted(records, key=lambda record: str(record["id"]))


def test_an_export_that_fails_leaves_the_older_one(tmp_path: Path):
    """Nothing else is left either. What can't be written says so, and what can't be read says that."""
    file = tmp_path / "games.jsonl"
    file.write_bytes(b"older\n")
    full = OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(InvalidInput, match=r"games.jsonl can't be written: No space left"), _opened_output(file):
        raise full
    with pytest.raises(InvalidInput, match="The archive can't be read: No space left"), _opened_output(file) as out:
        out.writelines(_read_from_archive(failing(full)))

    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("games.jsonl", b"older\n")]
    with _opened_output(file) as out:
        out.write(b"newer\n")
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("games.jsonl", b"newer\n")]


def failing(error: OSError) -> Iterator[bytes]:
    """Yield a record, then fail."""
    yield b"a record\n"
    raise error


def test_a_full_device_says_so(played: Played, data: Path):
    """As a device that is no file."""
    assert "/dev/full can't be written: No space left on device." in refused(run("export", "/dev/full", data=data))


FULL = re.compile(r"Error: The (output|records) can't be written: No space left on device\.\n")


@pytest.mark.parametrize("words", [["games"], ["export"], ["openapi"], ["arena", "--help"], ["--help"], ["--version"]])
def test_output_to_a_full_device(played: Played, data: Path, words: list[str]):
    """One sentence, whatever the command; nothing more when the process ends."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, *words],
            env={**os.environ, "REGICIDE_DATA": str(data)},
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert done.returncode == InvalidInput.exit_code
    assert FULL.fullmatch(done.stderr.decode())


def test_export_writes_every_ended_game(played: Played, data: Path, tmp_path: Path):
    """From the store, as `GET .../record` shows them; of a ruleset, of a time, to a file."""
    everything, regicides = run("export", data=data), run("export", "--ruleset", "regicide", data=data)
    recent, later = run("export", "--since", "2020-01-01", data=data), run("export", "--since", "2100-01-01", data=data)
    to_file = run("export", str(tmp_path / "games.jsonl"), data=data)

    assert by_id(lines(everything.stdout)) == by_id(lines(recent.stdout)) == by_id(played.records)
    assert by_id(lines((tmp_path / "games.jsonl").read_text())) == by_id(played.records)
    assert [record["ruleset"] for record in lines(regicides.stdout)] == ["regicide"]
    assert (later.stdout, said(later)) == ("", "0 games exported.")
    assert (to_file.returncode, to_file.stdout, said(to_file)) == (0, "", "2 games exported.")


def test_prune_does_what_the_sweeper_would(played: Played, data: Path):
    """It archives what has ended, and deletes it; what is exported stays the same."""
    kept = run("prune", data=data)
    age(data)
    pruned, again, exported = run("prune", data=data), run("prune", data=data), run("export", data=data)

    assert (kept.returncode, kept.stdout) == (0, "0 games given up, 0 archived, 0 deleted.\n")
    assert (pruned.returncode, pruned.stdout) == (0, "1 game given up, 2 archived, 2 deleted.\n")
    assert (again.returncode, again.stdout) == (0, "0 games given up, 0 archived, 0 deleted.\n")
    assert [record for record in played.records if record not in lines(exported.stdout)] == []
    assert said(exported) == "3 games exported."


def test_import_counts_each_game_once(played: Played, data: Path, tmp_path: Path):
    """However often it comes, in one file or in several; what isn't true is refused, line by line."""
    fresh, file = tmp_path / "fresh", tmp_path / "games.jsonl"
    one, two = (json.dumps(record) for record in played.records)
    forged = json.dumps({**played.records[0], "id": "0" * 20, "outcome": None})
    file.write_text(f"{one}\n{two}\n{one}\nnonsense\n\n{forged}\n")

    first, second = run("import", str(file), data=fresh), run("import", str(file), data=fresh)
    (archived,) = (fresh / "archive").iterdir()
    third = run("import", str(archived), data=tmp_path / "other")

    assert (first.returncode, first.stdout) == (1, "2 games imported, 1 there before, 2 refused.\n")
    assert [line.partition(":")[0] for line in first.stderr.splitlines()] == ["Line 4", "Line 6"]
    assert (second.returncode, second.stdout) == (1, "0 games imported, 3 there before, 2 refused.\n")
    assert (third.returncode, third.stdout) == (0, "2 games imported, 0 there before, 0 refused.\n")
    assert lines(gzip.decompress(archived.read_bytes())) == played.records


def test_a_store_comes_back_from_a_backup(played: Played, tmp_path: Path):
    """Made while it serves; elsewhere the games go on, and those who sat there still do."""
    file, elsewhere = tmp_path / "games.backup", tmp_path / "elsewhere"
    shutil.copytree(played.folder, tmp_path / "data", ignore=shutil.ignore_patterns("*.sock"))
    with running_server(tmp_path / "data"):
        made = run("backup", str(file), data=tmp_path / "data")
        over = run("restore", str(file), "--force", data=tmp_path / "data")
    restored = run("restore", str(file), data=elsewhere)

    assert "keeps its games in" in refused(over)
    assert made.returncode == 0
    assert made.stdout.endswith("the store has 3 games now.\n")
    assert file.stat().st_mode & 0o777 == 0o600
    assert restored.returncode == 0
    assert restored.stdout == f"3 games restored to {elsewhere / 'store'}.\n"
    with running_server(elsewhere) as served, served.client() as client:
        ana = Player(client, played.runs, played.token)
        before = ana.fetch()
        assert (before["version"], before["you"]) == (1, 0)
        assert ana.act(ana.actions()[0]["text"])["version"] == 2
        assert client.spectator(played.records[0]["id"]).record() == played.records[0]


def test_restore_moves_a_store_aside_only_by_force(data: Path, tmp_path: Path):
    """Without it nothing is changed, and with it nothing is lost."""
    file = tmp_path / "games.backup"
    assert run("backup", str(file), data=data).returncode == 0
    age(data)
    assert run("prune", data=data).returncode == 0

    assert "--force moves it aside" in refused(run("restore", str(file), data=data))
    forced = run("restore", str(file), "--force", data=data)

    assert forced.stdout.splitlines()[0] == f"3 games restored to {data / 'store'}."
    assert len(list((data / "store").glob(f"{AOF_FOLDER}.*"))) == 1
    assert said(run("export", data=data)) == "2 games exported."  # they are in the store and in the archive now


def test_operators_are_shown_what_works(data: Path, tmp_path: Path):
    """Each command of docs/operating.md about games and backups, in its order: each ends well."""
    page = (Path(__file__).parents[2] / "docs" / "operating.md").read_text("utf-8")
    shown = re.findall(r"^regicide ((?:prune|export|import|backup|restore)\b.*)$", page, re.MULTILINE)

    ends = [run(*words.split(), data=data, cwd=tmp_path) for words in shown]

    assert len(shown) == 6
    assert [(end.args[3:], end.stderr) for end in ends if end.returncode] == []


def test_what_can_not_begin_says_so(played: Played, data: Path, tmp_path: Path):
    """In one sentence, with exit status 2; a backup that isn't whole isn't restored."""
    file, none = tmp_path / "games.backup", tmp_path / "none"
    assert run("backup", str(file), data=data).returncode == 0
    torn, games = tmp_path / "torn.backup", tmp_path / "games.jsonl"
    games.write_text(json.dumps(played.records[0]))
    torn.write_bytes(file.read_bytes()[:-20])

    assert "no whole backup" in refused(run("restore", str(torn), data=none))
    assert "no whole backup" in refused(run("restore", str(Path(__file__)), data=none))
    assert "There is no store in" in refused(run("backup", str(file), data=none))
    assert "There is no store in" in refused(run("export", data=none))
    assert "There is no store in" in refused(run("prune", data=none))
    assert "can't be written to" in refused(run("backup", "/none/file", data=data))
    assert "can't be written" in refused(run("export", "/none/file", data=data))
    assert "There is no archive" in refused(run("import", str(file), data=none, REGICIDE_ARCHIVE="none"))
    assert "can't be imported" in refused(run("import", str(games), data=none, REGICIDE_ARCHIVE="/proc/none"))
    for words in (["backup", str(file)], ["restore", str(file)]):
        assert "a store of your own" in refused(run(*words, data=data, REDIS_URL="redis://127.0.0.1:1"))
    assert not (none / "store" / AOF_FOLDER).exists()


def test_a_damaged_store_is_said_and_repaired(played: Played, data: Path) -> None:
    """`serve` says it in one sentence and exits with 2; after `regicide store repair` it plays on."""
    (file,) = (data / "store" / "appendonlydir").glob("*.incr.aof")
    with file.open("ab") as writes:
        writes.write(b"no write at all")
    environ = {**os.environ, "REGICIDE_DATA": str(data), "PORT": str(free_port())}

    refused, mended, again = (
        subprocess.run(
            [*COMMAND, *words], check=False, env=environ, capture_output=True, text=True, timeout=allowed(AGES)
        )
        for words in (["serve"], ["store", "repair"], ["store", "repair"])
    )

    assert refused.returncode == 2
    assert [line for line in refused.stderr.splitlines() if "`regicide store repair`" in line] == (
        refused.stderr.splitlines()
    )
    assert (mended.returncode, again.returncode) == (0, 0)
    assert "It was mended: the store has 3 games." in mended.stdout
    assert "is whole: it has 3 games." in again.stdout
    with running_server(data) as served, served.client() as server:
        assert server.spectator(played.runs).fetch()["id"] == played.runs
