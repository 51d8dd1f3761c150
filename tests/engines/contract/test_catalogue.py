"""Rulesets are found by entry points: those of this distribution, of others, and of none."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
OWN = {"gridcannon": "engines.gridcannon.ruleset:Gridcannon", "regicide": "engines.regicide.ruleset:Regicide"}
RACE = (ROOT / "examples" / "race" / "regicide_race" / "ruleset.py").read_text("utf-8")
FOUND = """
import json
from engines import REJECTED_RULESETS, RULESETS
print(json.dumps([list(RULESETS), [list(rejected) for rejected in REJECTED_RULESETS]]))
"""


def install(folder: Path, name: str, entries: Mapping[str, str]) -> None:
    """Install a distribution whose modules lie in *folder*, with *entries* of the group."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
    lines = [f"{entry} = {value}" for entry, value in entries.items()]
    (info / "entry_points.txt").write_text("\n".join(["[regicide.rulesets]", *lines, ""]), "utf-8")


def run(folder: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    """Run Python without site-packages: it sees the checkout, and what is installed in *folder*."""
    environment = {"PYTHONPATH": f"{folder}:{ROOT}", "PYTHONSAFEPATH": "1"}
    command = (sys.executable, "-S", *command)
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def found(folder: Path) -> tuple[list[str], list[list[str]]]:
    """Return the names of the catalogue, and what was rejected with the reason."""
    done = run(folder, "-c", FOUND)
    assert done.returncode == 0, done.stderr
    rulesets, rejected = json.loads(done.stdout)
    return rulesets, rejected


def write_race(folder: Path, name: str = "race") -> None:
    """Put the module ``race_game`` there, whose ruleset has that name."""
    (folder / "race_game.py").write_text(RACE.replace('= "race", "Race"', f'= "{name}", "Race"'), "utf-8")


def test_without_a_distribution_the_folders_are_found(tmp_path: Path):
    """A bare clone."""
    assert found(tmp_path) == (["regicide", "gridcannon"], [])


def test_entry_points_of_this_distribution(tmp_path: Path):
    """The game for fewer players comes first."""
    install(tmp_path, "regicide-server", OWN)

    assert found(tmp_path) == (["regicide", "gridcannon"], [])


def test_metadata_that_a_build_left_behind_is_no_installation(tmp_path: Path):
    """An older checkout has some, without the entry points; what is installed has them."""
    left = tmp_path / "regicide_server.egg-info"
    left.mkdir()
    (left / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: regicide-server\nVersion: 0.9\n", "utf-8")
    assert found(tmp_path) == (["regicide", "gridcannon"], [])

    install(tmp_path, "regicide-server", OWN)
    assert found(tmp_path) == (["regicide", "gridcannon"], [])


def test_a_game_from_outside_stands_after_ours(tmp_path: Path):
    """Even one for fewer players."""
    write_race(tmp_path)
    install(tmp_path, "a-race", {"race": "race_game:Race"})
    install(tmp_path, "regicide-server", OWN)

    assert found(tmp_path) == (["regicide", "gridcannon", "race"], [])


def test_only_a_game_from_outside(tmp_path: Path):
    """Both entry points of this distribution were removed."""
    write_race(tmp_path)
    install(tmp_path, "race", {"race": "race_game:Race"})
    install(tmp_path, "regicide-server", {})

    assert found(tmp_path) == (["race"], [])


def test_no_game_at_all(tmp_path: Path):
    """One sentence, exit code 2."""
    install(tmp_path, "regicide-server", {})

    done = run(tmp_path, "-m", "engines")

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "No game is installed: no entry point of the group regicide.rulesets gives a ruleset.\n"


@pytest.mark.parametrize(
    ("entry", "module", "reason"),
    [
        ("race = nowhere:Race", None, "ModuleNotFoundError: No module named 'nowhere'"),
        ("race = race_game:Rase", None, "AttributeError: module 'race_game' has no attribute 'Rase'"),
        ("race = race_game:Step", None, "TypeError: race_game:Step is no subclass of engines.ruleset.Ruleset"),
        ("chase = race_game:Race", None, "ValueError: the entry point is called 'chase', and the ruleset 'race'"),
        ("race = race_game:Race", "raise RuntimeError('no licence')", "RuntimeError: no licence"),
        ("race = race_game:Race", "import sys; sys.exit('not today')", "SystemExit: not today"),
        ("race = race_game:Race", "Race.player_counts = ()", "ValueError: a ruleset needs a title, and player_counts"),
        ("race = race_game:Race", "Race.__abstractmethods__ = frozenset({'new'})", "TypeError: Can't instantiate"),
        ("race = race_game:Race", "Race.verdict = Ruleset.verdict", "TypeError: race_game:Race lacks verdict"),
        (
            "race = race_game:Race",
            "Race.levels = {n: v for n, v in Race.levels.items() if n not in ('apprentice', 'expert')}",
            "ValueError: `levels` lacks apprentice, expert: every ruleset has the levels novice, beginner, ",
        ),
        ("race = race_game:Race", "Race.options['properties']['speed'] = {'type': 'string'}", "TypeError: "),
        ("race = race_game:Race", "Race.name = '../race'", "ValueError: the entry point is called 'race'"),
        ("../race = race_game:Race", "Race.name = '../race'", "ValueError: the name '../race' must be lower-case"),
    ],
)
def test_a_ruleset_that_cannot_be_used_is_named_and_the_others_are_served(
    tmp_path: Path, entry: str, module: str | None, reason: str
):
    """Whatever the module does, also to exit."""
    (tmp_path / "race_game.py").write_text(f"{RACE}\n{module or ''}\n", "utf-8")
    named, value = entry.split(" = ")
    install(tmp_path, "race", {named: value})

    rulesets, [(name, said)] = found(tmp_path)

    assert rulesets == ["regicide", "gridcannon"]
    assert name == named
    assert said.startswith(reason)


def test_a_name_that_is_taken(tmp_path: Path):
    """Ours stays; the other one is named with the reason."""
    write_race(tmp_path, "regicide")
    install(tmp_path, "race", {"regicide": "race_game:Race"})

    rulesets, rejected = found(tmp_path)

    assert rulesets == ["regicide", "gridcannon"]
    assert rejected == [["regicide", "race_game: the name is taken by engines.regicide.ruleset"]]


def test_the_group_is_read_at_first_use_alone():
    """Neither ``engines`` nor its modules scan what is installed before a game is asked for."""
    asked = "import sys, engines, engines.ruleset, engines.core.cards; print('importlib.metadata' in sys.modules)"

    done = run(ROOT, "-c", asked)

    assert done.stdout == "False\n", done.stderr
