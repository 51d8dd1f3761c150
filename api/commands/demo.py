"""``regicide demo``: one game played over HTTP by a scripted client and AIs, printed turn by turn.

The client sees what any client sees. It asks the server for a hint at each of its turns, and does as the hint says.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import httpx

from api.commands.serve import address, free_port
from api.language import tongue
from engines import RULESETS
from engines.core.phrase import Phrase, Translator
from engines.ruleset import Ruleset
from regicide_client import Player, ProblemError, RegicideClient
from regicide_client.session import REQUEST_TIMEOUT_SECONDS
from regicide_client.types import Game, Json, Seat
from workers.settings import CannotStart, Settings

NAME: Final = "Ana"
LEVEL: Final = "expert"
TURN_SECONDS: Final = 60.0
"""The AIs move within a second; so long without a turn means that nobody plays on."""

OVERTAKEN: Final = ("stale_version", "not_your_turn")
"""Somebody else has acted first."""

QUIETLY: Final = {"REGICIDE_LOG_LEVEL": "warning"}

Say = Callable[[str], None]


@dataclass(frozen=True)
class DemoOptions:
    """Which game is shown, and in which language it is told."""

    ruleset: str
    players: int
    seed: str
    language: str


def demo(settings: Settings, show: DemoOptions, say: Say) -> Game:
    """Play one game to its end, against the server in *settings* or one started for this; return the game."""
    speak = tongue(show.language)
    with _some_server(settings, speak, say) as url, _server(url, show.language) as server:
        seats = [{"kind": "human", "name": NAME}, *[{"kind": "ai", "level": LEVEL}] * (show.players - 1)]
        created = server.create(show.ruleset, seats, client_seed=show.seed)
        ruleset = RULESETS[show.ruleset]
        frame = Phrase(
            "Game {id}: {title} for {players}, {url}",
            id=created.game["id"],
            title=ruleset.title,
            players=show.players,
            url=url,
        )
        say(frame.said(speak))
        say(", ".join(_name(seat).said(speak) for seat in created.game["seats"]))
        return _play(created.players[0], ruleset, speak, say)


def _server(url: str, language: str) -> RegicideClient:
    """Return a client that is spoken to in *language*."""
    headers = {"Accept-Language": language}
    return RegicideClient(
        url, http=httpx.Client(base_url=url, timeout=REQUEST_TIMEOUT_SECONDS, trust_env=False, headers=headers)
    )


def _play(player: Player, ruleset: Ruleset, speak: Translator, say: Say) -> Game:
    """Print what happens and move whenever it is this player's turn, until the game has ended."""
    printed = -1
    while True:
        game = player.wait_for_turn(TURN_SECONDS)
        # What has happened since then is printed next time.
        events = [event for event in player.events(after=printed) if event["version"] <= game["version"]]
        for event in events:
            _print(event, ruleset, say)
        is_news = printed < 0 or len(game["seats"]) == 1 or any(_is_anothers(event, game["you"]) for event in events)
        printed = game["version"]
        view = game["view"]
        if game["status"] != "active" or view is None:
            return game
        if is_news:
            say("\n" + _picture(game, ruleset, speak) + "\n")
        try:
            _move(player, game["version"], say)
        except ProblemError as problem:
            if problem.code not in OVERTAKEN:
                raise  # else somebody has interrupted: look again


def _picture(game: Game, ruleset: Ruleset, speak: Translator) -> str:
    """Draw the table as whoever plays sees it, with everybody's name."""

    def name(seat: int) -> str:
        return game["seats"][seat].get("name") or str(seat)

    return "\n".join([line.said(speak).rstrip() for line in ruleset.picture(game["view"] or {}, name)])


def _move(player: Player, version: int, say: Say) -> None:
    """Ask for a hint, say what it is and its chance to win, and do as it says. Raises ``ProblemError``."""
    job = player.hint(LEVEL).wait(TURN_SECONDS)
    result = job.get("result")
    if result is None:
        return  # the game has moved on meanwhile
    best = next(action for action in result["actions"] if action["action"] is not None)
    say(f"      -> {best['label']} ({best['value']:.0%})")
    player.act(best["text"], expected=version)


def _is_anothers(event: Json, own: int | None) -> bool:
    return event.get("seat") not in (None, own)


def _name(seat: Seat) -> Phrase:
    """Say who sits at a seat, and who plays for them."""
    if "level" in seat:
        return Phrase("{name} ({level})", name=seat.get("name"), level=seat["level"])
    return Phrase("{name} (you: plays by hints)", name=seat.get("name"))


def _print(event: Json, ruleset: Ruleset, say: Say) -> None:
    if event["type"] not in ruleset.unspoken:
        say(f"{event['version']:>4}  {event['text']}")


@contextmanager
def _some_server(settings: Settings, speak: Translator, say: Say) -> Iterator[str]:
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
    say(Phrase("No server runs: starting one for this game.").said(speak))
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
            [sys.executable, "-P", "-m", "api.commands.cli", "serve"], env=environ, stdout=subprocess.PIPE, text=True
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
