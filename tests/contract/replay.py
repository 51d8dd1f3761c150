"""What follows from a record, or from a view, in a process that knows nothing else.

``python -m tests.contract.replay`` answers a JSON request a line on standard input with a JSON line.
"""

import json
import sys
from typing import Any

from engines import RULESETS
from engines.dealer import SeededDealer, action_seed, game_key
from engines.events import Event
from engines.opponents import choose, signal
from engines.ruleset import Json, step

FEW = 6
"""Iterations of a search: enough to see whether it can be repeated."""


def replayed(record: Json) -> Json:
    """Return the last position and all events, from the record's seed, client seeds and actions alone."""
    ruleset, heard = RULESETS[record["ruleset"]], list[Event]()
    key = game_key(bytes.fromhex(record["seed"]), record["client_seeds"])
    position = ruleset.new(record["players"], record["options"], SeededDealer(action_seed(key, 0)), heard)
    for number, entry in enumerate(record["actions"], start=1):
        action = ruleset.parse(entry["action"])
        position, events = step(position, entry["seat"], action, SeededDealer(action_seed(key, number)))
        heard += events
    return {"position": position.dump(), "events": [event.as_json() for event in heard]}


def chosen(asked: Json) -> Json:
    """Return what the AI of a level does, and which signal it gives, when it sees a view."""
    ruleset, about = RULESETS[asked["ruleset"]], (asked["level"], asked["view"], asked["seat"], asked["seed"])
    return {
        "action": str(choose(ruleset, *about, {}, iterations=FEW).action) if asked["may"] else None,
        "signal": signal(ruleset, *about) if asked["signals"] else None,
    }


def answer(request: Json) -> Any:
    """Answer ``{"record"}`` or ``{"choose"}``."""
    return replayed(request["record"]) if "record" in request else chosen(request["choose"])


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))))  # noqa: T201  # that is how it answers
