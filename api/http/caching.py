"""Caching: what an answer depends on, and who may keep it for how long."""

from functools import lru_cache
from typing import Final

from flask import Response, request

VARY_PRIVATE: Final = ("Authorization", "Accept-Language")
VARY_PUBLIC: Final = ("Accept-Language",)
"""What an answer depends on that tells of one game or job, and one that tells everybody in their language."""

NOT_STORED: Final = "private, no-store"
"""``Cache-Control`` of what its reader alone may know: an entity tag is a version, the same for every reader, and
browsers send a stored one whatever ``Vary`` says."""


def vary(answer: Response, *names: str) -> None:
    """Say that an answer depends on the request's headers of these *names* too."""
    said = next((value for name, value in answer.headers if name.lower() == "vary"), None)
    if said is None:
        answer.headers.add("Vary", _merged_vary(None, names))
    else:
        answer.headers["Vary"] = _merged_vary(said, names)


@lru_cache(64)
def _merged_vary(said: str | None, names: tuple[str, ...]) -> str:
    known = [] if said is None else said.lower().replace(" ", "").split(",")
    missing = [name for name in names if name.lower() not in known]
    return ", ".join([said, *missing] if said else missing)


def set_cache_headers(answer: Response) -> None:
    """Say how to cache the answer: what depends on the bearer not at all, what is the same for all with a question."""
    path, given = request.view_args or {}, {name.lower() for name, _ in answer.headers}
    is_of_one = "game_id" in path or "job_id" in path
    names = VARY_PRIVATE if is_of_one else VARY_PUBLIC if "content-language" in given else ()
    if names:
        vary(answer, *names)
    if "cache-control" not in given:
        answer.headers.add("Cache-Control", NOT_STORED if is_of_one else "no-cache")
