"""Jobs: what takes longer than a request, hints and arenas; watched and cancelled by whoever asked for it."""

import asyncio
from time import monotonic
from typing import Final

from flask import Response

from api.contract import examples, requests
from api.contract.terms import ref
from api.http import auth
from api.http.auth import Access
from api.http.client_address import address
from api.http.overload import wait_for_news
from api.http.request_io import BEARER, Blueprint, answer
from api.http.services import services
from api.problems.documents import BODY, JOB, WRITING
from api.problems.errors import NotFound
from api.resources.job_resource import LOCATED, accepted, as_json
from engines.core.errors import StillRunning
from engines.core.phrase import Phrase
from engines.core.types import Json
from engines.table.table import ENDED, Table
from workers.background import hints
from workers.storage.tasks import ACTIVE_STATUSES, Task

LOOK_SECONDS: Final = 0.1
"""Between two looks whether a job that is waited for has ended."""

blp = Blueprint("jobs", __name__, url_prefix="/v1", description="What takes longer than a request.")


@blp.route("/games/<game_id>/hints", methods=["POST"])
@blp.doc(operationId="askHint", security=BEARER)
@auth.seat_only
@blp.arguments(requests.HintIn, example={"level": "expert"})
@blp.response(202, ref("HintJob"), headers=LOCATED, example=examples.JOB)
@blp.refuses(*WRITING, *BODY, "not_your_turn", "not_started", "game_over", "still_running", "not_found")
def ask_hint(body: Json, access: Access) -> Response:
    """Ask what an AI would do with what your seat knows; or, when the game has ended, why an AI did what it did.

    The answer is a job: look at it with the same token until it has finished. It fails with `stale_version` if the game
    moves on meanwhile. Your seat is thought for once at a time: whoever asks again for the same is told of the job that
    is under way or done; whoever asks for another level, or when the game has moved on, cancels it.

    With a `version` at which an AI decided, the hint is about that decision, from what that AI's seat knew then. What
    it did comes first.
    """
    store, game, seat, token = services().store, access.table, access.own_seat, auth.bearer()
    owner = "" if token is None else token.hash
    if body["version"] is None:
        game.check_decides(seat)
        return accepted(
            hints.request_hint(store, game.id, game.version, seat, body["level"] or requests.HINT_LEVEL, owner)
        )
    decider, level = _decided_by_ai(game, body["version"])
    return accepted(
        hints.request_hint(store, game.id, body["version"], seat, body["level"] or level, owner, decider=decider)
    )


def _decided_by_ai(game: Table, version: int) -> tuple[int, str]:
    """Return the seat and the level of the AI that decided at *version*. Raises ``StillRunning``, ``NotFound``."""
    if game.status not in ENDED:
        raise StillRunning(Phrase("Why an AI did what it did is told when the game has ended."))
    for _, change in services().store.history.changes(game.id, version, 1):
        if change.entry.get("ai") is not None:
            return change.entry["seat"], change.entry["ai"]["level"]
    raise NotFound(Phrase("No AI decided at version {version}.", version=version))


@blp.route("/jobs/<job_id>")
@blp.doc(operationId="getJob", security=BEARER)
@blp.arguments(requests.JobQuery, location="query")
@blp.response(200, ref("Job"), examples=examples.JOBS)
@blp.refuses(*JOB, "too_many_streams")
def show(query: Json, job_id: str) -> Response:
    """Show how far a job is: to whoever asked for it.

    A hint's takes the token that asked, an arena's its `job_token`. With `wait` it answers as soon as the job has
    ended, or as it stands when time is up. Jobs are kept for a day after they end.
    """
    task = auth.own_job(job_id)
    return answer(as_json(_ended(task, query["wait"]) if query["wait"] else task))


def _ended(task: Task, wait: float) -> Task:
    """Return the task when it has ended, or as it is after *wait* seconds."""
    tasks, until = services().store.tasks, monotonic() + wait
    if task.status not in ACTIVE_STATUSES:
        return task
    with services().feed.slot(address()):
        while tasks.is_active(task) and monotonic() < until:
            wait_for_news(asyncio.sleep(LOOK_SECONDS))
    return tasks.load(task.id)


@blp.route("/jobs/<job_id>", methods=["DELETE"])
@blp.doc(operationId="cancelJob", security=BEARER)
@blp.response(200, ref("Job"), example=examples.CANCELLED)
@blp.refuses(*JOB)
def cancel(job_id: str) -> Response:
    """Cancel a job; one that has ended stays as it is.

    Who thinks for it stops within a moment. The right of whoever may look at it.
    """
    services().store.tasks.cancel(auth.own_job(job_id).id)
    return answer(as_json(services().store.tasks.load(job_id)))
