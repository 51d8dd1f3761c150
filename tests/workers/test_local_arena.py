"""``regicide arena``: games on this machine alone, to a file from which it goes on."""

import gzip
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import orjson
import pytest
from click.testing import CliRunner

from api.commands.cli import main
from engines.analysis.arena import Arena, result
from engines.analysis.in_process_game import play_at_table
from engines.records import audit, read_record, verify
from tests.waiting import AGES, comes_true

TEAM = ("--seat", "adept", "--seat", "novice", "--seed", "x")


def run(*args: str) -> tuple[int, str]:
    """Run the command, and return its status and what it said."""
    said = CliRunner().invoke(main, ["arena", *args])
    return said.exit_code, said.output


def read(file: Path) -> dict[str, Any]:
    """Return what a file holds, but for the time that it took."""
    return {**orjson.loads(file.read_bytes()), "seconds": 0}


def test_it_plays_and_tells(tmp_path: Path):
    """A table for people, and for programs the result of the same form as over HTTP."""
    arena = Arena("regicide", ("adept", "novice"), 8, {"first_seat": 0, "solo_yield": False}, "x")
    out = tmp_path / "out.json"

    status, said = run(*TEAM, "--games", "8", "--processes", "2", "--out", str(out))

    games = {number: play_at_table(arena, number, records=False, notes=False)[0] for number in range(8)}
    played = result(arena, games, 0)
    assert status == 0, said
    assert {name: read(out)[name] for name in played} == played
    assert f"{played['games']} games of regicide, seed x" in said
    assert f"{100 * played['seats'][0]['low']:.1f}-{100 * played['seats'][0]['high']:.1f} %" in said
    assert f"mean score {played['mean_score']}" in said


def test_it_goes_on_where_it_was(tmp_path: Path):
    """Killed in the middle: the second run plays what is missing; more games can be added to it, or taken off."""
    out, whole = tmp_path / "out.json", tmp_path / "whole.json"
    often = ["--games", "6000", "--processes", "1", "--out", str(out)]
    command = [sys.executable, "-m", "api.commands.cli", "arena", *TEAM, *often]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        assert comes_true(lambda: out.exists() and len(read(out)["played"]) > 0)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(AGES)
    kept = read(out)["played"]
    games = str(min(6000, len(kept) + 5))

    first, _ = run(*TEAM, "--games", games, "--processes", "1", "--out", str(out))
    second, _ = run(*TEAM, "--games", games, "--processes", "1", "--out", str(whole))

    assert 0 < len(kept) < 6000
    assert (first, second) == (0, 0)
    assert read(out) == read(whole)
    assert len(read(out)["played"]) == int(games)


def test_records_whatever_happened(tmp_path: Path):
    """Killed in the middle and gone on with, by another number of processes: the same bytes; each record verifies."""
    cut, whole = tmp_path / "cut.jsonl.gz", tmp_path / "whole.jsonl.gz"
    words = [*TEAM, "--games", "300", "--notes"]
    first = [*words, "--processes", "2", "--out", str(tmp_path / "out.json"), "--records", str(cut)]
    command = [sys.executable, "-m", "api.commands.cli", "arena", *first]
    with subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL) as process:
        assert comes_true(lambda: (tmp_path / "out.json").exists() and bool(read(tmp_path / "out.json")["played"]))
        os.killpg(process.pid, signal.SIGKILL)

    assert run(*first)[0] == 0
    assert run(*words, "--processes", "1", "--records", str(whole))[0] == 0

    assert cut.read_bytes() == whole.read_bytes()
    found = [read_record(line) for line in gzip.decompress(cut.read_bytes()).decode().splitlines()]
    assert [record.id for record in found] == [f"x/{number}" for number in range(300)]
    assert [verify(record) for record in found[:20]] == [[]] * 20
    assert audit(found[0], lambda _entry, _note, _same: None) == []


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (("--seat", "adept", "--ruleset", "gridcannon"), "for 2, 4 players"),
        (("--seat", "genius"), "genius"),
        ((), "--seat"),
        ((*TEAM, "--games", "0"), "--games"),
        ((*TEAM, "--options", "{"), "--options"),
        ((*TEAM, "--options", '{"turn_limit": 1}'), "--options"),
    ],
)
def test_what_cannot_be_played(args: tuple[str, ...], complaint: str):
    """Says what is wrong."""
    status, said = run(*args)

    assert status == 2
    assert complaint in said


def test_fewer_games_than_there_are(tmp_path: Path):
    """Are counted; the file keeps the others."""
    out = tmp_path / "out.json"
    run(*TEAM, "--games", "9", "--processes", "1", "--out", str(out))

    _, said = run(*TEAM, "--games", "4", "--processes", "1", "--out", str(out))

    assert "4 games of regicide" in said
    assert (read(out)["games"], len(read(out)["played"])) == (4, 9)


