"""The plan of a tournament: players, seats and deal of each game, all computed from the game's number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import combinations, combinations_with_replacement
from typing import Final

from engines import RULESETS
from engines.core.types import Json
from engines.ruleset import Ruleset

SIDES_PER_PAIRING: Final = 2
"""Number of games after which a pairing has played from all seats. Between them the players exchange seats."""

MAX_NAME_LENGTH: Final = 40
"""Maximum length of a program's name, as of a player's on a server."""


@dataclass(frozen=True)
class Pairing:
    """One game to be played."""

    number: int
    deal: int
    names: tuple[str, ...]
    """The name of the player at each seat."""


@dataclass(frozen=True)
class Plan:
    """The plan of a tournament, as given by the command's options."""

    ruleset_name: str
    seed: str
    players: Mapping[str, Sequence[str]]
    """The words of each player's command, by the player's name. There are none if the name is a level of AI."""
    games: int
    """Number of games of each pairing, or of each composition of a team. It is even."""
    seats: int
    options: Json
    positions: tuple[Json, ...] = ()
    """Positions to start from, used in turn. Without positions the cards are dealt."""

    @property
    def ruleset(self) -> Ruleset:
        return RULESETS[self.ruleset_name]

    @cached_property
    def groups(self) -> list[tuple[str, ...]]:
        """The pairings, each as two names. In a cooperative ruleset, the teams, each as one name per seat."""
        if self.ruleset.cooperative:
            return list(combinations_with_replacement(self.players, self.seats))
        return list(combinations(self.players, SIDES_PER_PAIRING))

    @property
    def total(self) -> int:
        return self.games * len(self.groups)

    def pairing(self, number: int) -> Pairing:
        """Return the pairing of game *number*. Games are numbered by round, then by group, then by side.

        Rivals play both games of a round with the same deal. A team plays them with two deals: a team of equal players
        would otherwise play the same game twice.
        """
        groups = self.groups
        turn, side = divmod(number, SIDES_PER_PAIRING)
        deal, group = divmod(turn, len(groups))
        names = groups[group][::-1] if side else groups[group]
        if self.ruleset.cooperative:
            deal = SIDES_PER_PAIRING * deal + side
        return Pairing(number, deal, tuple(names[seat % len(names)] for seat in range(self.seats)))

    def secret_seed(self, deal: int) -> bytes:
        """Return the secret seed of a deal, which determines every shuffle and every AI's seed."""
        return sha256(f"{self.seed}/{deal}".encode()).digest()

    def position(self, deal: int) -> Json | None:
        """Return the position from which a deal starts, or None if the cards are dealt."""
        return self.positions[deal % len(self.positions)] if self.positions else None

    def as_json(self) -> Json:
        """Return the plan as JSON. ``load`` is the inverse."""
        return {
            "ruleset": self.ruleset_name,
            "seed": self.seed,
            "players": {name: list(command) for name, command in self.players.items()},
            "games": self.games,
            "seats": self.seats,
            "options": self.options,
            "positions": list(self.positions),
        }

    @classmethod
    def load(cls, written: Json) -> "Plan":
        """Read a plan that ``as_json`` wrote."""
        return cls(
            ruleset_name=written["ruleset"],
            seed=written["seed"],
            players={name: tuple(command) for name, command in written["players"].items()},
            games=written["games"],
            seats=written["seats"],
            options=written["options"],
            positions=tuple(written["positions"]),
        )
