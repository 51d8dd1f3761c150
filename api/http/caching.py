"""Cache headers: ``Vary`` and ``Cache-Control`` of each response."""

from functools import lru_cache
from typing import Final

from flask import Response

from api.http.current_request import current_request

VARY_PRIVATE: Final = ("Authorization", "Accept-Language")
"""``Vary`` of responses that depend on the bearer: about one game or job, or for the operator."""
VARY_PUBLIC: Final = ("Accept-Language",)
"""``Vary`` of public, translated responses."""

OPERATOR_PATH: Final = "/v1/operator"
NO_STORE_CACHE_CONTROL: Final = "private, no-store"
"""``Cache-Control`` of private responses.

If they were stored, browsers would send their entity tags with another token or language, despite ``Vary``.
"""


def vary(response: Response, *names: str) -> None:
    """Add header *names* to the response's ``Vary``."""
    said = dict(iter(response.headers)).get("Vary")
    if said is None:
        response.headers.add("Vary", _merged_vary(None, names))
    else:
        response.headers["Vary"] = _merged_vary(said, names)


@lru_cache(64)
def _merged_vary(said: str | None, names: tuple[str, ...]) -> str:
    known = [] if said is None else said.lower().replace(" ", "").split(",")
    missing = [name for name in names if name.lower() not in known]
    return ", ".join([said, *missing] if said else missing)


def set_cache_headers(response: Response) -> None:
    """Add ``Vary``, and ``Cache-Control`` if the response has none.

    Caches don't store responses that depend on the bearer, and revalidate all others.
    """
    asked, given = current_request(), set(map(str.lower, dict(iter(response.headers))))
    path = asked.view_args or {}
    is_private = "game_id" in path or "job_id" in path or asked.path.startswith(OPERATOR_PATH)
    names = VARY_PRIVATE if is_private else VARY_PUBLIC if "content-language" in given else ()
    if names:
        vary(response, *names)
    if "cache-control" not in given:
        response.headers.add("Cache-Control", NO_STORE_CACHE_CONTROL if is_private else "no-cache")
