"""The wheel: built as docs/operating.md says, installed beside no checkout, and played with."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.outside import ROOT, Environment, environment, pip
from tests.waiting import allowed

SOURCES = ("api", "engines", "regicide_client", "regicide_rl", "workers")
NOTHING: Mapping[str, str] = {}
FILES = ("LICENSE", "README.md", "pyproject.toml", "setup.py")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a wheel of interpreted engines from a copy of the sources, with a site of the docs of one page."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        shutil.copytree(ROOT / name, folder / "src" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, folder / "src")
    site = folder / "src" / "build" / "site"
    site.mkdir(parents=True)
    (site / "index.html").write_text("<title>Docs</title>")
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder / "dist"), str(folder / "src"))
    [built] = (folder / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Install the wheel into an environment of its own."""
    return environment(tmp_path_factory.mktemp("env") / "env", wheel)


def test_it_holds_what_is_served(wheel: Path):
    """Pages, pictures of games, translations, scripts of the store, networks, and the site of the docs."""
    with ZipFile(wheel) as file:
        names = set(file.namelist())

    assert {"api/site/index.html", "api/web/js/vendor.js", "api/messages.es.mo", "workers/storage/commit.lua"} <= names
    for game in (folder.name for folder in (ROOT / "engines").iterdir() if (folder / "ruleset.py").exists()):
        assert {f"engines/{game}/web/board.js", f"engines/{game}/rules.es.md"} <= names
        assert any(name.startswith(f"engines/{game}/value") and name.endswith(".bin") for name in names)
        assert not any(name.startswith((f"engines/{game}/training", f"engines/{game}/benchmarks")) for name in names)


def test_it_is_played_with(installed: Environment, tmp_path: Path):
    """A server of it starts, deals a game, and ends."""
    said = run(installed, tmp_path, "play", "--plain", "--level", "novice", given="q\n")

    assert "1. " in said
    assert str(installed.folder) in run(installed, tmp_path, code="import api; print(api.__file__)")


def test_completion(installed: Environment, tmp_path: Path):
    """Both lines of docs/operating.md print what the shell reads."""
    for shell in ("bash", "zsh"):
        said = run(installed, tmp_path, more={"_REGICIDE_COMPLETE": f"{shell}_source"})
        assert "_regicide_completion" in said


def run(
    made: Environment, folder: Path, *words: str, given: str = "", code: str = "", more: Mapping[str, str] = NOTHING
) -> str:
    """Run the installed command, or *code*, in a folder of its own; it must end well."""
    command = [made.python, "-c", code] if code else [str(made.folder / "bin" / "regicide"), *words]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environ |= {"REGICIDE_DATA": str(folder / "data"), **more}
    done = subprocess.run(
        command, cwd=folder, input=given, env=environ, text=True, capture_output=True, check=False, timeout=allowed(120)
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
