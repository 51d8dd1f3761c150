"""Texts of events and actions at a hosted table, for one reader.

A text contains what its reader may know of an event: "You play 7♠ for 7" to the player, "Ana plays 7♠ for 7" to others.
"""

from collections.abc import Callable, Mapping
from typing import Final

from engines.contract.base import Ruleset
from engines.contract.position import Action
from engines.core.phrase import YOU, Naming, Phrase, Translator, sentence
from engines.core.types import Json
from engines.table.preview import preview
from engines.table.seats import INACTIVITY, OPERATOR
from engines.table.table import Table

Clause = Callable[[Ruleset, Json, str | Phrase], Phrase]

JOINED: Final = Phrase("{who} sits down")
JOINED_YOURSELF: Final = Phrase("you sit down")
STARTED: Final = Phrase("the game begins")
STARTED_FROM_POSITION: Final = Phrase("the game begins from a given position")
SIGNALLED: Final = Phrase("{who} signals: {signal}")
SIGNALLED_YOURSELF: Final = Phrase("you signal: {signal}")
HANDED_OVER: Final = Phrase("an AI ({level}) plays on for {who}")
HANDED_OVER_YOURSELF: Final = Phrase("an AI ({level}) plays on for you")
ABANDONED: Final = Phrase("the host has ended the game")
ABANDONED_BY_OTHERS: Final[Mapping[str, Phrase]] = {
    OPERATOR: Phrase("the operator of the server has ended the game"),
    INACTIVITY: Phrase("the game has been ended, because nothing happened in it"),
}


def naming(table: Table, reader: int | None) -> Naming:
    """Return the function that names the seats of *table* for *reader*: "you", a name, or the player's number."""
    return lambda seat: YOU if seat == reader else table.name_of(seat)


def with_text(table: Table, event: Json, reader: int | None, translate: Translator) -> Json:
    """Return *event*, as *reader* may know it, with its text."""
    return {**event, "text": text(table, event, reader, translate)}


def text(table: Table, event: Json, reader: int | None, translate: Translator) -> str:
    """Return the sentence for *event*, as *reader* may know it."""
    name, seat = naming(table, reader), event.get("seat")
    who = "" if seat is None else name(seat)
    clause = CLAUSE_BY_EVENT_TYPE.get(event["type"])
    return sentence(
        (clause(table.ruleset, event, who) if clause else table.ruleset.clause(event, who, name)).render(translate)
    )


def default_text(table: Table, event: Json, reader: int | None, translate: Translator) -> str:
    """Return the sentence for *event* by the default clause, for a ruleset whose own clause fails."""
    name, seat = naming(table, reader), event.get("seat")
    who = "" if seat is None else name(seat)
    return sentence(Ruleset.clause(table.ruleset, event, who, name).render(translate))


def legal(table: Table, seat: int | None, translate: Translator) -> list[Json]:
    """Return the legal actions of *seat* as ``{"action", "text", "label"}``."""
    ruleset, name = table.ruleset, naming(table, seat)
    return [
        {"action": action.as_json(), "text": str(action), "label": ruleset.label(action, name).render(translate)}
        for action in table.choices(seat)
    ]


def foreseen(table: Table, seat: int, action: Action, translate: Translator) -> Json:
    """Return the effects of *action* that *seat* can be certain of beforehand, as ``{"events", "certain"}``.

    The events lack fields whose values aren't certain. ``certain`` is True if the events show everything that will
    happen (``Preview``).
    """
    certain_effects = preview(table.ruleset, table.view(seat) or {}, seat, action)
    events = [with_text(table, event.seen_by(seat), seat, translate) for event in certain_effects.events]
    return {"events": events, "certain": certain_effects.certain}


def _joined(_ruleset: Ruleset, event: Json, who: str | Phrase) -> Phrase:
    words = JOINED_YOURSELF if who is YOU else JOINED
    return words.bind({"who": event["name"] or who})


def _started(_ruleset: Ruleset, event: Json, _who: str | Phrase) -> Phrase:
    return STARTED_FROM_POSITION if event["from_position"] else STARTED


def _signalled(ruleset: Ruleset, event: Json, who: str | Phrase) -> Phrase:
    word = ruleset.signal_words.get(event["signal"], event["signal"])
    return (SIGNALLED_YOURSELF if who is YOU else SIGNALLED).bind({"who": who, "signal": word})


def _handed_over(_ruleset: Ruleset, event: Json, who: str | Phrase) -> Phrase:
    return (HANDED_OVER_YOURSELF if who is YOU else HANDED_OVER).bind({"who": who, "level": event["level"]})


def _abandoned(_ruleset: Ruleset, event: Json, _who: str | Phrase) -> Phrase:
    return ABANDONED_BY_OTHERS[event["by"]] if "by" in event else ABANDONED


CLAUSE_BY_EVENT_TYPE: Final[Mapping[str, Clause]] = {
    "joined": _joined,
    "started": _started,
    "signal": _signalled,
    "handed_over": _handed_over,
    "abandoned": _abandoned,
}
"""Functions that return the clause of an event of the table (seats.py), by event type.

Other events are described by ``Ruleset.clause``.
"""
