"""Records that can't be read: each is refused with the field that is wrong."""

import json
from functools import cache

import pytest

from api.commands.check_ruleset.generated_games import setups
from engines.core.errors import BadRequest
from engines.core.types import Json
from engines.table.record_parser import read_record
from tests.contract.games import FIRST
from tests.contract.hosted import Hosting

BROKEN: list[tuple[str, object, str]] = [
    ("no JSON", "{", "no JSON"),
    ("no number", '{"players": NaN}', "NaN is no number"),
    ("too great a number", '{"players": 1e999}', "too great: 1e999"),
    ("twice", '{"id": "a", "id": "b"}', "'id' is there twice"),
    ("half a character", '{"id": "\\ud800"}', "half a character"),
    ("depth", "[" * 10**5, "nested too deeply"),
    ("a number that is too long", "9" * 10**5, "no JSON"),
    ("no object", "[]", "Write the record as an object"),
    ("nothing", "{}", "'format' is missing"),
    ("another format", {"format": 2}, "'format' is 1"),
    ("a field more", {"extra": 1}, "'extra' is unknown"),
    ("no such ruleset", {"ruleset": "chess"}, "'ruleset' is one of"),
    ("players", {"players": "2"}, "'players' is a whole number"),
    ("seed", {"seed": "AB" * 32}, "'seed' is 64 digits"),
    ("commitment", {"commitment": "ab"}, "'commitment' is 64 digits"),
    ("client seeds", {"client_seeds": [None]}, "'client_seeds' is text"),
    ("seats", {"seats": [{"seat": 1, "kind": "human"}]}, "seat 0, 'seat'"),
    ("kind", {"seats": [{"seat": 0, "kind": "cat"}]}, "'kind' is one of"),
    ("name", {"seats": [{"seat": 0, "kind": "human", "name": 7}]}, "'name' is text"),
    ("outcome", {"outcome": "won"}, "'outcome' is an object"),
    ("actions", {"actions": [{}]}, "action 1, 'version' is missing"),
]
ENTRY = {"version": 1, "seat": 0, "action": {}, "text": "", "at": "2026-01-01T12:00:00.000Z", "ai": None}
AI = {"level": "adept", "seed": "0" * 64, "iterations": 0, "view_sha256": "0" * 64}
BROKEN += [
    (f"entry: {field}", {"actions": [ENTRY | {field: value}]}, said)
    for field, value, said in [
        ("version", 0, "'version' is a whole number"),
        ("seat", -1, "'seat' is a whole number"),
        ("action", "yield", "'action' is an object"),
        ("text", None, "'text' is text"),
        ("at", "2026-01-01", "'at' is a time in UTC"),
        ("at", "2026-13-01T12:00:00.000Z", "'at' is a time in UTC"),
        ("ai", {"level": "adept"}, "'seed' is missing"),
        ("ai", AI | {"iterations": 1.5}, "'iterations' is a whole number"),
        ("ai", AI | {"helper_iterations": 0}, "'helper_iterations' is a whole number"),
        ("ai", AI | {"budget": 3000}, "'budget' is an object"),
        ("ai", AI | {"signals": {"one": "eager"}}, "'signals' holds a signal per seat"),
        ("ai", AI | {"signals": {"1": 1}}, "'signals' is text"),
    ]
]


@cache
def true() -> Json:
    """Return a record in which nothing is wrong."""
    return Hosting(setups(FIRST, 2)[0], seed=0).record()


@pytest.mark.parametrize(("what", "written", "said"), BROKEN, ids=[what for what, *_ in BROKEN])
def test_what_cannot_be_read(what: str, written: object, said: str) -> None:
    """It is refused with the field's name before anything is replayed."""
    text = written if isinstance(written, str) else json.dumps(true() | dict(written))  # type: ignore[call-overload]

    with pytest.raises(BadRequest) as refusal:
        read_record(text)

    assert said in refusal.value.detail
