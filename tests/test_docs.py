"""What pages, docstrings and comments name is there: files, modules, tests, and the commands that they show."""

import ast
import importlib
import re
import shlex
import subprocess
import tokenize
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from api.commands.cli import main
from tests.waiting import AGES

ROOT = Path(__file__).parents[1]
OURS = ("api", "engines", "regicide_client", "regicide_rl", "workers")
PACKAGES = (*OURS, "benchmarks", "examples", "tests", "training")
FOLDERS = (*PACKAGES, "clients", "docs", ".ci")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
CODE = sorted(file for folder in FOLDERS for end in ("py", "lua") for file in (ROOT / folder).rglob(f"*.{end}"))
THERE = {
    f"/{path.relative_to(ROOT)}"
    for path in [*ROOT.iterdir(), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))]
    if "__pycache__" not in path.parts
}
"""Everything in the repository, as a path that begins with a slash."""

FILE = re.compile(r"(?<![\w./*{<$-])(?:\.\./)*([\w.-]+/)*[\w-][\w.-]*\.(?:py|lua|md|toml|yaml|po|mo|txt)\b(?!\.?\w)")
FOLDER = re.compile(rf"(?<![\w./-])(?:{'|'.join(FOLDERS)})/(?:[\w.-]+/)*(?:[\w-]+(?![\w.*{{<-]))?")
DOTTED = re.compile(rf"(?<![\w./-])(?:{'|'.join(PACKAGES)})(?:\.[A-Za-z_]\w*)+")
TEST = re.compile(r"(tests/[\w/]+\.py)::(\w+)")

YOURS = {"mybot.py"}
"""Files that are the reader's own."""


def comments(file: Path) -> str:
    """Return the comments and docstrings of a module, or the comments of a script."""
    if file.suffix == ".lua":
        return "\n".join(re.findall(r"--(.*)", file.read_text("utf-8")))
    source = file.read_bytes()
    tokens = tokenize.tokenize(BytesIO(source).readline)
    said = [token.string for token in tokens if token.type == tokenize.COMMENT]
    alone = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr))
    said.extend(text.value for text in alone if isinstance(text, ast.Constant) and isinstance(text.value, str))
    return "\n".join(said)


@cache
def prose() -> dict[str, str]:
    """Return, by file, what it says to people: when it is asked for, since each worker collects this module."""
    files = [*PAGES, *CODE]
    return {str(file.relative_to(ROOT)): file.read_text("utf-8") if file in PAGES else comments(file) for file in files}


def named(pattern: re.Pattern[str]) -> set[tuple[str, str]]:
    """Return (file, name) for whatever of *pattern* is said anywhere."""
    return {(file, match[0]) for file, text in prose().items() for match in pattern.finditer(text)}


def is_there(name: str) -> bool:
    """Tell whether something's path is *name*, or ends with it."""
    end = "/" + name.replace("../", "").rstrip("/")
    return any(path.endswith(end) for path in THERE)


def resolves(name: str) -> bool:
    """Tell whether a dotted name is a module, or something in one."""
    module, *rest = name.split(".")
    found: object = importlib.import_module(module)
    for part in rest:
        module = f"{module}.{part}"
        if not hasattr(found, part):
            with suppress(ModuleNotFoundError):
                importlib.import_module(module)  # which makes it an attribute
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    return True


def test_every_file_that_is_named_is_there():
    """In pages, docstrings and comments; with as much of its path as is said."""
    found = named(FILE)

    assert len(found) > 150
    assert sorted((file, name) for file, name in found if name not in YOURS and not is_there(name)) == []


def test_every_folder_that_is_named_is_there():
    """Whatever begins like a path of ours is one."""
    found = named(FOLDER)

    assert len(found) > 60
    assert sorted((file, name) for file, name in found if name not in YOURS and not is_there(name)) == []


def test_every_dotted_name_is_something():
    """A module of ours, or what is in it."""
    found = {(file, name) for file, name in named(DOTTED) if not FILE.fullmatch(name)}

    assert len(found) > 30
    assert sorted((file, name) for file, name in found if name not in YOURS and not resolves(name)) == []


def test_every_test_that_is_named_is_there():
    """By its file and its function."""
    found = {match for text in prose().values() for match in TEST.findall(text)}

    assert len(found) > 0
    assert [
        (file, test) for file, test in sorted(found) if f"def {test}(" not in (ROOT / file).read_text("utf-8")
    ] == []


LINKS = [(page, link) for page in PAGES for link in re.findall(r"\]\(([^):]+)\)", page.read_text("utf-8"))]


def test_nothing_is_left_to_be_filled_in():
    """No line is a word in capitals alone, where something was to follow."""
    left = {
        f"{page}: {line}"
        for page, text in prose().items()
        for line in text.splitlines()
        if re.fullmatch("[A-Z]+", line)
    }

    assert not left


