"""A server as it is by default: all tests that want no more than to talk to one share it, with one for each process."""

from collections.abc import Iterator

import pytest

from tests.servers.served import RunningServer, running_server


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give a server to talk to, which nobody kills. A file whose tests want another has a ``served`` of its own."""
    with running_server(tmp_path_factory.mktemp("shared") / "data") as running:
        yield running
