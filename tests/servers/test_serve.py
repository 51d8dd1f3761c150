"""The whole server: it answers, keeps its games, ends cleanly, and gets over the death of any of its processes."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from regicide_client import Player, RegicideClient
from regicide_client.types import Game
from tests.ports import free_port
from tests.processes import are_gone, descendants
from tests.servers.served import (
    COMMAND,
    END_SECONDS,
    RunningServer,
    assert_nothing_lost_or_doubled,
    running_server,
    serving,
    sit_down,
)
from tests.waiting import AGES, allowed, comes_true
from tests.workers.embedded_stores import is_loading, owner, slow_to_read
from workers.processes.redis_server import find_server

RECOVERY_SECONDS = 5.0
ALONE = {"ruleset": "regicide", "seats": [{"kind": "human"}]}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give a server that several tests knock about."""
    with running_server(tmp_path_factory.mktemp("server") / "data") as served:
        yield served


def move(player: Player) -> tuple[int, Game]:
    """Take the first legal action, and return its version and the game when it is the seat's turn again."""
    game = player.wait_for_turn(timeout=allowed(RECOVERY_SECONDS))
    turn = player.act(player.actions()[0]["text"], expected=game["version"])
    return turn["version"], player.wait_for_turn(timeout=allowed(RECOVERY_SECONDS))


def let_ais_act(client: RegicideClient) -> None:
    """Sit down and act until an AI has: by chance that takes a few actions, or another game."""
    player, version, game = sit_down(client), 0, None
    while game is None or game["version"] == version:
        if game is not None and game["status"] != "active":
            player = sit_down(client)
        version, game = move(player)


