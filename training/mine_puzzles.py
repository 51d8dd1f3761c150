"""Mine puzzles: prove positions of games; keep the one of each game that asks for the most moves (docs/puzzles.md).

``python -m training.mine_puzzles RULESET MINUTES SEED`` adds to the puzzles found before; SEED must be a new seed.
"""

import json
import sys
from random import Random
from time import process_time
from typing import Any, Final

from engines import RULESETS
from engines.analysis.puzzle_proof import ProofTooLarge, Step, moves_asked, solve
from engines.contract.puzzles import PuzzleRules
from engines.core.types import Json
from engines.ruleset import Position

MAX_PUZZLES_PER_GRADE: Final = 100
HIGHEST_GRADE: Final = 3
MAX_PROOF_POSITIONS: Final = 3000
"""Maximum number of positions in a proof while mining; larger proofs would take most time and find few puzzles."""
MAX_TOO_LARGE_PROOFS: Final = 3
"""Number of positions with too large proofs after which a game is given up."""


def mine(rules: PuzzleRules[Any], minutes: float, seed: int, found: list[Json]) -> Json:
    """Add puzzles to *found* until all grades are full or *minutes* of CPU time are used; return statistics."""
    began, proving, game, proofs = process_time(), 0.0, 0, 0
    while process_time() - began < 60 * minutes and not _is_full(found):
        best: list[Step] = []
        chosen: Position | None = None
        too_large = 0
        for position in rules.candidates(Random(f"{seed} {game}")):
            proof_began = process_time()
            line = None
            try:
                line = solve(rules, position, MAX_PROOF_POSITIONS)
            except ProofTooLarge:
                too_large += 1
            proving += process_time() - proof_began
            proofs += 1
            if too_large == MAX_TOO_LARGE_PROOFS:
                break
            if line is not None and moves_asked(line) > moves_asked(best):
                best, chosen = line, position
        if chosen is not None and _room(found, moves_asked(best)):
            found.append(_puzzle_json(chosen, best, f"{seed}-{game}"))
        game += 1
    return {"seed": seed, "games": game, "proofs": proofs, "proving_seconds": round(proving, 1)}


def _grade(moves: int) -> int:
    return min(moves, HIGHEST_GRADE)


def _room(found: list[Json], moves: int) -> bool:
    return sum(_grade(puzzle["moves"]) == _grade(moves) for puzzle in found) < MAX_PUZZLES_PER_GRADE


def _is_full(found: list[Json]) -> bool:
    return not any(_room(found, moves) for moves in range(1, HIGHEST_GRADE + 1))


def _puzzle_json(position: Position, line: list[Step], source: str) -> Json:
    written = position.dump()
    return {
        "id": f"{written['ruleset']}-{source}",
        "grade": _grade(moves_asked(line)),
        "moves": moves_asked(line),
        "seat": position.to_act()[0],
        "position": written,
        "line": [{"seat": step.seat, "text": str(step.action), "asked": step.asked} for step in line],
    }


def main(name: str, minutes: str, seed: str) -> None:
    """Mine puzzles of one ruleset, and add them to the ruleset's file."""
    rules = RULESETS[name].puzzles
    if rules is None:
        sys.exit(f"{name} has no puzzles.")
    file = rules.file
    stored: Json = json.loads(file.read_text("utf-8")) if file.exists() else {"runs": [], "puzzles": []}
    if any(run["seed"] == int(seed) for run in stored["runs"]):
        sys.exit(f"Seed {seed} was used: choose another.")
    stored["runs"].append(mine(rules, float(minutes), int(seed), stored["puzzles"]))
    stored["puzzles"].sort(key=lambda puzzle: (puzzle["grade"], puzzle["id"]))
    runs = json.dumps(stored["runs"])
    puzzles = ",\n".join(json.dumps(puzzle) for puzzle in stored["puzzles"])
    file.write_text(f'{{"runs": {runs},\n"puzzles": [\n{puzzles}\n]}}\n', "utf-8")
    counts = [sum(p["grade"] == grade for p in stored["puzzles"]) for grade in range(1, HIGHEST_GRADE + 1)]
    print(stored["runs"][-1], "puzzles by grade:", counts)


if __name__ == "__main__":
    main(*sys.argv[1:])
