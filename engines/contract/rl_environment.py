"""Games as numbers, for reinforcement learning: actions by index, observations as bits, episodes.

`docs/rl.md` explains the meaning of each index. The package ``regicide_rl`` wraps these classes as environments of
common libraries. This module needs only the standard library.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Final

from engines.contract.position import Action, Position
from engines.core.dealer import Dealer
from engines.core.mypyc_support import mypyc_attr

GAME_OVER: Final = -1
"""Value of ``Episode.seat`` after the end."""
PASS: Final = "pass"  # noqa: S105  not a password
"""Text of the choice not to interrupt."""


class NoEnvironment(Exception):
    """A ruleset can't be an environment; the message says what the ruleset lacks."""


class IllegalChoice(ValueError):
    """The choice is not in the mask of the seat that chooses."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Episode(ABC):
    """A game that is played by the indices of actions.

    After every change each seat that may interrupt chooses once, clockwise; if all pass, the seat that must act
    chooses.
    """

    def __init__(self, position: Position, dealer: Dealer, actions: int) -> None:
        """Start at *position*, which steps will change. *actions* is the number of actions of the environment."""
        self.position: Final = position
        self.dealer = dealer
        self.actions: Final = actions
        self.progress: list[float] = []
        """``Environment.progress`` at the last call of ``Task.rewards``; empty without shaped rewards."""
        self.changes = 0
        """Number of changes of the position so far; passes are steps without a change."""
        self.unasked: list[int] = []
        """Seats that may interrupt and haven't chosen since the last change, in the order in which they choose."""
        self.seat = GAME_OVER
        """The seat that chooses."""
        self.mask = bytearray()
        """For each action 1 if ``seat`` may choose it, else 0."""

    @abstractmethod
    def action(self, index: int) -> Action | None:
        """Return an action by its index, None for the pass."""

    @abstractmethod
    def mark_legal(self, mask: bytearray) -> None:
        """Set the entries of the actions that ``seat`` may choose to 1; all entries of *mask* are 0 before."""

    @abstractmethod
    def observation(self, seat: int) -> bytes:
        """Return the observation of *seat*, a 0 or 1 in each byte."""

    def first_asked(self) -> int:
        """Return the seat with which the clockwise order of the seats that may interrupt begins."""
        return self.position.to_act()[0]

    def interrupters(self) -> list[int]:
        """Return the seats that may act but needn't."""
        return self.position.may_act()

    def start(self) -> None:
        """Set ``seat`` and ``mask`` for the first choice, which is that of the seat that must act."""
        self.unasked = []
        self.ask_next()

    def step(self, index: int) -> None:
        """Carry out a legal choice of ``seat``."""
        action = self.action(index)
        if action is None:
            self.ask_next()
        else:
            self.act(self.seat, action)

    def act(self, seat: int, action: Action) -> None:
        """Carry out a legal action of any seat, and let the next seat choose."""
        self.position.apply(seat, action, self.dealer)
        self.changes += 1
        self.unasked = []
        if not self.position.is_over:
            interrupters = self.interrupters()
            if interrupters:
                first, players = self.first_asked(), self.position.players
                self.unasked = sorted(interrupters, key=lambda other: (other - first) % players)
        self.ask_next()

    def resume(self, other: "Episode") -> None:
        """Set up the same choice as in *other*. Both positions must have the same view for the seat that chooses."""
        self.unasked = other.unasked[:]
        self.changes = other.changes
        self.seat = other.seat
        self.mask = bytearray(self.actions)
        if self.seat != GAME_OVER:
            self.mark_legal(self.mask)

    def ask_next(self) -> None:
        """Let the next seat choose: one that may interrupt, else the one that must act."""
        mask = bytearray(self.actions)
        if self.position.is_over:
            self.seat = GAME_OVER
        else:
            self.seat = self.unasked.pop(0) if self.unasked else self.position.to_act()[0]
        self.mask = mask
        if self.seat != GAME_OVER:
            self.mark_legal(mask)


@mypyc_attr(allow_interpreted_subclasses=True)
class Environment(ABC):
    """The actions of one ruleset by index, and the fields of its observations."""

    actions: tuple[str, ...]
    """The texts of all actions, by index."""

    @abstractmethod
    def fields(self, players: int) -> Mapping[str, int]:
        """Return the fields of an observation, in order, each with its number of bits."""

    @abstractmethod
    def begin(self, position: Position, dealer: Dealer) -> Episode:
        """Return an episode that starts from *position* and changes it."""

    def progress(self, position: Position) -> list[float]:
        """Return the progress of each seat, from 0 to 1, for shaped rewards. It must follow from public information."""
        return [0.0] * position.players

    def size(self, players: int) -> int:
        """Return the number of bits of an observation."""
        return sum(self.fields(players).values())
