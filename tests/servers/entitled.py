"""Who may know which card at which version: by the rulings, from what really happened; no view is asked.

The truth is a record that was replayed: whole positions, as somebody behind the table sees them.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from engines import RULESETS
from engines.contract.events import Event
from engines.contract.facts_for_checks import Viewer, facts_of
from engines.core.dealer import SeededDealer, action_seed, game_key
from engines.core.types import Json
from engines.ruleset import Ruleset, step

CARD = re.compile(rb"(?<![\w-])(?:(?:10|[A2-9TJQK])[CDHS]|X[12])(?![\w-])")
"""A card's name as a word of its own. (In an id or a hash the same letters mean nothing.)"""

HOSTED = {"joined", "started", "signal", "handed_over", "abandoned"}
"""Events of the table, not of the game: none has a card."""


def cards_in(text: bytes) -> set[str]:
    """Return the cards that *text* names, 9D or 9♦."""
    for letter, symbol in zip(b"CDHS", "♣♦♥♠", strict=True):
        text = text.replace(symbol.encode(), bytes([letter]))
    return {found.decode().replace("10", "T") for found in CARD.findall(text)}


def as_seen(ruleset: Ruleset, event: Json, viewer: Viewer) -> Json:
    """Return an event as *viewer* may see it."""
    seen_event = facts_of(ruleset).seen_event
    if seen_event is not None:
        return seen_event(event, viewer)
    kind = next(kind for kind in ruleset.events if kind.type == event["type"])
    fields: Json = {name: tuple(value) if isinstance(value, list) else value for name, value in event.items()}
    del fields["type"]
    return kind(**fields).seen_by(viewer)


class Truth:
    """All that happened in a game that was dealt at version *dealt_at*.

    Where an *older* version told some of it, newer events may be missing, and newer fields of others.
    """

    def __init__(self, record: Json, dealt_at: int, *, older: bool = False) -> None:
        self._older = older
        self._ruleset = record["ruleset"]
        self._positions: dict[int, Json] = {}
        self._events: dict[int, list[Json]] = {}
        ruleset, heard = RULESETS[record["ruleset"]], list[Event]()
        self.key = game_key(bytes.fromhex(record["seed"]), record["client_seeds"])
        position = ruleset.new(record["players"], record["options"], SeededDealer(action_seed(self.key, 0)), heard)
        self._note(dealt_at, position.dump(), heard)
        for number, entry in enumerate(record["actions"], start=1):
            dealer = SeededDealer(action_seed(self.key, number))
            position, heard = step(position, entry["seat"], ruleset.parse(entry["action"]), dealer)
            self._note(entry["version"], position.dump(), heard)
        self.last = max(self._positions)
        self.lies_open = cache(self._lies_open)

    def _note(self, version: int, position: Json, heard: list[Event]) -> None:
        self._positions[version] = position
        self._events[version] = [event.as_json() for event in heard]

    def position(self, version: int) -> Json | None:
        """Return the position at a version; None before the deal."""
        last = max((known for known in self._positions if known <= version), default=None)
        return None if last is None else self._positions[last]

    def _lies_open(self, version: int, viewer: Viewer) -> frozenset[str]:
        """Return the cards whose place *viewer* may know."""
        position = self.position(version)
        return (
            frozenset()
            if position is None
            else frozenset(facts_of(RULESETS[self._ruleset]).open_cards(position, viewer))
        )

    def packets(self, version: int) -> set[str]:
        """Return the cards of which it is public that they are in some packet, but not where (R21)."""
        return set((self.position(version) or {}).get("packets", {}))

    def events_seen(self, version: int, viewer: Viewer) -> list[Json]:
        """Return what happened at a version, as *viewer* may know it."""
        return [as_seen(RULESETS[self._ruleset], event, viewer) for event in self._events.get(version, [])]

    def is_told(self, events: list[Json], version: int, viewer: Viewer) -> bool:
        """Say whether *events* are what happened at a version, as *viewer* may know it."""
        seen = self.events_seen(version, viewer)
        if not self._older:
            return events == seen
        following = iter(seen)
        return all(any(event == _only(other, event) for other in following) for event in events)


def _only(event: Json, other: Json) -> Json:
    """Return the fields of *event* that *other* has too."""
    return {name: value for name, value in event.items() if name in other}


def dicts(body: Any) -> Iterator[Json]:
    """Yield every object in *body*, however deep."""
    if isinstance(body, dict):
        yield body
    for part in body.values() if isinstance(body, dict) else body if isinstance(body, list) else ():
        yield from dicts(part)
