"""What a seat may ask for by itself, for any ruleset that lists it."""

from collections.abc import Mapping
from typing import ClassVar

import pytest

from api.errors import Invalid
from api.openings import _options, _seat
from engines import RULESETS
from engines.seats import Seat


class WithFamilies(type(RULESETS["regicide"])):  # type: ignore[misc]  # whichever class that is
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


def test_a_seat_keeps_the_creators_seed():
    """It is mixed into the shuffle."""
    assert _seat(WithFamilies(), 0, {"kind": "human", "name": "Ana", "level": None}, "mine").client_seed == "mine"
