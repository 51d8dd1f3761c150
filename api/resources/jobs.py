"""Jobs: what takes longer than a request, hints and arenas; watched and cancelled by whoever asked for it."""

from flask import Response

from api import auth
from api.auth import Visit
from api.contract import examples, operations, requests, responses
from api.language import tongue, wanted
from api.problems import document
from api.resources.games import BODY, PAYING, WRITING
from api.wire import BEARER, Blueprint, answer, store
from engines.phrase import Phrase, Tongue, sentence
from engines.types import Json
from workers.background import hints
from workers.storage.tasks import Task

blp = Blueprint("jobs", __name__, url_prefix="/v1", description="What takes longer than a request.")

OWNED = ("no_token", "unknown_token", "wrong_token", "no_such_job", *PAYING)
LOCATED = {"Location": operations.LOCATION}


def as_json(task: Task) -> Json:
    """Return the job resource, in the reader's language; its problem as every problem is written."""
    shown, speak = task.as_json(), tongue(wanted())
    if shown["problem"] is not None:
        return {**shown, "problem": _problem(shown["problem"], speak)}
    if task.kind == hints.KIND and shown["result"] is not None:
        why = sentence(Phrase.load(shown["result"]["why"]).said(speak))
        return {**shown, "result": {**shown["result"], "why": why}}
    return shown


def _problem(kept: Json, speak: Tongue) -> Json:
    facts = {name: fact for name, fact in kept.items() if name != "phrase"}
    return document({**facts, "detail": Phrase.load(kept["phrase"]).said(speak)}, speak)


def accepted(task: Task, **more: str) -> Response:
    """Answer that a job has begun, and where it can be watched."""
    headers = {"Location": f"/v1/jobs/{task.id}", "Cache-Control": "no-store"}
    return answer({**as_json(task), **more}, 202, headers)


@blp.route("/games/<game_id>/hints", methods=["POST"])
@blp.doc(operationId="askHint", security=BEARER)
@auth.seated
@blp.arguments(requests.HintIn, example={"level": "expert"})
@blp.response(202, responses.ref("HintJob"), headers=LOCATED, example=examples.JOB)
@blp.refuses(*WRITING, *BODY, "not_your_turn", "not_started", "game_over")
def ask_hint(body: Json, visit: Visit) -> Response:
    """Ask what an AI would do with what your seat knows.

    The answer is a job: look at it with the same token until it has finished. It fails with `stale_version` if the game
    moves on meanwhile. Your seat is thought for once at a time: whoever asks again for the same is told of the job that
    is under way; whoever asks for another level, or when the game has moved on, cancels it.
    """
    game, seat = visit.table, visit.own_seat
    game.check_decides(seat)
    return accepted(hints.ask(store(), game.id, game.version, seat, body["level"], auth.bearer() or ""))


@blp.route("/jobs/<job_id>")
@blp.doc(operationId="getJob", security=BEARER)
@blp.response(200, responses.ref("Job"), examples=examples.JOBS)
@blp.refuses(*OWNED)
def show(job_id: str) -> Response:
    """Show how far a job is: to whoever asked for it.

    A hint's takes the token that asked, an arena's its `job_token`. Jobs are kept for a day after they end.
    """
    return answer(as_json(auth.own_task(job_id)))


@blp.route("/jobs/<job_id>", methods=["DELETE"])
@blp.doc(operationId="cancelJob", security=BEARER)
@blp.response(200, responses.ref("Job"), example=examples.CANCELLED)
@blp.refuses(*OWNED)
def cancel(job_id: str) -> Response:
    """Cancel a job; one that has ended stays as it is.

    Who thinks for it stops within a moment. The right of whoever may look at it.
    """
    store().tasks.cancel(auth.own_task(job_id).id)
    return answer(as_json(store().tasks.load(job_id)))
