"""Records, read strictly: what an older one called otherwise is read as well."""

import pytest

from engines.core.errors import BadRequest
from engines.core.types import Json
from engines.table import table_json
from engines.table.record_parser import load_record
from tests.engines.tables import ended

NOTE = {"level": "master", "seed": "0" * 64, "iterations": 20, "view_sha256": "0" * 64}


def noted(**more: object) -> Json:
    """Return a record whose only action was an AI's."""
    game, (entry,) = ended()
    return table_json.record(game, [{**entry, "ai": {**NOTE, **more}}])


@pytest.mark.parametrize(
    ("more", "iterations"),
    [
        ({}, 0),
        ({"helper_iterations": 7}, 7),
    ],
)
def test_a_helpers_iterations(more: Json, iterations: int) -> None:
    """How many were counted."""
    note = load_record(noted(**more)).entries[0].ai

    assert note is not None
    assert note.helper_iterations == iterations


def test_the_former_name_is_unknown() -> None:
    """``beside`` was its name before the first release."""
    with pytest.raises(BadRequest, match="'beside' is unknown"):
        load_record(noted(beside=7))
