"""The environment of any ruleset whose actions can be listed: a table of their texts, and hashed views.

The table is computed from the actions' schemas. An observation hashes each value of the view, with its place, to a bit
(feature hashing). It shows no more than the view. See ``TableEnvironment`` for other tables and observations.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final
from zlib import crc32

from engines.contract.position import Action, Position
from engines.contract.rl_environment import PASS, Environment, Episode, NoEnvironment
from engines.core.dataclass_schemas import field_schemas, type_of
from engines.core.dealer import Dealer
from engines.core.mypyc_support import mypyc_attr
from engines.core.schemas import ref
from engines.core.types import Json

HASHED_VIEW_BITS: Final = 1024
"""Number of bits of a hashed view."""
MAX_TABLE_ACTIONS: Final = 10_000
"""Maximum number of actions in the table."""


def listed_actions(name: str, kinds: Sequence[type[Action]], seats: int) -> tuple[str, ...]:
    """Return the texts of all actions of *kinds*, from the schemas of their fields. Raises ``NoEnvironment``."""
    texts: list[str] = []
    for kind in kinds:
        values = [_values(name, kind, field, schema, seats) for field, schema in _schemas(name, kind).items()]
        for row in product(*values):
            texts.append(str(kind(*row)))
            if len(texts) > MAX_TABLE_ACTIONS:
                raise NoEnvironment(_lack(name, f"its actions are more than {MAX_TABLE_ACTIONS}"))
    return tuple(texts)


def _schemas(name: str, kind: type[Action]) -> Mapping[str, Json]:
    try:
        return field_schemas(kind)
    except TypeError:
        raise NoEnvironment(_lack(name, f"its action {type_of(kind)} is no dataclass")) from None


def _values(name: str, kind: type[Action], field: str, schema: Json, seats: int) -> Sequence[Any]:
    """Return all values that *schema* allows. Raises ``NoEnvironment`` if they can't be listed."""
    if "enum" in schema:
        values: Sequence[Any] = schema["enum"]
        return values
    if schema.get("type") == "boolean":
        return (False, True)
    if schema == ref("Seat"):
        return range(seats)
    if schema.get("type") == "integer" and "minimum" in schema and "maximum" in schema:
        return range(schema["minimum"], schema["maximum"] + 1)
    raise NoEnvironment(_lack(name, f"the values of {field} in its action {type_of(kind)} can't be listed"))


def _lack(name: str, reason: str) -> str:
    return f"{name} has no environment, because {reason}; its ruleset can bring one (docs/rl.md)."


@mypyc_attr(allow_interpreted_subclasses=True)
class TableEnvironment(Environment):
    """An environment with a table of the actions' texts; the last entry is the pass.

    For other observations override ``fields`` and ``bits`` together.
    """

    def __init__(self, actions: Sequence[str]) -> None:
        """Take the texts of all *actions*, without the pass."""
        self.actions = (*actions, PASS)
        self.index: Final = {text: index for index, text in enumerate(self.actions)}

    def fields(self, players: int) -> Mapping[str, int]:
        return {"hashed_view": HASHED_VIEW_BITS}

    def bits(self, view: Json, seat: int) -> bytes:
        """Return the observation of *seat*, whose view is *view*: a 0 or 1 in each byte."""
        bits = bytearray(HASHED_VIEW_BITS)
        for leaf in _leaves({**view, "viewer": seat}, ""):
            bits[crc32(leaf.encode()) % HASHED_VIEW_BITS] = 1
        return bytes(bits)

    def begin(self, position: Position, dealer: Dealer) -> Episode:
        return TableEpisode(self, position, dealer)


class TableEpisode(Episode):
    """An episode whose actions are found by their texts."""

    def __init__(self, environment: TableEnvironment, position: Position, dealer: Dealer) -> None:
        super().__init__(position, dealer, len(environment.actions))
        self._environment = environment
        self._legal: dict[int, Action] = {}

    def action(self, index: int) -> Action | None:
        return self._legal.get(index)

    def mark_legal(self, mask: bytearray) -> None:
        """Mark the legal actions. Raises ``NoEnvironment`` for a legal action that isn't in the table."""
        index = self._environment.index
        self._legal = {}
        for action in self.position.legal(self.seat):
            text = str(action)
            if text not in index:
                raise NoEnvironment(f"The table of actions lacks {text!r}, which is legal now.")
            self._legal[index[text]] = action
            mask[index[text]] = 1
        if self.seat not in self.position.to_act():
            mask[self.actions - 1] = 1

    def observation(self, seat: int) -> bytes:
        return self._environment.bits(self.position.view(seat), seat)


def _leaves(value: object, path: str) -> Iterator[str]:
    """Yield ``path=value`` for each value in a view that is neither a list nor an object."""
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves(value[key], f"{path}.{key}")
    elif isinstance(value, list):
        for place, entry in enumerate(value):
            yield from _leaves(entry, f"{path}.{place}")
    else:
        yield f"{path}={value}"
