"""Build the site of the docs: ``make site``.

The pages are read as they lie in the repository. This script copies them into one folder, so that their addresses are
short, and rewrites their links: to a page of the site, to a copy of a file, or, for a folder, to no link at all. A link
that leads nowhere ends the build, as a warning of Sphinx does.
"""

import gc
import os
import re
import shutil
import sys
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final

from sphinx.cmd.build import build_main

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
SOURCE: Final = ROOT / "build" / "site-source"
SITE: Final = ROOT / "build" / "site"

LINK: Final = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
BLOCK: Final = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
"""A block of code, in which nothing is a link."""
SERVED: Final = "/static/rules/"
"""How the rules name their drawings, which lie in ``api/web/rules``."""


def pages() -> dict[Path, PurePosixPath]:
    """Return the pages of the site: their files, and where each lies in it."""
    found = {page: PurePosixPath(page.name) for page in sorted((ROOT / "docs").glob("*.md"))}
    for name in ("CHANGELOG", "CODE_OF_CONDUCT", "CONTRIBUTING", "SECURITY"):
        found[ROOT / f"{name}.md"] = PurePosixPath(f"{name.lower().replace('_', '-')}.md")
    for page in sorted((ROOT / "engines").glob("*/rules.*.md")):
        _, language, _ = page.name.split(".")
        found[page] = PurePosixPath("rules", f"{page.parent.name}.{language}.md")
    found[ROOT / "clients/typescript/README.md"] = PurePosixPath("typescript.md")
    found[ROOT / "README.md"] = PurePosixPath("readme.md")
    for page in sorted(HERE.glob("*.md")):
        found[page] = PurePosixPath(page.name)
    return found


class Layout:
    """Copies pages, and what they link, into one folder."""

    def __init__(self) -> None:
        self.places = pages()

    def lay_out(self) -> None:
        """Write all pages into ``SOURCE``."""
        shutil.rmtree(SOURCE, ignore_errors=True)
        for file, place in self.places.items():
            target = SOURCE / place
            target.parent.mkdir(parents=True, exist_ok=True)
            parts = BLOCK.split(file.read_text("utf-8"))
            parts[::2] = [LINK.sub(partial(self._link, file, place), text) for text in parts[::2]]
            target.write_text("".join(parts), "utf-8")
        for folder in ("templates", "static"):
            shutil.copytree(HERE / folder, SOURCE / folder)
        shutil.copy(HERE / "conf.py", SOURCE)

    def _link(self, file: Path, place: PurePosixPath, link: re.Match[str]) -> str:
        """Return what stands in the site for a link on a page."""
        picture, text, target = link.groups()
        path, mark, anchor = target.partition("#")
        if not path or "://" in path:
            return link[0]
        found = ROOT / "api/web/rules" / path.removeprefix(SERVED) if path.startswith(SERVED) else file.parent / path
        found = found.resolve()
        if not found.exists():
            raise FileNotFoundError(f"{file}: there is no {target}")
        if found.is_dir():
            return text
        return f"{picture}[{text}]({self._relative(found, place)}{mark}{anchor})"

    def _relative(self, found: Path, place: PurePosixPath) -> str:
        """Return a link from a page to another page, or to a copy of a file."""
        target = self.places.get(found)
        if target is None:
            target = PurePosixPath("files", *found.relative_to(ROOT).parts)
            (SOURCE / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(found, SOURCE / target)
        return os.path.relpath(target, place.parent)


def main() -> int:
    """Lay the pages out and let Sphinx write the site; return its status."""
    gc.disable()  # Sphinx keeps nearly all that it makes; looking for what it doesn't was a fifth of the build
    Layout().lay_out()
    sys.path.insert(0, str(ROOT))
    shutil.rmtree(SITE, ignore_errors=True)
    words = ["-q", "-W", "--keep-going", "-b", "html", "-d", str(ROOT / "build" / "site-doctrees")]
    status = build_main([*words, str(SOURCE), str(SITE)])
    (SITE / ".buildinfo").unlink(missing_ok=True)
    (SITE / "objects.inv").unlink(missing_ok=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
