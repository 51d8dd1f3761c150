"""Refusals of the HTTP layer: tokens, bodies and paths."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from engines.core.errors import Refusal
from engines.core.phrase import Phrase, Translator, english
from workers.storage.errors import StorageUnavailable
from workers.storage.startup_checks import Reason

REFUSAL_KEY: Final = "regicide.refusal"
"""Key of the WSGI environment under which the web server puts its refusal of a request that violates HTTP."""

MAX_NAMED_FIELDS: Final = 20
"""Maximum number of fields that a refusal names."""

MAX_FIELD_NAME_LENGTH: Final = 80
"""Maximum number of characters of a field's name in a refusal. The client chooses the name."""


def shorten(field: str) -> str:
    """Return a field's name, cut off at ``MAX_FIELD_NAME_LENGTH``."""
    return field if len(field) <= MAX_FIELD_NAME_LENGTH else f"{field[:MAX_FIELD_NAME_LENGTH]}…"


class HttpRefusal(Refusal):
    """Base class of refusals by the HTTP layer."""


class Invalid(HttpRefusal):
    """Fields of the request are missing, unknown or invalid. The refusal has one or more messages for each field.

    The ``detail`` of the problem is the first message. Only the first ``MAX_NAMED_FIELDS`` fields are named, so that a
    response is not larger than its request.
    """

    code = "invalid"

    def __init__(self, errors: Mapping[str, Sequence[Phrase]]) -> None:
        named = {shorten(field): complaints for field, complaints in islice(errors.items(), MAX_NAMED_FIELDS)}
        field, complaints = next(iter(named.items()))
        super().__init__(Phrase("{field}: {complaint}", field=field, complaint=complaints[0]))
        self.errors = named

    def as_json(self, tongue: Translator = english) -> dict[str, object]:
        """Return the document with the messages of each field."""
        errors = {field: [phrase.render(tongue) for phrase in phrases] for field, phrases in self.errors.items()}
        return {**super().as_json(tongue), "errors": errors}


class MalformedJson(HttpRefusal):
    """The body is not JSON."""

    code = "malformed_json"


class NoToken(HttpRefusal):
    """A token is required and none was sent."""

    code = "no_token"


class UnknownToken(HttpRefusal):
    """The token is unknown or has been deleted."""

    code = "unknown_token"


class WrongToken(HttpRefusal):
    """The token belongs to another game or seat, or is not the host's token."""

    code = "wrong_token"


class NoSuchRuleset(HttpRefusal):
    """No ruleset has this name."""

    code = "no_such_ruleset"


class NotFound(HttpRefusal):
    """Nothing is at this path."""

    code = "not_found"


class NotReady(HttpRefusal):
    """The server is not ready. The refusal lists the reasons, each with a code, the worst first."""

    code = "no_worker"

    def __init__(self, reasons: Sequence[Reason]) -> None:
        super().__init__(reasons[0].phrase)
        self._reasons = reasons
        self.retry_after = 5 if reasons[0].code == self.code else StorageUnavailable.retry_after

    def as_json(self, tongue: Translator = english) -> dict[str, object]:
        """Return the error document, with the code of the worst reason and a list of all reasons."""
        told = [reason.as_json(tongue) for reason in self._reasons]
        return {**super().as_json(tongue), "code": told[0]["code"], "reasons": told}


class Overloaded(HttpRefusal):
    """The server is overloaded: the request would have waited too long."""

    code = "overloaded"
    retry_after = 2

    def __init__(self) -> None:
        super().__init__(
            Phrase("There is too much to do just now: try again in two seconds. Nothing has been changed.")
        )


class RateLimited(HttpRefusal):
    """The client has sent more requests than its limit."""

    code = "rate_limited"

    def __init__(self, limit: int, seconds: int) -> None:
        super().__init__(
            Phrase(
                "That was more than the {limit} requests a minute that you may make here: ask again in {seconds} s.",
                limit=limit,
                seconds=seconds,
            )
        )
        self.retry_after = seconds
