"""Phrases: sentences for people, with values in them, which a catalogue can translate.

Engines speak English. Whoever answers a person knows their language, and has the catalogue: ``messages.<language>.po``
beside the code that says the phrases. So a phrase keeps its template and its values apart until it is said.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from string import Formatter
from typing import Any, Final

Translator = Callable[[str], str]
"""Gives a template in some language."""


def english(template: str) -> str:
    """Give a template as it is written."""
    return template


class Phrase:
    """Words for a person: a template, always a literal, whose ``{names}`` the values fill.

    A value that is a phrase is said in the same tongue. Without values the template is said as it stands, braces too.
    """

    def __init__(self, template: str, **values: object) -> None:
        self.template = template
        self.values = values

    def __str__(self) -> str:
        return self.said(english)

    def as_json(self) -> dict[str, object]:
        """Return it for storage. ``load`` is the inverse."""
        values = {name: v.as_json() if isinstance(v, Phrase) else v for name, v in self.values.items()}
        return {"template": self.template, "values": values}

    @classmethod
    def load(cls, stored: Mapping[str, Any]) -> "Phrase":
        """Return a stored phrase."""
        values = {
            name: cls.load(value) if isinstance(value, dict) else value for name, value in stored["values"].items()
        }
        return cls(stored["template"], **values)

    def filled(self, values: Mapping[str, object]) -> "Phrase":
        """Return the phrase with those of *values* that its template names."""
        return type(self)(self.template, **{name: values[name] for name in _named(self.template) if name in values})

    def naming(self, name: "Naming") -> "Phrase":
        """Return the phrase with the names of those who sit at the seats that it speaks of."""
        values = {
            key: name(value.seat)
            if isinstance(value, Somebody)
            else value.naming(name)
            if isinstance(value, Phrase)
            else value
            for key, value in self.values.items()
        }
        return type(self)(self.template, **values)

    def said(self, tongue: Translator) -> str:
        """Say it in *tongue*."""
        words = tongue(self.template)
        if not self.values:
            return words
        said = {name: value.said(tongue) if isinstance(value, Phrase) else value for name, value in self.values.items()}
        return words.format(**said)


YOU: Final = Phrase("you")
"""Who reads: what is said of them has words of its own, "you play" where it is "Ana plays" of another."""

Naming = Callable[[int], str | Phrase]
"""Says who sits at a seat, to somebody."""


PLAYER: Final = Phrase("Player {number}")


def numbered(seat: int) -> Phrase:
    """Name who sits at a seat where nobody's name is known: people count from 1, seats as data from 0."""
    return Somebody(PLAYER.template, number=seat + 1)


class Somebody(Phrase):
    """Who sits at a seat, in the sentence of an engine, which knows no names."""

    @property
    def seat(self) -> int:
        """The seat's number."""
        return int(str(self.values["number"])) - 1


@cache
def _named(template: str) -> tuple[str, ...]:
    """Return the names in a template."""
    return tuple({name: None for _, name, _, _ in Formatter().parse(template) if name is not None})


def sentence(clause: str) -> str:
    """Write a clause as a sentence: with a capital, and a full stop."""
    return f"{clause[:1].upper()}{clause[1:]}."


def chained(clauses: Sequence[Phrase]) -> Phrase:
    """Say one after the other in one sentence: ``a falls; b rises``."""
    first, *rest = clauses
    return Phrase("{first}; {rest}", first=first, rest=chained(rest)) if rest else first


def listed(names: Iterable[object]) -> str:
    """Return names one after the other: ``b2, c3, d4``."""
    return ", ".join(map(str, names))


def either(names: Iterable[object]) -> Phrase:
    """Say that it is one of *names*: ``b2, c3 or d4``."""
    *most, last = names
    return Phrase("{most} or {last}", most=listed(most), last=last) if most else Phrase("{only}", only=last)


def both(names: Iterable[object]) -> Phrase:
    """Say that it is all of *names*: ``b2, c3 and d4``."""
    *most, last = names
    return Phrase("{most} and {last}", most=listed(most), last=last) if most else Phrase("{only}", only=last)
