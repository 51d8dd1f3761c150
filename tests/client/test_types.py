"""The types of the Python client are those of the contract."""

import pytest

import regicide_client.types
from api.contract.responses import COMPONENTS
from engines import RULESETS
from engines.core.types import Json

TYPED = [name for name in COMPONENTS if hasattr(regicide_client.types, name)]


@pytest.mark.parametrize("name", TYPED)
def test_types_are_the_contracts(name: str):
    """What must be there and what may be, as in the component of that name."""
    typed = getattr(regicide_client.types, name)
    asked = {field for ruleset in RULESETS.values() for field in ruleset.seat_options} if name == "Seat" else set()

    for component in variants(COMPONENTS[name]):
        assert set(typed.__required_keys__) == set(component["required"])
        assert set(typed.__optional_keys__) == set(component["properties"]) - set(component["required"]) - asked


def variants(component: Json) -> list[Json]:
    """Return the kinds of an object that a component tells apart, or the one that it is."""
    return [COMPONENTS[part["$ref"].rpartition("/")[2]] for part in component.get("oneOf", [])] or [component]


def test_every_type_is_in_the_contract():
    """None is ours alone."""
    ours = {name for name, value in vars(regicide_client.types).items() if hasattr(value, "__required_keys__")}

    assert ours - {"Legal"} == set(TYPED)
