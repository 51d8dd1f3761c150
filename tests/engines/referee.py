"""The referee as the tests ask it: one request in, one answer out, nothing of the engine but its protocol.

Every function sends a copy, so that a test may use a position twice, and sees to it that the engine
left that copy as it was.
"""

import json
from typing import Any

from engines.__main__ import answer

Json = dict[str, Any]


def copied(value: Any) -> Any:
    """Return *value* as a client's JSON would arrive."""
    return json.loads(json.dumps(value))


def ask(request: Json) -> Json:
    """Send any request; return the answer, an error included."""
    sent = copied(request)
    heard = answer(sent)
    assert sent == request, "the referee changed the request that it was handed"
    told: Json = copied(heard)
    return told


def accepted(heard: Json, key: str) -> Any:
    """Return what the answer has under *key*, which must be no refusal."""
    assert "error" not in heard, f"refused: {heard['error']}"
    return heard[key]


def refusal(heard: Json) -> str:
    """Return the code of an answer that must be a refusal with a sentence (docs/referee.md, Errors)."""
    assert set(heard) - {"id"} == {"error"}, f"not a refusal: {heard}"
    error = heard["error"]
    assert isinstance(error["detail"], str), error
    assert error["detail"], "a refusal says what was wrong"
    assert ("rule" in error) == (error["code"] == "illegal_action"), error
    return str(error["code"])


def new(players: int, options: Json | None = None, seed: str = "seed", ruleset: str = "regicide") -> Json:
    """Set out a game; return the whole answer, position and events."""
    return ask({"op": "new", "ruleset": ruleset, "players": players, "options": options or {}, "seed": seed})


def legal(position: Json, seat: int) -> list[Json]:
    """Return what *seat* may do."""
    actions: list[Json] = accepted(ask({"op": "legal", "position": position, "seat": seat}), "actions")
    return actions


def apply(position: Json, seat: int, action: Json | str, seed: str = "s") -> Json:
    """Let *seat* act; return the whole answer, an error included."""
    return ask({"op": "apply", "position": position, "seat": seat, "action": action, "seed": seed})


def after(position: Json, seat: int, action: Json | str, seed: str = "s") -> Json:
    """Let *seat* act, which must be allowed; return the position that follows."""
    position_after: Json = accepted(apply(position, seat, action, seed), "position")
    return position_after


def view(position: Json, seat: int | None) -> Json:
    """Return what *seat* may know; ``None`` is a spectator."""
    seen: Json = accepted(ask({"op": "view", "position": position, "seat": seat}), "view")
    return seen


def canonical(action: Json) -> str:
    """Return an action as text that is equal for equal actions: its lists are sets (docs/referee.md, Action)."""
    return json.dumps(
        {key: sorted(value) if isinstance(value, list) else value for key, value in action.items()}, sort_keys=True
    )


def same_actions(actions: list[Json], expected: list[Json]) -> bool:
    """Tell whether both lists hold the same actions, once each, in any order."""
    return sorted(map(canonical, actions)) == sorted(map(canonical, expected))
