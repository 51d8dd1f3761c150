"""Nobody starves: whatever a crowd asks for, whoever plays goes on, and who has to wait too long is told so."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from threading import Event
from time import monotonic
from urllib.parse import urlsplit

import pytest

from tests.api.puzzles import QUIET
from tests.servers.served import RunningServer, running_server
from tests.waiting import allowed, comes_true

CROWD = 400
"""Clients, who ask again as soon as they are answered."""

LIST = b"GET /v1/games?limit=100 HTTP/1.1\r\nHost: localhost\r\n\r\n"
HUMANS = [{"kind": "human", "name": "Ana"}, {"kind": "human", "name": "Ben"}]
MOVES = 12
LONGEST_SECONDS = 2.0


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Give a server of one web process, which counts no requests."""
    wishes = {"WEB_WORKERS": "1", "REGICIDE_RATE_REQUESTS": "0", "REGICIDE_RATE_CREATE": "0"}
    with running_server(tmp_path_factory.mktemp("fair") / "data", **wishes) as running:
        yield running


async def ask_on(url: str, done: Event, heard: dict[int, list[float]]) -> None:
    """Ask for a list again and again, and note how long each answer took, by its status."""
    place = urlsplit(url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    while not done.is_set():
        began = monotonic()
        writer.write(LIST)
        head = (await reader.readuntil(b"\r\n\r\n")).lower().decode()
        fields = dict(line.split(": ", 1) for line in head.splitlines()[1:] if line)
        await reader.readexactly(int(fields["content-length"]))
        status = int(head.split()[1])
        heard.setdefault(status, []).append(monotonic() - began)
        if status != HTTPStatus.OK:
            assert (status, fields["retry-after"]) == (503, "2")
            await asyncio.sleep(0.1)  # an impatient client: it was told two seconds
    writer.close()
    await writer.wait_closed()


async def crowd(url: str, done: Event, heard: dict[int, list[float]]) -> None:
    """Let all of them ask."""
    await asyncio.gather(*[ask_on(url, done, heard) for _ in range(CROWD)])


def test_moves_are_not_behind_lists(served: RunningServer):
    """400 clients ask for lists all the time: moves are answered, and no list is waited for much longer than 2 s."""
    done, heard, moves = Event(), dict[int, list[float]](), list[float]()
    with served.client() as server, ThreadPoolExecutor(1) as other:
        for _ in range(100):
            server.create("regicide", HUMANS)
        players = [server.create("regicide", HUMANS, position=QUIET).players[0] for _ in range(MOVES)]
        lists = other.submit(asyncio.run, crowd(served.url, done, heard))
        try:
            for player in players:
                began = monotonic()
                player.act("play 5S")
                moves.append(monotonic() - began)
                done.wait(0.25)
            assert comes_true(lambda: len(heard.get(HTTPStatus.OK, ())) > CROWD), "lists are answered too"
        finally:
            done.set()
        lists.result(30)

    assert sorted(moves)[MOVES // 2] <= allowed(0.5)
    assert max(moves) <= allowed(LONGEST_SECONDS)
    assert max(max(waits) for waits in heard.values()) <= allowed(2 * LONGEST_SECONDS)
