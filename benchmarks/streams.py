"""Measure streams under load: are all versions delivered once and in order, and do moves slow down?

``python -m benchmarks.streams`` starts a server. Rounds without and with streams, without and with busy AIs, alternate.
In each round clients play the same number of new games over HTTP, at random and with pauses. Seats and spectators watch
the games over ``--streams`` streams. All players are in one process, all viewers in another. The delay of a message is
the time from the commit, as logged by the server, to its arrival at a viewer.
"""

import asyncio
import multiprocessing
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic, perf_counter, time
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import orjson

from benchmarks import measured_server
from benchmarks.measured_server import Target
from benchmarks.results import Measure, Plan, Row, interleaved, quantile, ratios, report
from benchmarks.subjects import longest_game
from engines.core.types import Json
from tests.waiting import comes_true

MAX_CONNECTING_STREAMS = 50
"""Maximum number of streams that are being opened at the same time."""

MESSAGE_PREFIX = b'{"version":'
"""The beginning of a message, before the version number. What follows the number is not parsed, for speed."""

MAX_LINE_BYTES = 1 << 20
TIMEOUT_SECONDS = 60.0
WORKERS: Final = 2
THINKING_GAMES: Final = 4
"""Number of games among AIs of the level ``master`` that keep the workers busy."""

Watched = tuple[str, str | None]
"""A game's id, and the token of its viewer; None for a spectator."""

Version = tuple[str, int]
"""A game's id, and one of its versions."""

Message = tuple[int, float]
"""A version, and the time of its arrival."""


@dataclass
class Table:
    """One game, and the tokens with which a client plays all its seats."""

    id: str
    host: str
    tokens: dict[str, str]
    final: int = 0
    """The game's last version."""


@dataclass
class Round:
    """The figures of a round."""

    seconds: list[float] = field(default_factory=list)
    """Seconds of each move."""
    messages: int = 0
    wrong: int = 0
    """Number of streams with a missing or repeated version, or with versions out of order."""
    delays: list[float] = field(default_factory=list)
    """Seconds from each commit to each arrival."""

    def figures(self) -> dict[str, float]:
        """Return the figures of one round, as a row of the results."""
        moves = {"moves": len(self.seconds), **_milliseconds("move", self.seconds)}
        if not self.messages:
            return moves
        return {**moves, "messages": self.messages, "wrong": self.wrong, **_milliseconds("to reader", self.delays)}


# Viewers


def watch(url: str, watched: list[Watched], line: Connection) -> None:
    """Watch games until they end. Send ``open`` on *line* once all streams are open, and all messages at the end."""
    line.send(asyncio.run(_watch(url, watched, line)))


async def _watch(url: str, watched: list[Watched], line: Connection) -> list[list[Message]]:
    door, opened = asyncio.Semaphore(MAX_CONNECTING_STREAMS), asyncio.Barrier(len(watched) + 1)
    tasks = [asyncio.create_task(_follow(url, game, token, door, opened)) for game, token in watched]
    async with asyncio.timeout(TIMEOUT_SECONDS):
        await opened.wait()
    line.send("open")
    return await asyncio.gather(*tasks)


async def _follow(
    url: str, game: str, token: str | None, door: asyncio.Semaphore, opened: asyncio.Barrier
) -> list[Message]:
    """Read a stream until it ends; return version and arrival time of each message.

    Waits at *opened* until every stream has its first message. HTTP/1.0 is used to avoid chunked encoding.
    """
    head = [f"GET /v1/games/{game}/stream HTTP/1.0", "Host: bench", "Accept: application/x-ndjson"]
    async with door:
        reader, writer = await asyncio.open_connection(*_address(url), limit=MAX_LINE_BYTES)
        writer.write("\r\n".join([*head, *([f"Authorization: Bearer {token}"] if token else []), "", ""]).encode())
        status = await reader.readline()
        if b" 200 " not in status:
            raise ConnectionError(status.decode())
        while (await reader.readline()).strip():
            pass
        heard: list[Message] = [(orjson.loads(await reader.readline())["version"], time())]
    await opened.wait()
    while text := await reader.readline():
        if text.startswith(MESSAGE_PREFIX):
            heard.append((int(text[len(MESSAGE_PREFIX) : text.index(b",")]), time()))
    writer.close()
    return heard


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return str(parts.hostname), int(parts.port or 80)


# Players


@dataclass(frozen=True)
class Audience:
    """The viewers, who are in another process."""

    watched: list[Watched]
    heard: Connection
    """The pipe on which the viewers' process reports."""

    async def got(self) -> list[list[Message]]:
        """Wait for the ends of all streams; return the messages that each stream received. Raises ``TimeoutError``."""
        if not await asyncio.to_thread(self.heard.poll, TIMEOUT_SECONDS):
            raise TimeoutError("Some streams haven't ended, although their games have.")
        return list(self.heard.recv())


