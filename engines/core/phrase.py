"""Phrases: translatable texts for people. A phrase is an English template with values.

The engines don't know the reader's language. Their callers do, and they have the translations of the templates, the
catalogue ``messages.<language>.po``. Therefore a phrase keeps template and values apart until ``render`` is called.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from string import Formatter
from typing import Any, Final

Translator = Callable[[str], str]
"""Translates a template."""


def english(template: str) -> str:
    """Return the template unchanged."""
    return template


class Phrase:
    """A text for people: a literal template whose ``{names}`` are replaced by values.

    A value that is a phrase is rendered in the same language. Without values the template is used unchanged, with
    braces.
    """

    def __init__(self, template: str, **values: object) -> None:
        self.template = template
        self.values = values

    def __str__(self) -> str:
        return self.render(english)

    def as_json(self) -> dict[str, object]:
        """Return the phrase for storage. ``load`` is the inverse."""
        values = {name: v.as_json() if isinstance(v, Phrase) else v for name, v in self.values.items()}
        return {"template": self.template, "values": values}

    @classmethod
    def load(cls, stored: Mapping[str, Any]) -> "Phrase":
        """Return a stored phrase."""
        values = {
            name: cls.load(value) if isinstance(value, dict) else value for name, value in stored["values"].items()
        }
        return cls(stored["template"], **values)

    def bind(self, values: Mapping[str, object]) -> "Phrase":
        """Return the phrase with the values for the names in its template; other *values* are ignored."""
        return type(self)(
            self.template, **{name: values[name] for name in _field_names(self.template) if name in values}
        )

    def naming(self, name: "Naming") -> "Phrase":
        """Return the phrase with each ``Somebody`` in it replaced by *name* of its seat."""
        values = {
            key: name(value.seat)
            if isinstance(value, Somebody)
            else value.naming(name)
            if isinstance(value, Phrase)
            else value
            for key, value in self.values.items()
        }
        return type(self)(self.template, **values)

    def render(self, translator: Translator) -> str:
        """Return the text in the language of *translator*."""
        words = translator(self.template)
        if not self.values:
            return words
        rendered = {
            name: value.render(translator) if isinstance(value, Phrase) else value
            for name, value in self.values.items()
        }
        return words.format(**rendered)


YOU: Final = Phrase("you")
"""The reader as the subject of a clause. Clauses have a second template for it: "you play" besides "{who} plays"."""

Naming = Callable[[int], str | Phrase]
"""Returns the name of a seat, as one reader sees it."""


PLAYER: Final = Phrase("Player {number}")


def numbered(seat: int) -> Phrase:
    """Return "Player 1" for seat 0 and so on: the label of a seat until its name is filled in."""
    return Somebody(PLAYER.template, number=seat + 1)


class Somebody(Phrase):
    """The label of a seat in a phrase of the engines, which don't know the players' names."""

    @property
    def seat(self) -> int:
        """The seat's number, from 0."""
        return int(str(self.values["number"])) - 1


@cache
def _field_names(template: str) -> tuple[str, ...]:
    """Return the field names of a template."""
    return tuple({name: None for _, name, _, _ in Formatter().parse(template) if name is not None})


def sentence(clause: str) -> str:
    """Return a clause as a sentence: with a capital letter and a full stop."""
    return f"{clause[:1].upper()}{clause[1:]}."


def join_clauses(clauses: Sequence[Phrase]) -> Phrase:
    """Join clauses into one sentence: ``a falls; b rises``."""
    first, *rest = clauses
    return Phrase("{first}; {rest}", first=first, rest=join_clauses(rest)) if rest else first


def listed(names: Iterable[object]) -> str:
    """Join names with commas: ``b2, c3, d4``."""
    return ", ".join(map(str, names))


def join_or(names: Iterable[object]) -> Phrase:
    """Join names with "or": ``b2, c3 or d4``."""
    *most, last = names
    return Phrase("{most} or {last}", most=listed(most), last=last) if most else Phrase("{only}", only=last)


def join_and(names: Iterable[object]) -> Phrase:
    """Join names with "and": ``b2, c3 and d4``."""
    *most, last = names
    return Phrase("{most} and {last}", most=listed(most), last=last) if most else Phrase("{only}", only=last)
