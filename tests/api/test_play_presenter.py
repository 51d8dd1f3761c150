"""A seat's game in the terminal: which state of it is the present one."""

from typing import Any, cast

from api.commands.play.game_presenter import GamePresenter
from engines.core.phrase import english
from regicide_client import Player
from regicide_client.types import Game


class LatePlayer:
    """A player whose answers come late: each fetch returns the next of the given states."""

    def __init__(self, *states: dict[str, Any]) -> None:
        self._states = iter(states)

    def fetch(self) -> dict[str, Any]:
        return next(self._states)


def state(version: int, status: str = "active", name: str = "g") -> Game:
    """Return what decides which of two states is the newer one."""
    return cast(Game, {"id": name, "version": version, "status": status})


def presenter(*states: Game) -> GamePresenter:
    """Return a presenter of a game with these states, of which it has fetched the first."""
    return GamePresenter(cast(Player, LatePlayer(*cast(tuple[dict[str, Any], ...], states))), None, english)


def test_an_answer_that_is_overtaken_changes_nothing() -> None:
    """Otherwise the screen would wait for the AI that has acted already, for ever."""
    game = presenter(state(0), state(1))
    assert game.take(state(2))

    game.refresh()

    assert game.game["version"] == 2


def test_a_change_is_told_once() -> None:
    """By its version or its status, whoever brings it first."""
    game = presenter(state(0, "waiting"))
    assert [
        game.take(state(0)),
        game.take(state(0)),
        game.take(state(1)),
        game.take(state(0)),
        game.take(state(1)),
    ] == [
        True,
        False,
        True,
        False,
        False,
    ]


def test_another_game_has_versions_of_its_own() -> None:
    """A puzzle that begins again."""
    game = presenter(state(7), state(0, name="h"))

    game.refresh()

    assert game.game["id"] == "h"
