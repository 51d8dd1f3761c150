"""What follows from a record, or from a view, in a process that knows nothing else.

``python -m tests.contract.replay`` answers a JSON request a line on standard input with a JSON line.
"""

import json
import sys
from typing import Any

from engines import RULESETS
from engines.ai.decision import Question, repeat, think
from engines.ai.observation import Observation
from engines.core.types import Json
from engines.table.record_parser import read_record
from engines.table.replay import Mismatch, replay

FEW = 6
"""Iterations of a search: enough to see whether it can be repeated."""


def replayed(record: Json) -> Json:
    """Return the last position, all events and what doesn't match, from the record alone."""
    found = list[Mismatch]()
    moments = list(replay(read_record(json.dumps(record)), found))
    last = moments[-1].change.table.position
    return {
        "position": None if last is None else last.dump(),
        "events": [event.as_json() for moment in moments for event in moment.change.events],
        "found": [finding.code for finding in found],
    }


def chosen(asked: Json) -> Json:
    """Return what the AI of a level does, and which signal it gives, when it sees a view."""
    level, observation = (
        asked["level"],
        Observation(RULESETS[asked["ruleset"]], asked["view"], asked["seat"], asked["seed"]),
    )
    return {
        "action": str(repeat(Question(level, observation), FEW).action) if asked["may"] else None,
        "signal": think(Question(level, observation, may_signal=True, may_act=False)).signal
        if asked["signals"]
        else None,
    }


def answer(request: Json) -> Any:
    """Answer ``{"record"}`` or ``{"choose"}``."""
    return replayed(request["record"]) if "record" in request else chosen(request["choose"])


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))))  # noqa: T201  # that is how it answers
