"""``regicide bot``: a seat played by any program that reads and writes JSON lines.

For every decision the program receives one line::

    {"version": 7, "seat": 0, "to_act": [0], "view": {...}, "actions": [{"action": {...}, "text": "play 5C"}, ...],
     "events": [{"version": 6, "type": "played", ...}, ...]}

``actions`` are all legal actions. ``events`` are those since the last question; the first question after a start of the
program has all events of the game. The program answers with one line: an entry of ``actions``, an action object, or a
text (``"play 5C"`` or ``{"text": "play 5C"}``). If its seat isn't in ``to_act``, it may also answer null, to let other
seats act. If the answer is refused, the reason is printed. The program then receives ``{"error": {"code", "detail"}}``,
the server's problem document (or ``must_act`` for a forbidden null), and the same question without events. After the
end of the game the program receives one more line, to which it must not answer, and its input is closed::

    {"ended": {"won": true, "drawn": false, "outcome": {...}}}
"""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Any, Final

import httpx

from regicide_client.client import REQUEST_TIMEOUT_SECONDS, Player, RegicideClient
from regicide_client.errors import ProblemError, RegicideError, ServerUnreachable
from regicide_client.json_lines_process import Program, ProgramError, ProgramNotFound
from regicide_client.retry import translate_errors
from regicide_client.types import Actions, Game, Json

MAX_REFUSED_ANSWERS: Final = 10
"""Maximum number of refused answers to one question."""
CONNECT_TIMEOUT_SECONDS: Final = 1.5
"""Connect timeout of the first request. It is short because a person waits at the terminal."""
OVERTAKEN_CODES: Final = frozenset({"stale_version", "game_over"})
"""Codes of the refusals of an answer that came too late: the game had changed. They don't count as refused answers."""
FIXABLE_STATUSES: Final = frozenset({400, 409, 413, 422})
"""HTTP statuses of refusals after which the program is asked for another answer."""
MUST_ACT_PROBLEM: Final[Json] = {
    "code": "must_act",
    "detail": "Your seat is in to_act: answer with an action, not with null.",
}

Reporter = Callable[[str], None]
EndedLine = Callable[[Game], Json]
"""Returns the line that tells a program the outcome of an ended game for its seat."""


class BotFailed(RegicideError):
    """The program has failed too often, or can't play at all."""


@dataclass(frozen=True)
class ProgramSetup:
    """How to run a program at a seat."""

    command: Sequence[str]
    seconds: float
    """Maximum number of seconds for an answer."""
    restarts: int
    """Maximum number of restarts without an accepted answer in between."""
    report: Reporter
    """Receives a sentence for the terminal."""
    ended_line: EndedLine


def question_line(
    version: int, seat: int, to_act: Sequence[int], view: Json, actions: Sequence[Any], events: Sequence[Any]
) -> Json:
    """Return the line that asks a program for its decision."""
    return {
        "version": version,
        "seat": seat,
        "to_act": to_act,
        "view": view,
        "actions": actions,
        "events": events,
    }


def ended_line(won: bool, drawn: bool, outcome: Json | None) -> Json:  # noqa: FBT001  # the fields of the line
    """Return the line that tells a program the outcome of the game for its seat."""
    return {"ended": {"won": won, "drawn": drawn, "outcome": outcome}}


def play_seat(url: str, game_id: str, token: str, setup: ProgramSetup) -> Game:
    """Play a game to its end and return the game. Raises ``BotFailed``."""
    try:
        _check_listening(url, game_id, token)
        with RegicideClient(url) as server:
            return Bot(Player(server, game_id, token), setup).play()
    except (ProgramNotFound, ProblemError, ServerUnreachable) as reason:
        raise BotFailed(str(reason)) from reason


def _check_listening(url: str, game_id: str, token: str) -> None:
    """Check, without retries, that a server listens at *url*. Raises ``ServerUnreachable``."""
    with translate_errors(url):
        http = httpx.Client(
            base_url=url,
            timeout=httpx.Timeout(REQUEST_TIMEOUT_SECONDS, connect=CONNECT_TIMEOUT_SECONDS),
            trust_env=False,
        )
    with (
        RegicideClient(url, retry_seconds=0, http=http) as server,
        suppress(ProblemError),
    ):  # the server may refuse the token or the game: the bot reports that when it plays
        Player(server, game_id, token).fetch()


