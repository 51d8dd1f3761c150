"""Players of Gridcannon: ``SafePlayer``, ``Adept`` (one-step evaluation), and the guide of searches.

``SafePlayer`` plays at random but avoids killing its own royals. All players use only public information. They use or
recall a declared ploy as soon as it is the head of the queue. A recalled ploy can't be declared again until the board
changes (G15). Therefore the queue can't block a game forever.
"""

from collections.abc import Mapping
from math import exp, inf
from random import Random
from typing import ClassVar, Final

from engines.core.cards import Card
from engines.core.dealer import NO_SHUFFLE
from engines.gridcannon.actions import (
    DRAW,
    FORCE_ACTIONS,
    REASSIGN_ACTIONS,
    SWITCH_ACTIONS,
    Declare,
    Draw,
    Reassign,
    Recall,
    Switch,
)
from engines.gridcannon.board import (
    ATTACK_ON_ROYAL,
    FORCED_ATTACK,
    LINES,
    NO_CARD,
    REASSIGNMENT,
    SLOTS_BY_TRIGGER,
    VALUE,
)
from engines.gridcannon.evaluation import Evaluation, OddsEvaluation
from engines.gridcannon.rules import GridcannonPosition
from engines.gridcannon.state import PLACING, SETUP, Stack
from engines.ruleset import Action, Policy, ScoredActions, SearchGuide, VerdictFunction

RISK_THRESHOLD: Final = 0.2
"""Risk to an own royal, as a probability, above which ploys that may save the royal are considered."""
STALEMATE_TURNS: Final = 400
"""Number of turns after which ``Adept`` plays one in ``ACTIONS_PER_SAFE_CHOICE`` actions as ``SafePlayer`` does."""
ACTIONS_PER_SAFE_CHOICE: Final = 8
POLICY_PRIOR_WEIGHT: Final = 1.0
"""Score of the guide's choice in a search; all other actions have the score 0."""
MEMOISED_TURNS: Final = 2
"""Number of turns from a search's root for which choices are memoised. Later positions rarely repeat."""
OPPORTUNITIES_PER_PLOY: Final = 8
"""``SafePlayer`` declares a ploy at one in this many opportunities."""


def resulting_position(position: GridcannonPosition, seat: int, action: Action) -> GridcannonPosition:
    """Return a copy of the position after *action*. Nothing is shuffled: players must not use the draw pile's order."""
    world = position.copy()
    world.apply(seat, action, NO_SHUFFLE)
    return world


