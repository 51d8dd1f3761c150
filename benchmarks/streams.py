"""Many watch while games are played: does every stream get every version once, in order, and do moves get slower?

``python -m benchmarks.streams``. A server is started for it. Rounds without streams and rounds with them take turns, so
that what else the machine does falls on both. In each round the same number of new games is played over HTTP, by
clients that move by chance once in a while; each game is watched by its seats and by spectators, over as many streams.
The players are one process, those who watch another.
"""

import asyncio
import multiprocessing
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from random import Random
from statistics import median, quantiles
from time import monotonic, perf_counter
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson

from api.demo import temporary_server
from benchmarks.__main__ import machine

CONNECTING = 50
"""So many streams are opened at a time."""

MESSAGE = b'{"version":'
"""How a message begins: there is no need to read a thousand of them a second to their ends."""

LONGEST_LINE = 1 << 20
PATIENCE = 60.0
Watched = tuple[str, str | None]
"""A game's id, and the token that it is watched with."""


@dataclass
class Table:
    """One game with its tokens: a client that plays all its seats."""

    id: str
    host: str
    tokens: dict[str, str]
    final: int = 0
    """The version that ended it."""


@dataclass
class Round:
    """What was measured."""

    seconds: list[float] = field(default_factory=list)
    """How long each move took."""
    streams: int = 0
    messages: int = 0
    wrong: int = 0
    """Streams that missed a version, got one twice, or out of order."""


# Those who watch


def watch(url: str, watched: list[Watched], line: Connection) -> None:
    """Watch until all games have ended: say when all streams are open, then which versions each has got."""
    line.send(asyncio.run(_watch(url, watched, line)))


async def _watch(url: str, watched: list[Watched], line: Connection) -> list[list[int]]:
    door, opened = asyncio.Semaphore(CONNECTING), asyncio.Barrier(len(watched) + 1)
    tasks = [asyncio.create_task(_follow(url, game, token, door, opened)) for game, token in watched]
    async with asyncio.timeout(PATIENCE):
        await opened.wait()
    line.send("open")
    return await asyncio.gather(*tasks)


async def _follow(
    url: str, game: str, token: str | None, door: asyncio.Semaphore, opened: asyncio.Barrier
) -> list[int]:
    """Return the version of each message, the snapshot's first. HTTP/1.0 spares us the chunks."""
    asked = [f"GET /v1/games/{game}/stream HTTP/1.0", "Host: bench", "Accept: application/x-ndjson"]
    async with door:
        reader, writer = await asyncio.open_connection(*_address(url), limit=LONGEST_LINE)
        writer.write("\r\n".join([*asked, *([f"Authorization: Bearer {token}"] if token else []), "", ""]).encode())
        status = await reader.readline()
        if b" 200 " not in status:
            raise ConnectionError(status.decode())
        while (await reader.readline()).strip():
            pass
        versions = [orjson.loads(await reader.readline())["version"]]
    await opened.wait()
    while text := await reader.readline():
        if text.startswith(MESSAGE):
            versions.append(int(text[len(MESSAGE) : text.index(b",")]))
    writer.close()
    return versions


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return str(parts.hostname), int(parts.port or 80)


# Those who play


async def play(url: str, asked: Namespace, *, watching: bool) -> Round:
    """Play one round, with streams or without."""
    found = Round()
    limits = httpx.Limits(max_connections=asked.games)
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE, trust_env=False, limits=limits) as http:
        tables = [await _open(http, number) for number in range(asked.games)]
        audience = await _seated(url, tables, asked.streams) if watching else None
        until = monotonic() + asked.seconds
        await asyncio.gather(*(_move(http, table, asked.pause, until, found.seconds) for table in tables))
        for table in tables:
            ended = await http.delete(f"/v1/games/{table.id}", headers=_bearer(table.host))
            table.final = (ended if ended.is_success else await http.get(f"/v1/games/{table.id}")).json()["version"]
    if audience is not None:
        watched, heard = audience
        finals = {table.id: table.final for table in tables}
        if not await asyncio.to_thread(heard.poll, PATIENCE):
            raise TimeoutError("Some streams haven't ended, although their games have.")
        got = heard.recv()
        found.streams, found.messages = len(got), sum(map(len, got))
        found.wrong = sum(
            versions != list(range(finals[game] + 1)) for (game, _), versions in zip(watched, got, strict=True)
        )
    return found


