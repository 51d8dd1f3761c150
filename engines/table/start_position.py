"""Start positions that a client gives instead of a deal, for puzzles and lessons: parsing and checking them."""

from engines.contract.base import Ruleset
from engines.contract.position import Position
from engines.core.errors import BadPosition
from engines.core.phrase import Phrase
from engines.core.strict_reading import MAX_OPTION_NUMBER
from engines.core.types import Json


def load_start_position(ruleset: Ruleset, written: Json, seats: int) -> Position:
    """Read a start position for this number of seats. Raises ``BadPosition``, ``BadCard``."""
    if (number := _largest(written)) > MAX_OPTION_NUMBER:
        raise BadPosition(
            Phrase(
                "No game comes near {number}: start from a position with numbers up to {most}.",
                number=number,
                most=MAX_OPTION_NUMBER,
            )
        )
    position = ruleset.load(written)
    if position.players != seats:
        raise BadPosition(
            Phrase(
                "The position is for {players} players: the game has {seats} seats.",
                players=position.players,
                seats=seats,
            )
        )
    require_unfinished(position)
    return position


def require_unfinished(position: Position) -> None:
    """Raise ``BadPosition`` if the game has ended in *position*."""
    if position.is_over:
        raise BadPosition(Phrase("In this position the game has ended: there is nothing to play."))


def _largest(written: object) -> int:
    """Return the largest integer anywhere in a position; 0 if it has no integer."""
    if isinstance(written, dict):
        return max(map(_largest, written.values()), default=0)
    if isinstance(written, list):
        return max(map(_largest, written), default=0)
    return written if isinstance(written, int) else 0
