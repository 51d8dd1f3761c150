"""What a position of Gridcannon is worth by a value network, and the guide of a search that goes by it.

No level plays by it yet: networks are trained with it, and have not become stronger (``docs/training.md``).
"""

from math import inf
from typing import ClassVar

from engines.gridcannon.actions import DRAW, Recall
from engines.gridcannon.features import features
from engines.gridcannon.policy import GridcannonGuide, after, candidates
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.state import DRAWING
from engines.policy import Judge
from engines.position import Action
from engines.value_network import ValueNetwork

Weighted = list[tuple[float, Action | None]]
"""Actions, None to let others act, each with what it is worth."""


def ending(position: GridcannonPosition) -> int:
    """Return how a game that is over has ended: the seat that has won, or the number of players for a draw."""
    winner = None if position.outcome is None else position.outcome["winner"]
    return position.players if winner is None else int(winner)


class ValueGuide(GridcannonGuide):
    """Weighs actions as the guide by odds does, and positions by a network, at once: nothing is played on."""

    horizon: ClassVar[int] = 0

    def __init__(self, network: ValueNetwork, root: GridcannonPosition | None = None) -> None:
        super().__init__(root)
        self._network = network

    def ready(self, root: GridcannonPosition, verdict: Judge) -> GridcannonGuide:
        """Return a guide that judges from *root*."""
        return ValueGuide(self._network, root)

    def value(self, position: GridcannonPosition, seat: int) -> float:
        """Return how likely *seat* is to win, a draw counting half; a ploy that is queued is used as well as can be."""
        if position.is_over:
            won = ending(position)
            return 0.5 if won == position.players else float(won == seat)
        if position.ploys:
            return self._once_resolved(position, seat)
        if not position.lives[seat]:
            return 0.0
        shares = self._network.endings(features(position))
        return shares[(seat - position.turn) % position.players] + 0.5 * shares[position.players]

    def _once_resolved(self, position: GridcannonPosition, seat: int) -> float:
        """Return what is left to *seat* when the head of the queue has done what it likes best."""
        head, card, _ = position.ploys[0]
        top, worth = -inf, 0.0
        for action in [*self.uses(position, head), Recall(card)]:
            result = after(position, head, action)
            gain = self.value(result, head)
            if gain > top:
                top, worth = gain, gain if seat == head else self.value(result, seat)
        return worth

    def uses(self, position: GridcannonPosition, seat: int) -> list[Action]:
        """Return the uses of the ploy at the head that are worth weighing."""
        return candidates(position, self._adept.judge(position, seat), position.ploys[0][2])

    def ranked(self, position: GridcannonPosition, seat: int) -> Weighted:
        """Return what *seat* may do and is worth weighing, with its worth: of a declaration that of its best use.

        Nothing depends on the order of the draw pile: to draw is worth what the position is.
        """
        found: Weighted = []
        must = position.must_act() == seat
        if position.ploys and must:
            found = [(self.value(after(position, seat, use), seat), use) for use in self.uses(position, seat)]
            recall = Recall(position.ploys[0][1])
            return [*found, (self.value(after(position, seat, recall), seat), recall)]
        if must and position.phase != DRAWING:
            for duty in position.duties():
                found.append((self.value(after(position, seat, duty), seat), duty))
        elif must or position.arsenals[seat]:
            found = [(self.value(position, seat), DRAW if must else None)]
        if position.ploys or not position.arsenals[seat]:
            return found
        return found + self._declarations(position, seat, max([worth for worth, _ in found]))

    def _declarations(self, position: GridcannonPosition, seat: int, now: float) -> Weighted:
        """Return the ploys that gain something: *now* is what the seat has without them, what they gain is added."""
        found: Weighted = []
        weighed, thought = set[int](), -1.0
        for action in position.declarations(seat):
            if action.ploy in weighed:  # a second ace does what the first does
                continue
            weighed.add(action.ploy)
            declared, gain = after(position, seat, action), 0.0
            for use in self.uses(declared, seat):
                if thought < 0:
                    thought = self.value(position, seat)
                gain = max(gain, self.value(after(declared, seat, use), seat) - thought)
            if gain > 0:
                found.append((now + gain, action))
        return found
