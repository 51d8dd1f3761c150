"""The guide of the search among plans. Its rollouts take the actions that a network rates best, one step ahead."""

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Final

from engines.ai.value_network import ValueNetwork, read_network
from engines.core.dealer import CoupledDealer, Dealer
from engines.core.types import Json
from engines.gridcannon.actions import DRAW, Recall
from engines.gridcannon.features import count
from engines.gridcannon.policy import (
    GridcannonGuide,
    MemoryKey,
    best,
    candidates,
    memory_key,
    resulting_position,
    worth_after,
)
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.state import DRAWING, PLACING
from engines.gridcannon.value_guide import ValueGuide, load_network
from engines.ruleset import Action, Plan, VerdictFunction

ValuedPlan = tuple[Plan, float]
"""A plan, and its value one step ahead."""

TWO_PLAYERS: Final = 2
MAX_PLACEMENTS: Final = 4
"""Maximum number of placements that the network evaluates for one choice: the best by ``OddsEvaluation``."""
MAX_PLOY_PLANS: Final = 3
"""Maximum number of plans of a decision that use a ploy."""
MAX_WEIGHED_USES: Final = 10
"""Maximum number of uses of one ploy that the network evaluates for plans: the best by ``OddsEvaluation``."""
MIN_PLOY_GAIN: Final = 0.01
"""Minimum gain of value for which a player of a rollout uses a ploy."""
PLOY_PLAN_MARGIN: Final = 0.06
"""A plan that uses a ploy isn't searched if its value is at least this much below that of the best plan without one.

If a ploy is queued, the lower of the recall's value and the best use's counts instead.
"""
OTHER_PLAN_MARGIN: Final = 0.15
"""As ``PLOY_PLAN_MARGIN``, for a plan that uses no ploy."""
MAX_CACHED_EVALUATIONS: Final = 20_000
"""Maximum size of the cache of evaluations, about ten times what one decision needs; a full cache is emptied."""


def greedy_network_file() -> bytes:
    """Return the bytes of the network for two that was trained on greedy players' games. Raises ``UnusableFile``."""
    return read_network("engines.gridcannon", TWO_PLAYERS, count(TWO_PLAYERS), TWO_PLAYERS + 1, "greedy")


@cache
def load_greedy_network(players: int) -> ValueNetwork:
    """Return the network for this number of players: for two the one trained on greedy players' games.

    Raises ``UnusableFile``.
    """
    return ValueNetwork(greedy_network_file()) if players == TWO_PLAYERS else load_network(players)


