"""What a commit writes, as commit.lua is given it: keys and values, each with its name."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex
from typing import Any

import orjson
from rq.job import Job

from engines.table import STATUSES, Change
from engines.types import Json
from workers.storage import events, journal, keys, queue
from workers.storage.events import StoredEvent
from workers.storage.idempotency import WAKE_UP_SECONDS, Key
from workers.storage.outbox import due_at


@dataclass(frozen=True)
class Commit:
    """A change of one game, and what is written together with it."""

    change: Change
    expected: int | None
    """The version that the game must have; None: there must be no game."""
    now: datetime
    tokens: Mapping[str, str]
    """New ones, SHA-256 hex by holder."""
    key: Key | None
    answer: Json
    """What is remembered with the key, if there is one."""
    answer_seconds: int
    job: Job | None
    """For the turn that an AI then owes."""

    def arguments(self) -> tuple[list[str], list[Any]]:
        """Return KEYS and ARGV of commit.lua."""
        named, values = self._keys(), self._values()
        words = [word for name, value in values.items() if value is not None for word in (name, value)]
        fields = [] if self.job is None else queue.written(self.job)
        return [*named.values()], [*named, *words, "job", *fields]

    def _keys(self) -> dict[str, str]:
        """Return the keys by name; those of an answer and of a job only if there is one."""
        table, key, job = self.change.table, self.key, self.job
        return {
            "game": keys.game(table.id),
            "changes": keys.changes(table.id),
            "snapshots": keys.snapshots(table.id),
            "record": keys.record(table.id),
            "tokens": keys.tokens(table.id),
            "all_tokens": keys.TOKENS,
            "due": keys.DUE,
            "repeats": keys.REPEATS,
            "standings": keys.STANDINGS,
            **{f"public.{status}": keys.public(table.ruleset_name, status) for status in STATUSES},
            **({} if key is None else {"answer": key.name, "wake_ups": keys.wake_ups(key.name)}),
            **({} if job is None else {"queue": queue.KEY, "job": job.key}),
        }

    def _values(self) -> dict[str, Any]:
        """Return the values by name; None stands for one that is left out."""
        table, entry = self.change.table, self.change.entry
        stored = table.as_json()
        return {
            "id": table.id,
            "expected": -1 if self.expected is None else self.expected,
            "version": table.version,
            "commit": token_hex(8),
            "status": table.status,
            "ruleset": table.ruleset_name,
            "table": orjson.dumps(stored),
            "snapshot": journal.snapshot(stored),
            "events": events.dump([StoredEvent.of(event) for event in self.change.events]),
            "entry": None if entry is None else orjson.dumps(entry),
            "due": due_at(table, self.now),
            "public_member": None if table.private else f"{table.created}_{table.id}",
            "tokens": orjson.dumps(dict(self.tokens)) if self.tokens else None,
            "answer": None if self.key is None else self.key.written(self.answer),
            "answer_seconds": self.answer_seconds,
            "wake_up_seconds": WAKE_UP_SECONDS,
            "job_id": None if self.job is None else self.job.id,
        }
