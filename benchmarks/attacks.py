"""Measure the latencies of a player while the server is attacked: ``python -m benchmarks.attacks``.

The server is started with its default limits. A person plays games with an AI over HTTP, alternately without an attack
and during each attack. Attackers are separate processes with their own loopback addresses (127.0.0.2 and so on).
"""

import asyncio
import json
import multiprocessing
import resource
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count, cycle
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from time import monotonic, perf_counter
from typing import Any, Final

import httpx

from benchmarks.measured_server import served
from benchmarks.results import Found, Plan, Row, quantile, ratios, report
from benchmarks.subjects import FIRST_RULESET

SILENT_CONNECTIONS: Final = 5_000
UNSENT_BODIES: Final = 4 * 520
LEAVING_CLIENTS: Final = 200
"""Number of clients that send a request and disconnect in each of up to fifty rounds per second."""
STREAMS: Final = 1_000
MASTER_GAMES: Final = 240
ARENAS: Final = 150
COSTLY_CLIENTS: Final = 4
MAX_REOPENED_CONNECTIONS: Final = 100
"""Maximum number of connections that an attack reopens every 0.2 s, after the server has closed them."""
BODY_FIELDS: Final = ("Content-Type: application/json", "Content-Length: 100")
FOUR_ADDRESSES: Final = ("127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.6")
RESET_ON_CLOSE_OPTION: Final = struct.pack("ii", 1, 0)
TIMEOUT_SECONDS: Final = 30.0
CREATIONS_PER_ADDRESS: Final = {"games": 20, "arenas": 2}
"""Number of games, and number of arenas, that are created from each address."""

Attack = Callable[[int, Callable[[], None]], None]
"""A function that attacks a port until its process is killed. It calls its second argument when at full strength."""


def _allow_files() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def connected(port: int, address: str) -> socket.socket:
    """Return a new connection from *address*."""
    return socket.create_connection(("127.0.0.1", port), source_address=(address, 0))


def silent(port: int, under_way: Callable[[], None]) -> None:
    """Connect and send nothing; reconnect when the server closes a connection."""
    _hold(port, SILENT_CONNECTIONS, b"", under_way, "127.0.0.2")


def unfinished(port: int, under_way: Callable[[], None]) -> None:
    """Announce a body of 1 MB on each connection, and send half of it."""
    head = b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
    _hold(port, 500, head + b" " * 500_000, under_way, "127.0.0.2")


def half_bodies(port: int, under_way: Callable[[], None]) -> None:
    """Announce a body that a handler reads, and never send it. The connections come from four addresses."""
    _hold(port, UNSENT_BODIES, _head("POST", "/v1/games", *BODY_FIELDS), under_way, *FOUR_ADDRESSES)


def refused_bodies(port: int, under_way: Callable[[], None]) -> None:
    """Announce a body to a path without a handler, and never send it. The connections come from four addresses."""
    _hold(port, UNSENT_BODIES, _head("POST", "/v1/nothing", *BODY_FIELDS), under_way, *FOUR_ADDRESSES)


def resets(port: int, under_way: Callable[[], None]) -> None:
    """Open streams and reset their connections at once."""
    _leave(port, _head("GET", f"/v1/games/{_open_game(port)['id']}/stream"), under_way, is_reset=True)


def departures(port: int, under_way: Callable[[], None]) -> None:
    """Request lists of games and disconnect before the response."""
    _leave(port, _head("GET", "/v1/games?limit=100"), under_way)


def abandoned_polls(port: int, under_way: Callable[[], None]) -> None:
    """Start long polls of a game and disconnect at once."""
    game = _open_game(port)
    _leave(port, _head("GET", f"/v1/games/{game['id']}?wait=25", f'If-None-Match: "{game["version"]}"'), under_way)


def _open_game(port: int) -> dict[str, Any]:
    return _ask(port, "127.0.0.5", "/v1/games", _game("human", "human"))


def _head(method: str, path: str, *fields: str) -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: x", *fields, "", ""]).encode()


def _leave(port: int, said: bytes, under_way: Callable[[], None], *, is_reset: bool = False) -> None:
    """Send a request from ``LEAVING_CLIENTS`` clients at several addresses and disconnect, repeatedly.

    *is_reset*: reset the connections instead of closing them in order.
    """
    pause = Event()
    for number in count(0):
        for client in range(LEAVING_CLIENTS):
            with suppress(OSError), connected(port, f"127.0.4.{2 + (number + client) % 200}") as line:
                line.send(said)
                if is_reset:
                    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE_OPTION)
        if number == 0:
            under_way()
        pause.wait(0.02)


