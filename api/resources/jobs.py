"""Routes of jobs: hints, and reading and cancelling any job."""

import asyncio
from time import monotonic
from typing import Final

from flask import Response

from api.contract import examples, requests
from api.contract.level_names import check_level
from api.contract.shared_schemas import ref
from api.http import auth
from api.http.auth import Access
from api.http.current_request import requesting_network
from api.http.overload import wait_for_news
from api.http.request_io import BEARER_SECURITY, Blueprint, json_response
from api.http.services import services
from api.problems.documents import BODY_CODES, JOB_CODES, WRITE_CODES
from api.problems.errors import NotFound
from api.resources.job_json import LOCATION_HEADER, accepted, as_json
from engines.core.errors import StillRunning
from engines.core.phrase import Phrase
from engines.core.types import Json
from engines.table.table import ENDED, Table
from workers.background import hints
from workers.storage.concurrent_work_limits import fairness_group
from workers.storage.tasks import ACTIVE_STATUSES, Task

POLL_INTERVAL_SECONDS: Final = 0.1
"""Seconds between two checks of a job that a client waits for."""

blp = Blueprint("jobs", __name__, url_prefix="/v1", description="What takes longer than a request.")


@blp.route("/games/<game_id>/hints", methods=["POST"])
@blp.doc(operationId="askHint", security=BEARER_SECURITY)
@auth.seat_only
@blp.arguments(requests.HintIn, example={"level": "expert"})
@blp.response(202, ref("HintJob"), headers=LOCATION_HEADER, example=examples.QUEUED_HINT_JOB)
@blp.refuses(*WRITE_CODES, *BODY_CODES, "not_your_turn", "not_started", "game_over", "still_running", "not_found")
def ask_hint(body: Json, access: Access) -> Response:
    """Ask what an AI would do in your place or, after the end, why an AI acted as it did.

    The response is a job. Read it with the same token until it has finished. The job fails with `stale_version` if the
    game changes meanwhile. A seat has one hint at a time. A request for the same hint returns the same job, running or
    done. A request for another level or a later version cancels it. With a `version` at which an AI decided, the hint
    is about that decision, from what that AI's seat knew at that version. The AI's own action comes first.
    """
    store, game, seat, token = services().store, access.table, access.own_seat, auth.bearer()
    owner, group = "" if token is None else token.hash, fairness_group(requesting_network())
    check_level(game.ruleset, body["level"])
    if body["version"] is None:
        game.check_decides(seat)
        version, decider, default = game.version, None, requests.DEFAULT_HINT_LEVEL
    else:
        version = body["version"]
        decider, default = _decided_by_ai(game, version)
    level = body["level"] or default
    return accepted(hints.request_hint(store, game.id, version, seat, level, owner, decider=decider, group=group))


def _decided_by_ai(game: Table, version: int) -> tuple[int, str]:
    """Return the seat and level of the AI that decided at *version*. Raises ``StillRunning``, ``NotFound``."""
    if game.status not in ENDED:
        raise StillRunning(Phrase("Why an AI did what it did is told when the game has ended."))
    for _, change in services().store.history.changes(game.id, version, 1):
        if change.entry.get("ai") is not None:
            return change.entry["seat"], change.entry["ai"]["level"]
    raise NotFound(Phrase("No AI decided at version {version}.", version=version))


@blp.route("/jobs/<job_id>")
@blp.doc(operationId="getJob", security=BEARER_SECURITY)
@blp.arguments(requests.JobQuery, location="query")
@blp.response(200, ref("Job"), examples=examples.FINISHED_JOBS)
@blp.refuses(*JOB_CODES, "too_many_streams")
def show(query: Json, job_id: str) -> Response:
    """Show the progress of a job.

    A hint needs the token that asked for it, an arena its `job_token`. With `wait` the response is sent when the job
    has ended or the time is over. Jobs are kept for a day after they end.
    """
    task = auth.own_job(job_id)
    return json_response(as_json(_wait_until_done(task, query["wait"]) if query["wait"] else task))


def _wait_until_done(task: Task, wait: float) -> Task:
    """Return the task when it has ended, or its state after *wait* seconds."""
    tasks, until = services().store.tasks, monotonic() + wait
    if task.status not in ACTIVE_STATUSES:
        return task
    with services().feed.slot(requesting_network()):
        while tasks.is_active(task) and monotonic() < until:
            wait_for_news(asyncio.sleep(POLL_INTERVAL_SECONDS))
    return tasks.load(task.id)


@blp.route("/jobs/<job_id>", methods=["DELETE"])
@blp.doc(operationId="cancelJob", security=BEARER_SECURITY)
@blp.response(200, ref("Job"), example=examples.CANCELLED_JOB)
@blp.refuses(*JOB_CODES)
def cancel(job_id: str) -> Response:
    """Cancel a job. A job that has ended is left unchanged.

    The computation stops within a moment. Any token that may read a job may cancel it.
    """
    services().store.tasks.cancel(auth.own_job(job_id).id)
    return json_response(as_json(services().store.tasks.load(job_id)))
