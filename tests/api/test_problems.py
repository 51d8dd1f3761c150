"""The table of problems is total, and explains itself."""

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient
from structlog.testing import capture_logs

import api.problems.errors
import workers.storage.errors
from api.app import create_app
from api.problems.documents import CODES_BY_STATUS, PROBLEM_TYPES, problem
from engines.core.errors import Refusal
from workers.settings import Settings
from workers.storage.store import Store


def kinds_of(refusal: type[Refusal]) -> Iterator[type[Refusal]]:
    """Yield every class below *refusal*."""
    for kind in refusal.__subclasses__():
        yield kind
        yield from kinds_of(kind)


ROOTS = {api.problems.errors.HttpRefusal, workers.storage.errors.StorageRefusal}


@pytest.mark.parametrize("refusal", sorted(set(kinds_of(Refusal)) - ROOTS, key=str), ids=lambda kind: kind.__name__)
def test_every_refusal_has_a_voice(refusal: type[Refusal]):
    """Its code is its own, and has a status, a title and an explanation."""
    if refusal.__module__.startswith("tests."):
        pytest.skip("made for a test")
    assert "code" in vars(refusal), "a code of its own"
    assert str(PROBLEM_TYPES[refusal.code].explanation).endswith(".")


def test_every_status_of_http():
    """What Flask refuses has a code of the same status."""
    assert all(PROBLEM_TYPES[code].status == status for status, code in CODES_BY_STATUS.items())


@pytest.mark.parametrize("code", PROBLEM_TYPES)
def test_every_type_is_explained(http: FlaskClient, code: str):
    """``type`` is a path of this server."""
    kind = PROBLEM_TYPES[code]

    said = http.get(f"/problems/{code}").get_json()

    assert said == {"code": code, "status": kind.status, "title": str(kind.title), "explanation": str(kind.explanation)}


def test_our_own_mistakes(settings: Settings, store: Store):
    """A problem without a traceback, in the log and to the client; the message could name a card."""

    def broken() -> str:
        raise RuntimeError("the top card is QH")

    app = create_app(settings, store)
    app.add_url_rule("/broken", view_func=broken)

    with capture_logs() as lines:
        response = app.test_client().get("/broken", headers={"X-Request-Id": "r-1"})

    assert (response.status_code, response.get_json()["code"]) == (500, "internal_error")
    assert response.headers["X-Request-Id"] == "r-1"
    assert "QH" not in response.text + str(lines)
    assert "Traceback" not in response.text
    assert [line["error"] for line in lines if line["event"] == "internal_error"] == ["RuntimeError"]


def test_waiting_is_said_twice(app: Flask):
    """In the body, and in HTTP's own header."""
    with app.test_request_context():
        answer = problem(workers.storage.errors.StorageUnavailable())

    assert answer.get_json()["retry_after"] == 1
    assert answer.headers["Retry-After"] == "1"
