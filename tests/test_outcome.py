"""What ``make test`` says at its end of that which was not tested."""

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import SKIPPED_FILE

ROOT = Path(__file__).parents[1]
PLUGINS = ("--disable-plugin-autoload", "-p", "xdist", "-p", "tests.conftest")
SOME_SKIPPED = """
import pytest

@pytest.mark.parametrize("number", range(3))
def test_skipped(number): pytest.skip("there is no moon here")

@pytest.mark.skip(reason="it is too dark")
def test_skipped_as_well(): ...

def test_passed(): ...
"""


def test_each_reason_is_said_once_with_the_number_of_tests(tmp_path: Path) -> None:
    """However many processes the tests are divided among, and however many runs skip for the same reason."""
    (tmp_path / "test_some.py").write_text(SOME_SKIPPED)
    environ = {**os.environ, "PYTHONPATH": str(ROOT), SKIPPED_FILE: str(tmp_path / "skipped")}

    def run(*arguments: str, folder: Path) -> str:
        command = [sys.executable, "-m", *arguments]
        return subprocess.run(command, cwd=folder, env=environ, check=True, capture_output=True, text=True).stdout

    for processes in ("0", "2"):
        run("pytest", *PLUGINS, "-n", processes, "test_some.py", folder=tmp_path)

    listed = run("tests.outcome", folder=ROOT).splitlines()
    assert listed[1:-1] == ["  2 skipped: it is too dark", "  6 skipped: there is no moon here"]


def test_nothing_skipped_is_said_too(tmp_path: Path) -> None:
    """Without the file of reasons all that was run is all that there is."""
    environ = {**os.environ, SKIPPED_FILE: str(tmp_path / "none")}

    said = subprocess.run(
        [sys.executable, "-m", "tests.outcome"], cwd=ROOT, env=environ, check=True, capture_output=True
    )

    assert said.stdout.decode().startswith("Everything has passed; nothing was skipped.\n")
