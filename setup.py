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

    modules = sorted(str(path) for path in Path("engines").rglob("*.py") if path.name not in INTERPRETED)
    # Optimised further it takes half as long again to compile, and runs no faster.
    return mypycify(["--config-file=", "--strict", *modules], opt_level="1", debug_level="0")


setup(ext_modules=extensions())