class GreedyGuide(ValueGuide):
    """Plays rollouts by one step of lookahead with the network, and lists the plans of a decision."""

    def __init__(
        self,
        network: Callable[[int], ValueNetwork] = load_greedy_network,
        root: GridcannonPosition | None = None,
    ) -> None:
        super().__init__(network, root)
        self._use: Action | None = None
        """The use of a ploy that was chosen with its declaration; None if no ploy waits for its use."""
        self._until = -1 if root is None else root.turns + 1
        """Last turn for which placements and ploys are memoised; later positions rarely repeat."""
        self._placements: dict[MemoryKey, Action] = {}
        self._ploys: dict[MemoryKey, tuple[int, Action, Action] | None] = {}
        self._remembered: dict[tuple[tuple[int, ...], MemoryKey], list[float]] = {}
        """Cache of the network's outcome probabilities, by families and ``memory_key``."""

    def prepare(self, root: GridcannonPosition, verdict: VerdictFunction) -> GridcannonGuide:
        return GreedyGuide(self._network, root) if root.players == TWO_PLAYERS else ValueGuide(self._network, root)

    def names_plans(self, view: Json) -> bool:
        """Return whether the game has two players.

        The network for four players learned from outcomes only, and can't rank actions.
        """
        return bool(view["players"] == TWO_PLAYERS)

    def dealer(self, world: GridcannonPosition, luck: int) -> Dealer:
        """Return a dealer that deals alike for all plans with equal *luck*, as far as their draw piles allow."""
        return CoupledDealer(world.draw_pile, luck)

    def plans(self, position: GridcannonPosition, seat: int) -> list[ValuedPlan]:
        """Return the plans of *seat* that are worth a search, each with its value one step ahead, best first."""
        must = position.seat_to_act() == seat
        if position.ploys and not must:
            return [((), 0.0)]
        others, uses = self._in_queue(position, seat) if position.ploys else self._at_halt(position, seat, must=must)
        others.sort(key=_promised, reverse=True)
        uses.sort(key=_promised, reverse=True)
        top = others[0][1]
        # At the head of the queue both the recall and the best use are kept, however much their values differ. A ploy
        # without a legal use can only be recalled (G14).
        if position.ploys and uses:
            top = min(top, uses[0][1])
        plans = [other for other in others if other[1] > top - OTHER_PLAN_MARGIN]
        plans += [use for use in uses[:MAX_PLOY_PLANS] if use[1] > top - PLOY_PLAN_MARGIN]
        plans.sort(key=_promised, reverse=True)
        return plans

    def _in_queue(self, position: GridcannonPosition, seat: int) -> tuple[list[ValuedPlan], list[ValuedPlan]]:
        """Return the plan to recall the ploy at the head of the queue, and those that use it."""
        _, card, ploy = position.ploys[0]
        kept = self._promise(resulting_position(position, seat, Recall(card)), seat)
        uses = list[ValuedPlan]()
        for worth, use in self._weighed_uses(position, seat, ploy):
            uses.append(((use,), worth))
        return [((Recall(card),), kept)], uses

    def _at_halt(
        self, position: GridcannonPosition, seat: int, *, must: bool
    ) -> tuple[list[ValuedPlan], list[ValuedPlan]]:
        """Return the plans while no ploy is queued: those without a ploy, and those that declare and use one.

        Of several cards that can be declared as the same ploy only one is considered. *must*: the seat must act.
        """
        uses, known = list[ValuedPlan](), set[int]()
        for declaration in position.declarations(seat):
            if declaration.ploy not in known:
                known.add(declaration.ploy)
                declared = resulting_position(position, seat, declaration)
                for worth, use in self._weighed_uses(declared, seat, declaration.ploy):
                    uses.append(((declaration, use), worth))
        return self._others(position, seat, must=must), uses

    def _others(self, position: GridcannonPosition, seat: int, *, must: bool) -> list[ValuedPlan]:
        """Return the plans that use no ploy, each with its value.

        A single plan of a seat without ploys needn't be compared: it isn't evaluated, and has the value 0.
        """
        if not must:
            return [((), self._promise(position, seat) if position.arsenals[seat] else 0.0)]
        required = position.required_actions()
        if len(required) == 1:
            alone = required[0]
            if not position.arsenals[seat]:
                return [((alone,), 0.0)]
            worth = self._promise(position, seat)
            return [((alone,), worth)]
        return [((action,), self._promise(resulting_position(position, seat, action), seat)) for action in required]

    def _weighed_uses(self, declared: GridcannonPosition, seat: int, ploy: int) -> list[tuple[float, Action]]:
        """Return the uses of the queue's head that are best by odds, each as (the network's value, use)."""
        uses = self._best_by_odds(declared, seat, MAX_WEIGHED_USES)
        return [(self._promise(resulting_position(declared, seat, use), seat), use) for use in uses]

    def _best_by_odds(self, position: GridcannonPosition, seat: int, most: int) -> list[Action]:
        """Return the required actions of *seat*; if there are more than *most*, the best by ``OddsEvaluation``."""
        actions = position.required_actions()
        if len(actions) <= most:
            return actions
        evaluation, rated = self._adept.judge(position, seat), list[tuple[float, int]]()
        for index, action in enumerate(actions):
            rated.append((worth_after(position, evaluation, action), -index))
        rated.sort(reverse=True)
        return [actions[-index] for _, index in rated[:most]]

    def _shares(self, position: GridcannonPosition) -> list[float]:
        """Return the network's outcome probabilities, from the cache if possible."""
        key = (position.families, memory_key(position, position.turn))
        shares = self._remembered.get(key)
        if shares is None:
            if len(self._remembered) >= MAX_CACHED_EVALUATIONS:
                self._remembered.clear()
            shares = self._remembered[key] = super()._shares(position)
        return shares

    def _promise(self, position: GridcannonPosition, seat: int) -> float:
        """Return the value of *position* for *seat*; with a number to lay, the value after its best placement."""
        if position.phase == PLACING and not position.ploys:
            return self._best_placement(position, seat)[0]
        return self.value(position, seat)

    def _best_placement(self, position: GridcannonPosition, seat: int) -> tuple[float, Action]:
        """Return the value for *seat* of the best placement by the seat on turn, and that placement."""
        mover = position.turn
        actions = self._best_by_odds(position, mover, MAX_PLACEMENTS)
        top, choice = -1.0, actions[0]
        for action in actions:
            own = self.value(resulting_position(position, mover, action), mover)
            if own > top:
                top, choice = own, action
        return (top if seat == mover else 1 - top), choice  # the values of two players add up to 1

    def next(self, position: GridcannonPosition, rng: Random) -> tuple[int, Action]:
        """Return a seat that gains by declaring a ploy, else the seat that must act, with its action."""
        must = position.seat_to_act()
        if position.ploys:
            use, self._use = self._use, None
            if use is not None:
                return must, use
            return must, self._adept.choose(position, must, rng, {}) or DRAW
        if position.phase == PLACING:
            return must, self._placement(position)
        if position.phase == DRAWING:
            ploy = self._remembered_ploy(position)
            if ploy is None:
                return must, DRAW
            seat, declaration, self._use = ploy
            return seat, declaration
        return must, self._adept.best_required_action(position, must)

    def _placement(self, position: GridcannonPosition) -> Action:
        actions = position.required_actions()
        if len(actions) == 1:
            return actions[0]
        if position.turns > self._until:
            return self._best_placement(position, position.turn)[1]
        key = memory_key(position, position.turn)
        found = self._placements.get(key)
        if found is None:
            found = self._placements[key] = self._best_placement(position, position.turn)[1]
        return found

    def _remembered_ploy(self, position: GridcannonPosition) -> tuple[int, Action, Action] | None:
        if position.turns > self._until:
            return self._ploy(position)
        key = memory_key(position, position.turn)
        if key not in self._ploys:
            self._ploys[key] = self._ploy(position)
        return self._ploys[key]

    def _ploy(self, position: GridcannonPosition) -> tuple[int, Action, Action] | None:
        """Return the first seat that gains by a ploy, with the declaration and the use; None if no seat gains."""
        for seat, arsenal in enumerate(position.arsenals):
            found = self.ploy_of(position, seat) if arsenal else None
            if found is not None:
                return seat, found[0], found[1]
        return None

    def ploy_of(self, position: GridcannonPosition, seat: int) -> tuple[Action, Action] | None:
        """Return the declaration and use by which *seat* gains most at the beginning of a turn; None if none gains."""
        evaluation, found = self._adept.judge(position, seat), None
        now, top, known = -1.0, 0.0, set[int]()
        for declaration in position.declarations(seat):
            if declaration.ploy in known:
                continue
            known.add(declaration.ploy)
            uses = candidates(position, evaluation, declaration.ploy)
            if not uses:
                continue
            declared = resulting_position(position, seat, declaration)
            use = best(declared, evaluation, uses)[1]
            if now < 0:
                now = self.value(position, seat)
            worth = self.value(resulting_position(declared, seat, use), seat)
            if worth > max(top, now + MIN_PLOY_GAIN):
                top, found = worth, (declaration, use)
        return found


def _promised(plan: ValuedPlan) -> float:
    return plan[1]
