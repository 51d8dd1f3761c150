"""The journal of a hosted game: one entry per version, from which the game can be replayed.

An entry is ``Change.entry``: the verb's name, its time and its arguments. Cards and AIs' views aren't stored: shuffles
follow from the seed, and everything else follows from repeating the verbs, which are pure functions. The entry of
version 0 is the opening.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from engines import RULESETS
from engines.core.types import Json
from engines.table.seats import Seat
from engines.table.table import Change, Table

VERBS: Final[Mapping[str, Callable[..., Change]]] = {
    "join": Table.join,
    "come_back": Table.rejoin,
    "start": Table.start,
    "act": Table.act,
    "signal": Table.signal,
    "hand_over": Table.hand_over,
    "abandon": Table.abandon,
}
"""The function of each verb, for entries after the opening."""

STORED_OPENING_ARGUMENTS: Final = ("game_id", "options", "private", "listed", "group", "turn_seconds", "position")
"""The arguments of ``Table.open`` that are stored unchanged in the opening."""


def reopen(opening: Json) -> Change:
    """Open a table again from its opening entry. Raises the errors of ``Table.open``.

    Fields that a newer server version added are ignored. If such a field had an effect, the result differs from the
    stored table, which storage detects.
    """
    given: Json = {name: opening[name] for name in STORED_OPENING_ARGUMENTS if name in opening}
    done: Json = {
        "ruleset": RULESETS[opening["ruleset"]],
        "seats": [Seat.load(seat) for seat in opening["seats"]],
        "seed": bytes.fromhex(opening["seed"]),
        "now": datetime.fromisoformat(opening["at"]),
    }
    return Table.open(**{**given, **done})


def redo(table: Table, entry: Json) -> Change:
    """Apply an entry to *table* again. Raises the refusal of the verb if *table* doesn't allow it."""
    arguments = {name: value for name, value in entry.items() if name not in ("verb", "at")}
    return VERBS[entry["verb"]](table, **arguments, now=datetime.fromisoformat(entry["at"]))
