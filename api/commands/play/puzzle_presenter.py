"""A puzzle as its solver plays it in the terminal: a private game from the puzzle's position.

The server judges the answers. The interfaces treat a puzzle as a game: ``Try again`` and ``Show the answer`` are
offered as actions.
"""

from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import Final

from api.commands.play.game_presenter import GamePresenter
from engines import RULESETS
from engines.core.dealer import NO_SHUFFLE
from engines.core.phrase import Phrase, Translator
from engines.ruleset import Event
from regicide_client import Player, RegicideClient
from regicide_client.types import Decision, Game, Legal, Puzzle, PuzzleAnswer

TODAYS_PUZZLE_ARGUMENT: Final = "today"
AGAIN, ANSWER = "again", "answer"
"""Texts of the choices that are no actions of the game."""
LABEL_BY_CHOICE: Final = {AGAIN: Phrase("Try again"), ANSWER: Phrase("Show the answer")}


class Standing(Enum):
    """The state of the puzzle after the last answer."""

    ASKED = auto()
    RIGHT = auto()
    WRONG = auto()
    SOLVED = auto()
    SHOWN = auto()


VERDICT_BY_STANDING: Final = {
    Standing.RIGHT: Phrase("Right."),
    Standing.WRONG: Phrase("That isn't the answer. This is where it leads:"),
    Standing.SOLVED: Phrase("That is the answer."),
    Standing.SHOWN: Phrase("This is the answer:"),
}


