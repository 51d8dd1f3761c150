"""``regicide demo``: one game played over HTTP by a scripted client and AIs, printed turn by turn.

The client sees what any client sees. It asks the engine what an adept would do with its seat's view, and sends that.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import httpx

from api.serve import address, free_port
from engines import RULESETS, opponents
from engines.observation import Observation
from engines.phrase import sentence
from engines.ruleset import Ruleset
from regicide_client import Player, Problem, Server
from regicide_client.types import Game, Json, Seat
from workers.settings import CannotStart, Settings

NAME: Final = "Ana"
LEVEL: Final = "adept"
TURN_SECONDS: Final = 60.0
"""The AIs move in milliseconds; so long without a turn means that nobody plays on."""

QUIETLY: Final = {"REGICIDE_LOG_LEVEL": "warning"}

Say = Callable[[str], None]


def demo(settings: Settings, ruleset_name: str, players: int, seed: str, say: Say) -> Game:
    """Play one game to its end, against the server in *settings* or one started for this; return the game."""
    with _some_server(settings, say) as url, Server(url) as server:
        seats = [{"kind": "human", "name": NAME}, *[{"kind": "ai", "level": LEVEL}] * (players - 1)]
        created = server.create(ruleset_name, seats, client_seed=seed)
        say(f"Game {created.game['id']}: {RULESETS[ruleset_name].title} for {players}, {url}")
        return _play(created.players[0], RULESETS[ruleset_name], say)


def _play(player: Player, ruleset: Ruleset, say: Say) -> Game:
    """Print what happens and move whenever it is this player's turn, until the game has ended."""
    printed = -1
    while True:
        game = player.wait_for_turn(TURN_SECONDS)
        names = [_name(seat) for seat in game["seats"]]
        for event in player.events(after=printed):
            if event["version"] <= game["version"]:  # what has happened since then is printed next time
                _print(event, ruleset, names, say)
        printed = game["version"]
        view = game["view"]
        if game["status"] != "active" or view is None:
            return game
        say("\n" + ruleset.picture(view) + "\n")
        try:
            player.act(_decide(ruleset, game, view), expected=game["version"])
        except Problem as problem:
            if problem.code != "stale_version":
                raise  # else somebody has interrupted: look again


def _decide(ruleset: Ruleset, game: Game, view: Json) -> str:
    seat = game["you"] or 0
    observation = Observation(ruleset, view, seat, seed=f"{game['id']} {game['version']}")
    return str(opponents.choose(LEVEL, observation).action)


def _print(event: Json, ruleset: Ruleset, names: list[str], say: Say) -> None:
    if event["type"] not in {kind.type for kind in ruleset.events} - set(ruleset.unspoken):
        return  # the table's own events, and what goes without saying
    seat = event.get("seat")
    clause = ruleset.clause(event, "" if seat is None else names[seat], lambda other: names[other])
    say(f"{event['version']:>4}  {sentence(str(clause))}")


def _name(seat: Seat) -> str:
    return NAME if seat["kind"] == "human" else f"AI {seat['seat']} ({seat.get('level')})"


@contextmanager
def _some_server(settings: Settings, say: Say) -> Iterator[str]:
    """Give the address of the server that runs, or of one that runs for the block's sake, its games thrown away."""
    url = address(settings)
    try:
        health = httpx.get(f"{url}/healthz", timeout=2.0, trust_env=False)
        is_ours = health.is_success and health.json() == {"status": "ok"}
    except httpx.ConnectError:
        pass  # nobody is there: a server of our own will do
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise _somebody_else(url) from error
    else:
        if not is_ours:
            raise _somebody_else(url)
        yield url
        return
    say("No server runs: starting one for this game.")
    with temporary_server() as url:
        yield url


def _somebody_else(url: str) -> CannotStart:
    return CannotStart(f"Somebody else answers at {url}: set PORT to another.")


@contextmanager
def temporary_server() -> Iterator[str]:
    """Give the address of a server that runs for the block's sake, its games thrown away."""
    with tempfile.TemporaryDirectory(prefix="regicide-") as folder:
        environ = {**os.environ, "PORT": str(free_port()), "HOST": "127.0.0.1", "REGICIDE_DATA": folder, **QUIETLY}
        with subprocess.Popen(
            [sys.executable, "-P", "-m", "api.cli", "serve"], env=environ, stdout=subprocess.PIPE, text=True
        ) as server:
            try:
                yield _announced(server)
            finally:
                server.terminate()


def _announced(server: subprocess.Popen[str]) -> str:
    """Wait for the line that says where the server is."""
    for line in server.stdout or ():
        if "http://" in line:
            return line[line.index("http://") :].split()[0]
    raise CannotStart("The server ended before it was ready.")
