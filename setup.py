"""Compile the engines if there is a C compiler. Editable builds, whose code is to be changed, aren't compiled.

``REGICIDE_COMPILE=no`` leaves the engines interpreted, ``REGICIDE_COMPILE=yes`` fails if they can't be compiled.
``regicide --version`` prints whether they are compiled.
"""

import ast
import os
import shlex
import shutil
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, Final

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

SITE: Final = Path("build", "site")

COMPILER: Final = "mypy>=1.18"
"""The requirement that contains mypyc, which compiles the engines. pip installs it for builds that compile."""

NO_COMPILER: Final = (
    "The engines are to be compiled, and mypyc isn't here: install .ci/locks/compile.txt first (or with pip's build "
    "isolation, which fetches it), or set REGICIDE_COMPILE=no, which leaves them interpreted."
)

RULESETS = sorted(file.parent for file in Path("engines").glob("*/ruleset.py"))
INTERPRETED = {
    *(
        "__init__.py",
        "__main__.py",
        "catalogue.py",
        "mypyc_support.py",
        "dataclass_schemas.py",
        "events.py",
        "seats.py",
        "trial_game.py",
    ),
}
"""Modules that gain nothing or that inspect compiled classes.

The former are packages, scripts, ``events.py``, ``catalogue.py`` and ``trial_game.py``.
"""

OF_THE_CHECKOUT = {"benchmarks", "training"}
"""Folders in a game's folder that are in no wheel."""


def is_compiled(path: Path) -> bool:
    """Return whether a module of the engines is compiled.

    A ruleset is compiled as a whole or not at all.
    """
    folder = path.parent
    if folder.name in OF_THE_CHECKOUT:
        return False
    return path.name not in INTERPRETED and (folder not in RULESETS or not reason_against(folder))


@cache
def reason_against(folder: Path) -> str:
    """Return why a ruleset stays interpreted; "" if the ruleset is to be compiled."""
    if not (folder / "events.py").exists():
        return "its events, which the compiler can't take, aren't in an events.py"
    for file in folder.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and is_dataclass_position(node):
                return f"{node.name} in {file.name} is a dataclass; compiled, a Position can't be one"
    return ""


def is_dataclass_position(node: ast.ClassDef) -> bool:
    """Return whether a class is declared as a dataclass that derives from Position."""
    decorators = [ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list]
    bases = [ast.unparse(base).split(".")[-1] for base in node.bases]
    return "Position" in bases and any(name.split(".")[-1] == "dataclass" for name in decorators)


def reason_not_to() -> str:
    """Return why the engines stay interpreted; "" if they are to be compiled."""
    if os.environ.get("REGICIDE_COMPILE") == "no":
        return "REGICIDE_COMPILE is no"
    compiler = shlex.split(sysconfig.get_config_var("CC") or "cc")[0]
    if shutil.which(compiler) is None:
        return f"there is no C compiler ({compiler})"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "Python's C headers aren't installed"
    return ""


class ParallelBuild(build_ext):
    """Compiles on all processors at once, because mypyc writes a C file for each module."""

    def build_extensions(self) -> None:
        """Call the C compiler once for each file."""
        compile_files = self.compiler.compile

        def compile_each(sources: list[str], **options: Any) -> list[str]:
            with ThreadPoolExecutor(os.cpu_count()) as processors:
                made = processors.map(lambda source: compile_files([source], **options), sources)
                return [file for files in made for file in files]

        self.compiler.compile = compile_each
        super().build_extensions()


class BuildWithSite(build_py):
    """Also packages the documentation site, if `make site` has built it."""

    def run(self) -> None:
        """Copy the packages, then the site into ``api/site``."""
        super().run()
        if SITE.is_dir() and not self.editable_mode:
            shutil.copytree(SITE, Path(self.build_lib, "api", "site"), dirs_exist_ok=True)


def needed() -> list[str]:
    """Return the build requirements, which pip and other front ends request before a build."""
    return [COMPILER] if "egg_info" in sys.argv and not reason_not_to() else []


def extensions() -> list[Extension]:
    """Return all modules of the engines as one unit of compilation; none if they aren't compiled in this build."""
    if {"editable_wheel", "egg_info", "dist_info"} & set(sys.argv):
        return []
    reason = reason_not_to()
    if reason and os.environ.get("REGICIDE_COMPILE") == "yes":
        sys.exit(f"The engines can't be compiled: {reason}.")
    if reason:
        print(f"The engines stay interpreted: {reason}.", file=sys.stderr)  # noqa: T201
        return []
    try:
        from mypyc.build import mypycify  # noqa: PLC0415  editable builds don't need mypyc
    except ModuleNotFoundError:
        sys.exit(NO_COMPILER)

    for folder in RULESETS:
        if against := reason_against(folder):
            print(f"{folder.name} stays interpreted: {against}.", file=sys.stderr)  # noqa: T201
    modules = sorted(str(path) for path in Path("engines").rglob("*.py") if is_compiled(path))
    # A higher level of optimisation takes half as long again to compile, and the code runs no faster.
    return mypycify(["--config-file=", "--strict", *modules], opt_level="1", debug_level="0", multi_file=True)


setup(
    ext_modules=extensions(), setup_requires=needed(), cmdclass={"build_ext": ParallelBuild, "build_py": BuildWithSite}
)
