"""Proves by exhaustive search that a puzzle has exactly one solution.

After a shuffle the places of the shuffled cards are unknown: these cards are *hidden*. Drawing a hidden card counts as
a failure in the strict bound, which proves that the solution reaches the goal. It counts as a success in the generous
bound, which proves that other actions don't reach the goal. So a proof holds for every order of the hidden cards.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final

from engines.contract.events import Event
from engines.contract.position import Action, Position
from engines.contract.puzzles import PuzzleRules
from engines.core.dealer import NO_SHUFFLE

MAX_POSITIONS: Final = 10_000
"""Maximum number of positions that a proof searches."""
MAX_LINE_ACTIONS: Final = 8
"""Maximum number of actions in a line, the sequence of actions from the start to the goal."""
NO_HIDDEN_CARDS: Final[frozenset[str]] = frozenset()


class ProofTooLarge(Exception):
    """The search has reached the maximum number of positions."""


@dataclass(frozen=True)
class Step:
    """One action of a line."""

    seat: int
    action: Action
    asked: bool
    """True if the solver must find the action.

    It is False if the action is the only choice. In the first position in which several actions keep the goal within
    reach, and in all later positions, it is False too.
    """
    begins_move: bool


class Proof:
    """The search from the start position of one puzzle, with a cache of its results."""

    def __init__(self, rules: PuzzleRules[Any], start: Position, limit: int = MAX_POSITIONS) -> None:
        self._rules = rules
        self._start = start
        self._limit = limit
        self._kept: dict[tuple[Hashable, frozenset[str], bool], bool] = {}
        self._lengths: dict[tuple[Hashable, frozenset[str], bool], int] = {}

    @property
    def positions(self) -> int:
        """The number of positions searched."""
        return len(self._kept) + len(self._lengths)

    def keeps(self, position: Position, hidden: frozenset[str], *, generous: bool) -> bool:
        """Return whether the goal can be reached, by the generous bound if *generous*, else by the strict bound.

        Raises ``ProofTooLarge``.
        """
        reached = self._rules.reached(self._start, position)
        if reached is not None:
            return reached
        key = (self._rules.key(position), hidden, generous)
        known = self._kept.get(key)
        if known is None:
            self._count()
            known = False
            for action in self._rules.choices(position):
                if self.action_keeps(position, action, hidden, generous=generous):
                    known = True
                    break
            self._kept[key] = known
        return known

    def action_keeps(self, position: Position, action: Action, hidden: frozenset[str], *, generous: bool) -> bool:
        """Return whether the goal can still be reached after *action*."""
        after, unknown = self.step(position, action, hidden)
        return generous if unknown is None else self.keeps(after, unknown, generous=generous)

    def only_one(self, position: Position, hidden: frozenset[str]) -> Action | None:
        """Return the only action that keeps the goal within reach by the generous bound; None if several or none do."""
        found: Action | None = None
        for action in self._rules.choices(position):
            if self.action_keeps(position, action, hidden, generous=True):
                if found is not None:
                    return None
                found = action
        return found

    def step(
        self, position: Position, action: Action, hidden: frozenset[str]
    ) -> tuple[Position, frozenset[str] | None]:
        """Return the position after *action*, and its hidden cards: None if a hidden card was drawn."""
        after, events = position.copy(), list[Event]()
        after.apply(position.to_act()[0], action, NO_SHUFFLE, events)
        return after, self._rules.hidden_after(events, hidden)

    def shortest(self, position: Position, hidden: frozenset[str]) -> Action:
        """Return the first action of the shortest line that reaches the goal, by the strict bound."""
        return self._best(position, hidden, wins=True)

    def longest(self, position: Position, hidden: frozenset[str]) -> Action:
        """Return the first action of the longest line that fails, in a position where the goal can't be reached."""
        return self._best(position, hidden, wins=False)

    def _best(self, position: Position, hidden: frozenset[str], *, wins: bool) -> Action:
        best, chosen = 0, None
        for action in self._rules.choices(position):
            after, unknown = self.step(position, action, hidden)
            length = -1 if unknown is None else self._length(after, unknown, wins=wins)
            if length >= 0 and (chosen is None or (length < best if wins else length > best)):
                best, chosen = length, action
        if chosen is None:
            raise ValueError("No action leads there")
        return chosen

    def _length(self, position: Position, hidden: frozenset[str], *, wins: bool) -> int:
        """Return the number of actions of a line from *position*; -1 if there is no such line.

        The line is the shortest one to the goal if *wins*, else the longest one to failure.
        """
        reached = self._rules.reached(self._start, position)
        if reached is not None:
            return 0 if reached == wins else -1
        key = (self._rules.key(position), hidden, wins)
        if key not in self._lengths:
            self._count()
            lengths = list[int]()
            for action in self._rules.choices(position):
                after, unknown = self.step(position, action, hidden)
                lengths.append(-1 if unknown is None else self._length(after, unknown, wins=wins))
            ends = [length for length in lengths if length >= 0]
            self._lengths[key] = 1 + (min(ends) if wins else max(ends)) if ends else -1
        return self._lengths[key]

    def _count(self) -> None:
        if self.positions >= self._limit:
            raise ProofTooLarge


def solve(rules: PuzzleRules[Any], start: Position, limit: int = MAX_POSITIONS) -> list[Step] | None:
    """Return the line of a puzzle from *start* to its goal; None if *start* is no puzzle. Raises ``ProofTooLarge``.

    The solver must find the actions (``Step.asked``) up to the first position in which several actions keep the goal
    within reach. From there the shortest line is taken.
    """
    proof, line, asking = Proof(rules, start, limit), list[Step](), True
    if rules.reached(start, start) is not None or not proof.keeps(start, NO_HIDDEN_CARDS, generous=False):
        return None
    position, hidden = start, NO_HIDDEN_CARDS
    while rules.reached(start, position) is None:
        step = _next_step(rules, proof, position, hidden, asking=asking)
        if step is None or len(line) == MAX_LINE_ACTIONS or not (line or step.asked):
            return None
        asking = asking and (step.asked or len(rules.choices(position)) == 1)
        line.append(step)
        position, unknown = proof.step(position, step.action, hidden)
        hidden = NO_HIDDEN_CARDS if unknown is None else unknown
    return line


def _next_step(
    rules: PuzzleRules[Any], proof: Proof, position: Position, hidden: frozenset[str], *, asking: bool
) -> Step | None:
    """Return the next step of the line; None if *position* shows that the puzzle isn't one.

    That is so if the solver must still find actions (*asking*), a move of two actions has begun, and several second
    actions keep the goal within reach.
    """
    seat, begins = position.to_act()[0], not rules.completes_move(position)
    choices = rules.choices(position)
    if len(choices) == 1:
        return Step(seat, choices[0], asked=False, begins_move=begins)
    only = proof.only_one(position, hidden) if asking else None
    if only is not None:
        return Step(seat, only, asked=True, begins_move=begins)
    if asking and not begins:
        return None
    return Step(seat, proof.shortest(position, hidden), asked=False, begins_move=begins)


def moves_asked(line: list[Step]) -> int:
    """Return the number of moves that the solver must find."""
    return sum([1 for step in line if step.asked and step.begins_move])
