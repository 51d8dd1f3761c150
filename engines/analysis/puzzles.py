"""Stored puzzles: the server judges the solver's answers and plays the moves between them."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from typing import Any, Final

from engines.analysis.puzzle_proof import NO_HIDDEN_CARDS, Proof, ProofTooLarge
from engines.contract.base import Ruleset
from engines.contract.position import Action, Position
from engines.contract.puzzles import PuzzleRules
from engines.core.dealer import NO_SHUFFLE
from engines.core.errors import IllegalAction
from engines.core.phrase import Phrase, Translator
from engines.core.types import Json

MAX_REFUTATION_POSITIONS: Final = 20_000
"""Maximum number of positions in the search for a refutation, a line that shows why an answer is wrong.

A search of this size takes half a second. The longest refutation of the stored puzzles needs a tenth of this size
(``training/puzzle_refutation_sizes.py``).
"""
MAX_CACHED_REFUTATIONS: Final = 1024
"""Maximum number of judgements on wrong answers that a process keeps, because a search for one takes long."""
REFUTATION_TOO_LONG_PHRASE: Final = Phrase("That isn't the answer. Why not would take too long to show.")


@dataclass(frozen=True, eq=False)
class Puzzle:
    """A position with a goal that is proved to be reached by exactly one sequence of answers (docs/puzzles.md)."""

    ruleset: Ruleset
    id: str
    grade: int
    moves: int
    seat: int
    position: Json
    line: list[Json]
    """The actions to the goal, each with ``seat``, ``text`` and ``asked``: whether the solver must find the action."""


@dataclass(frozen=True)
class Judgement:
    """The verdict on a solver's answers."""

    right: bool
    solved: bool
    line: list[Json]
    """The actions to show to the solver, each with ``seat``, ``action`` and ``text``.

    After right answers these are the actions that are played automatically, up to the next answer. After a wrong answer
    they are its refutation, and after giving up the whole solution.
    """
    note: Phrase | None = None
    """The reason why a wrong answer has no refutation."""


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
    """Return the puzzle with the id *puzzle_id*; None if there is none."""
    for ruleset in rulesets:
        for puzzle in stored_puzzles(ruleset):
            if puzzle.id == puzzle_id:
                return puzzle
    return None


def puzzle_of_day(puzzles: list[Puzzle], day: date) -> Puzzle:
    """Return the puzzle of a date, the same for everybody; all puzzles appear before one is repeated."""
    shuffled = sorted(puzzles, key=lambda puzzle: hashlib.sha256(puzzle.id.encode()).digest())
    return shuffled[day.toordinal() % len(shuffled)]


def as_json(puzzle: Puzzle, translate: Translator) -> Json:
    """Return the puzzle as JSON, without its solution."""
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
    """Return the judgement for a solver who gives up; its line is the whole solution."""
    return Judgement(right=False, solved=False, line=solution(puzzle))


def solution(puzzle: Puzzle) -> list[Json]:
    """Return all actions to the goal, each with ``seat``, ``action`` and ``text``."""
    return [_step(puzzle.ruleset, step["seat"], step["text"]) for step in puzzle.line]


def judge(puzzle: Puzzle, answers: list[Any], limit: int = MAX_REFUTATION_POSITIONS) -> Judgement:
    """Judge all *answers* that the solver has given so far. Raises ``BadAction``, ``BadCard``, ``IllegalAction``.

    Actions of the line that the solver needn't find are played automatically. Answers after a wrong one are ignored.
    The search for a refutation has at most *limit* positions.
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
            return _refute(puzzle, played, action, limit)
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


@lru_cache(MAX_CACHED_REFUTATIONS)
def _refute(puzzle: Puzzle, played: int, action: Action, limit: int) -> Judgement:
    """Return the judgement on the wrong *action* after the first *played* actions of the puzzle's line."""
    position = puzzle.ruleset.load(puzzle.position)
    for step in puzzle.line[:played]:
        position = _after(position, puzzle.ruleset.parse(step["text"]))
    position = _after(position, action)
    proof = Proof(_rules(puzzle), puzzle.ruleset.load(puzzle.position), limit)
    try:
        return Judgement(right=False, solved=False, line=refutation(puzzle, proof, position))
    except ProofTooLarge:
        return Judgement(right=False, solved=False, line=[], note=REFUTATION_TOO_LONG_PHRASE)


def refutation(puzzle: Puzzle, proof: Proof, position: Position) -> list[Json]:
    """Return the longest line to failure from *position*, where the goal can't be reached. Raises ``ProofTooLarge``."""
    rules, line, hidden = _rules(puzzle), list[Json](), NO_HIDDEN_CARDS
    start = puzzle.ruleset.load(puzzle.position)
    while rules.reached(start, position) is None:
        reply = proof.longest(position, hidden)
        line.append(_step(puzzle.ruleset, position.to_act()[0], str(reply)))
        position, unknown = proof.step(position, reply, hidden)
        hidden = NO_HIDDEN_CARDS if unknown is None else unknown
    return line


def _step(ruleset: Ruleset, seat: int, text: str) -> Json:
    return {"seat": seat, "action": ruleset.parse(text).as_json(), "text": text}
