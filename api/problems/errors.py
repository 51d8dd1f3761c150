"""Refusals of HTTP itself, before a game is asked: tokens, bodies, paths."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from engines.core.errors import Refusal
from engines.core.phrase import Phrase, Translator, english
from workers.storage.errors import StorageUnavailable
from workers.storage.health_checks import Reason

REFUSAL: Final = "regicide.refusal"
"""By this name WSGI's environment has what is to be answered to a request that breaks the rules of HTTP."""

MOST_NAMED: Final = 20
"""So many fields does a refusal name."""

LONGEST_NAME: Final = 80
"""So many characters of a field's name are shown: whoever sends the request chooses them."""


def shorten(field: str) -> str:
    """Return how a field is named in a refusal."""
    return field if len(field) <= LONGEST_NAME else f"{field[:LONGEST_NAME]}…"


class HttpRefusal(Refusal):
    """The root of what is refused here rather than by a game or by the storage."""


class Invalid(HttpRefusal):
    """Fields that are missing, unknown, or can't have the values that they have: some complaints about each.

    The first complaint is the sentence. Of many fields the first are named: an answer isn't larger than its request.
    """

    code = "invalid"

    def __init__(self, errors: Mapping[str, Sequence[Phrase]]) -> None:
        named = {shorten(field): complaints for field, complaints in islice(errors.items(), MOST_NAMED)}
        field, complaints = next(iter(named.items()))
        super().__init__(Phrase("{field}: {complaint}", field=field, complaint=complaints[0]))
        self.errors = named

    def as_json(self, tongue: Translator = english) -> dict[str, object]:
        """Add the messages of each field."""
        errors = {field: [phrase.render(tongue) for phrase in phrases] for field, phrases in self.errors.items()}
        return {**super().as_json(tongue), "errors": errors}


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


class NotReady(HttpRefusal):
    """Requests had better go elsewhere: what is wrong, the worst first, each with a code of its own."""

    code = "no_worker"

    def __init__(self, reasons: Sequence[Reason]) -> None:
        super().__init__(reasons[0].phrase)
        self._reasons = reasons
        self.retry_after = 5 if reasons[0].code == self.code else StorageUnavailable.retry_after

    def as_json(self, tongue: Translator = english) -> dict[str, object]:
        """Have the code of the worst, and list all."""
        told = [reason.as_json(tongue) for reason in self._reasons]
        return {**super().as_json(tongue), "code": told[0]["code"], "reasons": told}


class Overloaded(HttpRefusal):
    """There is so much to do that the request would have had to wait too long."""

    code = "overloaded"
    retry_after = 2

    def __init__(self) -> None:
        super().__init__(
            Phrase("There is too much to do just now: try again in two seconds. Nothing has been changed.")
        )


class RateLimited(HttpRefusal):
    """So many requests in so short a time that some had to wait."""

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
