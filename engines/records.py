"""The records of games, in one module: read them, replay them, check them, and list their decisions.

Programs may rely on these names (`docs/python.md`).
"""

from engines.core.errors import BadRequest
from engines.table.decision_rows import DecisionRow, Unplayable, decisions
from engines.table.record_parser import Entry, Note, Record, load_record, read_record
from engines.table.replay import Mismatch, ReplayStep, audit, replay, verify

__all__ = [
    "BadRequest",
    "DecisionRow",
    "Entry",
    "Mismatch",
    "Note",
    "Record",
    "ReplayStep",
    "Unplayable",
    "audit",
    "decisions",
    "load_record",
    "read_record",
    "replay",
    "verify",
]