def trickling(port: int, under_way: Callable[[], None]) -> None:
    """Send the head of a request on each of many connections, at one byte per second."""
    lines: dict[int, socket.socket] = {}
    pause = Event()
    for byte in cycle(b"GET / HTTP/1.1\r\nX: " + b"y" * 1_000):
        for number in range(SILENT_CONNECTIONS // 5):
            try:
                line = lines.get(number) or connected(port, "127.0.0.2")
                lines[number] = line
                line.send(bytes([byte]))
            except OSError:
                lines.pop(number, None)
        under_way()
        pause.wait(1.0)


def _hold(port: int, most: int, said: bytes, under_way: Callable[[], None], *addresses: str) -> None:
    """Hold *most* connections open after sending *said*, and replace each that is closed."""
    lines: set[socket.socket] = set()
    pause, began, sources = Event(), False, cycle(addresses)
    while True:
        for _ in range(min(MAX_REOPENED_CONNECTIONS, most - len(lines)) if began else most):
            with suppress(OSError):
                line = connected(port, next(sources))
                line.settimeout(0)
                lines.add(line)
                line.send(said)
        if not began:
            under_way()
        began = True
        lines -= {line for line in lines if _is_ended(line)}
        pause.wait(0.2)


def _is_ended(line: socket.socket) -> bool:
    try:
        while part := line.recv(65_536):
            del part
    except BlockingIOError:
        return False
    except OSError:
        pass
    line.close()
    return True


def streams(port: int, under_way: Callable[[], None]) -> None:
    """Open ``STREAMS`` streams from one address, and read none of them."""
    game = _ask(port, "127.0.0.5", "/v1/games", _game("human", "human"))
    path = f"GET /v1/games/{game['id']}/stream HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    _hold(port, STREAMS, path, under_way, "127.0.0.5")


def masters(port: int, under_way: Callable[[], None]) -> None:
    """Start ``MASTER_GAMES`` games among AIs of the level ``master``."""
    for number in range(MASTER_GAMES):
        _ask(port, f"127.0.1.{2 + number // CREATIONS_PER_ADDRESS['games']}", "/v1/games", _game(*["master"] * 4))
    under_way()
    Event().wait()


def arenas(port: int, under_way: Callable[[], None]) -> None:
    """Start ``ARENAS`` arenas of a thousand games each."""
    for number in range(ARENAS):
        body = {"ruleset": FIRST_RULESET, "seats": ["master"] * 2, "games": 1_000}
        _ask(port, f"127.0.2.{2 + number // CREATIONS_PER_ADDRESS['arenas']}", "/v1/arenas", body)
    under_way()
    Event().wait()


def costly(port: int, under_way: Callable[[], None]) -> None:
    """Send bodies with thousands of errors, without a pause."""
    body = json.dumps({"ruleset": FIRST_RULESET, "seats": [{"k": 1}] * 7_000}).encode()
    asyncio.run(_repeat(port, "POST", "/v1/games", body, COSTLY_CLIENTS, under_way))


def lists(port: int, under_way: Callable[[], None]) -> None:
    """Request the longest lists of games from two hundred clients at the same time, without a pause."""
    asyncio.run(_repeat(port, "GET", "/v1/games?limit=100", b"", 200, under_way))


async def _repeat(port: int, method: str, path: str, body: bytes, count: int, under_way: Callable[[], None]) -> None:
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    sent = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body

    async def ask(number: int) -> None:
        address = f"127.0.3.{2 + number % 200}"
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
                while True:
                    writer.write(sent)
                    head = await reader.readuntil(b"\r\n\r\n")
                    size = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
                    await reader.readexactly(int(size))

    async with asyncio.TaskGroup() as clients:
        for number in range(count):
            clients.create_task(ask(number))
        under_way()


ATTACKS: Final[dict[str, Attack]] = {
    f"{SILENT_CONNECTIONS:,} silent connections": silent,
    "500 unfinished bodies": unfinished,
    f"{UNSENT_BODIES:,} half bodies": half_bodies,
    f"{UNSENT_BODIES:,} refused bodies": refused_bodies,
    "streams that are reset": resets,
    "clients that leave": departures,
    "long polls that are left": abandoned_polls,
    f"{SILENT_CONNECTIONS // 5:,} trickling heads": trickling,
    f"{STREAMS:,} streams nobody reads": streams,
    f"{MASTER_GAMES} games of masters": masters,
    f"{ARENAS} arenas": arenas,
    f"{COSTLY_CLIENTS} costly clients": costly,
    "200 clients that list": lists,
}


def _game(*who: str) -> dict[str, Any]:
    seats = [{"kind": "human", "name": "Ana"} if one == "human" else {"kind": "ai", "level": one} for one in who]
    return {"ruleset": FIRST_RULESET, "seats": seats}


def _ask(port: int, address: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Send a POST request from *address*; return the response's JSON, also if a rate limit refuses the request.

    Raises ``RuntimeError`` if the request is refused for another reason.
    """
    with httpx.Client(transport=httpx.HTTPTransport(local_address=address)) as client:
        answer = client.post(f"http://127.0.0.1:{port}{path}", json=body, timeout=TIMEOUT_SECONDS)
        said: dict[str, Any] = answer.json()
        if answer.status_code not in {201, 202, 429}:
            raise RuntimeError(said)
        return said


class AttackFailed(Exception):
    """The attack didn't start, or ended early."""


@contextmanager
def under_attack(attack: Attack | None, port: int) -> Iterator[None]:
    """Run the attack, if there is one, in a process while the block runs. Raises ``AttackFailed``."""
    if attack is None:
        yield
        return
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_attack, args=(attack, port, theirs), daemon=True)
    process.start()
    try:
        if not ours.poll(TIMEOUT_SECONDS):
            raise AttackFailed
        yield
        if not process.is_alive():
            raise AttackFailed
    finally:
        process.kill()
        process.join()


def _attack(attack: Attack, port: int, line: Connection) -> None:
    _allow_files()
    attack(port, lambda: line.send("under way"))


def latency_under_attack(
    port: int, seconds: float, level: str = "adept"
) -> tuple[list[float], list[float], list[float]]:
    """Return the durations in seconds of a person's moves, of an AI's answers, and of health checks.

    Games are played one after the other for *seconds* from the first turn, and longer if no AI has answered by then.
    """
    moves, answers, health = list[float](), list[float](), list[float]()
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=TIMEOUT_SECONDS, trust_env=False) as client:
        until = inf
        while monotonic() < until or not answers:
            game = _json_or_raise(client.post("/v1/games", json=_game("human", level)))
            client.headers["Authorization"] = f"Bearer {game['tokens']['0']}"
            path = f"/v1/games/{game['id']}"
            game, _ = _when_to_act(client, path, game)
            until = min(until, monotonic() + seconds)
            while game["status"] == "active" and (monotonic() < until or not answers):
                choices = _json_or_raise(client.get(f"{path}/actions"))["actions"]
                began = perf_counter()
                made = _json_or_raise(client.post(f"{path}/actions", json=choices[0]["action"]))
                moves.append(perf_counter() - began)
                game, asked_an_ai = _when_to_act(client, path, made)
                if asked_an_ai:
                    answers.append(perf_counter() - began - moves[-1])
                began = perf_counter()
                _json_or_raise(client.get("/healthz"))
                health.append(perf_counter() - began)
            client.headers.pop("Authorization")
    return moves, answers, health


