"""The plain interface: a dialogue in lines, for screen readers, pipes and simple terminals.

No line is longer than 80 columns, and no line is overwritten. Each decision lists its actions by number and ends with a
prompt, ``> ``. Typed lines and changes of the game arrive in one queue, so that a ploy (an action that interrupts other
seats) can be chosen while other seats must act. Lines of a pipe that come while others are to act wait for the next
prompt.
"""

import sys
import textwrap
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from io import TextIOWrapper
from queue import SimpleQueue
from threading import Thread
from typing import Final, TextIO

from api.commands.play.game_presenter import NO_MISTAKE_PHRASE, GamePresenter
from api.commands.printable_text import printable
from engines.core.phrase import Phrase
from regicide_client import ProblemError, RegicideError
from regicide_client.types import Game, Legal

LINE_WIDTH: Final = 80
PROMPT: Final = "> "
KEYS: Final = ("", "?", "h", "p", "q", "Q", "t")
"""Lines that are no answer to a prompt."""

INPUT_ENDED_PHRASE: Final = Phrase("The input has ended: you leave the table.")
KEY_HELP_PHRASES: Final = (
    Phrase("A number or the text of an action: play it."),
    Phrase("h: a hint. p: what you may do on others' turns. t: the table again."),
    Phrase("?: this list. q: quit."),
)
PUZZLE_KEY_HELP_PHRASES: Final = (KEY_HELP_PHRASES[0], Phrase("t: the table again."), KEY_HELP_PHRASES[2])
NO_SUCH_NUMBER_PHRASE: Final = Phrase("There is no such action: choose a number from 1 to {count}.")

Arrival = str | Game | Exception | None
"""Item of the queue: a typed line, the game after a change, a connection error, or None at the end of the input."""


class PlainTable:
    """Plays a game as a dialogue."""

    def __init__(self, game: GamePresenter, read: TextIO, write: TextIO) -> None:
        self._game = game
        self._read = read
        self._write = write
        self._arrivals = SimpleQueue[Arrival]()
        self._choices: Sequence[Legal] = ()
        self._early = deque[str | None]()
        """Lines of a pipe that wait for the next prompt; None at the end of the input."""

    def play(self, *, review: bool) -> None:
        """Play until the end, or until the person leaves."""
        for work in (self._hear_person, self._hear_table):
            Thread(target=work, daemon=True).start()
        self._say(self._game.heading())
        self._say_keys()
        while True:
            self._tell()
            if self._game.is_over:
                break
            if not self._until_change():
                return
        self._say(self._game.ending())
        if review and self._game.game["status"] == "finished":
            self._say_review()

    def _hear_person(self) -> None:
        with suppress(OSError):  # a closed terminal ends the input
            for line in self._read:
                self._arrivals.put(line.strip())
        self._arrivals.put(None)

    def _hear_table(self) -> None:
        try:
            for game in self._game.changes():
                self._arrivals.put(game)
        except RegicideError as error:
            self._arrivals.put(error)

    def _tell(self) -> None:
        """Print the new events and the table, and prompt if this seat is to act."""
        self._say_all(self._game.news())
        if self._game.is_over:
            return
        if self._game.must_act:
            self._show_table()
            self._ask(self._game.choices())
        else:
            self._choices = ()
            self._say(self._game.waits_for())

    def _until_change(self) -> bool:
        """Carry out typed lines until the game changes. Return False if the person quits. Raises ``RegicideError``."""
        while True:
            arrived = self._early.popleft() if self._early and self._game.must_act else self._arrive()
            if isinstance(arrived, Exception):
                raise arrived
            if arrived is None:
                self._say(self._game.say(INPUT_ENDED_PHRASE))
            if arrived is None or arrived in ("q", "Q"):
                return False
            if not isinstance(arrived, str):
                if self._game.take(arrived):
                    return True
            elif self._obey(arrived):
                return True

    def _arrive(self) -> Arrival:
        """Return the next item of the queue that needn't wait for a prompt."""
        while True:
            arrived = self._arrivals.get()
            if not (arrived is None or isinstance(arrived, str)) or not self._is_early(arrived):
                return arrived
            self._early.append(arrived)

    def _is_early(self, line: str | None) -> bool:
        """Return whether a *line* of a pipe waits for the next prompt: an answer, or what follows one that waits."""
        if self._early or line is None or self._read.isatty():
            return bool(self._early)
        can_answer = self._choices or self._game.must_act or (self._game.may_act and not line.isdecimal())
        return line not in KEYS and not can_answer

    def _obey(self, words: str) -> bool:
        """Carry out a typed line. Return whether the game has changed."""
        try:
            if words == "h":
                self._say_all(self._game.hint())
            elif words == "t":
                self._show_table()
            elif words == "p":
                self._offer_ploys()
            elif words == "?" or not words:
                self._say_keys()
            else:
                return self._act(words)
        except ProblemError as problem:
            self._say(str(problem))
            return self._has_gone_on()
        self._ask(self._choices)
        return False

    def _act(self, words: str) -> bool:
        if words.isdecimal():
            if not self._choices:
                self._say(self._game.waits_for())
                return False
            if not 1 <= int(words) <= len(self._choices):
                self._say(self._game.say(NO_SUCH_NUMBER_PHRASE.bind({"count": len(self._choices)})))
                self._ask(())
                return False
            words = self._choices[int(words) - 1]["text"]
        self._game.act(words)
        return True

    def _has_gone_on(self) -> bool:
        """Load the game, and return whether it has changed since it was shown. If not, prompt again."""
        before = self._game.game["version"]
        self._game.refresh()
        if self._game.game["version"] != before:
            return True
        self._ask(())
        return False

    def _offer_ploys(self) -> None:
        """Set the choices, which ``_ask`` lists next, to the actions of this seat, also on another seat's turn.

        If there are none, say so.
        """
        self._choices = self._game.choices() if self._game.may_act or self._game.must_act else ()
        if not self._choices:
            self._say(self._game.say(Phrase("There is nothing that you may do now.")))

    def _say_keys(self) -> None:
        self._say_all(
            self._game.say(line) for line in (PUZZLE_KEY_HELP_PHRASES if self._game.is_puzzle else KEY_HELP_PHRASES)
        )

    def _show_table(self) -> None:
        self._write.write("\n")
        self._say_all(self._game.table())
        self._write.write("\n")

    def _ask(self, choices: Sequence[Legal]) -> None:
        """List *choices* by number, and print the prompt. Without *choices* the last list remains valid."""
        if choices:
            self._choices = choices
        self._say_all(f"{number}. {one['label']}" for number, one in enumerate(choices, 1))
        self._write.write(PROMPT)
        self._write.flush()

    def _say_review(self) -> None:
        """Print the decisions that lowered the chances, and what would have been better."""
        decisions = self._game.review()
        if not decisions:
            self._say(self._game.say(NO_MISTAKE_PHRASE))
        self._say_all(self._game.better(one) for one in decisions)

    def _say_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._say(line)

    def _say(self, line: str) -> None:
        """Print a line, wrapped at ``LINE_WIDTH``. Lines of the table need no wrapping."""
        for part in textwrap.wrap(printable(line), LINE_WIDTH, drop_whitespace=False, replace_whitespace=False) or [""]:
            self._write.write(f"{part.rstrip()}\n")
        self._write.flush()


def play(game: GamePresenter, *, review: bool) -> None:
    """Play a game on standard input and output. What the output's encoding doesn't have is escaped."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    PlainTable(game, sys.stdin, sys.stdout).play(review=review)
