"""What the tests of the engines share."""

import pytest


@pytest.fixture(autouse=True)
def _no_search_is_late(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """A search ends by its iterations, so that it comes to the same on a busy machine."""
    if request.node.get_closest_marker("clock") is None:
        monkeypatch.setattr("engines.ai.search.monotonic", lambda: 0.0)
