"""Streams without an event loop, as a plain WSGI server asks for them; tests/servers has them over a real one."""

import pytest
from flask import Flask, Response

from api.http.services import services
from tests.api.games import Game, plain


def test_who_has_heard_the_end_has_left(game: Game, app: Flask):
    """Before the loop on which they waited is closed, and not only when the server closes the answer."""
    feed = services(app).feed
    plain(game.ask("DELETE", "", "host"))

    answer = game.ask("GET", "/stream")
    text = answer.text

    assert '"status":"abandoned"' in text
    assert feed.watchers == 0
    answer.close()


def test_who_is_cut_off_has_left_too(game: Game, app: Flask):
    """In the middle of a stream."""
    feed = services(app).feed
    answer = game.ask("GET", "/stream")
    before = feed.watchers

    answer.close()

    assert (before, feed.watchers) == (1, 0)


def test_what_fails_after_a_stream_was_begun_gives_its_place_back(
    game: Game, app: Flask, monkeypatch: pytest.MonkeyPatch
):
    """The error is answered in its place, and nobody closes the stream that isn't sent."""
    failures = iter([RuntimeError()])

    def fail(response: Response) -> Response:
        for failure in failures:
            raise failure
        return response

    monkeypatch.setitem(app.after_request_funcs, None, [fail, *app.after_request_funcs[None]])

    assert game.ask("GET", "/stream").status_code == 500
    assert services(app).feed.watchers == 0
