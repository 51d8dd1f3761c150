"""Start the ``regicide`` command, in a checkout on the engines that ``make compiled`` has built there.

They are used unless their sources have changed since, or ``REGICIDE_COMPILE`` is ``no``. This is decided before any
module of the engines is imported, and holds for the processes that the command starts too.
"""

import os
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
OUTDATED: Final = "The compiled engines are older than their sources, and aren't used: run `make compiled`."


def main() -> None:
    """Run the command that the arguments name."""
    if (ROOT / "setup.py").exists() and os.environ.get("REGICIDE_COMPILE") != "no":
        use_compiled_engines(ROOT)
    from api.commands.cli import main as run  # noqa: PLC0415  it imports the engines

    run()


def use_compiled_engines(checkout: Path) -> None:
    """Let this process, and those that it starts, import engines from ``build/compiled`` of a checkout first.

    The folder need not be there yet: ``make serve`` compiles while it serves.
    """
    compiled = checkout / "build" / "compiled"
    if _is_outdated(compiled / ".built", checkout / "engines"):
        sys.stderr.write(f"{OUTDATED}\n")
        return
    sys.path.insert(0, str(compiled))
    paths = [str(compiled), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)


def _is_outdated(built: Path, sources: Path) -> bool:
    """Tell whether a source has changed since the engines were compiled; not if they haven't been."""
    if not built.exists():
        return False
    since = built.stat().st_mtime
    return any(source.stat().st_mtime > since for source in sources.rglob("*.py"))
