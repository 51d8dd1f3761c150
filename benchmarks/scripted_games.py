"""Games over HTTP whose moves are known in advance and are equal in every release.

These games start from given positions with the cards in a given order. As long as no action shuffles, the moves that an
``adept`` plays under any seed are legal in every such game.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from random import Random
from typing import Final

from benchmarks import load
from benchmarks.subjects import FIRST_RULESET
from engines import RULESETS
from engines.ai.decision import Question, think
from engines.ai.observation import Observation
from engines.core.dealer import SeededDealer, SimulationDealer
from engines.core.types import Json

PLAYERS: Final = 2
CANDIDATE_DEALS: Final = 24
"""Number of deals from which those with the most known moves are chosen."""

OPENINGS: Final = 4
SEEDS_PER_DEAL: Final = 6
CREATING_CONNECTIONS: Final = 8
"""Number of connections over which games are created."""

SEATS: Final = [{"kind": "human", "name": name} for name in ("Ana", "Ben")]
CREATION_BODY: Final = {"ruleset": FIRST_RULESET, "seats": SEATS}
"""Body of a request that creates a game."""

Move = tuple[int, str]
"""A seat and its action as text."""


@dataclass(frozen=True)
class Opening:
    """A position, and moves that are always legal from there."""

    position: Json
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class Game:
    """A game on a server, not yet begun."""

    id: str
    tokens: dict[str, str]
    opening: Opening

    @property
    def path(self) -> str:
        """The path of the game."""
        return f"/v1/games/{self.id}"

    def script(self) -> list[bytes]:
        """Return the requests of all known moves, each with the token of its seat."""
        return [self.act(number) for number in range(len(self.opening.moves))]

    def act(self, number: int, asked: str = "", **headers: str) -> bytes:
        """Return the request of move *number*; *asked* is the query string, *headers* are as in ``load.request``."""
        _, text = self.opening.moves[number]
        return load.request("POST", f"{self.path}/actions{asked}", self.token(number), {"text": text}, **headers)

    def token(self, number: int) -> str:
        """Return the token of the move's seat."""
        return self.tokens[str(self.opening.moves[number][0])]


@cache
def openings() -> tuple[Opening, ...]:
    """Return a few openings; each call returns the same ones."""
    deals = [
        RULESETS[FIRST_RULESET].new(PLAYERS, {}, SeededDealer(f"bench {number}")).dump()
        for number in range(CANDIDATE_DEALS)
    ]
    known = [Opening(deal, _known_moves(deal)) for deal in deals]
    return tuple(sorted(known, key=lambda opening: -len(opening.moves))[:OPENINGS])


def _known_moves(deal: Json) -> tuple[Move, ...]:
    """Return the moves of adepts from *deal*, as long as they are the same under all seeds."""
    played = zip(*(_moves(deal, seed) for seed in range(SEEDS_PER_DEAL)), strict=False)
    return tuple(same[0] for same in takewhile(lambda moves: len(set(moves)) == 1, played))


def _moves(deal: Json, seed: int) -> Iterator[Move]:
    """Yield the moves of ``adept`` AIs at all seats, from *deal* to the end. Only shuffles use *seed*."""
    ruleset = RULESETS[FIRST_RULESET]
    position, dealer = ruleset.load(deal), SimulationDealer(Random(seed))
    while not position.is_over:
        seat = position.to_act()[0]
        action = think(Question("adept", Observation(ruleset, position.view(seat), seat, seed="bench"))).action
        if action is None:
            raise AssertionError("Nobody may wait here.")
        yield seat, str(action)
        position.apply(seat, action, dealer)


def make(port: int, count: int) -> list[Game]:
    """Create at least *count* games over HTTP, cycling through the openings."""
    each = -(-count // OPENINGS) + CREATING_CONNECTIONS
    made = [_make(port, opening, each) for opening in openings()]
    return [game for games in zip(*made, strict=False) for game in games]


def _make(port: int, opening: Opening, count: int) -> list[Game]:
    creation = load.request("POST", "/v1/games", body=CREATION_BODY | {"position": opening.position})
    answers = load.answers(port, CREATING_CONNECTIONS, [creation] * count)
    return [Game(answer["id"], answer["tokens"], opening) for answer in answers]
