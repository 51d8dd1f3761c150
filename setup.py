"""Compile the engines, if there is a C compiler: every build does but the editable one, which is for changing them.

``REGICIDE_COMPILE=no`` leaves them interpreted, ``REGICIDE_COMPILE=yes`` fails if they can't be compiled. ``regicide
--version`` says which they are.
"""

import os
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup

INTERPRETED = {"__main__.py", "events.py", "compiled.py", "dataclass_schemas.py", "seats.py"}
"""What is run as a script, what only tells what happened (engines/events.py), and what speaks to the compiler."""


def is_compiled(path: Path) -> bool:
    """A module of the engines is compiled, unless it can't be.

    A ruleset is compiled once its events are in a module of their own, ``events.py``. One that is a single file, as
    examples/race is, stays interpreted: the compiler can't take its events.
    """
    folder = path.parent
    is_one_file = (folder / "ruleset.py").exists() and folder.name != "engines" and not (folder / "events.py").exists()
    return path.name not in INTERPRETED and not is_one_file


def reason_not_to() -> str:
    """Return why the engines stay interpreted, or nothing if they are to be compiled."""
    if os.environ.get("REGICIDE_COMPILE") == "no":
        return "REGICIDE_COMPILE is no"
    compiler = shlex.split(sysconfig.get_config_var("CC") or "cc")[0]
    if shutil.which(compiler) is None:
        return f"there is no C compiler ({compiler})"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "Python's C headers aren't installed"
    return ""


def extensions() -> list[Extension]:
    """Return all modules of the engines as one unit of compilation."""
    if "editable_wheel" in sys.argv:
        return []
    reason = reason_not_to()
    if reason and os.environ.get("REGICIDE_COMPILE") == "yes":
        sys.exit(f"The engines can't be compiled: {reason}.")
    if reason:
        print(f"The engines stay interpreted: {reason}.", file=sys.stderr)  # noqa: T201
        return []
    from mypyc.build import mypycify  # noqa: PLC0415  an editable build does without

    modules = sorted(str(path) for path in Path("engines").rglob("*.py") if is_compiled(path))
    # Optimised further it takes half as long again to compile, and runs no faster.
    return mypycify(["--config-file=", "--strict", *modules], opt_level="1", debug_level="0")


setup(ext_modules=extensions())
