"""The walls of the house that import-linter can't name."""

import ast
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner

from api.cli import main
from engines.compiled import is_compiled

ROOT = Path(__file__).parents[1]
RULESETS = {folder.parent.name for folder in (ROOT / "engines").glob("*/__init__.py")}


def imports(package: str) -> Iterator[tuple[str, str]]:
    """Yield (file, imported module) for every import under *package*; ours are absolute."""
    for file in sorted((ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            where = str(file.relative_to(ROOT))
            if isinstance(node, ast.Import):
                yield from ((where, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{where} has a relative import"
                yield from ((where, f"{node.module}.{alias.name}") for alias in node.names)


def test_engines_need_nothing_but_the_standard_library():
    """No package from outside, not even by an import inside a function."""
    allowed = sys.stdlib_module_names | {"engines"}

    foreign = [(file, name) for file, name in imports("engines") if name.split(".")[0] not in allowed]

    assert foreign == [("engines/compiled.py", "mypy_extensions.mypyc_attr")]  # under TYPE_CHECKING: for mypyc alone


@pytest.mark.parametrize("package", ["api", "workers"])
def test_nobody_looks_inside_a_ruleset(package):
    """``api`` and ``workers`` know ``engines.RULESETS``, and no ruleset by its name."""
    doors = {f"engines.{ruleset}" for ruleset in RULESETS}

    assert [(file, name) for file, name in imports(package) if ".".join(name.split(".")[:2]) in doors] == []


@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_rulesets_are_strangers(ruleset):
    """What two rulesets share lies above them, in ``engines`` itself."""
    others = {f"engines.{other}" for other in RULESETS - {ruleset}}

    found = [(file, name) for file, name in imports(f"engines/{ruleset}") if ".".join(name.split(".")[:2]) in others]

    assert found == []


def test_every_version_is_pinned():
    """The constraints file has one exact version a line, and one for each dependency that we name."""
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    pinned = {line.split("==")[0] for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        *project["dependencies"],
        *(need for needs in project["optional-dependencies"].values() for need in needs),
    ]

    assert [line for line in lines if len(line.split("==")) != 2] == []
    assert {need.split(">=")[0].split("[")[0] for need in wanted} <= pinned


def test_the_version_says_how_the_engines_run():
    """``regicide --version``: the package's version, and whether the engines are compiled; here as imported."""
    said = CliRunner().invoke(main, ["--version"]).output

    assert said == f"regicide {version('regicide-server')}, engines {'compiled' if is_compiled() else 'interpreted'}\n"
