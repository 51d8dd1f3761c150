"""The journal of a hosted game: an entry for each change, by which the game can be played again from its opening.

An entry is what ``Change.entry`` holds: the verb's name, its time, and its arguments. Cards needn't be there, nor what
an AI saw: shuffles follow from the seed, and everything else from the verbs, which are pure. Each version of a game has
one entry; that of version 0 is its opening.
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
    "come_back": Table.come_back,
    "start": Table.start,
    "act": Table.act,
    "signal": Table.signal,
    "hand_over": Table.hand_over,
    "abandon": Table.abandon,
}
"""What an entry may say, but for the opening."""

OPENED_WITH: Final = ("game_id", "options", "private", "group", "turn_seconds", "position")
"""What ``Table.open`` is given as it is written in the opening."""


def reopen(opening: Json) -> Change:
    """Open a table once more. Raises what ``Table.open`` does.

    What a newer version wrote besides has no effect: if it had one there, the table is another (journal.py of workers).
    """
    given: Json = {name: opening[name] for name in OPENED_WITH if name in opening}
    done: Json = {
        "ruleset": RULESETS[opening["ruleset"]],
        "seats": [Seat.load(seat) for seat in opening["seats"]],
        "seed": bytes.fromhex(opening["seed"]),
        "now": datetime.fromisoformat(opening["at"]),
    }
    return Table.open(**{**given, **done})


def redo(table: Table, entry: Json) -> Change:
    """Do once more what was done to *table*. Raises what the verb does, if the game took another way."""
    arguments = {name: value for name, value in entry.items() if name not in ("verb", "at")}
    return VERBS[entry["verb"]](table, **arguments, now=datetime.fromisoformat(entry["at"]))
