"""Clients that others generate from openapi.yaml play a game: the types fit, and so does what goes over the wire."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

from tests.servers.served import RunningServer

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / ".ci" / "clients"
TOOLS = ROOT / ".venv" / "clients"
NODE = Path(sys.executable).with_name("node")
MISSING = "The generators of clients aren't there: `make clients` installs them, from PyPI and the npm registry."


@pytest.fixture(scope="module")
def served(served: RunningServer) -> RunningServer:
    """Give a server to play in. Where the generators can't be installed the tests are left out, but never in CI."""
    if not (TOOLS / ".installed").exists():
        if os.environ.get("CI") == "true":
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    return served


def run(*command: str | Path, cwd: Path, **environ: str) -> str:
    """Run a command that goes well, and return what it prints."""
    done = subprocess.run(
        command, check=False, cwd=cwd, env={**os.environ, **environ}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def hold_game(told: str) -> None:
    """A refusal was understood, and a game was played to its end: its last event made its last version."""
    found = re.fullmatch(r"refused: bad_card; (won|lost) at version (\d+) of (\d+); played (.+)\n", told)
    assert found is not None, told
    assert int(found[2]) == int(found[3]) > 1


def test_a_typescript_client(served: RunningServer, tmp_path: Path):
    """openapi-typescript writes the types, tsc --strict holds a program against them, and Node runs it."""
    (tmp_path / "node_modules").symlink_to(TOOLS / "node_modules")
    for name in ("package.json", "tsconfig.json", "play.ts"):
        shutil.copy(PROGRAMS / name, tmp_path)
    tool = tmp_path / "node_modules"
    generate = (NODE, tool / "openapi-typescript" / "bin" / "cli.js", "--default-non-nullable=false")

    run(*generate, ROOT / "openapi.yaml", "--output", "contract.d.ts", cwd=tmp_path)
    run(NODE, tool / "typescript" / "bin" / "tsc", cwd=tmp_path)
    told = run(NODE, "play.js", served.url, cwd=tmp_path)

    hold_game(told)
    assert re.search(r"played [2-9TJQKA][CDHS]", told)


def test_a_python_client(served: RunningServer, tmp_path: Path):
    """openapi-python-client writes it and leaves nothing out, mypy --strict holds a program against it; it plays."""
    python, program = TOOLS / "bin" / "python", PROGRAMS / "play.py"
    config = ("--config", PROGRAMS / "python.yaml", "--fail-on-warning")
    generate = (
        "generate",
        "--path",
        ROOT / "openapi.yaml",
        *config,
        "--meta",
        "none",
        "--output-path",
        "regicide_http",
    )
    # In silence: mistakes inside what was generated are the generator's.
    strict = ("--strict", "--config-file=", "--follow-imports=silent", "--python-executable", python)

    run(python, "-m", "openapi_python_client", *generate, cwd=tmp_path)
    run(sys.executable, "-m", "mypy", *strict, program, cwd=tmp_path)
    told = run(python, program, served.url, cwd=tmp_path, PYTHONPATH=str(tmp_path), PYTHONWARNINGS="error")

    hold_game(told)
    assert re.search(r"played (TWO|THREE|FOUR|FIVE|SIX|SEVEN|EIGHT|NINE|TEN|ACE)_OF_", told)


def test_a_typescript_client_of_functions(served: RunningServer, tmp_path: Path):
    """Orval writes functions and types, tsc --strict holds all of it, and a program, and Node runs that."""
    tool, config = TOOLS / "node_modules", {"extends": "./tsconfig.json", "files": ["play_orval.ts"]}
    (tmp_path / "node_modules").symlink_to(tool)
    for name in ("package.json", "tsconfig.json", "orval.config.mjs", "play_orval.ts"):
        shutil.copy(PROGRAMS / name, tmp_path)
    shutil.copy(ROOT / "openapi.yaml", tmp_path / "contract.yaml")
    (tmp_path / "orval.json").write_text(json.dumps(config))

    run(NODE, tool / "orval" / "dist" / "bin" / "orval.mjs", "--config", "orval.config.mjs", cwd=tmp_path)
    run(NODE, tool / "typescript" / "bin" / "tsc", "--project", "orval.json", cwd=tmp_path)
    told = run(NODE, "play_orval.js", served.url, cwd=tmp_path)

    hold_game(told)
    assert re.search(r"played [2-9TJQKA][CDHS]", told)


def test_python_models(served: RunningServer, tmp_path: Path):
    """datamodel-code-generator writes pydantic's models; numbers in lists are numbers: `0 in to_act` may be true."""
    python, program = TOOLS / "bin" / "python", PROGRAMS / "play_models.py"
    files = ("--input", ROOT / "openapi.yaml", "--input-file-type", "openapi", "--output", "models.py")
    how = ("--output-model-type", "pydantic_v2.BaseModel", "--formatters", "builtin")
    strict = ("--strict", "--config-file=", "--follow-imports=silent", "--python-executable", python)

    run(python, "-m", "datamodel_code_generator", *files, *how, cwd=tmp_path)
    run(sys.executable, "-m", "mypy", *strict, program, cwd=tmp_path, MYPYPATH=str(tmp_path))
    told = run(python, program, served.url, cwd=tmp_path, PYTHONPATH=str(tmp_path))

    hold_game(told)
    assert re.search(r"played (TWO|THREE|FOUR|FIVE|SIX|SEVEN|EIGHT|NINE|TEN|ACE)_OF_|played [A-Za-z_0-9]*[2-9TA]", told)
    assert "RootModel[int]" not in (tmp_path / "models.py").read_text()


PROGRAM = """
import { connect } from "regicide-http";

const seats = [{ kind: "human", name: "Ana" }, { kind: "human", name: "Ben" }];
const { data: game } = await connect(process.argv[2]).POST("/v1/games", { body: { ruleset: "regicide", seats } });
const ana = connect(process.argv[2], game.tokens["0"]);
const params = { path: { game_id: game.id } };
const { data: legal } = await ana.GET("/v1/games/{game_id}/actions", { params });
const { data: done } = await ana.POST("/v1/games/{game_id}/actions", { params, body: legal.actions[0].action });
console.log(`version ${done.version}: ${done.events[0].type} by ${done.events[0].seat}`);
"""


def test_the_package_that_npm_packs(served: RunningServer, tmp_path: Path):
    """`npm pack` writes the client of the contract as it is; Node imports it from the archive and plays a move."""
    package, user = tmp_path / "clients" / "typescript", tmp_path / "user"
    shutil.copytree(ROOT / "clients" / "typescript", package)
    shutil.copy(ROOT / "openapi.yaml", tmp_path)
    (package / "node_modules").symlink_to(TOOLS / "node_modules")
    installed = user / "node_modules" / "regicide-http"
    installed.parent.mkdir(parents=True)
    for name in ("openapi-fetch", "openapi-typescript-helpers"):
        (user / "node_modules" / name).symlink_to(TOOLS / "node_modules" / name)
    (user / "play.mjs").write_text(PROGRAM)

    run(NODE.with_name("npm"), "pack", cwd=package, PATH=f"{NODE.parent}{os.pathsep}{os.environ['PATH']}")
    (packed,) = package.glob("*.tgz")
    with tarfile.open(packed) as archive:  # the machine may have no tar, and early Pythons of 3.11 no filter
        for member in archive:
            file = installed / Path(member.name).relative_to("package")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(archive.extractfile(member).read())  # type: ignore[union-attr]
    told = run(NODE, "play.mjs", served.url, cwd=user)

    assert told == "version 1: played by 0\n"
    assert sorted(file.name for file in (installed / "dist").iterdir()) == [
        *("contract.d.ts", "contract.js", "index.d.ts", "index.js"),
    ]


def test_the_package_has_our_version_and_the_generators():
    """Its version is the server's; the tools are those that the tests' own clients are generated by."""
    package = json.loads((ROOT / "clients" / "typescript" / "package.json").read_text())
    tools = json.loads((PROGRAMS / "package.json").read_text())["dependencies"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert package["version"] == project["version"]
    assert (package["dependencies"] | package["devDependencies"]).items() <= tools.items()
