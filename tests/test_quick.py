"""What ``make quick`` runs after a change: the checks that read the file, the tests that mirror it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import SKIPPED_FILE
from tests.quick import GOLDEN_GAMES, SENTENCES, checks, mirroring_folder, own_tests


@pytest.mark.parametrize(
    ("changed", "whole", "folder"),
    [
        ("engines/gridcannon/rules.py", [GOLDEN_GAMES, *SENTENCES], "tests/engines/gridcannon"),
        ("engines/gridcannon/web/geometry.js", SENTENCES, "tests/engines/gridcannon"),
        ("engines/messages.es.po", SENTENCES, "tests/engines"),
        ("engines/ai/search.py", ["tests/engines/ai/test_search.py", GOLDEN_GAMES, *SENTENCES], "tests/engines/ai"),
        ("api/http/rate_limits.py", ["tests/api/test_rate_limits.py", *SENTENCES], "tests/api"),
        ("api/resources/games.py", ["tests/api/test_games.py", *SENTENCES], "tests/api"),
        ("api/web/js/table/state.js", SENTENCES, "tests/web"),
        ("api/web/css/table.css", ["tests/web/test_table.py", *SENTENCES], "tests/web"),
        ("workers/storage/commit.lua", SENTENCES, "tests/workers"),
        ("tests/engines/ai/test_search.py", ["tests/engines/ai/test_search.py"], None),
        ("tests/engines/tables.py", [], None),
        ("README.md", [], None),
        ("benchmarks/load.py", [], None),
    ],
)
def test_the_tests_beside_a_file(changed: str, whole: list[str], folder: str | None):
    """Its namesake's and what any change may break, then those of the folder that mirrors its own, or the one above."""
    assert (own_tests(changed), mirroring_folder(changed)) == (whole, folder)


@pytest.mark.parametrize(
    ("changed", "programs"),
    [(["a.py"], ["ruff", "ruff", "lint-imports", "mypy"]), (["README.md"], [])],
)
def test_the_checks_of_a_file(changed: list[str], programs: list[str]):
    """Python is formatted, linted and typed."""
    assert [Path(command[0]).name for command in checks(changed)] == programs


def test_a_bounded_run_says_how_to_run_the_rest():
    """What is bounded isn't begun after the time, what is to be run whole is; a command for all of it is said."""
    whole, bounded = "tests/test_house.py::test_rulesets_are_strangers", "tests/test_chromium.py"
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "--seconds=-1",
        f"--whole={whole}",
        bounded,
        whole,
    ]

    environ = {name: value for name, value in os.environ.items() if name != SKIPPED_FILE}

    said = subprocess.run(words, check=False, capture_output=True, text=True, env=environ).stdout

    left = re.search(rf"(\d+) tests weren't begun; to run them all: .venv/bin/pytest -n auto {bounded} {whole}", said)
    assert left is not None, said
    assert f"2 passed, {left[1]} skipped" in said
