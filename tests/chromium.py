"""Find the Chromium that the tests of the pages run in: ``CHROMIUM``, the system's, or the one that is fetched.

``python -m tests.chromium`` exits with 0 if there is one, and with 1 if ``make browser`` should fetch one.
"""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # at run time it would cost each run of pytest half a second
    from playwright.sync_api import Browser, Playwright

ROOT: Final = Path(__file__).parents[1]
FETCHED: Final = ROOT / ".venv" / "browser"
"""Where ``make browser`` unpacks one, for Linux on x86-64."""

NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
"""What systems call it. The first has no windows of its own: the tests take two thirds of the time."""

FLAGS: Final = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--no-first-run"),
)
NONE_FOUND: Final = (
    "no Chromium: the system has none on the PATH, and none was fetched (`make browser`, for Linux on x86-64); "
    "CHROMIUM may name one"
)
SWITCHED_OFF: Final = "CHROMIUM is none: no browser is wanted"

FONTS: Final = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>{folder}/fonts</dir>
  <cachedir>{folder}/fontconfig</cachedir>
</fontconfig>
"""


class NoChromiumError(Exception):
    """There is no browser to test in; the message says why."""


@dataclass(frozen=True)
class Chromium:
    """An executable, and the variables that it needs besides those of this process."""

    path: str
    variables: Mapping[str, str] = field(default_factory=dict)

    def launch(self, playwright: "Playwright") -> "Browser":
        """Start it, without a window."""
        environ = {**os.environ, **self.variables}
        return playwright.chromium.launch(executable_path=self.path, args=list(FLAGS), env=dict(environ))


def find_chromium(environ: Mapping[str, str] = os.environ, fetched: Path = FETCHED) -> Chromium:
    """Return the browser to test in.

    The first there is of: the variable ``CHROMIUM`` (a path; ``none``: no browser), the system's, the fetched one.

    Raises:
        NoChromiumError: there is none, or none is wanted.
        FileNotFoundError: ``CHROMIUM`` names a file that isn't there.
    """
    wanted = environ.get("CHROMIUM", "")
    if wanted == "none":
        raise NoChromiumError(SWITCHED_OFF)
    if wanted:
        if not Path(wanted).is_file():
            raise FileNotFoundError(f"CHROMIUM is {wanted}, and there is no such file.")
        return Chromium(wanted)
    for name in NAMES:
        if path := shutil.which(name, path=environ.get("PATH")):
            return Chromium(path)
    if (fetched / ".installed").exists():
        return _unpacked(fetched)
    raise NoChromiumError(NONE_FOUND)


def _unpacked(folder: Path) -> Chromium:
    """Return the fetched browser, with the libraries and the font that came with it."""
    fonts = folder / "regicide-fonts.conf"
    if not fonts.exists():
        written = fonts.with_suffix(f".{os.getpid()}")
        written.write_text(FONTS.format(folder=folder), "utf-8")
        written.replace(fonts)
    libraries = os.pathsep.join(filter(None, [str(folder / "lib"), os.environ.get("LD_LIBRARY_PATH")]))
    return Chromium(str(folder / "chromium"), {"LD_LIBRARY_PATH": libraries, "FONTCONFIG_FILE": str(fonts)})


def described() -> str:
    """Say in a line which browser the pages are tested in, or why in none."""
    try:
        return f"browser: {find_chromium().path}"
    except NoChromiumError as error:
        return f"browser: none, the tests of the pages are skipped ({error})"


def main() -> int:
    """Tell ``make test`` whether a browser is to be fetched."""
    try:
        find_chromium()
    except NoChromiumError as error:
        return int(str(error) == NONE_FOUND)
    return 0


if __name__ == "__main__":
    sys.exit(main())
