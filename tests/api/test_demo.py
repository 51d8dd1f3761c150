"""The demo whose player is overtaken: by a move of another, or by the end of the game."""

from typing import Any, cast

import pytest

from api.commands import demo
from engines import RULESETS
from engines.core.phrase import english
from engines.core.types import Json
from regicide_client import Player, ProblemError


class Overtaken:
    """A player who is asked for a move once, and is refused; then the game is over."""

    def __init__(self, code: str) -> None:
        self._code, self._statuses = code, iter(("active", "finished"))

    def wait_for_turn(self, _timeout: float) -> Json:
        """Return the game, at first as one that waits for this player."""
        status = next(self._statuses)
        return {"status": status, "version": 1, "view": {}, "you": 0, "seats": [{}, {}]}

    def events(self, after: int) -> list[Json]:
        """Return nothing that is told."""
        return []

    def hint(self, _level: str) -> Any:
        """Refuse."""
        raise ProblemError({"status": 409, "code": self._code, "detail": "It is refused."})


def play(code: str) -> Json:
    """Play the demo's part of such a game."""
    player = cast("Player", Overtaken(code))
    return cast("Json", demo._play(player, RULESETS["regicide"], english, lambda _text: None))


@pytest.mark.parametrize("code", ["game_over", "not_your_turn", "stale_version"])
def test_a_player_who_is_overtaken(code: str, monkeypatch: pytest.MonkeyPatch):
    """The game is loaded again, and the demo ends with it."""
    monkeypatch.setattr(demo, "_table_text", lambda *_: "")

    assert play(code)["status"] == "finished"


def test_another_refusal(monkeypatch: pytest.MonkeyPatch):
    """It isn't hidden."""
    monkeypatch.setattr(demo, "_table_text", lambda *_: "")

    with pytest.raises(ProblemError, match="refused"):
        play("internal_error")
