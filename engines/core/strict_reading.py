"""Strict reading of positions, options and actions: every refusal names the field (docs/referee.md)."""

import re
from collections.abc import Mapping, Sequence
from math import isinf
from typing import Any, Final, TypeVar

from engines.core.cards import NAMES, Card, load_card
from engines.core.errors import BadAction, BadCard, BadOptions, BadPosition, Refusal
from engines.core.phrase import Phrase, join_and, listed

WORD_PATTERN: Final = re.compile(r"\S+", re.ASCII)

MAX_NUMBER: Final = 10**9
"""Maximum of any number in a position. Numbers of real games are far below it."""

MAX_OPTION_NUMBER: Final = 10**6
"""Maximum of a number in options and start positions, so that counts stay far below ``MAX_NUMBER``."""

POSITION: Final = Phrase("the position")
OPTIONS: Final = Phrase("the options")
OUTCOME: Final = Phrase("the outcome")
"""``POSITION``, ``OPTIONS`` and ``OUTCOME`` name the object that a ``Reader`` reads, for its refusals."""

R = TypeVar("R", bound=Refusal)


class Reader:
    """Reads the fields of one object; an invalid field raises a refusal of class *kind* that names the field.

    A reader remembers the cards that it has read, because a card may be in one place only.
    """

    def __init__(self, written: object, kind: type[Refusal] = BadPosition, what: Phrase = POSITION) -> None:
        if not isinstance(written, dict):
            raise kind(Phrase("Write {what} as an object.", what=what))
        self._fields = written
        self._kind = kind
        self._what = what
        self._seen: dict[Card, str] = {}

    def refusal(self, field: str, wanted: Phrase) -> Refusal:
        """Return the refusal of *field*; *wanted* says which values are valid."""
        return self._kind(Phrase("In {what}, {field!r} {wanted}.", what=self._what, field=field, wanted=wanted))

    def keys(self, names: Sequence[str], optional: Sequence[str] = ()) -> None:
        """Refuse unknown keys, and missing keys that aren't *optional*."""
        for name in self._fields:
            if name not in names and name not in optional:
                raise self.refusal(
                    str(name), Phrase("is unknown: there are {known}", known=listed([*names, *optional]))
                )
        for name in names:
            if name not in self._fields:
                raise self.refusal(name, Phrase("is missing"))

    @property
    def fields(self) -> dict[str, Any]:
        """The whole object, unchecked."""
        return self._fields

    def holds(self, field: str) -> bool:
        """Return whether the object has this field."""
        return field in self._fields

    def raw(self, field: str) -> object:
        """Return the unchecked value of a field, None if it is missing."""
        return self._fields.get(field)

    def integer(self, field: str, low: int = 0, high: int = MAX_NUMBER) -> int:
        """Return the value of *field*, which must be an integer from *low* to *high*."""
        return self.whole(self._fields.get(field), field, low, high)

    def whole(self, value: object, field: str, low: int = 0, high: int = MAX_NUMBER) -> int:
        """Return *value*, a part of *field*, which must be an integer from *low* to *high*."""
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self.refusal(field, Phrase("is a whole number from {low} to {high}", low=low, high=high))
        return value

    def boolean(self, field: str) -> bool:
        """Return the value of *field*, which must be a boolean."""
        value = self._fields.get(field)
        if not isinstance(value, bool):
            raise self.refusal(field, Phrase("is true or false"))
        return value

    def one_of(self, field: str, choices: Sequence[str]) -> str:
        """Return the value of *field*, which must be one of *choices*."""
        value = self._fields.get(field)
        if not isinstance(value, str) or value not in choices:
            raise self.refusal(field, Phrase("is one of {choices}", choices=listed(choices)))
        return value

    def sequence(self, field: str, *lengths: int) -> list[object]:
        """Return the value of *field*, which must be a list, of one of *lengths* if any are given."""
        return self.listed(self._fields.get(field), field, *lengths)

    def listed(self, value: object, field: str, *lengths: int) -> list[object]:
        """Return *value*, a part of *field*, which must be a list, of one of *lengths* if any are given."""
        if not isinstance(value, list) or (lengths and len(value) not in lengths):
            wanted = Phrase("is a list")
            if lengths:
                wanted = Phrase("is a list of {length}", length=listed([str(length) for length in lengths]))
            raise self.refusal(field, wanted)
        return value

    def seats(self, field: str, players: int) -> list[int]:
        """Return a list of different seats of a game with this number of *players*."""
        seats = [self.whole(seat, field, 0, players - 1) for seat in self.sequence(field)]
        if len(set(seats)) < len(seats):
            raise self.refusal(field, Phrase("names a seat twice"))
        return seats

    def mapping(self, field: str) -> dict[str, object]:
        """Return the value of *field*, which must be an object."""
        value = self._fields.get(field)
        if not isinstance(value, dict):
            raise self.refusal(field, Phrase("is an object"))
        return value

    def cards(self, field: str) -> list[Card]:
        """Return the list of cards in *field*, and remember them. None of them may have been read before."""
        return [self.card(name, field) for name in self.sequence(field)]

    def card(self, name: object, field: str) -> Card:
        """Return the card called *name* in *field*, and remember it. The card must not have been read before."""
        card = self.named(name, field)
        if card in self._seen:
            raise self.refusal(
                field, Phrase("holds {card}, which is in {other!r} too", card=NAMES[card], other=self._seen[card])
            )
        self._seen[card] = field
        return card

    def named(self, name: object, field: str) -> Card:
        """Return the card called *name* without remembering it. The card may have been read before."""
        if not isinstance(name, str):
            raise self.refusal(field, Phrase("holds cards, written as in TH"))
        try:
            return load_card(name)
        except BadCard as refusal:
            raise BadCard(
                Phrase("In {what}, {field!r}: {refusal}", what=self._what, field=field, refusal=refusal.phrase)
            ) from None


