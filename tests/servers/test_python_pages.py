"""The sessions of Python in the documentation happen as they are shown, and mypy has nothing against them."""

import os
import re
import subprocess
import sys
from doctest import DocTestParser
from pathlib import Path

import pytest

from engines.table.decision_rows import COLUMNS
from tests.servers.transcript import MISSING, ROOT, WANTED, steps
from tests.servers.transcript import run as run_steps

GAMES = 50
"""In place of the ten thousand of docs/data.md."""

SESSION = """
import doctest, sys
test = doctest.DocTestParser().get_doctest(sys.stdin.read(), {}, "page", "page", 0)
sys.exit(doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed)
"""


def page(name: str) -> str:
    """Return a page, with fewer games."""
    return (ROOT / "docs" / name).read_text("utf-8").replace("10000", str(GAMES))


def session(name: str) -> str:
    """Return the Python of a page, with what it prints."""
    return "\n".join(re.findall(r"```pycon\n(.*?)```", page(name), re.DOTALL))


@pytest.mark.skipif(bool(MISSING), reason=WANTED)
@pytest.mark.parametrize("name", ["python.md", "data.md"])
def test_the_page_happens(tmp_path: Path, name: str):
    """Its commands first, in the order in which it shows them, then its Python."""
    shown = steps(page(name))
    printed, _ = run_steps([command for command, _ in shown], tmp_path, "")
    assert len(printed) == len(shown) > 0

    ended = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", SESSION],
        check=False,
        cwd=tmp_path,
        input=session(name),
        env={**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT))},
        capture_output=True,
        text=True,
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_types_of_the_python_page(tmp_path: Path):
    """`mypy --strict` checks all that is typed there, from what the packages ship."""
    program = tmp_path / "page.py"
    program.write_text(
        "".join(example.source for example in DocTestParser().get_examples(session("python.md"))), "utf-8"
    )

    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", str(program)],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )

    assert checked.returncode == 0, checked.stdout


def test_the_python_page_promises_what_it_uses():
    """It imports from the three that it names, and from the standard library."""
    imported = set(re.findall(r"^(?:>>>|\.\.\.) (?:from|import) (\S+)", page("python.md"), re.MULTILINE))

    assert {name for name in imported if name.startswith("engines")} == {
        "engines",
        "engines.ruleset",
        "engines.records",
    }
    assert not [name for name in imported if name.split(".")[0] not in {"engines", *sys.stdlib_module_names}]


def test_every_column_is_described():
    """In the order in which they stand in the table."""
    table = page("data.md").partition("## Columns")[2].partition("## ")[0]

    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == COLUMNS
