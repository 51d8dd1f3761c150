"""Count, with a proxy, the round trips to the store and the hash slots used for each move.

Commands that a client sends before the store replies count as one round trip. The store's keys are divided into 48
partitions (workers/storage/keys.py). The queue is on a separate server.
"""

import asyncio
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain, takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Final

import httpx
from redis.crc import key_slot
from redis.exceptions import ResponseError

from benchmarks import measured_server, scripted_games
from benchmarks.results import Found, Plan, Row
from engines.core.types import Json
from tests.clusters import Node, alone
from tests.ports import free_port
from tests.servers.served import ending
from tests.waiting import comes_true

SUITE: Final = "round trips of a move before its answer"
PARTITIONS: Final = "48"
WARM_UP_MOVES: Final = 3
"""Number of moves before counting begins, because the first moves also open connections and load scripts."""

MOVES: Final = 12
NEXT_SEAT_BY_ROW_NAME: Final = {
    "a person is next": {"kind": "human", "name": "Ben"},
    "an AI is next": {"kind": "ai", "level": "novice"},
}
MAX_READ_BYTES: Final = 1 << 16
LINE_END: Final = b"\r\n"
START_TIMEOUT_SECONDS: Final = 30.0

Command = list[bytes]


@dataclass
class Burst:
    """The bytes that a client sends before the server's next reply, and the time of the first byte."""

    at: float
    sent: bytearray = field(default_factory=bytearray)

    def commands(self) -> list[Command]:
        """Return the commands that the bytes contain, as lists of words."""
        found, at = [], 0
        while at < len(self.sent):
            count, at = self._number(at)
            words: Command = []
            for _ in range(count):
                length, at = self._number(at)
                words.append(bytes(self.sent[at : at + length]))
                at += length + len(LINE_END)
            found.append(words)
        return found

    def _number(self, at: int) -> tuple[int, int]:
        """Parse a line such as ``*3`` or ``$10``; return its number, and the offset of the next line."""
        end = self.sent.index(LINE_END, at)
        return int(self.sent[at + 1 : end]), end + len(LINE_END)


