"""Refusals: every way in which a game says no, each with a stable code and a sentence for the player."""

from typing import ClassVar


class Refusal(Exception):
    """Something that was asked for and can't be had; nothing has changed.

    The message is an English sentence that says what was wrong and what would be right.
    """

    code: ClassVar[str] = "refused"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail

    def as_json(self) -> dict[str, object]:
        """Return ``{"code", "detail"}``, and what else a kind of refusal has to say."""
        return {"code": self.code, "detail": self.detail}


class BadRequest(Refusal):
    """A request to the referee (formats.md, "Errors", 1), or a record, that can't be understood."""

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
    """Well-formed, at the right time, but a rule forbids it."""

    code = "illegal_action"

    def __init__(self, detail: str, rule: str) -> None:
        super().__init__(detail)
        self.rule = rule

    def as_json(self) -> dict[str, object]:
        """Add the number of the ruling, as in ``R13``."""
        return {"code": self.code, "detail": self.detail, "rule": self.rule}


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
