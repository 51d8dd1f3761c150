"""Measure how often AI levels find the first answer of puzzles: ``python -m training.puzzle_success_rates [LEVEL...]``.

A level sees only its seat's view, as at a table. People who solve a puzzle also see the other hand and the order
of a pile. Prints a line for each ruleset, level and grade.
"""

import sys
from collections import Counter
from typing import Any, Final

from engines import RULESETS
from engines.ai.decision import Question, think
from engines.ai.observation import Observation
from engines.analysis.puzzles import Puzzle, stored_puzzles
from engines.core.dealer import NO_SHUFFLE

LEVELS: Final = ("adept", "expert", "master")


def finds_first(puzzle: Puzzle, level: str) -> bool:
    """Return whether *level* chooses the first action that the solver is asked for."""
    position: Any = puzzle.ruleset.load(puzzle.position)
    for step in puzzle.line:
        seat: int = step["seat"]
        text: str = step["text"]
        if step["asked"]:
            seen = Observation(puzzle.ruleset, position.view(seat), seat, puzzle.id)
            question = Question(level, seen, must_act=True)
            return str(think(question, question.untimed).action) == text
        position.apply(seat, puzzle.ruleset.parse(text), NO_SHUFFLE)
    raise ValueError(f"{puzzle.id} asks nothing")


def main(*levels: str) -> None:
    """Print for each ruleset, level and grade the share of puzzles whose first answer the level finds."""
    for name, ruleset in RULESETS.items():
        puzzles = stored_puzzles(ruleset)
        for level in levels or LEVELS:
            count, found = Counter[int](), Counter[int]()
            for puzzle in puzzles:
                count[puzzle.grade] += 1
                found[puzzle.grade] += finds_first(puzzle, level)
            for grade in sorted(count):
                share = 100 * found[grade] / count[grade]
                print(f"{name} {level} grade {grade}: {found[grade]} of {count[grade]} = {share:.0f} %", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
