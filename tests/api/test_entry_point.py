"""``regicide`` in a checkout runs the engines that are compiled there, if they are of these sources."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from api.commands.entry_point import OUTDATED_WARNING, use_compiled_engines
from tests.waiting import AGES, allowed

ASKED = """
from pathlib import Path
from api.commands.entry_point import use_compiled_engines
use_compiled_engines(Path.cwd())
import engines
print(engines.__file__)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Give a checkout whose engines are compiled."""
    for folder in ("engines", "build/compiled/engines"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "build/compiled/.built").touch()
    return tmp_path


def asked(checkout: Path) -> tuple[Path, str]:
    """Return which engines a process finds after it has looked for compiled ones, and what it said."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", ASKED],
        cwd=checkout,
        env=environ,
        check=True,
        capture_output=True,
        text=True,
        timeout=allowed(AGES),
    )
    return Path(done.stdout.strip()), done.stderr


def test_compiled_engines_are_found(checkout: Path):
    """Before those of the checkout."""
    assert asked(checkout) == (checkout / "build/compiled/engines/__init__.py", "")


def test_engines_of_older_sources_are_not_run(checkout: Path):
    """It is said, with the command that mends it."""
    built = (checkout / "build/compiled/.built").stat().st_mtime_ns
    os.utime(checkout / "engines/__init__.py", ns=(built + 10**9, built + 10**9))

    found, said = asked(checkout)

    assert found != checkout / "build/compiled/engines/__init__.py"
    assert said == f"{OUTDATED_WARNING}\n"


def test_processes_find_the_same(checkout: Path, monkeypatch: pytest.MonkeyPatch):
    """By PYTHONPATH, also where the engines are compiled later."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    (checkout / "build/compiled/.built").unlink()

    use_compiled_engines(checkout)

    assert os.environ["PYTHONPATH"] == f"{checkout / 'build/compiled'}{os.pathsep}/elsewhere"
    assert sys.path[0] == str(checkout / "build/compiled")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_command_without_a_traceback(tmp_path: Path, number: signal.Signals):
    """Also while it is still being imported; what it has begun is cleared away."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Late:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        name == 'api.commands.cli' and signal.raise_signal({int(number)})\n"
        "sys.meta_path.insert(0, Late())\n"
    )
    start = "import sitecustomize; from api.commands.entry_point import main; main()"

    done = subprocess.run(
        [sys.executable, "-c", start, "games"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path.cwd()}", "REGICIDE_COMPILE": "no"},
        capture_output=True,
        text=True,
        check=False,
        timeout=allowed(AGES),
    )

    expected = (1, "Aborted!\n") if number == signal.SIGINT else (128 + number, "")
    assert (done.returncode, done.stderr) == expected
