"""Jobs as they are answered: the resource as JSON, and the 202 that says that one has begun."""

from collections.abc import Callable, Mapping
from typing import Final

from flask import Response

from api.contract import operations
from api.http.caching import NOT_STORED
from api.http.request_io import answer
from api.http.services import services
from api.language import speaking
from api.problems.documents import document
from engines.analysis import review
from engines.core.phrase import Phrase, Translator, sentence
from engines.core.types import Json
from workers.background import hints, reviews
from workers.storage.tasks import Task

LOCATED: Final = {"Location": operations.LOCATION}


def as_json(task: Task) -> Json:
    """Return the job resource, in the reader's language; its problem as every problem is written."""
    shown, speak = {**task.as_json(), "ahead": services().store.tasks.ahead(task)}, speaking()
    if shown["problem"] is not None:
        return {**shown, "problem": _problem(shown["problem"], speak)}
    if shown["result"] is None or task.kind not in RESULT_LOCALIZERS:
        return shown
    return {**shown, "result": RESULT_LOCALIZERS[task.kind](shown["result"], speak)}


def _hint(stored: Json, speak: Translator) -> Json:
    """Return a hint as it is read."""
    actions = [{**action, "label": Phrase.load(action["label"]).render(speak)} for action in stored["actions"]]
    return {**stored, "actions": actions, "why": sentence(Phrase.load(stored["why"]).render(speak))}


RESULT_LOCALIZERS: Final[Mapping[str, Callable[[Json, Translator], Json]]] = {
    hints.KIND: _hint,
    reviews.KIND: review.with_texts,
}
"""By kind of job, what says its result in a language, where there is something to say."""


def _problem(stored: Json, speak: Translator) -> Json:
    facts = {name: fact for name, fact in stored.items() if name != "phrase"}
    return document({**facts, "detail": Phrase.load(stored["phrase"]).render(speak)}, speak)


def accepted(task: Task, **more: str) -> Response:
    """Answer that a job has begun, and where it can be watched."""
    headers = {"Location": f"/v1/jobs/{task.id}", "Cache-Control": NOT_STORED}
    return answer({**as_json(task), **more}, 202, headers)
