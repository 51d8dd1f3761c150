"""The site of the docs, if it has been built: by ``make site`` in a checkout, and in release wheels."""

from http import HTTPStatus
from pathlib import Path
from typing import Final

from flask import Response
from werkzeug.security import safe_join

SITE_FOLDERS: Final = (Path(__file__).parents[1] / "site", Path(__file__).parents[2] / "build" / "site")
"""Folders in which the site may be: in a wheel, in a checkout."""
INDEX_FILE: Final = "index.html"


def read_site_file(name: str) -> bytes | None:
    """Return a file of the site, or None if there is no such file or no site."""
    for site in SITE_FOLDERS:
        path = safe_join(str(site), name or INDEX_FILE)
        if path is not None and Path(path).is_file():
            return Path(path).read_bytes()
    return None


def docs() -> Response:
    """Redirect to the site of the docs, or to the contract if the site has not been built."""
    built = read_site_file(INDEX_FILE) is not None
    return Response(
        status=HTTPStatus.FOUND,
        headers={"Location": "/docs/" if built else "/docs/contract", "Cache-Control": "no-cache"},
    )