class PuzzlePresenter(GamePresenter):
    """A puzzle, and the part of its solution that was shown so far."""

    is_puzzle = True

    def __init__(self, server: RegicideClient, puzzle: Puzzle, translate: Translator) -> None:
        self._server, self._puzzle, self._translate = server, puzzle, translate
        self._standing, self._verdict = Standing.ASKED, ""
        self._answers, self._played = list[str](), list[str]()
        self._seats = self._lay(())
        super().__init__(self._seats[puzzle["seat"]], None, translate)

    def _lay(self, texts: Sequence[str]) -> list[Player]:
        """Create a game from the puzzle's position and take the actions *texts* in it. Return the players."""
        named = [
            {"kind": "human", "name": self.say(Phrase("Player {n}", n=seat + 1))}
            for seat in range(self._puzzle["position"]["players"])
        ]
        created = self._server.create(self._puzzle["ruleset"], named, position=self._puzzle["position"], private=True)
        seats = [created.players[seat] for seat in range(len(named))]
        turn = created.game["to_act"][0]
        for text in texts:
            turn = (seats[turn].act(text)["to_act"] or [turn])[0]
        return seats

    @property
    def is_over(self) -> bool:
        """Return whether the puzzle is solved, or its answer has been shown."""
        return self._standing in (Standing.SOLVED, Standing.SHOWN)

    @property
    def must_act(self) -> bool:
        """Return whether an answer is expected."""
        return not self.is_over

    @property
    def may_act(self) -> bool:
        """Return False, because a puzzle has no turns of other players."""
        return False

    def changes(self) -> Iterator[Game]:
        """Yield nothing, because no other player changes the game."""
        return iter(())

    def heading(self) -> str:
        """Return the sentence with the game, the grade and the goal."""
        return self.say(
            Phrase(
                "{game}, puzzle of grade {grade}. {goal} Moves to find: {moves}.",
                game=RULESETS[self._puzzle["ruleset"]].title,
                grade=self._puzzle["grade"],
                goal=self._puzzle["goal_text"],
                moves=self._puzzle["moves"],
            )
        )

    def table(self) -> list[str]:
        """Return the lines of the table, and of what the solver knows about hidden cards."""
        ruleset = RULESETS[self._puzzle["ruleset"]]
        rules, position, hidden = ruleset.puzzles, ruleset.load(self._puzzle["position"]), frozenset[str]()
        if rules is None or self._standing not in (Standing.ASKED, Standing.RIGHT):
            return super().table()
        for text in self._played:
            events = list[Event]()
            position.apply(position.to_act()[0], ruleset.parse(text), NO_SHUFFLE, events)
            hidden = rules.hidden_after(events, hidden) or frozenset()
        return [*super().table(), *[self.say(line) for line in rules.known(position, hidden, self.name)]]

    def news(self) -> list[str]:
        """Return the verdict on the last answer, and the new events."""
        verdict, self._verdict = self._verdict, ""
        return [*([verdict] if verdict else []), *super().news()]

    def asks(self) -> str:
        """Return the question to the solver."""
        return self.say(Phrase("Try again?") if self._standing is Standing.WRONG else Phrase("Which action is it?"))

    def choices(self) -> list[Legal]:
        """Return the legal actions and "show the answer", or after a wrong answer "try again" and "show the answer"."""
        offered = [AGAIN, ANSWER] if self._standing is Standing.WRONG else [ANSWER]
        own: list[Legal] = [{"action": {}, "text": text, "label": self.say(LABEL_BY_CHOICE[text])} for text in offered]
        return own if self._standing is Standing.WRONG else [*super().choices(), *own]

    def act(self, text: str) -> None:
        """Answer, try again or show the answer. Raises ``ProblemError`` with the server's sentence."""
        if text == ANSWER:
            self._show_answer()
        elif text == AGAIN:
            self._try_again()
        else:
            self._answer(text)
        self.refresh()

    def _answer(self, text: str) -> None:
        judged = self._server.judge(self._puzzle["id"], [*self._answers, text])
        self.player.act(text)
        self._standing = Standing.SOLVED if judged["solved"] else Standing.RIGHT if judged["right"] else Standing.WRONG
        if judged["right"]:
            self._answers.append(text)
            self._played += [text, *[step["text"] for step in judged["line"]]]
        self._play_out(judged)

    def _play_out(self, judged: PuzzleAnswer) -> None:
        """Keep the verdict, and play the server's continuation, the actions in ``line``, in the puzzle's game.

        The next call of ``news`` returns the verdict and the events.
        """
        self._verdict = judged.get("note") or self.say(VERDICT_BY_STANDING[self._standing])
        for step in judged["line"]:
            self._seats[step["seat"]].act(step["text"])

    def _try_again(self) -> None:
        """Return to the position in which the wrong answer was given."""
        self._standing = Standing.RIGHT if self._answers else Standing.ASKED
        self._sit_at(self._lay(self._played))
        self._said = self.game["version"]

    def _show_answer(self) -> None:
        self._standing = Standing.SHOWN
        self._sit_at(self._lay(()))
        self._said = self.game["version"]
        self._play_out(self._server.judge(self._puzzle["id"], ()))

    def _sit_at(self, seats: list[Player]) -> None:
        self._seats, self.player = seats, seats[self._puzzle["seat"]]
        super().refresh()

    def refresh(self) -> None:
        """Load the game. After a right answer, load it as the seat that must act sees it."""
        super().refresh()
        if self.game["to_act"] and self.game["to_act"][0] != self.game["you"] and self._standing is Standing.RIGHT:
            self.player = self._seats[self.game["to_act"][0]]
            super().refresh()

    def hint(self) -> list[str]:
        """Return a sentence that puzzles have no hints."""
        return [self.say(Phrase("A puzzle has no hints: its answer can be shown."))]

    def ending(self) -> str:
        """Return a sentence on how the puzzle has ended."""
        return self.say(Phrase("Solved.") if self._standing is Standing.SOLVED else Phrase("That was the answer."))

    def review(self) -> Sequence[Decision]:
        """Return no decisions, because the only right answers are known."""
        return []


def find_puzzle(server: RegicideClient, asked: str, ruleset: str | None) -> Puzzle:
    """Return the puzzle with this id, or today's puzzle. Raises ``ProblemError``."""
    return server.puzzle_of_the_day(ruleset) if asked == TODAYS_PUZZLE_ARGUMENT else server.puzzle(asked)
