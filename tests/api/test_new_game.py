"""What a seat may ask for by itself, for any ruleset that lists it."""

from collections.abc import Mapping
from typing import ClassVar

import pytest
from flask.testing import FlaskClient

from api.problems.errors import Invalid
from api.resources.new_game import _options, _seat
from engines import RULESETS
from engines.core.dealer import SeededDealer
from engines.core.types import Json
from engines.table.seats import Seat
from tests.rulesets import Race

GRIDCANNON = RULESETS["gridcannon"]


class WithFamilies(Race):
    """A ruleset whose seats may ask for a family."""

    seat_options: ClassVar[Mapping[str, str]] = {"family": "families"}


ASKING = [Seat("human", asks={"family": "owls"}), Seat("open")]


def test_seats_ask_by_themselves():
    """What they ask for is an option of the game, seat by seat."""
    assert _options(WithFamilies(), {"first_seat": 1}, ASKING) == {"first_seat": 1, "families": ["owls", None]}


def test_not_both():
    """The option and the seats' own wishes contradict each other."""
    with pytest.raises(Invalid) as refusal:
        _options(WithFamilies(), {"families": ["owls", "foxes"]}, ASKING)

    assert list(refusal.value.errors) == ["options.families"]


def test_either():
    """The option alone is fine."""
    options = {"families": ["owls", "foxes"]}

    assert _options(WithFamilies(), options, [Seat("human"), Seat("open")]) == options


@pytest.mark.parametrize(
    "wishes",
    [
        {"options": {"turn_limit": 5}},
        {"seats": [{"kind": "human", "family": "red"}, {"kind": "human"}]},
    ],
)
def test_a_position_brings_its_own_options(http: FlaskClient, wishes: Json):
    """Nothing that was wished for is silently left out."""
    position = GRIDCANNON.new(2, {}, SeededDealer("opening")).dump()
    body = {"ruleset": "gridcannon", "seats": [{"kind": "human"}] * 2, "position": position}

    refusal = http.post("/v1/games", json={**body, **wishes})

    assert http.post("/v1/games", json=body).status_code == 201
    assert (refusal.status_code, list((refusal.json or {})["errors"])) == (422, ["position"])


def test_a_seat_keeps_the_creators_seed():
    """It is mixed into the shuffle."""
    assert _seat(WithFamilies(), 0, {"kind": "human", "name": "Ana", "level": None}, "mine").client_seed == "mine"