def _when_to_act(client: httpx.Client, path: str, game: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Wait for seat 0's turn or the end; return the game, and whether the seat had to wait.

    Raises ``TimeoutError``.
    """
    waited, until = False, monotonic() + TIMEOUT_SECONDS
    while "status" not in game or (game["status"] == "active" and 0 not in game["to_act"]):
        if monotonic() > until:
            raise TimeoutError(f"No AI has moved for {TIMEOUT_SECONDS:.0f} s.")
        waited |= game["to_act"] not in ([0], [])
        tag = f'"{game["version"]}"' if waited and 0 not in game["to_act"] else '"-"'
        answer = client.get(path, headers={"If-None-Match": tag}, params={"wait": 25})
        if answer.status_code != httpx.codes.NOT_MODIFIED:
            game = _json_or_raise(answer)
    return game, waited


def _json_or_raise(answer: httpx.Response) -> dict[str, Any]:
    said: dict[str, Any] = answer.raise_for_status().json()
    return said


def rows(plan: Plan) -> Iterator[Row]:
    """Yield a row without an attack and one per attack: the person's latencies, and their ratios to the first row."""
    asked: dict[str, Attack | None] = {"alone": None, **ATTACKS}
    found = {name: Found() for name in asked}
    for _ in range(plan.long_rounds):
        for name, attack in asked.items():
            with TemporaryDirectory(prefix="bench-") as folder:
                environ = {"WORKERS": "2", "ARENA_WORKERS": "2", "WEB_WORKERS": "2", **_default_rates()}
                with (
                    served("attacked", Path(folder) / "attacked", environ) as target,
                    under_attack(attack, target.port),
                ):
                    found[name].note(_figures(latency_under_attack(target.port, 4 * plan.seconds)))
    alone = found["alone"].cells
    for name, one in found.items():
        times = {f"x {unit}": ratios(one.cells[unit], alone[unit]) for unit in ("move p99 ms", "answer p99 ms")}
        yield one.row("what a person feels", name, **times)


def _default_rates() -> dict[str, str]:
    return {f"REGICIDE_RATE_{what}": "" for what in ("CREATE", "JOBS", "REQUESTS")}


def _figures(times: Sequence[Sequence[float]]) -> dict[str, float]:
    return {
        f"{what} {name} ms": 1000 * quantile(seconds, share)
        for what, seconds in zip(("move", "answer", "health"), times, strict=True)
        for name, share in (("p50", 0.5), ("p99", 0.99))
    }


def main() -> None:
    """Run the benchmark and print the results."""
    report(rows(Plan(long_rounds=1)))


if __name__ == "__main__":
    main()