class Proxy:
    """A proxy between Redis clients and a server, which records every burst of commands."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.port = free_port()
        self.bursts: list[Burst] = []

    @property
    def url(self) -> str:
        """The address by which clients use the proxy."""
        return f"redis://127.0.0.1:{self.port}"

    @contextmanager
    def running(self) -> Iterator["Proxy"]:
        """Run the proxy in a thread."""
        loop, ready = asyncio.new_event_loop(), Future[None]()
        thread = threading.Thread(target=loop.run_until_complete, args=(self._serve(ready, loop),), daemon=True)
        thread.start()
        ready.result()
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(self._end.set)
            thread.join()

    def between(self, began: float, ended: float) -> list[list[Command]]:
        """Return the commands of each burst that began between these times (monotonic clock)."""
        return [burst.commands() for burst in self.bursts if began <= burst.at <= ended]

    async def _serve(self, ready: Future[None], loop: asyncio.AbstractEventLoop) -> None:
        self._end = asyncio.Event()
        async with await asyncio.start_server(self._meet, "127.0.0.1", self.port):
            loop.call_soon(ready.set_result, None)
            await self._end.wait()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind, there = await asyncio.open_connection("127.0.0.1", self.node.port)
        open_burst: list[Burst] = []

        def asks(piece: bytes) -> None:
            if not open_burst:
                open_burst.append(Burst(monotonic()))
                self.bursts.append(open_burst[0])
            open_burst[0].sent += piece

        def says(_: bytes) -> None:
            open_burst.clear()

        await asyncio.gather(_pass_on(reader, there, asks), _pass_on(behind, writer, says))


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, note: Callable[[bytes], None]) -> None:
    """Forward data until the connection ends, calling *note* with each piece."""
    with suppress(ConnectionError):
        while piece := await reader.read(MAX_READ_BYTES):
            note(piece)
            writer.write(piece)
            await writer.drain()
    writer.close()


@contextmanager
def _web_server(folder: Path, store: Proxy, queue: Proxy) -> Iterator[str]:
    """Run a web server without workers, and return its address."""
    port = free_port()
    environ = {
        **os.environ,
        **measured_server.UNLIMITED_SETTINGS,
        **measured_server.web_workers(1),
        "PYTHONPATH": str(measured_server.ROOT),
        "PORT": str(port),
        "REGICIDE_DATA": str(folder),
        "REDIS_URL": store.url,
        "REGICIDE_QUEUE_URL": queue.url,
        "REGICIDE_PARTITIONS": PARTITIONS,
        "REGICIDE_LOG_LEVEL": "warning",
    }
    process = subprocess.Popen([sys.executable, "-P", "-m", "api"], env=environ, cwd=measured_server.ROOT)
    with ending(process):
        if not comes_true(lambda: measured_server.listens(port), START_TIMEOUT_SECONDS):
            raise RuntimeError("The web server doesn't listen.")
        yield f"http://127.0.0.1:{port}"


@dataclass(frozen=True)
class Moves:
    """Plays moves, and counts the commands that each move sends to the store and to the queue."""

    http: httpx.Client
    store: Proxy
    queue: Proxy

    def row(self, name: str, seat: Json) -> Row:
        """Play new games whose second seat is *seat*; return the figures of the moves that give this seat the turn."""
        played = [self._played(seat) for _ in range(WARM_UP_MOVES + MOVES)][WARM_UP_MOVES:]
        said = [_bursts_text(stored + queued) for stored, queued in played]
        usual = Counter(said).most_common(1)[0][0]
        found = Found()
        for words, (stored, queued) in zip(said, played, strict=True):
            if words == usual:  # leaves out moves with other commands, such as those of a periodic task
                found.note(
                    {
                        "to the store": len(stored),
                        "to the queue": len(queued),
                        "commands": sum(map(len, stored + queued)),
                        "slots": len({key_slot(key) for key in self._keys(chain.from_iterable(stored))}),
                    }
                )
        return found.row(SUITE, f"{name}: {usual}")

    def _played(self, seat: Json) -> tuple[list[list[Command]], list[list[Command]]]:
        """Play the first seat's turn in a new game; return its last move's commands, to the store and to the queue."""
        opening = scripted_games.openings()[0]
        body = scripted_games.CREATION_BODY | {"seats": [scripted_games.SEATS[0], seat], "position": opening.position}
        made = self.http.post("/v1/games", json=body).raise_for_status().json()
        began = ended = 0.0
        for _, text in takewhile(lambda move: move[0] == 0, opening.moves):
            began = monotonic()
            self._act(made["id"], made["tokens"]["0"], text)
            ended = monotonic()
        return self.store.between(began, ended), self.queue.between(began, ended)

    def _act(self, game: str, token: str, text: str) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self.http.post(f"/v1/games/{game}/actions", headers=headers, json={"text": text}).raise_for_status()

    def _keys(self, commands: Iterable[Command]) -> Iterator[bytes]:
        """Yield the keys of commands."""
        with self.store.node.client() as client:
            for command in commands:
                with suppress(ResponseError):  # commands without keys, such as PING
                    yield from map(str.encode, client.command_getkeys(*command))


def _bursts_text(bursts: Iterable[list[Command]]) -> str:
    """Format the names of commands, with a bar between round trips."""
    return " | ".join(" + ".join(words[0].decode() for words in burst) for burst in bursts)


def rows(plan: Plan) -> Iterator[Row]:  # noqa: ARG001 - counts need no repeated rounds
    """Yield a row per kind of move."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="bench-")))
        nodes = [stack.enter_context(alone(folder / name)) for name in ("store", "queue")]
        store, queue = (stack.enter_context(Proxy(node).running()) for node in nodes)
        url = stack.enter_context(_web_server(folder, store, queue))
        http = stack.enter_context(httpx.Client(base_url=url, trust_env=False, timeout=30))
        moves = Moves(http, store, queue)
        for name, seat in NEXT_SEAT_BY_ROW_NAME.items():
            yield moves.row(name, seat)
