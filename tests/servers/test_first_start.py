"""A checkout that has just been made is served at once; its engines are compiled meanwhile, and then exchanged."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from time import monotonic

import pytest

from api.commands.serve import COMPILE_COMMAND_VARIABLE
from regicide_client import Player
from tests.servers.served import RunningServer, assert_nothing_lost_or_doubled, running_server, serving, sit_down
from tests.waiting import allowed, comes_true

ROOT = Path(__file__).parents[2]
COMPILED = ROOT / "build" / "compiled"
BEGUN = "are being compiled in the background"
DONE = "The engines are compiled, in "
TURN_SECONDS = 15.0
EXCHANGE_SECONDS = 30.0
COMPILE_SECONDS = 900.0


@contextmanager
def compiling(folder: Path, script: str, data: str = "data") -> Iterator[RunningServer]:
    """Run a server on interpreted engines; *script*, for a shell, puts compiled ones into *folder*."""
    environ = {
        COMPILE_COMMAND_VARIABLE: f"sh -c {quote(script)}",
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "PYTHONSAFEPATH": "1",
    }
    with running_server(folder.parent / data, **environ) as served:
        yield served


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """Give a pipe from which a script reads until somebody writes to it."""
    pipe = tmp_path / "gate"
    os.mkfifo(pipe)
    return pipe


def said(served: RunningServer, words: str) -> bool:
    """It has said so on its standard error."""
    return words in served.log.read_text("utf-8")


def play(player: Player) -> list[int]:
    """Play a game to its end, and return the versions of the player's moves.

    At no version that is expected: before a choice of the player's the others may signal.
    """
    moved = []
    while player.wait_for_turn(timeout=allowed(TURN_SECONDS))["status"] == "active":
        moved.append(player.act(player.actions()[0]["text"])["version"])
    return moved


def run_compiled(pids: list[int]) -> bool:
    """Every one of the processes has the compiled engines in its memory."""
    return all("__mypyc" in Path(f"/proc/{pid}/maps").read_text("utf-8") for pid in pids)


def test_games_go_on_while_processes_are_exchanged(gate: Path, tmp_path: Path) -> None:
    """No request fails for a client that repeats, no turn is lost or taken twice; all others are new processes."""
    if not list(COMPILED.glob("*__mypyc*")):
        pytest.skip("there are no compiled engines to exchange for: `make compiled` makes them, with a C compiler")
    folder = tmp_path / "compiled"
    script = f"read _ < {quote(str(gate))} && cp -r {quote(str(COMPILED))} {quote(str(folder))}"
    with compiling(folder, script) as served, served.client() as client:
        assert said(served, BEGUN)
        ana = sit_down(client)
        assert_nothing_lost_or_doubled(ana, play(ana))
        before = {*served.members("-m workers"), *served.workers(), *served.members("-m api")}
        gate.write_text("go\n")

        played, until = 0, monotonic() + 3 * EXCHANGE_SECONDS
        while played < 3 or before & served.family().keys():
            assert monotonic() < until, f"these are still there: {before & served.family().keys()}"
            ana = sit_down(client)
            assert_nothing_lost_or_doubled(ana, play(ana))
            played += 1

        assert comes_true(lambda: len(served.workers()) == 4, within=EXCHANGE_SECONDS)
        assert said(served, DONE)
        if Path("/proc").exists():
            assert run_compiled([*served.members("-m workers"), *served.workers(), *served.members("-m api")])


def test_a_server_whose_engines_stay_interpreted(tmp_path: Path) -> None:
    """It says why, and goes on as it was; ``tests/workers/test_engine_compilation.py`` has all the reasons."""
    said_of_it = "The engines stay interpreted. They have been compiled, but aren't found where they are looked for.\n"
    with compiling(tmp_path / "compiled", "true") as served:
        family = {*served.members("-m workers"), *served.members("-m api")}

        assert comes_true(lambda: said(served, said_of_it), within=EXCHANGE_SECONDS)
        assert family <= served.family().keys()
        with served.client() as client:
            ana = sit_down(client)
            ana.wait_for_turn(timeout=allowed(TURN_SECONDS))
            assert_nothing_lost_or_doubled(ana, [ana.act(ana.actions()[0]["text"])["version"]])


def test_the_compiler_ends_with_the_server(gate: Path, tmp_path: Path) -> None:
    """Ctrl-C ends it too, and nothing is said of it."""
    with compiling(tmp_path / "compiled", f"read _ < {quote(str(gate))}") as served:
        assert comes_true(lambda: served.members(str(gate)) != [], within=EXCHANGE_SECONDS)
        (compiler,) = served.members(str(gate))
        assert served.stop() == 0

        assert compiler not in served.family()
        with pytest.raises(ProcessLookupError):
            os.kill(compiler, 0)
        assert not said(served, "stay interpreted")


@pytest.mark.long
def test_make_serve_in_a_new_checkout(tmp_path: Path) -> None:
    """It is served before the engines are compiled; they are in the end, and a game that was begun goes on."""
    checkout = tmp_path / "checkout"
    ignored = shutil.ignore_patterns(".*", "build", "__pycache__", "*.egg-info", "tests", "docs")
    shutil.copytree(ROOT, checkout, ignore=ignored)
    environ = {"PYTHONPATH": "", "MAKEFLAGS": "", "REGICIDE_COMPILE": ""}
    with serving(["make"], checkout, tmp_path / "data", environ) as served, served.client() as client:
        ana = sit_down(client)
        assert not (checkout / "build" / "compiled").exists()

        assert comes_true(lambda: said(served, DONE), within=COMPILE_SECONDS)

        assert_nothing_lost_or_doubled(ana, play(ana))
