"""Puzzles as they are stored and asked: the solver's answers are judged, everything else is played on."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Final

from engines.analysis.puzzle_proof import NO_HIDDEN, Proof
from engines.contract.base import Ruleset
from engines.contract.position import Action, Position
from engines.contract.puzzles import PuzzleRules
from engines.core.dealer import NO_SHUFFLE
from engines.core.errors import IllegalAction
from engines.core.phrase import Phrase, Translator
from engines.core.types import Json

UNLIMITED: Final = 1_000_000
"""Maximum number of positions of a refutation: far more than the proof searched."""


@dataclass(frozen=True)
class Puzzle:
    """A position whose goal has one way, proved (docs/puzzles.md)."""

    ruleset: Ruleset
    id: str
    grade: int
    moves: int
    seat: int
    position: Json
    line: list[Json]
    """Each action to the goal: its ``seat``, its ``text``, and whether it is ``asked`` of the solver."""


@dataclass(frozen=True)
class Judgement:
    """What became of a solver's answers."""

    right: bool
    solved: bool
    line: list[Json]
    """The actions after the last answer: ``seat``, ``action``, ``text``."""


@cache
def stored_puzzles(ruleset: Ruleset) -> tuple[Puzzle, ...]:
    """Return the puzzles of a ruleset, the easiest first."""
    rules = ruleset.puzzles
    if rules is None or not rules.file.exists():
        return ()
    stored: Json = json.loads(rules.file.read_text("utf-8"))
    fields = ("id", "grade", "moves", "seat", "position", "line")
    return tuple([Puzzle(ruleset, *[puzzle[field] for field in fields]) for puzzle in stored["puzzles"]])


def find_puzzle(rulesets: Iterable[Ruleset], puzzle_id: str) -> Puzzle | None:
    """Return the puzzle with that id; None if there is none."""
    for ruleset in rulesets:
        for puzzle in stored_puzzles(ruleset):
            if puzzle.id == puzzle_id:
                return puzzle
    return None


def puzzle_of_day(puzzles: list[Puzzle], day: date) -> Puzzle:
    """Return the puzzle of a date, the same for everybody."""
    digest = hashlib.sha256(day.isoformat().encode()).digest()
    return puzzles[int.from_bytes(digest[:8], "big") % len(puzzles)]


def as_json(puzzle: Puzzle, translate: Translator) -> Json:
    """Return the puzzle without its answer."""
    return {
        "id": puzzle.id,
        "ruleset": puzzle.ruleset.name,
        "grade": puzzle.grade,
        "seat": puzzle.seat,
        "position": puzzle.position,
        "goal": _rules(puzzle).goal,
        "goal_text": _rules(puzzle).goal_text(puzzle.ruleset.load(puzzle.position)).render(translate),
        "moves": puzzle.moves,
    }


def give_up(puzzle: Puzzle) -> Judgement:
    """Return the whole solution."""
    return Judgement(right=False, solved=False, line=solution(puzzle))


def solution(puzzle: Puzzle) -> list[Json]:
    """Return all actions to the goal: ``seat``, ``action``, ``text``."""
    return [_step(puzzle.ruleset, step["seat"], step["text"]) for step in puzzle.line]


def judge(puzzle: Puzzle, answers: list[Any]) -> Judgement:
    """Judge *answers*, all so far. Raises ``BadAction``, ``BadCard``, ``IllegalAction``.

    All actions between them are played. Answers after a wrong one don't count.
    """
    position, played = puzzle.ruleset.load(puzzle.position), 0
    for written in answers:
        while played < len(puzzle.line) and not puzzle.line[played]["asked"]:
            position = _after(position, puzzle.ruleset.parse(puzzle.line[played]["text"]))
            played += 1
        if played == len(puzzle.line):
            raise IllegalAction(Phrase("The puzzle is solved: there is nothing left to answer."))
        action = puzzle.ruleset.read(written)
        _check(puzzle, position, action)
        if str(action) != puzzle.line[played]["text"]:
            return Judgement(right=False, solved=False, line=_refutation(puzzle, position, action))
        position = _after(position, action)
        played += 1
    rest = puzzle.line[played:]
    asked = [place for place, step in enumerate(rest) if step["asked"]]
    shown = solution(puzzle)[played:]
    return Judgement(right=True, solved=not asked, line=shown[: asked[0]] if asked else shown)


def _rules(puzzle: Puzzle) -> PuzzleRules[Any]:
    rules = puzzle.ruleset.puzzles
    if rules is None:
        raise ValueError(f"{puzzle.ruleset.name} has no puzzles")
    return rules


def _after(position: Position, action: Action) -> Position:
    after = position.copy()
    after.apply(position.to_act()[0], action, NO_SHUFFLE)
    return after


def _check(puzzle: Puzzle, position: Position, action: Action) -> None:
    position.check(position.to_act()[0], action)
    if action not in _rules(puzzle).choices(position):
        raise IllegalAction(Phrase("In a puzzle a move that was begun is completed before anything else."))


def _refutation(puzzle: Puzzle, position: Position, action: Action) -> list[Json]:
    """Return the longest way to fail after the wrong *action*, which no later action repairs."""
    rules, line = _rules(puzzle), list[Json]()
    start = puzzle.ruleset.load(puzzle.position)
    proof, hidden = Proof(rules, start, UNLIMITED), NO_HIDDEN
    position = _after(position, action)
    while rules.reached(start, position) is None:
        reply = proof.longest(position, hidden)
        line.append(_step(puzzle.ruleset, position.to_act()[0], str(reply)))
        position, unknown = proof.step(position, reply, hidden)
        hidden = NO_HIDDEN if unknown is None else unknown
    return line


def _step(ruleset: Ruleset, seat: int, text: str) -> Json:
    return {"seat": seat, "action": ruleset.parse(text).as_json(), "text": text}
