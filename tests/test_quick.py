"""What ``make quick`` runs after a change: the checks that read the file, the tests that mirror it."""

from pathlib import Path

import pytest

from tests.quick import GOLDEN_GAMES, checks, mirrored_tests


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("engines/gridcannon/rules.py", [GOLDEN_GAMES, "tests/engines/gridcannon"]),
        ("engines/gridcannon/web/geometry.js", ["tests/engines/gridcannon"]),
        ("engines/ai/search.py", ["tests/engines/ai/test_search.py", GOLDEN_GAMES, "tests/engines/ai"]),
        ("api/http/rate_limits.py", ["tests/api/test_rate_limits.py", "tests/api"]),
        ("api/resources/games.py", ["tests/api/test_games.py", "tests/api"]),
        ("api/web/js/table/state.js", ["tests/web"]),
        ("api/web/css/table.css", ["tests/web/test_table.py", "tests/web"]),
        ("workers/storage/commit.lua", ["tests/workers"]),
        ("tests/engines/ai/test_search.py", ["tests/engines/ai/test_search.py"]),
        ("tests/engines/tables.py", []),
        ("README.md", []),
        ("benchmarks/load.py", []),
    ],
)
def test_the_tests_beside_a_file(changed: str, tests: list[str]):
    """Its namesake's, then those of the folder that mirrors its own, or the folder above."""
    assert mirrored_tests(changed) == tests


@pytest.mark.parametrize(
    ("changed", "programs"),
    [(["a.py"], ["ruff", "ruff", "lint-imports", "mypy"]), (["README.md"], [])],
)
def test_the_checks_of_a_file(changed: list[str], programs: list[str]):
    """Python is formatted, linted and typed."""
    assert [Path(command[0]).name for command in checks(changed)] == programs
