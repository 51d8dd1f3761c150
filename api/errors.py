"""What HTTP itself refuses, before a game is asked: tokens, bodies, paths."""

from collections.abc import Mapping, Sequence

from engines.errors import Refusal


class HttpRefusal(Refusal):
    """The root of what is refused here rather than by a game or by the storage."""


class Invalid(HttpRefusal):
    """Fields that are missing, unknown, or can't have the values that they have."""

    code = "invalid"

    def __init__(self, errors: Mapping[str, Sequence[str]]) -> None:
        super().__init__(f"Something is wrong with {', '.join(errors)}: `errors` says what.")
        self.errors = errors

    def as_json(self) -> dict[str, object]:
        """Add the messages of each field."""
        return {**super().as_json(), "errors": self.errors}


class MalformedJson(HttpRefusal):
    """A body that is no JSON."""

    code = "malformed_json"


class NoToken(HttpRefusal):
    """Only somebody with a token may do this, and none was sent."""

    code = "no_token"


class UnknownToken(HttpRefusal):
    """A token that this server never gave, or has forgotten."""

    code = "unknown_token"


class WrongToken(HttpRefusal):
    """Another game's token, another seat's, or not the host's."""

    code = "wrong_token"


class NoSuchRuleset(HttpRefusal):
    """The catalogue has no game of that name."""

    code = "no_such_ruleset"


class NotFound(HttpRefusal):
    """Nothing is at this path."""

    code = "not_found"


class NoWorker(HttpRefusal):
    """Nobody is there to move for the AIs."""

    code = "no_worker"
    retry_after = 5
