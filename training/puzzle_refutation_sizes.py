"""Measure the refutations of every wrong answer of every stored puzzle: ``python -m training.puzzle_refutation_sizes``.

``MAX_REFUTATION_POSITIONS`` of ``engines/analysis/puzzles.py`` is chosen by these sizes.
"""

from collections.abc import Iterator
from time import process_time
from typing import Final, NamedTuple

from engines import RULESETS
from engines.analysis.puzzle_proof import Proof
from engines.analysis.puzzles import Puzzle, refutation, stored_puzzles
from engines.core.dealer import NO_SHUFFLE

MAX_POSITIONS: Final = 1_000_000


class Measured(NamedTuple):
    """Measurements of the refutation of one wrong answer."""

    positions: int
    seconds: float
    actions: int
    puzzle: str
    place: int
    """Index, in the puzzle's solution, of the action that the wrong answer replaces."""
    wrong: str


def measure(puzzle: Puzzle, limit: int = MAX_POSITIONS) -> Iterator[Measured]:
    """Refute each wrong answer at each decision of a puzzle, and yield the measurements. Raises ``ProofTooLarge``."""
    rules, start = puzzle.ruleset.puzzles, puzzle.ruleset.load(puzzle.position)
    if rules is None:
        raise ValueError(f"{puzzle.ruleset.name} has no puzzles")
    position = start
    for place, step in enumerate(puzzle.line):
        wrong = [action for action in rules.choices(position) if step["asked"] and str(action) != step["text"]]
        for action in wrong:
            after, proof, begun = position.copy(), Proof(rules, start, limit), process_time()
            after.apply(step["seat"], action, NO_SHUFFLE)
            actions = len(refutation(puzzle, proof, after))
            yield Measured(proof.positions, process_time() - begun, actions, puzzle.id, place, str(action))
        position = position.copy()
        position.apply(step["seat"], puzzle.ruleset.parse(step["text"]), NO_SHUFFLE)


def main() -> None:
    """Print the number of wrong answers and the largest, slowest and longest of their refutations."""
    puzzles = [puzzle for ruleset in RULESETS.values() for puzzle in stored_puzzles(ruleset)]
    measured = [one for puzzle in puzzles for one in measure(puzzle)]
    print(f"{len(measured)} wrong answers of {len(puzzles)} puzzles")
    print("largest:", max(measured))
    print("slowest:", max(measured, key=lambda one: one.seconds))
    print("longest:", max(measured, key=lambda one: one.actions))


if __name__ == "__main__":
    main()