async def play(target: Target, args: Namespace, streams: int, thinking: int) -> Round:
    """Measure a round while *streams* streams are open and *thinking* games of AIs are running."""
    found, url = Round(), target.url
    limits = httpx.Limits(max_connections=args.games)
    async with httpx.AsyncClient(base_url=url, timeout=TIMEOUT_SECONDS, trust_env=False, limits=limits) as http:
        busy = [await _open(http, {"kind": "ai", "level": "master"}) for _ in range(thinking)]
        tables = [await _open(http, {"kind": "human", "name": "Ana"}) for _ in range(args.games)]
        audience = await _open_streams(url, tables, streams) if streams else None
        until = monotonic() + args.seconds
        await asyncio.gather(*(_move(http, table, args.pause, until, found.seconds) for table in tables))
        for table in [*tables, *busy]:
            ended = await http.delete(f"/v1/games/{table.id}", headers=_bearer(table.host))
            table.final = (ended if ended.is_success else await http.get(f"/v1/games/{table.id}")).json()["version"]
    if audience is not None:
        _judge(found, audience.watched, await audience.got(), {table.id: table.final for table in tables}, target)
    return found


def _judge(
    found: Round, watched: list[Watched], got: list[list[Message]], finals: dict[str, int], target: Target
) -> None:
    """Record in *found* whether each stream received each version once and in order, and the delays."""
    commits = _commits(target, set(finals.items()))
    for (game, _), messages in zip(watched, got, strict=True):
        found.messages += len(messages)
        found.wrong += [version for version, _ in messages] != list(range(finals[game] + 1))
        found.delays += [at - commits[game, version] for version, at in messages[1:]]


def _commits(target: Target, last: set[Version]) -> dict[Version, float]:
    """Wait until the log has the *last* version of each game; return the commit times of all versions, from the log.

    Raises ``TimeoutError``.
    """
    found: dict[Version, float] = {}

    def is_complete() -> bool:
        for event in target.events():
            if event["event"] == "changed":
                found[event["game_id"], event["version"]] = datetime.fromisoformat(event["timestamp"]).timestamp()
        return last <= found.keys()

    if not comes_true(is_complete, TIMEOUT_SECONDS):
        raise TimeoutError("The log doesn't tell of every game's end.")
    return found


async def _open_streams(url: str, tables: list[Table], streams: int) -> Audience:
    """Open *streams* streams from a new process, and wait until all are open."""
    watched: list[Watched] = []
    for number in range(streams):
        table = tables[number % len(tables)]
        eyes = [*table.tokens.values(), None]
        watched.append((table.id, eyes[number // len(tables) % len(eyes)]))
    heard, telling = multiprocessing.Pipe(duplex=False)
    multiprocessing.get_context("spawn").Process(target=watch, args=(url, watched, telling), daemon=True).start()
    telling.close()
    await asyncio.to_thread(heard.recv)
    return Audience(watched, heard)


async def _open(http: httpx.AsyncClient, seat: Json) -> Table:
    body = {"ruleset": longest_game(), "seats": [seat] * 2}
    created = (await http.post("/v1/games", json=body)).raise_for_status().json()
    return Table(created["id"], created["host_token"], created["tokens"])


async def _move(http: httpx.AsyncClient, table: Table, pause: float, until: float, seconds: list[float]) -> None:
    """Make a random move every *pause* seconds until *until*, and add the latencies to *seconds*."""
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


def rows(plan: Plan, args: Namespace | None = None) -> Iterator[Row]:
    """Yield rows without and with streams, each with idle AIs and with busy AIs."""
    args = args or arguments([f"--games={plan.games}", f"--streams={plan.streams}", f"--seconds={6 * plan.seconds}"])
    suite = f"streams: {args.streams:,} on {args.games} games"
    with TemporaryDirectory(prefix="bench-") as folder:
        environ = {"WORKERS": str(WORKERS), **measured_server.web_workers(1)}
        with measured_server.served("streams", Path(folder) / "streams", environ) as target:
            measures: dict[str, Measure] = {}
            for ais, thinking in (("AIs idle", 0), ("AIs thinking", THINKING_GAMES)):
                for name, streams in (("no streams", 0), ("streams", args.streams)):
                    measures[f"{name}, {ais}"] = partial(_measure_round, target, args, streams, thinking)
            found = interleaved(plan.long_rounds, measures)
    for name, one in found.items():
        alone = found["no " + name if one.cells.get("messages") else name]
        yield one.row(suite, name, **{"p99 x no streams": ratios(one.cells["move p99 ms"], alone.cells["move p99 ms"])})


def _measure_round(target: Target, args: Namespace, streams: int, thinking: int) -> dict[str, float]:
    return asyncio.run(play(target, args, streams, thinking)).figures()


def _milliseconds(name: str, seconds: list[float]) -> dict[str, float]:
    return {f"{name} p{share} ms": 1000 * quantile(seconds, share / 100) for share in (50, 99)}


def arguments(words: Sequence[str] | None = None) -> Namespace:
    """Parse the command line."""
    parser = ArgumentParser(prog="python -m benchmarks.streams", description=__doc__)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two moves of a game")
    parser.add_argument("--seconds", type=float, default=15.0, help="seconds of a round")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each kind")
    return parser.parse_args(words)


def main() -> None:
    """Run the benchmark and print the results."""
    args = arguments()
    report(rows(Plan(long_rounds=args.rounds), args))


if __name__ == "__main__":
    main()
