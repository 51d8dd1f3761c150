"""Caching: what an answer depends on, and who may keep it for how long."""

from flask import Response, request


def vary(answer: Response, *names: str) -> None:
    """Say that an answer depends on the request's headers of these *names* too."""
    said = answer.headers.get("Vary")
    known = [] if said is None else said.lower().replace(" ", "").split(",")
    missing = [name for name in names if name.lower() not in known]
    if missing:
        answer.headers["Vary"] = ", ".join([said, *missing] if said else missing)


def say_how_long(answer: Response) -> None:
    """Say how to cache the answer: what a bearer is shown is theirs alone, and old as soon as somebody moves."""
    headers, path = answer.headers, request.view_args
    if path and ("game_id" in path or "job_id" in path):
        vary(answer, "Authorization", "Accept-Language")
        headers.setdefault("Cache-Control", "private, no-cache")
    elif "Content-Language" in headers:
        vary(answer, "Accept-Language")
    headers.setdefault("Cache-Control", "no-cache")