def test_every_link_leads_somewhere():
    """From the page that it is on."""
    assert len(LINKS) > 20
    assert [(page.name, link) for page, link in LINKS if not (page.parent / link.partition("#")[0]).exists()] == []


def test_every_page_is_linked():
    """From the README: whoever begins there finds all others."""
    linked = {(page.parent / link).resolve() for page, link in LINKS if page.name == "README.md"}

    assert {page.resolve() for page in PAGES if page.name != "README.md"} - linked == set()


CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract["name"])
def test_the_map_has_every_contract_of_imports(contract: dict[str, Any]):
    """A row each, named as it begins; layers as they are."""
    rows = re.findall(r"^\| ([^|`]+) \| (.+) \|$", prose()["docs/architecture.md"], re.MULTILINE)

    (said,) = [says for name, says in rows if contract["name"].startswith(name)]

    if "layers" in contract:
        layers = [re.sub(r"[()]", "", layer) for layer in contract["layers"]]
        assert re.sub(r"[`\\]", "", said).split(" > ") == layers


def lines_of_code(page: str) -> Iterator[str]:
    """Yield every line of the blocks that show commands, and whatever stands between two backquotes."""
    blocks = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
    for language, block in blocks.findall(page):
        if language in ("console", "sh"):
            yield from block.splitlines()
    yield from (" ".join(code.split()) for code in re.findall(r"`([^`]+)`", blocks.sub("", page)))


def shown(program: str) -> list[str]:
    """Return the arguments of every command of *program* that pages show; the changelog also tells of former ones."""
    pages = [page.read_text("utf-8") for page in PAGES if page.name != "CHANGELOG.md"]  # not `prose`: see there
    command = re.compile(rf"(?:^|[ /|]){program} +([^ |#>;][^|#>;]*)")
    found = {match[1].strip() for page in pages for line in lines_of_code(page) for match in command.finditer(line)}
    return sorted(found)


MADE = sorted({words.split()[0] for words in shown("make")})
COMMANDS = shown("regicide")
MODULES = sorted({words.split()[0] for words in shown("python -m")})


def test_commands_are_shown():
    """The tests that follow are about something."""
    assert {"serve", "demo", "test", "messages", "openapi"} <= set(MADE)
    assert {words.split()[0] for words in COMMANDS} >= {"serve", "worker", "arena", "bot", "verify", "audit"}
    assert {"engines", "benchmarks"} <= set(MODULES)


@pytest.mark.parametrize("target", MADE)
def test_make_knows_what_it_is_shown_to_make(target: str):
    """Each target is one of the Makefile's, and could be made."""
    assert re.search(rf"^{target}:.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True, timeout=AGES)


@pytest.mark.parametrize("words", COMMANDS)
def test_regicide_knows_what_it_is_shown_to_do(words: str):
    """Each command exists, helps, and has the options that are shown."""
    name, *rest = shlex.split(words)
    options = {word for word in rest if word.startswith("--")}
    if name.startswith("--"):
        known: click.Command = main
        help_of, options = ["--help"], {name, *options}
    else:
        found = main.get_command(click.Context(main), name)
        assert found is not None
        known, help_of = found, [name, "--help"]

    said = CliRunner().invoke(main, help_of)

    assert said.exit_code == 0
    assert options <= {option for param in known.params for option in param.opts} | {"--help"}


@pytest.mark.parametrize("module", MODULES)
def test_python_finds_what_it_is_shown_to_run(module: str):
    """Each module is there, and can be run."""
    spec = find_spec(module)

    assert spec is not None
    assert spec.submodule_search_locations is None or find_spec(f"{module}.__main__") is not None


@pytest.mark.parametrize("picture", sorted((ROOT / "docs/pictures").iterdir()), ids=lambda file: file.name)
def test_a_picture_is_loaded_quickly(picture: Path) -> None:
    """``make screenshots`` writes them densely; the one that moves is several."""
    assert picture.stat().st_size <= (200_000 if picture.name == "move.png" else 120_000)


THREATS = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
PROMISES = re.findall(r"^\| (?!---|they want)(.+?) \| (.+?) \| (.+) \|$", THREATS, re.MULTILINE)


@pytest.mark.parametrize(("wanted", "stopped", "shown"), PROMISES, ids=[wanted for wanted, *_ in PROMISES])
def test_every_promise_of_the_threat_model_is_tested(wanted: str, stopped: str, shown: str) -> None:
    """Its line names one test or more, and each is there."""
    tests = TEST.findall(shown)

    assert wanted
    assert stopped
    assert [f"`{file}::{test}`" for file, test in tests] == shown.split(", ")
    assert all(f"def {test}(" in (ROOT / file).read_text("utf-8") for file, test in tests)


def test_no_line_of_the_threat_model_is_left_out() -> None:
    """Every row of its tables is a promise, but for their heads."""
    rows = re.findall(r"^\| (?!---|they want)", THREATS, re.MULTILINE)

    assert len(PROMISES) == len(rows) > 20
