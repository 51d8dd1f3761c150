import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import httpx
import pytest

from benchmarks import evening, scripted_games, web_servers
from benchmarks.results import QUICK, Found, Row, interleaved, table
from engines import RULESETS
from engines.core.dealer import SimulationDealer
from engines.ruleset import step
from tests.api.games import ANA
from tests.ports import free_port
from tests.servers.served import START_SECONDS, RunningServer, ending
from tests.waiting import AGES, allowed, comes_true

LONGEST_SECONDS = 240.0
READS = ("get", "get, 304", "actions", "dry run", "create", "list of 20")


def test_a_table_shows_medians_with_their_ranges_and_says_what_is_left_out():
    """One line for each row, the load at its end."""
    rows = [
        Row("http", "move", {"a second": [812.3, 790, 840], "cpu ms": [0.5, 0.25, 0.75]}, [1.0, 2.0, 9.0]),
        Row("http", "get", {"a second": [1500]}, [0.5]),
        Row("http", "two processes", skipped="there is one"),
    ]

    assert list(table(rows)) == [
        "",
        "http       a second               cpu ms  load",
        "move  812 (790-840)  0.500 (0.250-0.750)   2.0",
        "get           1,500                        0.5",
        "two processes is left out: there is one",
    ]


def test_a_server_of_somebody_else_has_the_same_application(redis_url: str, tmp_path: Path):
    """By the bridge that the comparison of web servers uses: a game is created, a body that is no JSON refused."""
    port = free_port()
    environ = {**os.environ, "REDIS_URL": redis_url, "REGICIDE_DATA": str(tmp_path)}
    command = [sys.executable, "-m", "benchmarks.app_on_other_web_servers", "granian", str(port)]
    with (
        ending(subprocess.Popen(command, env=environ)),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=AGES) as http,
    ):
        assert comes_true(lambda: web_servers.answers(port), START_SECONDS)
        assert http.post("/v1/games", json=scripted_games.CREATION_BODY).status_code == 201
        refused = http.post("/v1/games", content=b"{", headers={"Content-Type": "application/json"})
        assert refused.json()["code"] == "malformed_json"


def test_everything_is_measured_once_before_anything_is_measured_again():
    """So that a busy minute hits all of it."""
    heard: list[str] = []

    def measure(name: str) -> dict[str, float]:
        heard.append(name)
        return {"calls": len(heard)}

    found = interleaved(2, {"one": lambda: measure("one"), "other": lambda: measure("other")})

    assert heard == ["one", "other"] * 2
    assert found["other"].cells == {"calls": [2, 4]}
    assert len(found["other"].loads) == 2


def test_figures_made_of_others_stand_beside_them():
    """In the same row."""
    found = Found()
    found.note({"a second": 10.0})

    assert found.row("http", "move", twice=[20.0]).cells == {"a second": [10.0], "twice": [20.0]}


@pytest.mark.parametrize("number", range(scripted_games.OPENINGS))
def test_known_moves_are_legal_whatever_the_seed(number):
    """Chance has no say yet: each of them is the turn of its seat, and is accepted."""
    opening, ruleset = scripted_games.openings()[number], RULESETS["regicide"]

    assert len(opening.moves) > 20
    for seed in range(100, 120):
        position, dealer = ruleset.load(opening.position), SimulationDealer(Random(seed))
        for seat, text in opening.moves:
            position, _ = step(position, seat, ruleset.parse(text), dealer)


@pytest.mark.skipif(shutil.which("cc") is None, reason="the client that asks is written in C")
def test_every_kind_of_request_is_measured_beside_the_yardstick(tmp_path):
    """The whole way, in so short a time that figures mean nothing: servers, moves, cost, JSON.

    The suites before these two leave nothing behind that the servers of these two would read.
    """
    file = tmp_path / "bench.json"
    suites = ("overdue", "latency", "http", "trips")
    command = [sys.executable, "-m", "benchmarks", *suites, "--quick", "--seconds", "0.25", "--json", str(file)]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=LONGEST_SECONDS
    )
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row["cells"] for row in json.loads(file.read_text("utf-8"))["rows"] if not row["skipped"]}

    for kind in (
        *(f"move, {connections} conn." for connections in (1, 4, 16)),
        *(f"{read}, 16 conn." for read in READS),
    ):
        assert set(rows[f"{kind}, 1 process"]) == {"a second", "p50 ms", "p99 ms", "cpu ms", "client cores", "x hello"}
        assert f"\n{kind}, 1 process " in done.stdout
    assert set(rows[f"{QUICK.overdue} games have theirs again"]) >= {"seconds", "commands a game"}
    trips = [cells for name, cells in rows.items() if name.startswith(("a person is next", "an AI is next"))]
    assert [set(cells["slots"]) for cells in trips] == [{1}, {1}]
    assert [max(cells["to the store"]) <= 3 for cells in trips] == [True, True]


def test_an_evening_loses_nothing(tmp_path):
    """People click and hear of every version, although the server is killed in the middle."""
    file = tmp_path / "evening.json"
    seconds = min(allowed(12), LONGEST_SECONDS / 2)  # a busy machine needs longer until the first click
    minutes = f"{seconds / 60:.2f}"
    command = [sys.executable, "-m", "benchmarks", "evening", "--quick", "--minutes", minutes, "--json", str(file)]

    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=allowed(LONGEST_SECONDS))

    assert done.returncode == 0, done.stderr
    (row,) = json.loads(file.read_text("utf-8"))["rows"]
    cells = {unit: value for unit, (value,) in row["cells"].items()}
    assert cells["clicks"] > 0
    assert cells["back s"] > 0
    assert (cells["errors"], cells["missed"], cells["lost moves"]) == (0, 0, 0)


def test_a_lost_move_is_found(served: RunningServer):
    """One that was confirmed, but isn't in its game as it was told; the others are there."""
    with served.client() as client:
        ana = client.create("regicide", [ANA]).players[0]
        told = ana.act(ana.legal()["actions"][0]["text"])
        spent = evening.Evening(served.url, until=0.0, viewers={ana.game_id: str(ana.token)})

        spent.confirmed[ana.game_id, told["version"]] = evening.kinds(told["events"])
        assert asyncio.run(evening.lost_moves(spent)) == 0
        spent.confirmed[ana.game_id, told["version"] + 1] = ["played 0"]
        assert asyncio.run(evening.lost_moves(spent)) == 1
