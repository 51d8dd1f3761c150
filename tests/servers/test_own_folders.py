"""A folder of the user's own that is called like one of our packages: it is theirs, and changes nothing for us."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from regicide_client import Player, RegicideClient
from tests.servers.served import INSTALLED, RunningServer, ending, running_server, serving
from tests.waiting import AGES, allowed

TABLE = [{"kind": "human", "name": "Ana"}, {"kind": "ai", "level": "novice"}]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with packages that nobody must import."""
    folder = tmp_path_factory.mktemp("own")
    for package in ("api", "workers", "engines"):
        (folder / package).mkdir()
        (folder / package / "__init__.py").write_text(f"raise SystemExit('this {package} is the user\\'s own')\n")
    return folder


@pytest.fixture(scope="module")
def served(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give a server that was started in that folder."""
    with serving(INSTALLED, folder, tmp_path_factory.mktemp("server") / "data", {}) as running:
        yield running


def sit_down(server: RegicideClient) -> Player:
    """Set up a game with an AI, and return its human."""
    return server.create("regicide", TABLE, client_seed="a folder of my own").players[0]


def assert_ai_moves(player: Player) -> None:
    """Act until an AI has moved: a worker has thought."""
    while True:
        game = player.wait_for_turn(timeout=allowed(AGES))
        assert game["status"] == "active"
        if any(event.get("seat") == 1 for event in player.events(after=0)):
            return
        player.act(player.actions()[0]["text"])


def test_serve(served: RunningServer):
    """The web server and the workers that ``regicide serve`` starts are ours, and a game is played."""
    with served.client() as server:
        assert_ai_moves(sit_down(server))


def test_worker(folder: Path, tmp_path: Path, redis_url: str, database: Redis):
    """``regicide worker`` and the processes that it starts are ours: those of the server are none."""
    environ = {**os.environ, "REDIS_URL": redis_url}
    with (
        ending(subprocess.Popen([*INSTALLED, "worker"], cwd=folder, env=environ)),
        running_server(tmp_path / "data", REDIS_URL=redis_url, WORKERS="0") as bare,
        bare.client() as server,
    ):
        assert_ai_moves(sit_down(server))


def test_arena(folder: Path):
    """The processes of ``regicide arena`` are ours."""
    words = ["arena", "--seat", "novice", "--seat", "novice", "--games", "2", "--processes", "2"]

    end = subprocess.run(
        [*INSTALLED, *words], cwd=folder, check=False, capture_output=True, text=True, timeout=allowed(AGES)
    )

    assert (end.returncode, end.stdout.count("novice")) == (0, 2), end.stderr


def test_the_client(served: RunningServer, folder: Path):
    """A program that lies beside such folders, and finds them first, plays by the client: it needs none of ours."""
    script = folder / "play.py"
    script.write_text(
        "import sys\nfrom regicide_client import RegicideClient\n"
        "with RegicideClient(sys.argv[1]) as server:\n"
        "    ana = server.create('regicide', [{'kind': 'human', 'name': 'Ana'}] * 2).players[0]\n"
        "    print(ana.act(ana.actions()[0]['text'])['version'])\n"
    )

    end = subprocess.run(
        [sys.executable, str(script), served.url],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        timeout=allowed(AGES),
    )

    assert (end.returncode, end.stdout) == (0, "1\n"), end.stderr


def test_the_folder_would_break_what_finds_it(folder: Path):
    """Else this file would prove nothing."""
    environ = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONSAFEPATH")}

    end = subprocess.run(
        [sys.executable, "-c", "import api"], cwd=folder, env=environ, check=False, capture_output=True, text=True
    )

    assert "the user's own" in end.stderr