def no_number(word: str) -> None:
    """Raise ``ValueError``. As the ``parse_constant`` of ``json.loads`` it makes NaN and infinities invalid."""
    raise ValueError(word)


def a_number(word: str) -> float:
    """Parse a float. Raises ``ValueError`` if it is too large, such as 1e999.

    To be used as the ``parse_float`` of ``json.loads``.
    """
    number = float(word)
    if isinf(number):
        raise ValueError(word)
    return number


def repeated_name(pairs: Sequence[tuple[str, Any]]) -> str | None:
    """Return a name that occurs twice among the *pairs* of a JSON object, None if there is none.

    For the ``object_pairs_hook`` of ``json.loads``. Parsers differ in which value of such a name they use.
    """
    seen = set[str]()
    for name, _ in pairs:
        if name in seen:
            return name
        seen.add(name)
    return None


def words_of(text: str) -> list[str]:
    """Return the words of an action's text, with the verb in lower case.

    Only ASCII white space separates words, and only ASCII letters become lower case, so that look-alikes aren't
    accepted.
    """
    words = WORD_PATTERN.findall(text)
    if words and words[0].isascii():
        words[0] = words[0].lower()
    return words


def check_seat(seat: int, players: int) -> None:
    """Raise ``BadAction`` unless *seat* exists in a game of *players*."""
    if not 0 <= seat < players:
        raise BadAction(Phrase("The game has seats 0 to {last}, not {seat}.", last=players - 1, seat=seat))


def type_of_action(written: Mapping[str, object], fields: Mapping[str, Sequence[str]]) -> str:
    """Return the type of an action; *fields* has the field names of each type.

    Raises ``BadAction`` for an unknown type, and unless the action has exactly the fields of its type.
    """
    if "type" not in written:
        raise BadAction(Phrase("An action has a type, one of {fields}; or it is a text.", fields=listed(fields)))
    kind = written["type"]
    if not isinstance(kind, str) or kind not in fields:
        raise BadAction(
            Phrase("There is no action of the type {kind!r}: there are {fields}.", kind=kind, fields=listed(fields))
        )
    wanted = ["type", *fields[kind]]
    unknown = [str(name) for name in written if name not in wanted]
    missing = [name for name in wanted if name not in written]
    if unknown or missing:
        raise BadAction(_misfit(kind, wanted, unknown, missing))
    return kind


def _misfit(kind: str, wanted: Sequence[str], unknown: Sequence[str], missing: Sequence[str]) -> Phrase:
    fields = join_and(wanted)
    if unknown:
        return Phrase(
            "An action of the type {kind} has no field {field!r}: its fields are {fields}.",
            kind=kind,
            field=unknown[0],
            fields=fields,
        )
    return Phrase(
        "An action of the type {kind} needs the field {field!r}: its fields are {fields}.",
        kind=kind,
        field=missing[0],
        fields=fields,
    )


def read_options(written: object, known: Sequence[str]) -> Reader:
    """Return a reader of options, all of which are optional. Raises ``BadOptions``."""
    reader = Reader(written, BadOptions, OPTIONS)
    reader.keys((), known)
    return reader
