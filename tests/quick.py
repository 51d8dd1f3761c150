"""Check what has changed since the last commit, and run the tests of the folders beside it: ``make quick``.

Changed tests and those of a changed file's own name are run whole; for engines also the golden games, for the product
the translations and the contract. Then tests of folders are begun for ``SECONDS``; for the rest a command is printed.
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
SENTENCES: Final = ["tests/catalogues/test_catalogues.py", "tests/api/test_openapi.py::test_no_drift"]
"""Run after every change of the product: translations are complete, and openapi.yaml is what the code writes."""
PRODUCT: Final = {"engines", "workers", "api"}

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


def mirroring_folder(name: str) -> str | None:
    """Return the folder of tests that mirrors the folder of a file, or the nearest one above it; None if none does."""
    file = Path(name)
    if file.parts[0] == "tests":
        return None
    folder = Path("tests", "web") if file.parts[:2] == ("api", "web") else Path("tests", *file.parent.parts)
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    return None if folder == Path("tests") else str(folder)


def own_tests(name: str) -> list[str]:
    """Return the tests that are run whole after a change of one file."""
    file = Path(name)
    if file.parts[0] == "tests":
        return [name] if file.name.startswith("test_") and file.suffix == ".py" else []
    folder = mirroring_folder(name)
    namesake = Path(folder or "", f"test_{file.stem}.py")
    found = [str(namesake)] if folder is not None and (ROOT / namesake).exists() else []
    if file.parts[0] == "engines" and file.suffix == ".py":
        found.append(GOLDEN_GAMES)
    return [*found, *SENTENCES] if file.parts[0] in PRODUCT else found


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


def tested(whole: list[str], folders: list[str]) -> bool:
    """Run tests whole, then those of folders as far as ``SECONDS`` reach, and return whether none failed."""
    words = [str(BIN / "pytest"), "-q", "-n", "auto", "-m", "not long and not search", f"--seconds={SECONDS}"]
    words += [*(f"--whole={test}" for test in whole), *whole, *folders]
    return subprocess.run(words, cwd=ROOT, check=False, env={**os.environ, "PYTHONPATH": ""}).returncode == 0


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
    whole = list(dict.fromkeys(test for name in names for test in own_tests(name)))
    folders = sorted({folder for name in names if (folder := mirroring_folder(name))})
    if whole or folders:
        failed |= not tested(whole, folders)
    passed = ", ".join(Path(command[0]).name for command, process in running if not process.returncode)
    sys.stdout.write(f"{len(names)} changed files. Checked by {passed or 'nothing'}. ")
    sys.stdout.write(f"Tests: {', '.join([*whole, *folders]) or 'none'}.\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
