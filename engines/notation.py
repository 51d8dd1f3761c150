"""Reading written positions, options and actions strictly: every refusal names the field (formats.md)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from engines.cards import NAMES, Card, load_card
from engines.errors import BadAction, BadCard, BadOptions, BadPosition, Refusal

LARGEST: Final = 10**9
"""No count of a game comes near it."""

R = TypeVar("R", bound=Refusal)


class Reader:
    """The fields of one written object; what is wrong becomes a refusal of *kind* that names the field.

    It remembers the cards that it has read: a card may be in one place only.
    """

    def __init__(self, written: object, kind: type[Refusal] = BadPosition, what: str = "position") -> None:
        if not isinstance(written, dict):
            raise kind(f"The {what} is an object.")
        self._fields = written
        self._kind = kind
        self._what = what
        self._seen: dict[Card, str] = {}

    def refusal(self, field: str, wanted: str) -> Refusal:
        """Return the refusal of *field*, saying what would be right."""
        return self._kind(f"In the {self._what}, {field!r} {wanted}.")

    def keys(self, names: Sequence[str], optional: Sequence[str] = ()) -> None:
        """Refuse unknown keys, and missing ones but for *optional*."""
        for name in self._fields:
            if name not in names and name not in optional:
                raise self.refusal(str(name), f"is unknown: there are {', '.join([*names, *optional])}")
        for name in names:
            if name not in self._fields:
                raise self.refusal(name, "is missing")

    @property
    def fields(self) -> dict[str, Any]:
        """The object itself."""
        return self._fields

    def holds(self, field: str) -> bool:
        """The object has that field."""
        return field in self._fields

    def raw(self, field: str) -> object:
        """Return what stands there, None if nothing does."""
        return self._fields.get(field)

    def integer(self, field: str, low: int = 0, high: int = LARGEST) -> int:
        """Return a whole number between *low* and *high*."""
        return self.whole(self._fields.get(field), field, low, high)

    def whole(self, value: object, field: str, low: int = 0, high: int = LARGEST) -> int:
        """Return *value*, which stands in *field*, if it is a whole number between *low* and *high*."""
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self.refusal(field, f"is a whole number from {low} to {high}")
        return value

    def boolean(self, field: str) -> bool:
        """Return true or false."""
        value = self._fields.get(field)
        if not isinstance(value, bool):
            raise self.refusal(field, "is true or false")
        return value

    def one_of(self, field: str, choices: Sequence[str]) -> str:
        """Return one of *choices*."""
        value = self._fields.get(field)
        if not isinstance(value, str) or value not in choices:
            raise self.refusal(field, f"is one of {', '.join(choices)}")
        return value

    def sequence(self, field: str, length: int | None = None) -> list[object]:
        """Return a list, of *length* entries if that is given."""
        return self.listed(self._fields.get(field), field, length)

    def listed(self, value: object, field: str, length: int | None = None) -> list[object]:
        """Return *value*, which stands in *field*, if it is a list (of *length*)."""
        if not isinstance(value, list) or length not in (None, len(value)):
            raise self.refusal(field, "is a list" + (f" of {length}" if length is not None else ""))
        return value

    def mapping(self, field: str) -> dict[str, object]:
        """Return an object."""
        value = self._fields.get(field)
        if not isinstance(value, dict):
            raise self.refusal(field, "is an object")
        return value

    def cards(self, field: str) -> list[Card]:
        """Return the field's cards, none of them seen before."""
        return [self.card(name, field) for name in self.sequence(field)]

    def card(self, name: object, field: str) -> Card:
        """Return the card called *name* in *field*; it must not have been seen before."""
        card = self.named(name, field)
        if card in self._seen:
            raise self.refusal(field, f"holds {NAMES[card]}, which is in {self._seen[card]!r} too")
        self._seen[card] = field
        return card

    def named(self, name: object, field: str) -> Card:
        """Return the card called *name*, wherever else it is."""
        if not isinstance(name, str):
            raise self.refusal(field, "holds cards, written as in TH")
        try:
            return load_card(name)
        except BadCard as refusal:
            raise BadCard(f"In the {self._what}, {field!r}: {refusal.detail}") from None


def type_of_action(written: Mapping[str, object], fields: Mapping[str, Sequence[str]]) -> str:
    """Return the type of an action, one of *fields*, if it has just the fields of that type. Raises ``BadAction``."""
    if "type" not in written:
        raise BadAction(f"An action has a type, one of {', '.join(fields)}; or it is a text.")
    kind = written["type"]
    if not isinstance(kind, str) or kind not in fields:
        raise BadAction(f"There is no action of the type {kind!r}: there are {', '.join(fields)}.")
    wanted = ["type", *fields[kind]]
    unknown = [str(name) for name in written if name not in wanted]
    missing = [name for name in wanted if name not in written]
    if unknown or missing:
        problem = f"has no field {unknown[0]!r}" if unknown else f"needs the field {missing[0]!r}"
        raise BadAction(f"An action of the type {kind} {problem}: its fields are {' and '.join(wanted)}.")
    return kind


def read_options(written: object, known: Sequence[str]) -> Reader:
    """Return a reader of options, of which any may be left out. Raises ``BadOptions``."""
    reader = Reader(written, BadOptions, "options")
    reader.keys((), known)
    return reader
