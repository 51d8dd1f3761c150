"""A network that is missing, torn or altered is named when a process starts, not at the first decision of a game."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import engines
from tests.servers.commands import refused, run

ENGINES = Path(engines.__file__).parent
CHECKOUT = Path(__file__).parents[2]
ARENA = ("arena", "--ruleset", "gridcannon", "--seat", "expert", "--seat", "adept", "--games", "1")
TOURNAMENT = ("tournament", "--ruleset", "gridcannon", "--player", "expert", "--player", "adept", "--games", "2")

Damage = Callable[[Path, bytes], object]


def missing(file: Path, _: bytes) -> None:
    """Leave the file out."""
    assert not file.exists()


def cut_in_half(file: Path, data: bytes) -> None:
    """Write the first half alone."""
    file.write_bytes(data[: len(data) // 2])


def wrong_bytes(file: Path, data: bytes) -> None:
    """Write as many bytes, one of which differs."""
    file.write_bytes(data[:1000] + bytes([data[1000] ^ 1]) + data[1001:])


def zeros_at_the_end(file: Path, data: bytes) -> None:
    """Write what a disk may hold after a power cut."""
    file.write_bytes(data[:-4096] + bytes(4096))


def of_another(file: Path, _: bytes) -> None:
    """Write a whole network, but that for four."""
    file.write_bytes((ENGINES / "gridcannon" / "value.4.bin").read_bytes())


def damaged(folder: Path, damage: Damage) -> Path:
    """Make a copy of the engines in which a network is damaged, and return its file. All else are links."""
    for source in ENGINES.parent.glob("*.so"):  # compiled modules share these
        (folder / source.name).symlink_to(source)
    (folder / "engines").mkdir()
    for source in sorted(ENGINES.rglob("*")):
        copy = folder / "engines" / source.relative_to(ENGINES)
        if source.is_dir():
            copy.mkdir(parents=True)
        elif copy.relative_to(folder) != Path("engines/gridcannon/value.2.bin"):
            copy.symlink_to(source)
    file = folder / "engines" / "gridcannon" / "value.2.bin"
    damage(file, (ENGINES / "gridcannon" / "value.2.bin").read_bytes())
    return file


REASONS: dict[Damage, str] = {
    missing: "can't be read: No such file or directory",
    cut_in_half: "is damaged",
    wrong_bytes: "is damaged",
    zeros_at_the_end: "is damaged",
    of_another: "is of another game or player count",
}


@pytest.mark.parametrize(
    ("command", "damage"),
    [
        *((("serve",), damage) for damage in REASONS),
        *((command, of_another) for command in (("worker",), ARENA, TOURNAMENT)),
        *(
            pytest.param(command, damage, marks=pytest.mark.long)
            for command in (("worker",), ARENA, TOURNAMENT)
            for damage in REASONS
            if damage is not of_another
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else value.__name__,
)
def test_a_damaged_network_is_named_at_the_start(command: tuple[str, ...], damage: Damage, tmp_path: Path) -> None:
    """One sentence with the file, exit status 2, and nothing has begun: neither a store nor a file of results.

    All commands look by one function: each kind of damage is found by one of them, by the others in ``make long``.
    """
    copy, data, out = tmp_path / "copy", tmp_path / "data", tmp_path / "out.json"
    copy.mkdir()
    file = damaged(copy, damage)
    words = (*command, "--out", str(out)) if command in (ARENA, TOURNAMENT) else command

    end = run(*words, data=data, PYTHONPATH=f"{copy}:{CHECKOUT}", PYTHONSAFEPATH="1")

    assert refused(end) == f"Error: The AI file {file} {REASONS[damage]}: install this version of the server again."
    assert not data.exists()
    assert not out.exists()


def test_the_module_of_the_workers_names_it_too(tmp_path: Path) -> None:
    """Whoever runs ``python -m workers`` has the same sentence."""
    file = damaged(tmp_path, missing)
    environ = {**os.environ, "PYTHONPATH": f"{tmp_path}:{CHECKOUT}", "PYTHONSAFEPATH": "1"}

    end = subprocess.run([sys.executable, "-m", "workers"], check=False, env=environ, capture_output=True, text=True)

    assert end.returncode == 2
    assert end.stderr.splitlines()[-1].startswith(f"The AI file {file} can't be read: ")


def test_whole_networks_are_no_hindrance(tmp_path: Path) -> None:
    """The same copy with the whole file plays: a few turns, for each is decided by it."""
    short = ("--options", '{"turn_limit": 6}')
    damaged(tmp_path, lambda file, data: file.write_bytes(data))

    end = run(*ARENA, *short, data=tmp_path / "data", PYTHONPATH=f"{tmp_path}:{CHECKOUT}", PYTHONSAFEPATH="1")

    assert end.returncode == 0, end.stderr
    assert "1 games of gridcannon" in end.stdout