def test_flags_go_before_variables(tmp_path: Path) -> None:
    """In every process: where it listens, where games are kept, how many work. An unknown variable is named."""
    port, data = str(free_port()), tmp_path / "by flag"
    flags = ("--port", port, "--data", str(data), "--workers", "1", "--arena-workers=0", "--rate-create", "1")
    environ = {"PORT": port, "WORKERS": "many", "REGICIDE_RATE_CREATES": "7"}

    with serving(COMMAND, Path.cwd(), tmp_path / "by variable", environ, flags) as served:
        answers = [httpx.post(f"{served.url}/v1/games", json=ALONE, timeout=AGES) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [201, 429]
        assert len(served.workers()) == 1

    assert (data.is_dir(), (tmp_path / "by variable").exists()) == (True, False)
    said = "Warning: There is no variable REGICIDE_RATE_CREATES: it changes nothing. Did you mean REGICIDE_RATE_CREATE?"
    assert served.log.read_text("utf-8").splitlines()[0] == said


def test_other_computers_are_told_where_it_is(tmp_path: Path, running: RunningServer) -> None:
    """By an address of the network at which it answers, if it listens there."""
    with running_server(tmp_path / "data", HOST="0.0.0.0") as served:  # noqa: S104
        assert comes_true(lambda: "engines are" in served.log.read_text("utf-8"), within=30)
        found = re.search(r"^On other computers: (http://\S+)$", served.log.read_text("utf-8"), re.MULTILINE)
        if found is None:
            pytest.skip("this computer is in no network")
        assert "127.0.0.1" not in found[1]
        assert httpx.get(f"{found[1]}/healthz", timeout=AGES).status_code == 200
    assert "On other computers" not in running.log.read_text("utf-8")


def test_it_answers_ends_with_ctrl_c_and_keeps_its_games(tmp_path: Path) -> None:
    """Ctrl-C ends it well and leaves no process behind; a game that was begun before is played on after a restart."""
    with running_server(tmp_path / "data") as served:
        assert httpx.get(f"{served.url}/readyz", timeout=AGES).json() == {
            "storage": True,
            "durable": True,
            "worker": True,
            "reasons": [],
        }
        with served.client() as client:
            ana = sit_down(client)
            moved, before = move(ana)
        family = served.family()

        assert served.stop() == 0

        assert len(family) >= 4
        assert comes_true(lambda: are_gone(family), within=2)
    with running_server(tmp_path / "data") as served, served.client() as client:
        again = Player(client, ana.game_id, ana.token)

        assert again.fetch() == before
        assert_nothing_lost_or_doubled(again, [moved])


def test_a_taken_port_is_said_in_a_sentence(running: RunningServer, tmp_path: Path) -> None:
    """Nothing is started when the port is somebody else's. Whoever serves as root is told what that means."""
    port = running.url.rpartition(":")[2]
    environ = {**os.environ, "PORT": port, "REGICIDE_DATA": str(tmp_path / "other")}
    second = subprocess.run([*COMMAND, "serve"], check=False, env=environ, capture_output=True, text=True, timeout=AGES)

    assert second.returncode == 1
    assert ("runs as root" in running.log.read_text()) is (os.geteuid() == 0)
    assert f"port {port}" in second.stderr
    assert "Traceback" not in second.stderr
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("victim", ["-m workers", "-m api", "valkey"])
def test_the_game_goes_on_when_a_process_is_killed(running: RunningServer, victim: str) -> None:
    """Any process may be killed between two moves: no move is lost or doubled, and the game goes on within 5 s."""
    with running.client() as client:
        ana = sit_down(client)
        moved = [move(ana)[0]]

        os.kill(running.members(victim)[0], signal.SIGKILL)
        moved.append(move(ana)[0])

        assert_nothing_lost_or_doubled(ana, moved)


def test_the_game_goes_on_when_workers_are_killed_in_an_ais_turn(running: RunningServer) -> None:
    """The workers are stopped, so that they hold the AI's turn in their hands, and then they are killed."""
    with running.client() as client:
        ana = sit_down(client)
        game = ana.wait_for_turn(timeout=allowed(RECOVERY_SECONDS))
        workers = running.workers()
        assert workers
        for worker in workers:
            os.kill(worker, signal.SIGSTOP)
        version = ana.act(ana.actions()[0]["text"], expected=game["version"])["version"]
        for worker in workers:
            os.kill(worker, signal.SIGKILL)

        game = ana.wait_for_turn(timeout=allowed(RECOVERY_SECONDS))

        assert game["version"] > version or game["status"] != "active" or game["to_act"] == [0]
        assert_nothing_lost_or_doubled(ana, [version])


def test_what_the_workers_count_is_shown_by_the_web_server(running: RunningServer) -> None:
    """And what they counted outlives them."""

    def by_ais() -> float:
        families = text_string_to_metric_families(httpx.get(f"{running.url}/metrics", timeout=AGES).text)
        samples = [sample for family in families for sample in family.samples]
        return sum(one.value for one in samples if one.name == "regicide_moves_total" and one.labels["by"] == "ai")

    with running.client() as client:
        let_ais_act(client)
        assert comes_true(lambda: by_ais() >= 1, within=RECOVERY_SECONDS)
        before = by_ais()
        for worker in running.workers():
            os.kill(worker, signal.SIGKILL)
        let_ais_act(client)

        assert comes_true(lambda: by_ais() > before, within=RECOVERY_SECONDS)


def kill_serve(served: RunningServer) -> None:
    """Kill it as the kernel does when memory is short."""
    served.process.kill()


def kill_watcher_before(served: RunningServer) -> None:
    """Kill the process that ends the store when ``serve`` is killed, then ``serve``, which has replaced it."""
    (watcher,) = served.members(" watcher ")
    os.kill(watcher, signal.SIGKILL)
    assert comes_true(lambda: served.members(" watcher ") not in ([], [watcher]))
    with pytest.raises(ProcessLookupError):  # it isn't even a zombie
        os.kill(watcher, 0)
    served.process.kill()


def kill_watcher_too(served: RunningServer) -> None:
    """Kill both before ``serve`` can replace the watcher."""
    served.process.send_signal(signal.SIGSTOP)
    os.kill(served.members(" watcher ")[0], signal.SIGKILL)
    served.process.kill()


@pytest.mark.parametrize("end", [kill_serve, kill_watcher_before, kill_watcher_too])
def test_a_killed_serve_is_followed_at_once(tmp_path: Path, end: Callable[[RunningServer], None]) -> None:
    """What it started ends; whoever starts it again waits for that, and has the port and the games."""
    with running_server(tmp_path / "data") as served:
        with served.client() as client:
            ana = sit_down(client)
            moved = [move(ana)[0]]
        family = descendants(served.process.pid)
        end(served)
        port = served.url.rpartition(":")[2]
        environ = {"PORT": port, "REGICIDE_DATA": str(tmp_path / "data")}
        with serving(COMMAND, Path.cwd(), tmp_path / "next", environ) as after, after.client() as client:
            again = Player(client, ana.game_id, ana.token)
            moved.append(move(again)[0])
            assert_nothing_lost_or_doubled(again, moved)
        assert len(family) >= 4
        assert comes_true(lambda: are_gone(family), within=END_SECONDS)


CHECK = """
import sys
from pathlib import Path
from api.commands.serve import _wait_for_store
from workers.processes.stop_flag import StopFlag
from workers.settings import Settings

_wait_for_store(Settings(data=Path(sys.argv[1]), redis_url=sys.argv[2]), StopFlag())
"""


def test_the_check_of_a_store_ends_with_serve(tmp_path: Path) -> None:
    """Else it would keep the lock of the store's folder after ``serve`` was killed, as long as the store loads."""
    folder, binary = tmp_path / "store", find_server()
    slow, url = slow_to_read(folder, binary, tmp_path, microseconds=1_000_000), f"unix://{folder}/valkey.sock"
    with owner(folder, slow) as loading:
        assert comes_true(lambda: is_loading(url))
        with subprocess.Popen([sys.executable, "-c", CHECK, str(tmp_path), url]) as serve:
            assert comes_true(lambda: bool(descendants(serve.pid)))
            family = descendants(serve.pid)
            serve.kill()

        assert comes_true(lambda: are_gone(family), within=END_SECONDS)
        assert is_loading(url)
        loading.kill()


@pytest.mark.parametrize(
    ("ruleset", "lang", "players", "ending"),
    [
        ("regicide", "es", 3, "de 12 enemigos vencidos"),
        pytest.param("regicide", "en", 4, "of 12 enemies defeated", marks=pytest.mark.long),
        pytest.param("gridcannon", "en", 4, "(has|have) won|: a draw", marks=pytest.mark.long),
    ],
)
def test_the_demo_plays_a_game_to_its_end(ruleset: str, lang: str, players: int, ending: str) -> None:
    """``regicide demo`` starts a server of its own, tells the game, and leaves nothing behind."""
    environ = {**os.environ, "PORT": str(free_port())}
    told = subprocess.run(
        [*COMMAND, "demo", "--ruleset", ruleset, "--lang", lang, "--players", str(players)],
        check=False,
        env=environ,
        capture_output=True,
        text=True,
        timeout=240,
    )

    assert told.returncode == 0, told.stderr
    assert told.stdout.count("(expert)") == players - 1, "each with a name, in one line"
    assert re.search(ending, told.stdout.splitlines()[-1])
