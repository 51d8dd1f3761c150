"""Tic-tac-toe, the smallest ruleset: all else, the eight levels of AI too, comes from the defaults."""

from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from engines.ruleset import Action, Json, Phrase, Position, Reader, Ruleset, SampledWorlds, Verdict, whole

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@dataclass(frozen=True)
class Mark(Action):
    """Mark an empty square."""

    square: Annotated[int, whole(0, 8)]


@dataclass
class Grid(Position):
    """The seat that marked each square; -1 for none."""

    squares: list[int] = field(default_factory=lambda: [-1] * 9)
    players: int = field(default_factory=lambda: 2)  # not "= 2": a class attribute would hide that of the base

    @property
    def outcome(self) -> Json | None:
        for line in LINES:
            seats = {self.squares[square] for square in line}
            if len(seats) == 1 and -1 not in seats:
                return {"winner": seats.pop()}
        return None if -1 in self.squares else {"winner": None}

    def copy(self) -> "Grid":
        return replace(self, squares=self.squares[:])

    def dump(self) -> Json:
        return {"ruleset": "tictactoe", "squares": self.squares[:]}

    def view(self, seat: int | None) -> Json:
        return self.dump()

    def to_act(self) -> list[int]:
        return [] if self.is_over else [self.squares.count(-1) % 2 ^ 1]

    def legal(self, seat: int) -> list[Action]:
        return [Mark(square) for square in range(9) if self.squares[square] < 0] if seat in self.to_act() else []

    def apply(self, seat: int, action: Action, dealer: Any, events: Any = None) -> None:
        if isinstance(action, Mark):
            self.squares[action.square] = seat


class TicTacToe(Ruleset):
    """Mark three squares in a row."""

    name, title, player_counts, actions = "tictactoe", "Tic-tac-toe", (2,), (Mark,)

    def new(self, players: int, options: object, dealer: Any, events: Any = None) -> Grid:
        self.check_options(players, options)
        return Grid()

    def load(self, position: object) -> Grid:
        read = Reader(position)
        read.keys(("ruleset", "squares"))
        grid = Grid([read.whole(seat, "squares", -1, 1) for seat in read.sequence("squares", 9)])
        if grid.squares.count(0) - grid.squares.count(1) not in (0, 1):
            raise read.refusal("squares", Phrase("are marked by each seat in turn"))
        return grid

    def worlds(self, view: Json) -> SampledWorlds[Grid]:
        return SampledWorlds(lambda _rng: self.load(view))

    def verdict(self, outcome: Json, players: int) -> Verdict:
        won = outcome["winner"] is not None
        return Verdict((outcome["winner"],) if won else (), drawn=not won, kind="won" if won else "drawn")
