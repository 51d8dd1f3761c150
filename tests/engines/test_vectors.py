"""The conformance vectors that every implementation of the rules shares.

They lie beside the repository; a clone without them skips these tests.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engines.referee import Json, accepted, apply, ask, legal, refusal, same_actions, view

VECTORS = Path(__file__).parents[3] / "shared" / "vectors"
CASES = [
    pytest.param(case, id=f"{file.stem}/{case['id']}")
    for file in sorted(VECTORS.glob("*.json"))
    for case in json.loads(file.read_text(encoding="utf-8"))
]
if not CASES:
    pytest.skip(f"there are no conformance vectors in {VECTORS}", allow_module_level=True)


def multiset(value: Any) -> Any:
    """Return *value* with lists of cards sorted; a list of lists, such as hands, keeps its places."""
    if isinstance(value, dict):
        return {key: multiset(part) for key, part in value.items()}
    if isinstance(value, list):
        return sorted(value) if all(isinstance(part, str) for part in value) else [multiset(part) for part in value]
    return value


def compare(case: Json, shown: Json, expected: Json) -> None:
    """Each named key has its value, those in `unordered` as multisets; those in `absent` aren't there."""
    unordered = case.get("unordered", [])
    seen = {key: shown.get(key, "absent") for key in expected}
    assert {key: multiset(value) if key in unordered else value for key, value in seen.items()} == {
        key: multiset(value) if key in unordered else value for key, value in expected.items()
    }
    assert [key for key in case.get("absent", []) if key in shown] == []


@pytest.mark.parametrize("case", CASES)
def test_vector(case: Json) -> None:
    """The engine answers what the vector expects."""
    position, seat, expect = case["position"], case["seat"], case["expect"]
    known = {"position", "error", "legal", "legal_includes", "legal_excludes", "view"}
    assert set(expect) & known == set(expect) != set(), "a form of `expect` that isn't known"

    if "error" in expect:
        asked = {"op": "legal", "position": position, "seat": seat}
        heard = apply(position, seat, case["action"]) if "action" in case else ask(asked)
        assert refusal(heard) == expect["error"]
    if "position" in expect:
        compare(case, accepted(apply(position, seat, case["action"]), "position"), expect["position"])
    if "view" in expect:
        compare(case, view(position, seat), expect["view"])
    if "legal" in expect:
        assert same_actions(legal(position, seat), expect["legal"])
    for action in expect.get("legal_includes", []):
        assert any(same_actions([action], [other]) for other in legal(position, seat)), action
    for action in expect.get("legal_excludes", []):
        assert not any(same_actions([action], [other]) for other in legal(position, seat)), action