def test_the_options_are_the_rulesets(tmp_path: Path):
    """Filled in where they say nothing."""
    out = tmp_path / "out.json"
    status, said = run(
        "--seat", "adept", "--games", "2", "--options", '{"solo_yield": true}', "--processes", "1", "--out", str(out)
    )

    assert status == 0, said
    assert read(out)["options"] == {"first_seat": 0, "solo_yield": True}


def test_a_file_that_cannot_be_written(tmp_path: Path):
    """Is complained about before anything is played."""
    status, said = run(*TEAM, "--games", "9", "--processes", "1", "--out", str(tmp_path / "nowhere" / "out.json"))

    assert status == 1
    assert "can't be written" in said


def test_other_engines_have_played(tmp_path: Path):
    """Their games aren't counted together with ours."""
    out = tmp_path / "out.json"
    run(*TEAM, "--games", "1", "--processes", "1", "--out", str(out))
    out.write_bytes(orjson.dumps({**orjson.loads(out.read_bytes()), "engines": "others"}))

    status, said = run(*TEAM, "--games", "2", "--processes", "1", "--out", str(out))

    assert status == 1
    assert "of other engines: name another file" in said


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "{}",
        '{"arena": {}, "seconds": 0, "played": {}}',
        (
            '{"arena": {"ruleset_name": "regicide", "seats": ["adept"], "games": 1, "options": {}, "seed": "x"}, '
            '"engines": "", "seconds": 0, "played": []}'
        ),
        None,
    ],
)
def test_a_file_that_holds_something_else(tmp_path: Path, content: str | None):
    """It is left alone."""
    out = tmp_path / "out.json"
    if content is None:
        assert run(*TEAM, "--games", "1", "--processes", "1", "--out", str(out))[0] == 0
    else:
        out.write_text(content)
    before = out.read_bytes()

    status, said = run("--seat", "adept", "--seed", "other", "--out", str(out))

    assert status == 1
    assert "name another file" in said
    assert out.read_bytes() == before


FAULTY_RACE = """
    from engines.contract.default_levels import LEVELS, RANDOM
    from engines.contract.levels import Level
    from engines.contract.policy import Policy
    from examples.race.regicide_race.ruleset import Dash, Race, Step

    class Faulty(Policy):
        def choose(self, position, seat, rng, signals):
            if position.cards[seat] < 6 or seat != position.turn:
                return RANDOM.choose(position, seat, rng, signals)
            {fault}

    class FaultyRace(Race):
        levels = {{**LEVELS, "novice": Level(Faulty())}}
"""
"""A race whose novice makes a mistake when it is on turn and holds the highest card."""


def install_faulty_race(folder: Path, fault: str) -> dict[str, str]:
    """Install ``FAULTY_RACE`` with the statement *fault* in *folder*. Return the environment to run it in."""
    (folder / "faulty_race.py").write_text(dedent(FAULTY_RACE.format(fault=fault)), "utf-8")
    info = folder / "faulty_race-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty-race\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[regicide.rulesets]\nrace = faulty_race:FaultyRace\n", "utf-8")
    return os.environ | {"PYTHONPATH": f"{folder}:{Path(__file__).parents[2]}"}


ARENA_OF_FAULTY = ("arena", "--ruleset", "race", "--seat", "novice", "--seat", "novice", "--processes", "1")
TOURNAMENT_OF_FAULTY = (
    *("tournament", "--ruleset", "race", "--player", "novice", "--player", "beginner"),
    *("--concurrency", "1"),
)


@pytest.mark.parametrize(
    ("command", "fault", "said"),
    [
        (ARENA_OF_FAULTY, "return Dash()", r"IllegalAction: .+ \(AI of level novice, seat [01]; .+, line \d+\)\."),
        (ARENA_OF_FAULTY, "1 // 0", r"ZeroDivisionError: .+ \(AI of level novice, .+faulty_race\.py, line 11\)\."),
        (
            ARENA_OF_FAULTY,
            "return None",
            r"NoActionChosen: the AI must act, and has chosen no action \(AI of level nov",
        ),
        (TOURNAMENT_OF_FAULTY, "return Dash()", r"IllegalAction: .+ \(AI of level novice, seat [01]; .+\)\."),
    ],
)
def test_a_level_that_makes_a_mistake(tmp_path: Path, command: tuple[str, ...], fault: str, said: str):
    """One sentence names the game, the exception and the level; the games before are kept."""
    environment, out = install_faulty_race(tmp_path, fault), tmp_path / "out.json"
    words = [sys.executable, "-m", "api.commands.cli", *command, "--games", "40", "--seed", "a", "--out", str(out)]

    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=AGES)

    assert done.returncode == 1, done.stderr
    last = done.stderr.splitlines()[-1]
    found = re.match(r"Error: Game (\d+) could not be played: ", last)
    assert found is not None, done.stderr
    assert re.match(said, last.removeprefix(found[0])), last
    assert "Traceback" not in done.stderr
    kept = read(out)
    games = len(kept["played"] if "played" in kept else kept["games"])
    assert games >= int(found[1]) > 0
