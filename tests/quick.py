"""Check what has changed since the last commit, and run the tests of the folders beside it: ``make quick``.

The tests of a changed file's own name come first. After ``SECONDS`` no further test is begun; how many were left out is
said, and by which command they are run.
"""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
BIN: Final = Path(sys.executable).parent
SECONDS: Final = 12
"""For tests: the checks before them take up to 15."""

GOLDEN_GAMES: Final = "tests/engines/golden/test_golden.py::test_a_game_is_what_it_was"
"""Run after every change of an engine, because any of its events may be in these games."""

NPM: Final = ROOT / ".venv/linter/node_modules"
BROWSER_CHECKS: Final[list[list[str | Path]]] = [
    [BIN / "node", NPM / "@biomejs/biome/bin/biome", "check", "api/web", "engines"],
    [BIN / "node", NPM / "typescript/bin/tsc", "--project", ".ci/linter/tsconfig.json"],
]


def changed() -> list[str]:
    """Return the files that differ from the last commit, and those that git doesn't know yet."""
    asked = (["git", "diff", "--name-only", "HEAD"], ["git", "ls-files", "--others", "--exclude-standard"])
    said = [subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout for words in asked]
    return [name for text in said for name in text.splitlines() if (ROOT / name).exists()]


def mirrored_tests(name: str) -> list[str]:
    """Return the tests to run after a change of one file: its namesake, golden games, the folder that mirrors it."""
    file = Path(name)
    if file.parts[0] == "tests":
        return [name] if file.name.startswith("test_") and file.suffix == ".py" else []
    folder = Path("tests", "web") if file.parts[:2] == ("api", "web") else Path("tests", *file.parent.parts)
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    if folder == Path("tests"):
        return []
    namesake = folder / f"test_{file.stem}.py"
    golden = [GOLDEN_GAMES] if file.parts[0] == "engines" and file.suffix == ".py" else []
    return [*([str(namesake)] if (ROOT / namesake).exists() else []), *golden, str(folder)]


def checks(names: Iterable[str]) -> list[list[str | Path]]:
    """Return the commands that read the changed files and don't run them."""
    python = [name for name in names if name.endswith(".py")]
    found: list[list[str | Path]] = []
    if python:
        found += [
            [BIN / "ruff", "format", "--check", *python],
            [BIN / "ruff", "check", *python],
            [BIN / "lint-imports"],
            [BIN / "mypy"],
        ]
    if any(name.endswith(".js") for name in names) and NPM.exists():
        found += BROWSER_CHECKS
    return found


def main() -> int:
    """Run the checks side by side, then the tests; the status is 0 if all of them pass."""
    names = changed()
    running = [
        (command, subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
        for command in checks(names)
    ]
    failed = False
    for command, process in running:
        said, _ = process.communicate()
        if process.returncode:
            failed = True
            sys.stdout.write(f"{Path(command[0]).name}:\n{said}\n")
    tests = list(dict.fromkeys(test for name in names for test in mirrored_tests(name)))
    if tests:
        words: list[str | Path] = [
            BIN / "pytest",
            "-q",
            "-n",
            "auto",
            f"--seconds={SECONDS}",
            "-m",
            "not long and not search",
            *tests,
        ]
        failed |= subprocess.run(words, cwd=ROOT, check=False, env={**os.environ, "PYTHONPATH": ""}).returncode != 0
    sys.stdout.write(f"{len(names)} changed files, {len(running)} checks, tests of {', '.join(tests) or 'none'}\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
