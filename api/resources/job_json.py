"""The job resource as JSON, and the 202 response that starts a job."""

from collections.abc import Callable, Mapping
from typing import Final

from flask import Response

from api.contract import operation_additions
from api.http.caching import NO_STORE_CACHE_CONTROL
from api.http.request_io import json_response
from api.http.services import services
from api.language import current_translator
from api.problems.documents import document
from engines.analysis import review
from engines.core.phrase import Phrase, Translator, sentence
from engines.core.types import Json
from workers.background import hints, reviews
from workers.storage.tasks import ACTIVE_STATUSES, Task

LOCATION_HEADER: Final = {"Location": operation_additions.LOCATION_HEADER_REFERENCE}


def as_json(task: Task) -> Json:
    """Return the job resource in the reader's language. A failure is a problem document."""
    translate = current_translator()
    ahead, partial = services().store.tasks.ahead(task), _partial_review(task, translate)
    shown = {**task.as_json(), "ahead": ahead, "partial": partial}
    if shown["problem"] is not None:
        return {**shown, "problem": _problem(shown["problem"], translate)}
    if shown["result"] is None or task.kind not in RESULT_LOCALIZERS:
        return shown
    return {**shown, "result": RESULT_LOCALIZERS[task.kind](shown["result"], translate)}


def _hint(stored: Json, translate: Translator) -> Json:
    """Return a stored hint with its labels and its reason translated."""
    actions = [{**action, "label": Phrase.load(action["label"]).render(translate)} for action in stored["actions"]]
    return {**stored, "actions": actions, "why": sentence(Phrase.load(stored["why"]).render(translate))}


def _partial_review(task: Task, translate: Translator) -> Json | None:
    """Return a running review with the decisions that have been judged so far.

    Return None for any other task, and before the first decision is judged.
    """
    if task.kind != reviews.TASK_KIND or task.status not in ACTIVE_STATUSES:
        return None
    judged = reviews.judged_so_far(services().store, task)
    return review.with_texts(judged, translate) if judged["decisions"] else None


RESULT_LOCALIZERS: Final[Mapping[str, Callable[[Json, Translator], Json]]] = {
    hints.TASK_KIND: _hint,
    reviews.TASK_KIND: review.with_texts,
}
"""Functions that translate a job's result, by kind of job."""


def _problem(stored: Json, translate: Translator) -> Json:
    facts = {name: fact for name, fact in stored.items() if name != "phrase"}
    return document({**facts, "detail": Phrase.load(stored["phrase"]).render(translate)}, translate)


def accepted(task: Task, **more: str) -> Response:
    """Return the 202 response of a started job, with its address. *more* has fields in addition to those of the job."""
    headers = {"Location": f"/v1/jobs/{task.id}", "Cache-Control": NO_STORE_CACHE_CONTROL}
    return json_response({**as_json(task), **more}, 202, headers)
