"""The benchmarks of strength, on so few games that their figures mean nothing: it shows that all can be measured."""

import pytest

from benchmarks.decisions import seconds


@pytest.mark.parametrize(("name", "level"), [("regicide", "skilled"), ("gridcannon", "expert")])
def test_seconds(name: str, level: str) -> None:
    """As many decisions as were asked for, each of which takes time; there are none of a level that doesn't search."""
    took = seconds(name, level, 2, 2)

    assert len(took) == 2
    assert min(took) > 0
    with pytest.raises(ValueError, match="novice"):
        seconds(name, "novice", 2, 2)
