"""Measure the recovery of a server whose processes are killed: ``python -m benchmarks.recovery``.

Each round kills (``kill -9``) all processes of one kind, or of all kinds, between two moves of a game. It measures the
time to the person's next move and to an AI's move after that. In the rounds ``thought`` the workers are killed during a
master's search. The benchmark supervises ``serve``: if ``serve`` is killed, the benchmark starts it again at once.
"""

import argparse
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from threading import Event
from time import monotonic
from typing import Final

from benchmarks.results import machine
from benchmarks.subjects import FIRST_RULESET
from engines import RULESETS
from engines.ai import decision
from engines.ai.observation import Observation
from regicide_client import Player, ProblemError, RegicideClient
from regicide_client.errors import RegicideError
from tests.servers.service import Service, kill

HUMAN_SEAT: Final = {"kind": "human", "name": "Ana"}
THINKING_WORKER_KIND: Final = "thought"
SUPERVISOR_KIND: Final = "supervisor"
COMMAND_WORDS_BY_VICTIM_KIND: Final[Mapping[str, str]] = {
    "store": "valkey",
    "pool": "-m workers",
    THINKING_WORKER_KIND: "-m workers",
    "web": "-m api",
    SUPERVISOR_KIND: "",
    "all": "",
}
"""The kinds of processes to kill, each with the words in their command lines that identify them.

The words are empty for ``all`` processes, and for the supervisor, which is found without words.
"""

THINKING_SECONDS: Final = 0.2
"""Duration of a master's search before its worker is killed."""

PAUSE_SECONDS: Final = 0.05
PATIENCE_SECONDS: Final = 60.0


def victims(service: Service, kind: str) -> list[int]:
    """Return the ids of the processes of a kind, which are to be killed."""
    return service.supervisor() if kind == SUPERVISOR_KIND else service.family(COMMAND_WORDS_BY_VICTIM_KIND[kind])


def time_of_success(attempt: Callable[[], bool]) -> float:
    """Repeat *attempt* until it succeeds; return the time of success (monotonic clock). Raises ``TimeoutError``."""
    until, pause = monotonic() + PATIENCE_SECONDS, Event()
    while monotonic() < until:
        with suppress(RegicideError):
            if attempt():
                return monotonic()
        pause.wait(PAUSE_SECONDS)
    raise TimeoutError


def move(me: Player, rng: Random) -> bool:
    """Take a turn as a novice, if it is this player's turn; return whether a turn was taken."""
    game = me.fetch()
    if game["to_act"] != [0]:
        return False
    seen = Observation(RULESETS[FIRST_RULESET], game["view"] or {}, 0, str(rng.random()))
    try:
        me.act(str(decision.think(decision.Question("novice", seen)).action), expected=game["version"])
    except ProblemError as problem:
        return problem.code == "stale_version"  # the previous attempt succeeded, but its response was lost
    return True


def round_of(service: Service, kind: str, number: int) -> tuple[float, float] | None:
    """Kill the processes of a kind; return the seconds to the person's next move and to the AI's move after that.

    Returns None if the game ended before the AI's move. In the rounds ``thought`` the person doesn't move: the first
    number is 0, and None is returned also if the AI moved before the kill.
    """
    rng = Random(f"{kind} {number}")
    with RegicideClient(service.url, retry_seconds=0.0) as server:
        me = create_game(server, kind, number)
        time_of_success(lambda: me.fetch()["to_act"] == [0])
        if kind == THINKING_WORKER_KIND and not until_ai_thinks(me, rng):
            return None
        before = turns_of_ai(me)
        kill(victims(service, kind))
        began = monotonic()
        moved = 0.0 if kind == THINKING_WORKER_KIND else time_of_success(lambda: move(me, rng)) - began
        answered = time_of_success(lambda: ai_has_answered(me, rng, before)) - began
        return (moved, answered) if turns_of_ai(me) > before else None


def create_game(server: RegicideClient, kind: str, number: int) -> Player:
    """Create a game, and return the client of the person who plays it."""
    made: list[Player] = []
    seats = [HUMAN_SEAT, {"kind": "ai", "level": "master" if kind == THINKING_WORKER_KIND else "novice"}]

    def create() -> bool:
        made.append(server.create(FIRST_RULESET, seats, client_seed=f"{kind} {number}").players[0])
        return True

    time_of_success(create)
    return made[-1]


def until_ai_thinks(me: Player, rng: Random) -> bool:
    """Play until it is the AI's turn, and wait ``THINKING_SECONDS``; return whether the AI is still to move."""
    time_of_success(lambda: me.fetch()["to_act"] != [0] or not move(me, rng))
    Event().wait(THINKING_SECONDS)
    return me.fetch()["to_act"] == [1]


def turns_of_ai(me: Player) -> int:
    """Return the number of the AI's moves: the versions whose first event is by its seat."""
    firsts = {event["version"]: event["seat"] for event in reversed(me.events(after=0))}
    return list(firsts.values()).count(1)


def ai_has_answered(me: Player, rng: Random, before: int) -> bool:
    """Return whether the AI has moved more than *before* times or the game is over; move if it is the person's turn."""
    if turns_of_ai(me) > before:
        return True
    move(me, rng)
    return me.fetch()["status"] != "active"


def main() -> None:
    """Run the benchmark and print the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recovery", description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument(
        "kinds", nargs="*", metavar="KIND", help=f"of {', '.join(COMMAND_WORDS_BY_VICTIM_KIND)}; all if none is named"
    )
    args = parser.parse_args()
    print(f"Before: {machine()}")
    with TemporaryDirectory() as folder:
        service = Service(Path(folder) / "data", {})
        try:
            for kind in args.kinds or COMMAND_WORDS_BY_VICTIM_KIND:
                found = [took for number in range(args.rounds) if (took := round_of(service, kind, number))]
                for who, seconds in zip(("a person's move", "an AI's move"), zip(*found, strict=True), strict=True):
                    told = f"median {median(seconds):.2f} s, worst {max(seconds):.2f} s, {len(seconds)} times"
                    print(f"{kind} killed: {who}: {told}", flush=True)
        finally:
            service.end()
    print(f"After: {machine()}")


if __name__ == "__main__":
    main()