class Bot:
    """A program at a seat.

    A program that fails is restarted, at most ``restarts`` times without an accepted answer in between.
    """

    def __init__(self, player: Player, setup: ProgramSetup) -> None:
        self._player, self._setup = player, setup
        self._failures = 0
        self._program: Program | None = None
        self._reported = -1

    def play(self) -> Game:
        """Play until the game has ended, and return it. Raises ``BotFailed``, ``ProgramNotFound``, ``ProblemError``."""
        try:
            return self._play()
        finally:
            if self._program is not None:
                self._program.end()

    def _play(self) -> Game:
        game = self._player.fetch()
        if game["you"] is None:
            raise BotFailed("This token has no seat: use the one that create or join gave for it.")
        while game["status"] in ("waiting", "active"):
            if game["you"] in game["to_act"] + game["may_act"] and self._decide(game):
                game = self._player.fetch()
            else:
                game = self._player.wait_for_change(game["version"], timeout=inf)
        if self._program is not None:
            self._program.tell(self._setup.ended_line(game))
        return game

    def _decide(self, game: Game) -> bool:
        """Let the program decide. Return True if the caller must fetch the game at once, False to wait for a change."""
        legal = self._player.legal()
        if legal["version"] != game["version"]:
            return True
        if not legal["actions"]:
            return False  # an AI has taken over the seat
        try:
            has_acted = self._act(game, legal)
        except ProgramError as failure:
            self._start_again(failure)
            return True
        self._failures = 0
        return has_acted

    def _act(self, game: Game, legal: Actions) -> bool:
        """Ask the program until an answer is accepted. Return whether the game has changed."""
        question = self._question(game, legal)
        lines = [question]
        for _ in range(MAX_REFUSED_ANSWERS):
            answer = self._running().ask(*lines)
            if answer is None and game["you"] not in game["to_act"]:
                return False
            problem = MUST_ACT_PROBLEM if answer is None else self._carry_out(answer, game["version"])
            if problem is None:
                return True
            self._setup.report(
                f"Refused: {json.dumps(answer, ensure_ascii=False)}. {problem['detail']} ({_reason(problem)})"
            )
            lines = [{"error": problem}, {**question, "events": []}]
        raise ProgramError(f"{MAX_REFUSED_ANSWERS} of its answers to one question were refused.")

    def _question(self, game: Game, legal: Actions) -> Json:
        events = [event for event in self._player.events(after=self._reported) if event["version"] <= game["version"]]
        self._reported = game["version"]
        seat, view = game["you"] or 0, game["view"] or {}
        return question_line(game["version"], seat, game["to_act"], view, legal["actions"], events)

    def _carry_out(self, answer: Json | str, version: int) -> Json | None:
        """Take an action. Return a refusal's problem document, or None if it was accepted or the game had changed."""
        try:
            self._player.act(answer, expected=version)
        except ProblemError as refusal:
            if refusal.code in OVERTAKEN_CODES:
                return None
            if refusal.status not in FIXABLE_STATUSES:
                raise
            return refusal.body
        return None

    def _running(self) -> Program:
        if self._program is None:
            self._program = Program(self._setup.command, self._setup.seconds)
        return self._program

    def _start_again(self, failure: ProgramError) -> None:
        """Kill the failed program. The next question starts it again. Raises ``BotFailed`` after too many failures."""
        if self._program is not None:
            self._program.kill()
        self._program, self._reported = None, -1
        self._failures += 1
        if self._failures > self._setup.restarts:
            raise BotFailed(f"The program has failed {self._failures} times in a row. {failure}")
        self._setup.report(
            f"The program has failed, and is started again ({self._failures} of {self._setup.restarts}). {failure}"
        )


def _reason(problem: Json) -> str:
    """Return a problem's code, with the number of the ruling if there is one."""
    return ", ".join([problem["code"], *([problem["rule"]] if "rule" in problem else [])])