async def _seated(url: str, tables: list[Table], streams: int) -> tuple[list[Watched], Connection]:
    """Open the streams, from a process of their own; return who watches what, and where it will tell."""
    watched: list[Watched] = []
    for number in range(streams):
        table = tables[number % len(tables)]
        eyes = [*table.tokens.values(), None]
        watched.append((table.id, eyes[number // len(tables) % len(eyes)]))
    heard, telling = multiprocessing.Pipe(duplex=False)
    multiprocessing.get_context("spawn").Process(target=watch, args=(url, watched, telling), daemon=True).start()
    telling.close()
    await asyncio.to_thread(heard.recv)
    return watched, heard


async def _open(http: httpx.AsyncClient, number: int) -> Table:
    seats = [{"kind": "human", "name": f"Seat {seat}"} for seat in range(2)]
    body = {"ruleset": "gridcannon", "seats": seats, "client_seed": str(number)}
    created = (await http.post("/v1/games", json=body)).raise_for_status().json()
    return Table(created["id"], created["host_token"], created["tokens"])


async def _move(http: httpx.AsyncClient, table: Table, pause: float, until: float, seconds: list[float]) -> None:
    """Move by chance every *pause* seconds, for whoever must, and note how long each answer took."""
    rng = Random(table.id)
    await asyncio.sleep(pause * rng.random())
    game: dict[str, Any] = (await http.get(f"/v1/games/{table.id}")).raise_for_status().json()
    while monotonic() < until and game["to_act"]:
        who = _bearer(table.tokens[str(game["to_act"][0])])
        legal = (await http.get(f"/v1/games/{table.id}/actions", headers=who)).raise_for_status().json()["actions"]
        began = perf_counter()
        moved = await http.post(f"/v1/games/{table.id}/actions", headers=who, json=rng.choice(legal)["action"])
        seconds.append(perf_counter() - began)
        game = moved.raise_for_status().json()
        await asyncio.sleep(max(0.0, pause - (perf_counter() - began)))


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def main() -> None:
    """Measure and print."""
    parser = ArgumentParser(prog="python -m benchmarks.streams", description=__doc__)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds from move to move of a game")
    parser.add_argument("--seconds", type=float, default=15.0, help="how long a round takes")
    parser.add_argument("--rounds", type=int, default=3, help="rounds without streams, and as many with them")
    asked = parser.parse_args()

    print(f"Before: {machine()}\n\nround            moves   p50 ms   p99 ms  streams  messages  wrong")
    rounds: dict[bool, list[Round]] = {False: [], True: []}
    with temporary_server() as url:
        for _ in range(asked.rounds):
            for watching, played in rounds.items():
                played.append(asyncio.run(play(url, asked, watching=watching)))
                report("with streams" if watching else "without", played[-1])
    alone, watched = (median(p99(round_.seconds) for round_ in played) for played in rounds.values())
    print(f"\nmedian p99 with streams / without: {watched / alone:.2f}\n\nAfter: {machine()}")


def report(name: str, round_: Round) -> None:
    """Print a round in a line."""
    middle, last = 1000 * median(round_.seconds), 1000 * p99(round_.seconds)
    print(
        f"{name:14}{len(round_.seconds):8}{middle:9.1f}{last:9.1f}"
        f"{round_.streams:9}{round_.messages:10}{round_.wrong:7}",
        flush=True,
    )


def p99(seconds: list[float]) -> float:
    """Return the 99th percentile."""
    return quantiles(seconds, n=100)[-1]


if __name__ == "__main__":
    main()
