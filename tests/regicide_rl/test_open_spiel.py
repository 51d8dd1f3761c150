"""The game of OpenSpiel in examples/rl, by OpenSpiel's own random playthrough: `make openspiel` installs it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.regicide_rl.reference import IDS, TABLES
from tests.waiting import allowed

ROOT: Final = Path(__file__).parents[2]
SPIEL: Final = ROOT / "build" / "peers" / "openspiel"

PLAYTHROUGH: Final = """
import pyspiel, examples.rl.open_spiel_game
pyspiel.random_sim_test(pyspiel.load_game("{name}(players={players})"), 3, False, False)
print("played through")
"""
COPIES: Final = """
import random, pyspiel, examples.rl.open_spiel_game
game, rng, different = pyspiel.load_game("{name}(players={players},rng_seed=5)"), random.Random(0), 0
state = game.new_initial_state()
seen = game.make_py_observer()

def observed(state, player):
    seen.set_from(state, player)
    return seen.tensor.tolist(), seen.string_from(state, player), state.legal_actions()

for _ in range(60):
    if state.is_terminal():
        state = game.new_initial_state()
    if state.is_chance_node():
        state.apply_action(0)
    player = state.current_player()
    other = state.resample_from_infostate(player, rng.random)
    assert observed(other, player) == observed(state, player)
    different += str(other) != str(state)
    twin, action = state.clone(), rng.choice(state.legal_actions())
    before = str(twin)
    state.apply_action(action)
    assert str(twin) == before
    twin.apply_action(action)
    assert str(twin) == str(state)  # a copy has the same future
assert different > 3
print("copied")
"""


@pytest.mark.skipif(not (SPIEL / ".installed").exists(), reason="OpenSpiel isn't installed: make openspiel")
@pytest.mark.parametrize(("program", "said"), [(PLAYTHROUGH, "played through"), (COPIES, "copied")])
@pytest.mark.parametrize(("name", "players"), TABLES, ids=IDS)
def test_open_spiel_plays_it(name: str, players: int, program: str, said: str) -> None:
    """Random games, copies, and states that look alike."""
    paths = [str(SPIEL), *filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT)]
    done = subprocess.run(
        [sys.executable, "-P", "-c", program.format(name=name, players=players)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=allowed(120),
    )

    assert (done.returncode, done.stdout) == (0, f"{said}\n"), done.stdout + done.stderr


def test_it_is_short() -> None:
    """An example of at most 100 lines."""
    assert 60 <= len((ROOT / "examples/rl/open_spiel_game.py").read_text("utf-8").splitlines()) <= 100
