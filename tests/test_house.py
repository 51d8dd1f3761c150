"""The walls of the project that import-linter can't name."""

import ast
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from api.commands.cli import main
from engines.core.mypyc_support import is_compiled
from tests.own import OWN_RULESETS

ROOT = Path(__file__).parents[1]
RULESETS = {folder.parent.name for folder in (ROOT / "engines").glob("*/ruleset.py")}


OF_THE_CHECKOUT: Final = {"benchmarks", "training"}
"""Folders in a game's folder that are in no wheel: they may import what isn't installed."""


def imports(package: str) -> Iterator[tuple[str, str]]:
    """Yield (file, imported module) for every import under *package* that is in the wheel; ours are absolute."""
    for file in sorted((ROOT / package).rglob("*.py")):
        if file.parent.name in OF_THE_CHECKOUT and file.parent.name != package:
            continue
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

    assert foreign == [("engines/core/mypyc_support.py", "mypy_extensions.mypyc_attr")]  # for mypyc alone


@pytest.mark.parametrize("package", ["api", "regicide_rl", "workers"])
def test_nobody_looks_inside_a_ruleset(package):
    """``api``, ``regicide_rl`` and ``workers`` know ``engines.RULESETS``, and no ruleset by its name."""
    doors = {f"engines.{ruleset}" for ruleset in RULESETS}

    assert [(file, name) for file, name in imports(package) if ".".join(name.split(".")[:2]) in doors] == []


@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_rulesets_are_strangers(ruleset):
    """What two rulesets share lies above them, in ``engines`` itself."""
    others = {f"engines.{other}" for other in RULESETS - {ruleset}}

    found = [(file, name) for file, name in imports(f"engines/{ruleset}") if ".".join(name.split(".")[:2]) in others]

    assert found == []


def test_what_rulesets_share_knows_none_of_them():
    """The catalogue loads them by their entry points."""
    doors = {f"engines.{ruleset}" for ruleset in RULESETS}

    found = {Path(file) for file, name in imports("engines") if ".".join(name.split(".")[:2]) in doors}

    assert {file for file in found if file.parts[1] not in RULESETS} == set()


LAID_OUT: Final = sorted(name for name in RULESETS if (ROOT / "engines" / name / "rules.py").exists())
"""The rulesets with a floor plan, those that have a ``rules.py``: a smaller one is split as it likes."""

COMMON_ROOMS: Final[Mapping[str, set[str]]] = {
    "actions": {"ACTIONS", "FIELDS", "parse"},
    "events": {"EVENTS"},
    "state": {"State"},
    "notation": {"dump", "load"},
    "view": {"view"},
    "rules": {"{title}Position"},
    "refusals": {"check"},
    "imagine": {"{title}Worlds"},
    "policy": {"Adept"},
    "beginner_players": {"Beginner", "NOVICE", "BEGINNER", "APPRENTICE"},
    "evaluation": {"Evaluation"},
    "schema": {"DEFINITIONS"},
    "narration": {"clause", "picture"},
    "ruleset": {"{title}"},
}
"""The modules of a ruleset that is laid out, and what each has at least."""
COMMON_METHODS: Final[Mapping[str, set[str]]] = {
    "State": {"set_up", "copy", "end_as", "outcome", "is_over", "to_act"},
    "{title}Position": {"dump", "view", "legal", "check", "apply"},
    "{title}Worlds": {"sample"},
}
TEXTS: Final = {"rules.en.md", "rules.es.md", "messages.es.po", "messages.es.mo"}


def defined(file: Path) -> dict[str, set[str]]:
    """Return what a module defines at its top, each class with its methods."""
    names = dict[str, set[str]]()
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = set()
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update({target.id: set() for target in targets if isinstance(target, ast.Name)})
    return names


@pytest.mark.parametrize("ruleset", LAID_OUT)
@pytest.mark.parametrize("room", COMMON_ROOMS)
def test_rulesets_have_one_floor_plan(ruleset: str, room: str):
    """Who knows one ruleset finds the same things under the same names in every other."""
    there = defined(ROOT / "engines" / ruleset / f"{room}.py")
    titled = {name.format(title=ruleset.capitalize()) for name in COMMON_ROOMS[room]}

    assert titled - there.keys() == set()
    for name, methods in COMMON_METHODS.items():
        assert methods - there.get(name.format(title=ruleset.capitalize()), methods) == set(), name


def test_our_rulesets_are_laid_out():
    """Both: the plan isn't kept by being left."""
    assert {"gridcannon", "regicide"} <= set(LAID_OUT)


@pytest.mark.parametrize("ruleset", LAID_OUT)
def test_every_ruleset_has_its_texts(ruleset: str):
    """Rules and sentences, in both languages, lie beside the code."""
    assert {file.name for file in (ROOT / "engines" / ruleset).iterdir()} >= TEXTS


GENERIC: Final = {
    "engines/core/errors.py": {"R13"},  # "as in": what a ruling's number looks like
    "api/contract/responses.py": {"R13"},
    "api/resources/rulesets.py": {"R13"},
    "regicide_client/examples/http_bot.py": {"gridcannon", "Gridcannon"},  # an example of one game
    "workers/metrics_store.py": {"families"},  # of metrics
}


def own_names() -> Iterator[str]:
    """Yield what one ruleset alone has: its options, its signals, and its events whose names are more than a word."""
    named = {
        ruleset.name: {
            *ruleset.options["properties"],
            *ruleset.signals,
            *(name for event in ruleset.events if "_" in event.type for name in (event.type, event.__name__)),
        }
        for ruleset in OWN_RULESETS.values()
    }
    for name, names in named.items():
        yield from sorted(names.difference(*(others for other, others in named.items() if other != name)))


OWN_NAMES: Final = tuple(own_names())


