"""Entry point of ``regicide``: selects the compiled engines of a checkout, then runs the command.

Engines in ``build/compiled`` are used unless their sources have changed since or ``REGICIDE_COMPILE`` is ``no``. The
choice is made before any engine module is imported and is inherited by child processes.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Final

ROOT_FOLDER: Final = Path(__file__).parents[2]
NEVER_COMPILED_FOLDERS: Final = ("benchmarks", "training")
"""Folders in a game's folder that are not part of the server."""
SIGNAL_EXIT_CODE: Final = 128
"""Added to a signal's number, the exit code of a command that the signal has ended, as in a shell."""
OUTDATED_WARNING: Final = "The compiled engines are older than their sources, and aren't used: run `make compiled`."


def main() -> None:
    """Run the command named by the arguments.

    Until a command has its own handlers, SIGTERM and SIGHUP end it as Ctrl-C does: what it has begun is cleared away.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, exit_by_signal)
    try:
        _run()
    except KeyboardInterrupt:
        sys.stderr.write("Aborted!\n")
        sys.exit(1)


def exit_by_signal(number: int, _: object) -> None:
    """Exit with the status of a signal. ``SystemExit`` first clears away what the command has begun."""
    sys.exit(SIGNAL_EXIT_CODE + number)


def _run() -> None:
    if (ROOT_FOLDER / "setup.py").exists() and os.environ.get("REGICIDE_COMPILE") != "no":
        use_compiled_engines(ROOT_FOLDER)
    from engines.contract.catalogue import require_rulesets  # noqa: PLC0415  the engines must be selected first

    require_rulesets()
    from api.commands.cli import main as run  # noqa: PLC0415  it imports the engines

    run()


def use_compiled_engines(checkout: Path) -> None:
    """Put ``build/compiled`` of a checkout first on the import path of this process and its children.

    If the compiled engines are older than their sources, print a warning instead. The folder may not exist yet, because
    ``make serve`` compiles the engines while the server runs.
    """
    compiled = checkout / "build" / "compiled"
    if _is_outdated(compiled / ".built", checkout / "engines"):
        sys.stderr.write(f"{OUTDATED_WARNING}\n")
        return
    sys.path.insert(0, str(compiled))
    paths = [str(compiled), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)


def _is_outdated(built: Path, sources: Path) -> bool:
    """Return whether a source has changed since the engines were compiled; False without a compiled build."""
    if not built.exists():
        return False
    since = built.stat().st_mtime
    compiled = (source for source in sources.rglob("*.py") if source.parent.name not in NEVER_COMPILED_FOLDERS)
    return any(source.stat().st_mtime > since for source in compiled)
