"""Random play to the end of a game, for measuring speed and for tests."""

from random import Random

from engines.contract.position import Position
from engines.core.dealer import SimulationDealer


def play_out(position: Position, rng: Random) -> int:
    """Play *position* to its end and return the number of actions.

    The first seat that must act takes a legal action at random, uniformly; no seat interrupts.
    """
    dealer, actions = SimulationDealer(rng), 0
    while not position.is_over:
        seat = position.to_act()[0]
        legal = position.legal(seat)
        position.apply(seat, legal[dealer.below(len(legal))], dealer)
        actions += 1
    return actions