@pytest.mark.parametrize("package", ["engines", "api", "workers", "regicide_client", "regicide_rl"])
def test_shared_code_names_no_ruling(package: str):
    """Rulings, options, signals and events are a ruleset's own: what all share says only what rulings look like.

    Regicide is also the name of the whole.
    """
    files = (ROOT / package).glob("*.py" if package == "engines" else "**/*.py")
    words = re.compile(
        "|".join([r"\b[RG]\d+\b", r"\b[Jj]esters?\b", *(rf"\b{name}\b" for name in (*OWN_NAMES, "[Gg]ridcannon"))])
    )
    found = {str(file.relative_to(ROOT)): set(words.findall(file.read_text("utf-8"))) for file in sorted(files)}

    assert {file: left for file, named in found.items() if (left := named - GENERIC.get(file, set()))} == {}


@pytest.mark.parametrize("package", ["benchmarks", "training"])
def test_training_and_benchmarks_name_no_game(package: str):
    """What they need of a game is in that game's folder; regicide is also the name of the whole, and of its command."""
    names = "|".join(OWN_RULESETS)
    named = rf"""["'](?:{names})["'.]|engines\.(?:{names})|\b(?:{names})[.-]\d|gridcannon|\b[RG]\d+\b"""
    words = re.compile(rf"""(?<!scripts"]\[)(?:{named})""")  # the command's entry point
    own = [name for name in OWN_NAMES if len(name) > 4]
    files = sorted((ROOT / package).glob("*.py"))

    found = {file.name: words.findall(file.read_text("utf-8")) for file in files}
    assert len(files) > 3
    assert {name: said for name, said in found.items() if said} == {}
    assert [(file.name, name) for file in files for name in own if re.search(rf"\b{name}\b", file.read_text())] == []


def test_training_and_benchmarks_of_a_game_are_in_no_wheel():
    """They import what isn't installed there."""
    left_out = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]["exclude"]
    folders = {folder.name for folder in (ROOT / "engines").glob("*/*/") if (folder / "__init__.py").exists()}

    assert folders == OF_THE_CHECKOUT
    assert left_out == [f"engines.*.{name}*" for name in sorted(OF_THE_CHECKOUT)]


BROWSER_CODE: Final = sorted(
    file
    for folder in (ROOT / "api" / "web" / "js", *(ROOT / "engines").glob("*/web"))
    for file in folder.rglob("*.js")
    if not file.match("vendor*")
)


def test_lines_of_browser_code_are_short():
    """Biome leaves templates, strings and comments as they are."""
    assert BROWSER_CODE
    long = {
        str(file): [line for line in file.read_text("utf-8").splitlines() if len(line) > 120] for file in BROWSER_CODE
    }

    assert {file: lines for file, lines in long.items() if lines} == {}


def test_shared_browser_code_names_no_game():
    """The server lists the games; Regicide is also the name of the whole."""
    words = re.compile(
        rf"rulesets/({'|'.join(OWN_RULESETS)})|gridcannon|ploy|famil|medal|eager|reluctant|solo_yield", re.IGNORECASE
    )
    pages = [file for file in (ROOT / "api" / "web").rglob("*.html") if "swagger-ui" not in file.parts]
    shared = [file for file in (*BROWSER_CODE, *pages) if "engines" not in file.relative_to(ROOT).parts]

    assert {str(file): found for file in shared if (found := words.findall(file.read_text("utf-8")))} == {}


def arrows(package: str) -> dict[str, set[str]]:
    """Return for each module of *package* which others it imports, under TYPE_CHECKING and in functions too."""
    modules = {".".join(file.relative_to(ROOT).with_suffix("").parts) for file in (ROOT / package).rglob("*.py")}
    found = {module: set[str]() for module in modules}
    for file, name in imports(package):
        here = ".".join(Path(file).with_suffix("").parts)
        parts = name.split(".")
        found[here] |= {".".join(parts[:length]) for length in range(2, len(parts) + 1)} & modules - {here}
    return found


def test_no_import_of_the_engines_goes_in_a_circle():
    """Modules whose imports are all left out can be left out too; in the end none is left."""
    left = arrows("engines")
    while leaves := {module for module, imported in left.items() if not imported & left.keys()}:
        left = {module: imported for module, imported in left.items() if module not in leaves}

    assert left == {}


@pytest.mark.parametrize("module", ["api.commands.cli", "api.commands.serve", "workers.settings"])
def test_what_only_supervises_is_small(module: str):
    """Before the first server starts, and as long as it runs, nobody waits for what the others need, nor holds it."""
    asked = f"import sys, {module}; print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)

    assert module in said.stdout.split()
    assert {"flask", "prometheus_client", "redis", "rq", "structlog"} & set(said.stdout.split()) == set()


def test_the_engines_are_tested_as_people_run_them():
    """``make test`` runs this on compiled engines, wherever there is a C compiler."""
    if is_compiled():
        return
    compiler = shlex.split(sysconfig.get_config_var("CC") or "cc")[0]
    if shutil.which(compiler) is None:
        pytest.skip(f"the compiled engines: there is no C compiler ({compiler})")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        pytest.skip("the compiled engines: Python's C headers aren't installed")
    pytest.skip("the compiled engines: this run is on interpreted ones")


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


def test_no_request_of_a_test_gives_up_early():
    """Httpx waits 5 s where nothing else is said, and a loaded machine may take longer."""
    asking = {f"httpx.{name}" for name in ("Client", "delete", "get", "post", "put", "request", "stream")}
    found = [
        f"{file.relative_to(ROOT)}:{call.lineno}"
        for file in sorted((ROOT / "tests").rglob("*.py"))
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func) in asking
        if not {word.arg for word in call.keywords} & {"timeout", "transport"}
    ]

    assert found == []
