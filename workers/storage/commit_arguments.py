"""The keys and values of commit.lua, by name.

A script receives its keys and values as two lists. ``SCRIPT_NAMES`` is put before the script: two Lua tables that give
each item the name that both sides use. (Sending the names with each call would need no tables, but made a commit 8 to
12 % slower.)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from operator import itemgetter
from secrets import token_bytes
from typing import Any, Final

import orjson

from engines.core.types import Json
from engines.table import table_json
from engines.table.table import STATUSES, Change
from workers.storage import journal, table_codec
from workers.storage.due_games import due_in
from workers.storage.idempotency import WAKE_UP_TTL_SECONDS, Key
from workers.storage.keys import Keys, wake_ups

KEYS: Final = (
    *("game", "journal", "tokens", "due", "repeats", "standings"),
    *(f"public.{status}" for status in STATUSES),
    *(f"idle.{status}" for status in STATUSES),
)
EXTRA_KEYS: Final = ("next_game", "answer", "wake_ups")
VALUES: Final = (
    *("id", "expected", "version", "commit", "base", "status", "ruleset", "table", "entry", "now", "time", "due"),
    "public_member",
)
EXTRA_VALUES: Final = ("opening", "keyframe", "tokens", "follows", "answer", "answer_seconds", "wake_up_seconds")
"""Values that most moves lack. A commit without any of them omits these values and ``EXTRA_KEYS``."""


def _by_name(table: str, items: str, names: Sequence[str]) -> str:
    """Return Lua code that defines the local *table* from the list *items*. An unsent item is an empty string."""
    fields = [f'["{name}"] = {items}[{number}] or ""' for number, name in enumerate(names, 1)]
    return f"local {table} = {{ {', '.join(fields)} }}\n"


SCRIPT_NAMES: Final = _by_name("key", "KEYS", KEYS + EXTRA_KEYS) + _by_name("arg", "ARGV", VALUES + EXTRA_VALUES)
"""Lua code at the beginning of the script. It names the script's keys and values."""

_pick_keys: Final = itemgetter(*KEYS)
_pick_all_keys: Final = itemgetter(*KEYS, *EXTRA_KEYS)
_pick_values: Final = itemgetter(*VALUES)
_pick_extra_values: Final = itemgetter(*EXTRA_VALUES)


@dataclass(slots=True)
class Commit:
    """A change of one game and everything that is written with it."""

    change: Change
    expected: int | None
    """The version that the game must have, or None if the game must not exist."""
    now: datetime
    tokens: Mapping[str, str]
    """New tokens: SHA-256 in hexadecimal, by holder."""
    key: Key | None
    answer: Json
    """The response that is stored with the idempotency key. Ignored if ``key`` is None."""
    answer_seconds: int
    follows: str | None = None
    """The id of the finished game, if this commit creates its rematch."""
    base: bytes = b""
    """The id of the commit that wrote the previous table, if known."""
    time: str = ""
    """The time argument of the script (store_time.py)."""
    deadline_extension: timedelta = timedelta(0)
    """Time by which the deadline is extended after a clock jump."""
    id: bytes = field(default_factory=lambda: token_bytes(6))

    def arguments(self, keys: Keys) -> tuple[list[str], list[Any]]:
        """Return KEYS and ARGV of commit.lua."""
        named, values = self._keys(keys), self._values()
        extra = _pick_extra_values(values)
        if any(extra):
            return list(_pick_all_keys(named)), [*_pick_values(values), *extra]
        return list(_pick_keys(named)), list(_pick_values(values))

    def _keys(self, keys: Keys) -> dict[str, str]:
        """Return the keys by name.

        A key that is not used is replaced by the game's key, because an empty key would lie in another slot.
        """
        table, key = self.change.table, self.key
        named = _required_keys(keys, table.id, table.ruleset_name)
        if key is None and self.follows is None:
            return named
        answer = named["answer"] if key is None else keys.answer(key.scope, key.text)
        waking = named["wake_ups"] if key is None else wake_ups(answer)
        next_game = named["next_game"] if self.follows is None else keys.next_game(self.follows)
        return {**named, "next_game": next_game, "answer": answer, "wake_ups": waking}

    def _values(self) -> dict[str, Any]:
        """Return the values by name. An empty string stands for no value."""
        table, is_new = self.change.table, self.expected is None
        stored, due = table_json.dump(table), due_in(table, self.now - self.deadline_extension)
        return {
            "id": table.id,
            "expected": -1 if self.expected is None else self.expected,
            "version": table.version,
            "commit": self.id,
            "status": table.status,
            "ruleset": table.ruleset_name,
            "table": table_codec.pack(stored),
            "opening": journal.opening(self.change) if is_new else "",
            "entry": "" if is_new else journal.entry(self.change),
            "keyframe": journal.keyframe(table, stored),
            "now": self.now.timestamp(),
            "time": self.time,
            "due": "" if due is None else due,
            "public_member": f"{table.created}_{table.id}" if table.listed and not table.private else "",
            "tokens": orjson.dumps(dict(self.tokens)) if self.tokens else "",
            "answer": "" if self.key is None else self.key.dump(self.answer),
            "answer_seconds": "" if self.key is None else self.answer_seconds,
            "wake_up_seconds": "" if self.key is None else WAKE_UP_TTL_SECONDS,
            "follows": self.follows or "",
            "base": self.base,
        }


@lru_cache(1024)
def _required_keys(keys: Keys, game_id: str, ruleset: str) -> dict[str, str]:
    """Return the keys that each commit has, with or without an Idempotency-Key and a previous game."""
    partition, game = keys.partition(game_id), keys.game(game_id)
    return {
        "game": game,
        "journal": keys.journal(game_id),
        "tokens": keys.tokens(game_id),
        "due": keys.due(partition),
        "repeats": keys.retries(partition),
        "standings": keys.status_counts(partition),
        **{f"public.{status}": keys.public(partition, ruleset, status) for status in STATUSES},
        **{f"idle.{status}": keys.idle(partition, status) for status in STATUSES},
        "next_game": game,
        "answer": game,
        "wake_ups": game,
    }
