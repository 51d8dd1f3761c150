"""What training and benchmarks of this game alone do, on so few games that their figures mean nothing."""

import json
from dataclasses import asdict
from pathlib import Path
from random import Random

import numpy as np
import pytest

from engines.ai.value_network import network_sizes
from engines.gridcannon.actions import Declare
from engines.gridcannon.benchmarks import duel
from engines.gridcannon.benchmarks.simple_strategies import RIVALS, Game, play, results_line
from engines.gridcannon.state import DRAWING
from engines.gridcannon.training import greedy_games
from engines.gridcannon.training.exploration import explore
from engines.gridcannon.value_guide import load_network, network_file
from tests.engines.gridcannon.games import positions
from training.network import Network


def test_whatever_is_explored_is_legal() -> None:
    """In Gridcannon, with ploys announced or not (G14)."""
    rng, tried = Random(7), 0
    for position in positions(players=4, seed=7):
        if position.is_over:
            break
        seat = position.to_act()[0]
        for _ in range(5):
            action = explore(position, seat, rng)
            assert action in position.legal(seat)
            tried += isinstance(action, Declare)
    assert tried > 0


@pytest.mark.parametrize("rival", RIVALS)
def test_rivals(rival: str) -> None:
    """Equal games end equally, somebody or nobody wins, and no more ploys are recalled than were declared."""
    game = Game(rival, "adept", 1, "of a test")
    result = play(game)

    assert result == play(game)
    assert result.won in ("rival", "level", "nobody")
    assert result.recalled <= result.declared
    wins = int(result.won == "rival")
    assert results_line(rival, "adept", [result]).startswith(f"{rival:8} wins {wins:3} of 1 against adept = {wins:.1%}")


def test_a_duel() -> None:
    """Equal games end equally, and are read as they were written; each deal is played with seats exchanged."""
    adepts = duel.player("adept"), duel.player("adept")
    results = [duel.play(adepts, "of a test", number) for number in range(2)]

    assert results[0].won + results[1].won == 1
    assert results[0].luck == pytest.approx(-results[1].luck, abs=1e-3)
    assert [duel.read(json.dumps(asdict(result))) for result in results] == results
    assert duel.report(["adept", "adept"], results).startswith("adept won 1 of 2 = 50.0%")


def test_the_luck_of_a_draw_is_none_in_the_mean() -> None:
    """Whichever of the hidden cards lies on top; what is good luck for one is bad luck for the other."""
    position = next(one for one in positions(2, "luck") if one.turns > 30 and one.phase == DRAWING and not one.ploys)
    lucks = list[float]()
    for card in position.draw_pile:
        twin = position.copy()
        twin.draw_pile.remove(card)
        twin.draw_pile.insert(0, card)
        lucks.append(duel.luck_of_draw(twin, 0))
    assert sum(lucks) == pytest.approx(0, abs=1e-6)
    assert lucks[0] == pytest.approx(-duel.luck_of_draw(position, 1), abs=0.02)


def test_games_of_greedy_players_are_learned_from(tmp_path: Path) -> None:
    """A network that is gone on with begins as it was; games are read as they were written."""
    data, rng = network_file(2), np.random.default_rng(1)
    assert Network.unpacked(data, rng).packed() == data

    seen, explored, ending = greedy_games.greedy_game(load_network(2), Random(1))
    assert len(seen) == len(explored) > 20
    assert any(explored)
    assert ending in range(3)

    path = tmp_path / "0000.npz"
    greedy_games.play_file(load_network(2), ["of a test"], path)
    games = greedy_games.read_games([path], network_sizes(data))
    again, cut, _ = greedy_games.greedy_game(load_network(2), Random("of a test"))
    assert len(games) == 1
    assert [row[: len(held)].tolist() for row, (held, _) in zip(games.features(), again, strict=True)] == [
        held for held, _ in again
    ]
    assert len(games.learned()) == cut.count(False)