class SafePlayer(Policy[GridcannonPosition]):
    """Chooses a random legal action that kills none of its own royals, if there is one."""

    def choose(self, position: GridcannonPosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        """Return an action if the seat must act, else None: this player never interrupts."""
        if position.seat_to_act() != seat:
            return None
        legal = position.legal(seat)
        recalls = [action for action in legal if isinstance(action, Recall)]
        declarations = [action for action in legal if isinstance(action, Declare)]
        if declarations and not position.ploys and rng.randrange(OPPORTUNITIES_PER_PLOY) == 0:
            return rng.choice(declarations)
        required_actions = [action for action in legal if not isinstance(action, Recall | Declare)]
        safe = [action for action in required_actions if not costs_a_royal(position, seat, action)]
        return rng.choice(safe or recalls or required_actions)


def costs_a_royal(position: GridcannonPosition, seat: int, action: Action) -> bool:
    """Return whether the action kills one of the seat's own royals."""
    return (
        not isinstance(action, Draw) and resulting_position(position, seat, action).lives[seat] < position.lives[seat]
    )


class Adept(Policy[GridcannonPosition]):
    """Takes the action that leads to the best board.

    It declares a ploy, in any seat's turn, if the ploy gains more than ``Evaluation.margin``.
    """

    def __init__(self) -> None:
        self._safe_player = SafePlayer()

    def choose(self, position: GridcannonPosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        """Return the best action, or None to let others act."""
        if position.turns > STALEMATE_TURNS and rng.randrange(ACTIONS_PER_SAFE_CHOICE) == 0:
            return self._safe_player.choose(position, seat, rng, signals)
        if position.ploys:
            head = position.ploys[0][0]
            return self._resolve(position, self.judge(position, seat)) if head == seat else None
        must = position.seat_to_act() == seat
        if not must and not position.arsenals[seat]:
            return None
        evaluation = self.judge(position, seat)
        declaration = self._declare(position, evaluation)
        return (
            declaration
            if declaration is not None or not must
            else best(position, evaluation, position.required_actions())[1]
        )

    def best_required_action(self, position: GridcannonPosition, seat: int) -> Action:
        """Return the best required action of *seat*."""
        required_actions = position.required_actions()
        return (
            required_actions[0]
            if len(required_actions) == 1
            else best(position, self.judge(position, seat), required_actions)[1]
        )

    def judge(self, position: GridcannonPosition, seat: int) -> Evaluation:
        """Return the evaluation for one decision."""
        return Evaluation(position, seat)

    def _resolve(self, position: GridcannonPosition, evaluation: Evaluation) -> Action:
        """Return the best use of the head of the queue, or its recall if no use is better than that."""
        _, card, ploy = position.ploys[0]
        recall = Recall(card)
        kept = resulting_position(position, evaluation.seat, recall)
        uses = candidates(position, evaluation, ploy)
        if not uses:
            return recall
        gain, use = best(position, evaluation, uses)
        return use if gain > prospect(kept, evaluation) else recall

    def _declare(self, position: GridcannonPosition, evaluation: Evaluation) -> Action | None:
        """Return the declaration with the largest gain; None if no declaration gains enough."""
        top, choice, now, weighed = 0.0, None, None, set[int]()
        for action in position.declarations(evaluation.seat):
            if action.ploy in weighed:  # another card with the same effects
                continue
            weighed.add(action.ploy)
            uses = candidates(position, evaluation, action.ploy)
            if not uses:
                continue
            if now is None:
                now = prospect(position, evaluation)
            gain = best(resulting_position(position, evaluation.seat, action), evaluation, uses)[0] - now
            if gain > max(top, evaluation.margin):
                top, choice = gain, action
        return choice


class OddsAdept(Adept):
    """Plays like ``Adept`` with ``OddsEvaluation``, and memoises choices in the first turns after *root*, if given."""

    def __init__(self, root: GridcannonPosition | None = None) -> None:
        super().__init__()
        self._evaluations = list[OddsEvaluation]()
        self._until = -1
        """Last turn for which choices are memoised."""
        self._chosen: dict[MemoryKey, Action | None] = {}
        self._duties: dict[MemoryKey, Action] = {}
        if root is not None:
            known: dict[int, float] = {}
            self._evaluations = [OddsEvaluation(root, seat, known=known) for seat in range(root.players)]
            self._until = min(STALEMATE_TURNS, root.turns + MEMOISED_TURNS)

    def choose(self, position: GridcannonPosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        if position.turns > self._until or position.ploys:
            return super().choose(position, seat, rng, signals)
        key = memory_key(position, seat)
        if key not in self._chosen:
            self._chosen[key] = super().choose(position, seat, rng, signals)
        return self._chosen[key]

    def best_required_action(self, position: GridcannonPosition, seat: int) -> Action:
        if position.turns > self._until or position.ploys:
            return super().best_required_action(position, seat)
        key = memory_key(position, seat)
        if key not in self._duties:
            self._duties[key] = super().best_required_action(position, seat)
        return self._duties[key]

    def judge(self, position: GridcannonPosition, seat: int) -> Evaluation:
        return self._evaluations[seat] if self._evaluations else OddsEvaluation(position, seat)


Stacks = tuple[Stack, ...]
Cards = tuple[Card, ...]
MemoryKey = tuple[int, int, int, Card, int, Stacks, Cards, tuple[bool, ...], Stacks, Stacks, Cards]
"""Everything that the choice of ``OddsAdept`` depends on within one search: see ``memory_key``."""


def memory_key(position: GridcannonPosition, seat: int) -> MemoryKey:
    """Return the cache key of everything that *seat* sees while no ploy is queued."""
    return (
        seat,
        position.phase,
        position.turns,
        position.drawn,
        len(position.draw_pile),
        tuple(position.grid),
        tuple(position.royals),
        tuple(position.alive),
        tuple(position.armour),
        tuple(position.arsenals),
        tuple(position.recalled),
    )


class GridcannonGuide(SearchGuide[GridcannonPosition]):
    """The guide of searches, by which all seats play like ``OddsAdept``."""

    depth: ClassVar[int] = 1
    horizon: ClassVar[int] = 4
    exploration: ClassVar[float] = 0.6

    def __init__(self, root: GridcannonPosition | None = None) -> None:
        self._adept = OddsAdept(root)

    def prepare(self, root: GridcannonPosition, verdict: VerdictFunction) -> "GridcannonGuide":
        """Return a guide for the search from *root*.

        It serves all worlds of the search, because their draw piles have the same cards, in different orders.
        """
        return GridcannonGuide(root)

    def choose(self, position: GridcannonPosition, seat: int, rng: Random, signals: Mapping[int, str]) -> Action | None:
        return self._adept.choose(position, seat, rng, signals)

    def score_actions(self, position: GridcannonPosition, seat: int, signals: Mapping[int, str]) -> ScoredActions:
        """Return all actions of the seat; the policy's choice has the highest score."""
        actions: list[Action | None] = [*position.legal(seat)]
        if position.seat_to_act() != seat:
            actions.append(None)
        chosen = self.choose(position, seat, Random(0), signals) if len(actions) > 1 else None
        return [(action, POLICY_PRIOR_WEIGHT if action == chosen else 0.0) for action in actions]

    def would_interrupt(self, position: GridcannonPosition, seat: int) -> bool:
        """Return whether this policy would declare a ploy now."""
        return self.choose(position, seat, Random(0), {}) is not None

    def commits_to(self, action: Action) -> bool:
        """Return whether *action* declares a ploy (G14)."""
        return isinstance(action, Declare)

    def backs_out_with(self, action: Action) -> bool:
        """Return whether *action* recalls a ploy (G14)."""
        return isinstance(action, Recall)

    def next(self, position: GridcannonPosition, rng: Random) -> tuple[int, Action]:
        """Return a seat that declares a ploy, else the seat that must act, with its action.

        No seat declares while a number is in hand, because evaluating each ploy with each placement of the number would
        take most of the time.
        """
        must = position.seat_to_act()
        if position.phase == PLACING and not position.ploys and position.turns <= STALEMATE_TURNS:
            return must, self._adept.best_required_action(position, must)
        if not position.ploys and position.phase != SETUP:
            for seat, arsenal in enumerate(position.arsenals):
                if arsenal and seat != must:
                    declaration = self._adept.choose(position, seat, rng, {})
                    if declaration is not None:
                        return seat, declaration
        return must, self._adept.choose(position, must, rng, {}) or DRAW

    def value(self, position: GridcannonPosition, seat: int) -> float:
        """Return 1 for a win and 0.5 for a draw; before the end the probability to win."""
        outcome = position.outcome
        if outcome is not None:
            return 0.5 if outcome["winner"] is None else float(outcome["winner"] == seat)
        return 1 / (1 + exp(-self._adept.judge(position, seat).worth(position, position.tops())))


def best(position: GridcannonPosition, evaluation: Evaluation, actions: list[Action]) -> tuple[float, Action]:
    """Return the value and the action of the best of *actions*; the value 0 if the only action is to draw."""
    choice = actions[0]
    if len(actions) == 1 and isinstance(choice, Draw):
        return 0.0, choice
    top = -inf
    for action in actions:
        worth = worth_after(position, evaluation, action)
        if worth > top:
            top, choice = worth, action
    return top, choice


def worth_after(position: GridcannonPosition, evaluation: Evaluation, action: Action) -> float:
    """Return the value of the position after *action*; the position is copied only if necessary.

    *position* is changed temporarily.
    """
    moves_only = not lays_next(position, evaluation.seat)
    if moves_only and type(action) is Reassign:
        tops, stack = position.tops(), position.grid[action.source]
        tops[action.target] = stack[-1]
        tops[action.source] = stack[-2] if len(stack) > 1 else NO_CARD
        if not any(_would_hurt(position, slot, tops) for slot in SLOTS_BY_TRIGGER[action.target]):
            return evaluation.worth(position, tops)
    if moves_only and type(action) is Switch:
        one, other = action.slots
        position.exchange(one, other)
        worth = evaluation.worth(position, position.tops())
        position.exchange(one, other)
        return worth
    return prospect(resulting_position(position, evaluation.seat, action), evaluation)


def lays_next(position: GridcannonPosition, seat: int) -> bool:
    """Return whether *seat* has a number in hand, which it must lay when the queue is empty."""
    return position.phase == PLACING and position.turn == seat


def prospect(position: GridcannonPosition, evaluation: Evaluation) -> float:
    """Return the value of a position; if the seat has a number in hand, the value after the number's best placement."""
    if not lays_next(position, evaluation.seat):
        return evaluation.worth(position, position.tops())
    world, top = position.copy(), -inf
    world.ploys = []
    for action in world.required_actions():
        laid = resulting_position(world, evaluation.seat, action)
        top = max(top, evaluation.worth(laid, laid.tops()))
    return top


def candidates(position: GridcannonPosition, evaluation: Evaluation, ploy: int) -> list[Action]:
    """Return the uses of a ploy to evaluate: those that may hurt a rival's royal or help an own royal in danger."""
    tops, own, rivals, shot = position.tops(), list[int](), list[int](), list[int]()
    for slot in range(12):
        if not position.alive[slot]:
            continue
        if position.owner(position.royals[slot]) == evaluation.seat:
            own.append(slot)
        else:
            rivals.append(slot)
            if _would_hurt(position, slot, tops):
                shot.append(slot)
    if ploy == FORCED_ATTACK:
        return [FORCE_ACTIONS[cell] for cell in position.triggers() if any(LINES[slot][2] == cell for slot in shot)]
    hot = [slot for slot in own if evaluation.risk(position, slot, tops) > RISK_THRESHOLD]
    if ploy == REASSIGNMENT:
        return _moves(position, {LINES[slot][2] for slot in shot}, {cell for slot in hot for cell in LINES[slot][:2]})
    return _switches(position, hot, rivals)


def _moves(position: GridcannonPosition, triggers: set[int], lines: set[int]) -> list[Action]:
    """Return the reassignments to a cell of *triggers*, and those to or from a cell of *lines*."""
    if not triggers and not lines:
        return []
    return [
        REASSIGN_ACTIONS[source][target]
        for source, target in position.reassignments()
        if target in triggers or source in lines or target in lines
    ]


def _switches(position: GridcannonPosition, hot: list[int], rivals: list[int]) -> list[Action]:
    """Return the switches that move a royal out of a slot of *hot*, or a rival's royal into a line that kills."""
    if not hot and not rivals:
        return []
    taken = position.taken_slots()
    return [
        SWITCH_ACTIONS[min(one, other)][max(one, other)]
        for one in taken
        for other in taken
        if (one in hot and other != one and (other not in hot or one < other))
        or (one in rivals and one not in hot and other not in hot and _would_kill(position, one, other))
    ]


def _would_hurt(position: GridcannonPosition, slot: int, tops: list[Card]) -> bool:
    """Return whether the royal in *slot* would die or lose armour if it were fired at with *tops* (G10, G11)."""
    if not position.alive[slot]:
        return False
    near, far, _ = LINES[slot]
    hits, armour = ATTACK_ON_ROYAL[position.royals[slot]], position.armour[slot]
    attack = hits[tops[near]] + hits[tops[far]]
    return attack >= position.needed(slot) or (bool(armour) and attack >= VALUE[armour[-1]])


def _would_kill(position: GridcannonPosition, slot: int, other: int) -> bool:
    """Return whether the line at *other* would kill the royal in *slot*, and its present line wouldn't (G9, G10)."""
    near, far, _ = LINES[other]
    hits, needed = ATTACK_ON_ROYAL[position.royals[slot]], position.needed(slot)
    return (
        slot != other
        and hits[position.top(near)] + hits[position.top(far)] >= needed
        and position.attack(slot) < needed
    )
