"""A Python environment like a stranger's: this server, beside games that pip has installed from their wheels."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.waiting import allowed

ROOT: Final = Path(__file__).parents[1]
RACE: Final = ROOT / "examples" / "race"
OURS: Final = Path(sysconfig.get_path("purelib"))
"""Where this server and all that it needs is installed."""
OWN_GAMES: Final = re.compile(r"\[regicide\.rulesets\]\n(?:[^\[].*\n)*")


@dataclass(frozen=True)
class Environment:
    """A virtual environment."""

    folder: Path

    @property
    def python(self) -> str:
        """The path of its interpreter."""
        return str(self.folder / "bin" / "python")

    @property
    def command(self) -> tuple[str, ...]:
        """The command ``regicide``."""
        return (self.python, "-c", "from api.commands.entry_point import main; main()")

    def run(self, command: Sequence[str], *words: str, given: str = "", code: int = 0, seconds: float = 120) -> str:
        """Run one of its commands; return what it said to both its outputs. Its exit code must be *code*."""
        done = subprocess.run(
            [*command, *words], cwd=ROOT, input=given, text=True, capture_output=True, check=False, timeout=seconds
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr


def wheel(project: Path, folder: Path) -> Path:
    """Build the wheel of a distribution, from a copy, because a build writes beside its sources."""
    copy = shutil.copytree(
        project, folder / project.name, ignore=shutil.ignore_patterns("__pycache__", "build", "*-info")
    )
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(copy))
    [built] = folder.glob("*.whl")
    return built


def environment(folder: Path, *wheels: Path, our_games: bool = True) -> Environment:
    """Make an environment with this server and *wheels*; without *our_games* its entry points for them are removed."""
    venv.create(folder, with_pip=False, symlinks=True)
    [packages] = folder.glob("lib/python*/site-packages")
    (packages / "server.pth").write_text(f"import site; site.addsitedir({str(OURS)!r})\n", "utf-8")
    if not our_games:
        [metadata] = OURS.glob("regicide_server-*.dist-info")
        entries = shutil.copytree(metadata, packages / metadata.name) / "entry_points.txt"
        said = entries.read_text("utf-8")
        entries.write_text(OWN_GAMES.sub("", said), "utf-8")
        assert said != entries.read_text("utf-8")
    made = Environment(folder)
    for built in wheels:
        pip("--python", made.python, "install", "--no-deps", "--no-index", "--ignore-installed", str(built))
    return made


def broken_game(made: Environment, name: str, entry: str) -> None:
    """Add the metadata of a distribution whose entry point for a game leads nowhere."""
    [packages] = made.folder.glob("lib/python*/site-packages")
    metadata = packages / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
    (metadata / "entry_points.txt").write_text(f"[regicide.rulesets]\n{name} = {entry}\n", "utf-8")


def pip(*words: str) -> None:
    """Run pip, which asks no registry here."""
    environ = os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "REGICIDE_COMPILE": "no"}
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *words], check=True, env=environ, timeout=allowed(120))
