"""The committed puzzles: their proofs hold, and the bounds and the mining do what the docs say."""

import json
import subprocess
import sys
from typing import Any

import pytest

from engines import RULESETS
from engines.analysis.puzzle_proof import MAX_LINE_ACTIONS, NO_HIDDEN_CARDS, Proof, moves_asked, solve
from engines.analysis.puzzles import MAX_REFUTATION_POSITIONS, stored_puzzles
from engines.contract.puzzles import PuzzleRules
from engines.core.types import Json
from tests.api.puzzles import position
from training.check_puzzles import Referee, complaint
from training.mine_puzzles import mine
from training.puzzle_refutation_sizes import measure

REGICIDE = RULESETS["regicide"]
PUZZLES = [puzzle for ruleset in RULESETS.values() for puzzle in stored_puzzles(ruleset)]


def rules() -> PuzzleRules[Any]:
    """Return those of Regicide."""
    assert REGICIDE.puzzles is not None
    return REGICIDE.puzzles


def test_twelve_proofs_are_repeated_by_another_search():
    """By the referee in another process; `make puzzles-check` repeats all."""
    checked = subprocess.run(
        [sys.executable, "-m", "training.check_puzzles", "12"], check=False, capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert ", 0 not proved" in checked.stdout


def test_the_other_search_complains_about_a_wrong_answer():
    """It would otherwise prove nothing."""
    stored = json.loads(rules().file.read_text("utf-8"))["puzzles"][0]
    first, *rest = stored["line"]
    with Referee() as referee:
        legal = referee.ask([{"op": "legal", "position": stored["position"], "seat": stored["seat"]}])[0]["actions"]
        other = next(action for action in legal if str(REGICIDE.parse(action)) != first["text"])
        wrong = {**stored, "line": [{**first, "text": str(REGICIDE.parse(other))}, *rest]}
        assert complaint(referee, wrong) is not None


def test_puzzles_keep_their_bounds():
    """Ids are unique, lines short, each grade is of so many moves, and every ruleset of ours has some."""
    assert len({puzzle.id for puzzle in PUZZLES}) == len(PUZZLES)
    for puzzle in PUZZLES:
        assert puzzle.grade == min(puzzle.moves, 3)
        assert 1 <= len(puzzle.line) <= MAX_LINE_ACTIONS
    assert {puzzle.ruleset.name for puzzle in PUZZLES} == {"regicide", "gridcannon"}


@pytest.mark.parametrize("name", ["regicide", "gridcannon"])
def test_a_proof_is_reproducible(name: str):
    """The position alone decides the line."""
    puzzles = RULESETS[name].puzzles
    assert puzzles is not None
    stored = stored_puzzles(RULESETS[name])[0]
    line = solve(puzzles, RULESETS[name].load(stored.position))
    assert line is not None
    assert [str(step.action) for step in line] == [step["text"] for step in stored.line]
    assert moves_asked(line) == stored.moves


def test_r5_a_healed_card_that_is_drawn_counts_against_the_answer_and_for_its_alternatives():
    """What a heart heals and a diamond then draws is chance."""
    start = REGICIDE.load(
        position([["AH", "9D"]], castle=[], enemy="KS", damage=29, tavern=[], discard=["TC", "5C"], shield=0)
    )
    proof = Proof(rules(), start)
    action = REGICIDE.parse("play AH 9D")
    assert proof.action_keeps(start, action, NO_HIDDEN_CARDS, generous=True)
    assert not proof.action_keeps(start, action, NO_HIDDEN_CARDS, generous=False)


def test_what_several_actions_reach_is_no_puzzle():
    """Exactly one action must keep the goal; with one card there is no choice either."""
    assert solve(rules(), REGICIDE.load(position([["5C"]], castle=[], enemy="KS", damage=35))) is None
    both = position([["5C", "9C"]], castle=[], enemy="KS", damage=35)
    assert solve(rules(), REGICIDE.load(both)) is None


def test_mining_notes_its_run():
    """The seed, and how many games and proofs it took."""
    found: list[Json] = []
    run = mine(rules(), 0.02, 5, found)
    assert run["seed"] == 5
    assert run["games"] > 0
    assert all(puzzle["id"].startswith("regicide-5-") for puzzle in found)


def test_every_wrong_answer_is_refuted_well_within_the_bound():
    """At each decision of each stored puzzle; ``MAX_REFUTATION_POSITIONS`` leaves room for five times as much."""
    measured = [one for puzzle in PUZZLES for one in measure(puzzle, MAX_REFUTATION_POSITIONS)]

    assert len(measured) > 10 * len(PUZZLES)
    assert max(measured).positions <= MAX_REFUTATION_POSITIONS / 5
