"""Refusals: the exceptions of the engines, each with a stable code and a sentence for the player."""

from typing import ClassVar

from engines.core.phrase import Phrase, Translator, english


class Refusal(Exception):
    """A request that is refused; the game has not changed.

    The phrase is a sentence that says what was wrong and what would be right.
    """

    code: ClassVar[str] = "refused"

    def __init__(self, phrase: Phrase) -> None:
        super().__init__(phrase)
        self.phrase = phrase

    @property
    def detail(self) -> str:
        """The sentence in English."""
        return str(self.phrase)

    def as_json(self, translator: Translator = english) -> dict[str, object]:
        """Return ``{"code", "detail"}`` and the fields of the subclass, with translated sentences."""
        return {"code": self.code, "detail": self.phrase.render(translator)}


class UnusableFile(Exception):
    """A file that the AIs of a game need is missing or damaged. The text is a sentence."""

    def __init__(self, path: str, reason: str) -> None:
        """Build the message from *path* and *reason*, a predicate such as "is damaged"."""
        super().__init__(f"The AI file {path} {reason}: install this version of the server again.")


class BadRequest(Refusal):
    """An invalid request to the referee (docs/referee.md, "Errors"), or an invalid record."""

    code = "bad_request"


class BadOptions(Refusal):
    """Unknown options, or invalid values."""

    code = "bad_options"


class BadPosition(Refusal):
    """A malformed position, or one that no game can reach; the message names the field."""

    code = "bad_position"


class BadCard(Refusal):
    """A text that is not the name of a card."""

    code = "bad_card"


class BadAction(Refusal):
    """An action that is malformed, or is for a seat that doesn't exist. Rules are checked only after this check."""

    code = "bad_action"


class NotYourTurn(Refusal):
    """The seat may not act now."""

    code = "not_your_turn"


class GameOver(Refusal):
    """The game has ended."""

    code = "game_over"


class IllegalAction(Refusal):
    """A well-formed action that a rule forbids; *rule* is the number of the ruling, or None."""

    code = "illegal_action"

    def __init__(self, phrase: Phrase, rule: str | None = None) -> None:
        super().__init__(phrase)
        self.rule = rule

    def as_json(self, translator: Translator = english) -> dict[str, object]:
        """Return the JSON of ``Refusal``, with the field ``rule`` if a ruling, such as ``R13``, forbids the action."""
        return {**super().as_json(translator), **({} if self.rule is None else {"rule": self.rule})}


class NotStarted(Refusal):
    """The game waits for players."""

    code = "not_started"


class AlreadyStarted(Refusal):
    """The cards have been dealt, so it is too late for this request."""

    code = "already_started"


class SeatTaken(Refusal):
    """The seat is taken."""

    code = "seat_taken"


class NoSuchSeat(Refusal):
    """The game has no seat of that number."""

    code = "not_found"


class StillRunning(Refusal):
    """The request is allowed only after the end of the game, as for secret information or a rematch."""

    code = "still_running"
