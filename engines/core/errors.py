"""Refusals: the exceptions of the engines, each with a stable code and a sentence for the player."""

from typing import ClassVar

from engines.core.phrase import Phrase, Translator, english


class Refusal(Exception):
    """Something that was asked for and can't be had; nothing has changed.

    Its phrase is a sentence that says what was wrong and what would be right.
    """

    code: ClassVar[str] = "refused"

    def __init__(self, phrase: Phrase) -> None:
        super().__init__(phrase)
        self.phrase = phrase

    @property
    def detail(self) -> str:
        """The sentence, in English."""
        return str(self.phrase)

    def as_json(self, tongue: Translator = english) -> dict[str, object]:
        """Return ``{"code", "detail"}``, and what else a kind of refusal has to say, in *tongue*."""
        return {"code": self.code, "detail": self.phrase.said(tongue)}


class BadRequest(Refusal):
    """A request to the referee (docs/referee.md, "Errors"), or a record, that can't be understood."""

    code = "bad_request"


class BadOptions(Refusal):
    """Options that the ruleset doesn't know, or values that they can't have."""

    code = "bad_options"


class BadPosition(Refusal):
    """A position that no game could be in; the message names the field."""

    code = "bad_position"


class BadCard(Refusal):
    """A text that names no card."""

    code = "bad_card"


class BadAction(Refusal):
    """An action that is malformed: no rule has been asked yet."""

    code = "bad_action"


class NotYourTurn(Refusal):
    """The action is somebody else's to take."""

    code = "not_your_turn"


class GameOver(Refusal):
    """The game has ended."""

    code = "game_over"


class IllegalAction(Refusal):
    """Well-formed, at the right time, but a rule forbids it; *rule* is empty where no ruling speaks of it."""

    code = "illegal_action"

    def __init__(self, phrase: Phrase, rule: str | None = None) -> None:
        super().__init__(phrase)
        self.rule = rule

    def as_json(self, tongue: Translator = english) -> dict[str, object]:
        """Add the number of the ruling, as in ``R13``, if one forbids it."""
        return {**super().as_json(tongue), **({} if self.rule is None else {"rule": self.rule})}


class NotStarted(Refusal):
    """The game waits for players."""

    code = "not_started"


class AlreadyStarted(Refusal):
    """Too late: the cards have been dealt."""

    code = "already_started"


class SeatTaken(Refusal):
    """Somebody sits there."""

    code = "seat_taken"


class NoSuchSeat(Refusal):
    """The game has no seat of that number."""

    code = "not_found"


class StillRunning(Refusal):
    """What was asked for is secret until the game has ended."""

    code = "still_running"
