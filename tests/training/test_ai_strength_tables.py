"""The tables of strength are those of the results, and a killed run of the benchmark goes on."""

import json
import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks import ai, ai_strength_tables
from engines import RULESETS
from engines.analysis.arena import Arena, result
from engines.analysis.in_process_game import play_at_table
from engines.core.confidence import wilson
from engines.core.types import Json
from tests.waiting import AGES, comes_true

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/ai-strength.md").read_text("utf-8")
GRIDCANNON, REGICIDE = RULESETS["gridcannon"], RULESETS["regicide"]
LADDER = list(pairwise((*ai.below_adept(GRIDCANNON), "adept")))
"""Neighbours up to the adept, the weaker first."""


def test_the_page_has_the_rows_of_the_results():
    """Every row, in both games, and no other match."""
    found = ai_strength_tables.results()
    for ruleset in RULESETS.values():
        rows = [*(ai_strength_tables.teams if ruleset.cooperative else ai_strength_tables.rivals)(ruleset, found)]
        assert "\n".join(rows) in PAGE
    assert set(found) <= {match.name for match in ai.matches()}


def test_the_readme_has_the_results_of_two():
    """Rounded to whole per cent, a level after the other."""
    found, readme = ai_strength_tables.results(), (ROOT / "README.md").read_text("utf-8")
    rates = [found[f"regicide-{level}-{level}"] for level in REGICIDE.levels]
    shown = [f"{100 * one['wins'] / one['games']:.0f} %" for one in rates]
    rows = [row.split("|") for row in readme.splitlines() if row.startswith("| `") and " % |" in row]
    assert ", ".join(row[3].strip() for row in rows).split(", ") == shown


def test_levels_without_search_have_a_thousand_games_and_seeds_of_their_own():
    """At least; every interval is Wilson's."""
    found, seeds = ai_strength_tables.results(), list[str]()
    for match in ai.matches():
        if not match.searches:
            assert found[match.name]["games"] >= ai.GAMES_PER_MATCH
            seeds.append(found[match.name]["seed"])
    assert len(set(seeds)) == len(seeds) > 20
    for one in found.values():
        assert (one["low"], one["high"]) == tuple(round(end, 4) for end in wilson(one["wins"], one["games"]))


@pytest.mark.parametrize(("weaker", "stronger"), LADDER)
def test_neighbours_below_the_adept_are_an_even_step_apart(weaker: str, stronger: str):
    """Within 55 and 70 per cent."""
    one = ai_strength_tables.results()[f"gridcannon-{stronger}-{weaker}"]
    assert 0.55 <= one["wins"] / one["games"] <= 0.70


def test_ratings_are_those_of_the_results():
    """A team's per cent of wins in Regicide, Elo points of neighbours in Gridcannon, within five."""
    found = ai_strength_tables.results()
    for level in (*ai.below_adept(REGICIDE), "adept"):
        one = found[f"regicide-{level}-{level}"]
        assert REGICIDE.levels[level].rating == pytest.approx(100 * one["wins"] / one["games"], abs=0.5)
    rivals = GRIDCANNON.levels
    for weaker, stronger in LADDER:
        one = found[f"gridcannon-{stronger}-{weaker}"]
        difference = (rivals[stronger].rating or 0) - (rivals[weaker].rating or 0)
        foretold = 1 / (1 + 10 ** (-difference / 400))
        assert foretold == pytest.approx((one["wins"] + one["draws"] / 2) / one["games"], abs=0.01)


def test_a_killed_run_goes_on(tmp_path: Path):
    """The second run plays what is missing; its result is that of the games one by one."""
    match = ai.Match("regicide", ("novice", "adept"))
    file, kept = tmp_path / "results.json", tmp_path / f"{match.name}.json"
    command = [sys.executable, "-m", "benchmarks.ai", "--only", match.name, "--folder", str(tmp_path)]
    command += ["--results", str(file), "--processes", "1", "--games"]
    with subprocess.Popen([*command, "100000"], stdout=subprocess.DEVNULL) as process:
        assert comes_true(lambda: kept.exists() and len(json.loads(kept.read_bytes())["played"]) > 0, AGES)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(AGES)
    before = json.loads(kept.read_bytes())["played"]
    games = len(before) + 5

    subprocess.run([*command, str(games)], check=True, stdout=subprocess.DEVNULL)

    after, arena = json.loads(kept.read_bytes()), _arena(match, games)
    assert {number: after["played"][number] for number in before} == before
    played = {number: play_at_table(arena, number, records=False, notes=False)[0] for number in range(games)}
    assert json.loads(file.read_bytes()) == {match.name: ai.summary(result(arena, played, 0))}


def _arena(match: ai.Match, games: int) -> Arena:
    options: Json = RULESETS[match.ruleset].check_options(len(match.seats), {})
    return Arena(match.ruleset, match.seats, games, options, match.seed)
