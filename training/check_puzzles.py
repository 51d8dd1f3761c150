"""Check the proofs of puzzles by an independent search, which gets the rules only from the referee's process.

``python -m training.check_puzzles [NUMBER]`` checks all puzzles, or NUMBER evenly chosen ones. The check shares no code
with the search that found the puzzles: it uses the referee's protocol (docs/referee.md).
"""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Self

Json = dict[str, Any]

FILES: Final = sorted(Path(__file__).resolve().parent.parent.glob("engines/*/puzzles.json"))
MAX_UNANSWERED_REQUESTS: Final = 20
"""Number of requests that are written before their answers are read: few enough for the buffers of both pipes."""


class Referee:
    """Client of the referee (``python -m engines``), which it runs as a subprocess; a context manager."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "engines"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._process.stdin and self._process.stdout:
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()

    def ask(self, requests: list[Json]) -> list[Json]:
        """Return the referee's answers to *requests*, in the same order."""
        answers = list[Json]()
        for first in range(0, len(requests), MAX_UNANSWERED_REQUESTS):
            answers += self._ask(requests[first : first + MAX_UNANSWERED_REQUESTS])
        return answers

    def _ask(self, requests: list[Json]) -> list[Json]:
        if not (self._process.stdin and self._process.stdout):
            raise RuntimeError("The referee has no pipes")
        self._process.stdin.write("".join([json.dumps(request) + "\n" for request in requests]))
        self._process.stdin.flush()
        return [json.loads(self._process.stdout.readline()) for _ in requests]


class Check:
    """The search for the solution of one puzzle, with a cache of positions."""

    def __init__(self, referee: Referee, start: Json) -> None:
        self._referee, self._start = referee, start
        self._goal: Any = import_module(f"engines.{start['ruleset']}.training.puzzle_goal")
        self._kept: dict[tuple[str, bool], bool] = {}
        self._following: dict[str, list[tuple[Json, Json, set[str] | None]]] = {}

    def reached(self, position: Json) -> bool | None:
        """Return whether the goal was reached; None while it is undecided."""
        reached: bool | None = self._goal.reached(self._start, position)
        return reached

    def following(self, position: Json, hidden: set[str]) -> list[tuple[Json, Json, set[str] | None]]:
        """Return each action with the position after it and the hidden cards there.

        If the action draws one of the *hidden* cards, None is returned instead of the hidden cards.
        """
        key = self._key(position, hidden)
        if key not in self._following:
            seat = self._goal.seat_to_act(position)
            legal = self._referee.ask([{"op": "legal", "position": position, "seat": seat}])[0]["actions"]
            actions = self._goal.allowed(position, legal)
            request = {"op": "apply", "position": position, "seat": seat, "seed": "check"}
            answers = self._referee.ask([{**request, "action": action} for action in actions])
            self._following[key] = [
                (action, answer["position"], _hidden(answer["events"], hidden))
                for action, answer in zip(actions, answers, strict=True)
            ]
        return self._following[key]

    def keeps(self, position: Json, hidden: set[str] | None, *, generous: bool) -> bool:
        """Return whether the goal can be reached from *position*.

        If *hidden* is None, a hidden card was drawn and the result is unknown. Then *generous* is returned.
        """
        if hidden is None:
            return generous
        reached = self.reached(position)
        if reached is not None:
            return reached
        key = (self._key(position, hidden), generous)
        if key not in self._kept:
            self._kept[key] = any(
                self.keeps(after, unknown, generous=generous) for _, after, unknown in self.following(position, hidden)
            )
        return self._kept[key]

    def _key(self, position: Json, hidden: set[str]) -> str:
        alike = {**position, "packets": None, "hands": [sorted(hand) for hand in position.get("hands", [])]}
        alike |= {name: sorted(position[name]) for name in ("table", "discard", "draw_pile") if name in position}
        return json.dumps([alike, sorted(hidden)])


def _hidden(events: list[Json], hidden: set[str]) -> set[str] | None:
    for event in events:
        if event["type"] == "healed":
            hidden = hidden | {*event["cards"]}
        elif event["type"] == "drawn" and event["card"] in hidden:
            return None
    return hidden


def complaint(referee: Referee, puzzle: Json) -> str | None:
    """Return a sentence on the error in a puzzle; None if its answers are proved to be the only ones."""
    check, position, hidden = Check(referee, puzzle["position"]), puzzle["position"], set[str]()
    if not check.keeps(position, hidden, generous=False):
        return "the goal can't be reached for sure"
    left = sum(step["asked"] for step in puzzle["line"])
    for step in puzzle["line"]:
        following = check.following(position, hidden)
        keeping = [action for action, after, unknown in following if check.keeps(after, unknown, generous=True)]
        if step["asked"] and len(keeping) != 1:
            return f"{step['text']} isn't the only answer"
        if not step["asked"] and left and len(following) != 1:
            return f"{step['text']} should be asked"
        left -= step["asked"]
        taken = {"op": "apply", "position": position, "seat": step["seat"], "action": step["text"], "seed": "check"}
        answer = referee.ask([taken])[0]
        position, unknown = answer["position"], _hidden(answer["events"], hidden)
        if unknown is None or (step["asked"] and not check.keeps(position, unknown, generous=False)):
            return f"{step['text']} doesn't keep the goal"
        hidden = unknown
    return None if check.reached(position) else "the line doesn't reach the goal"


def main(number: str = "") -> None:
    """Check the puzzles, and exit with code 1 if one isn't proved."""
    puzzles = [puzzle for file in FILES for puzzle in json.loads(file.read_text("utf-8"))["puzzles"]]
    chosen = puzzles[:: max(1, len(puzzles) // int(number))] if number else puzzles
    with Referee() as referee:
        wrong = [(puzzle["id"], said) for puzzle in chosen if (said := complaint(referee, puzzle))]
    print(f"{len(chosen)} puzzles checked, {len(wrong)} not proved", *wrong, sep="\n")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
