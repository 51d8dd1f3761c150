"""What a server or a file says is shown on a terminal, and never obeyed by it."""

from io import StringIO
from typing import Any, ClassVar, cast

import click
import pytest

from api.commands.command_base import exit_on_error
from api.commands.play.game_presenter import GamePresenter
from api.commands.play.plain import PlainTable
from api.commands.printable_text import printable
from engines.core.phrase import Phrase, english

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9bAna\r"


class HostileGame:
    """A game with control characters in what it says."""

    is_over, is_puzzle, must_act, may_act = False, False, False, False
    game: ClassVar[Any] = {"version": 0}

    def hint(self) -> list[str]:
        return [HOSTILE, f"{HOSTILE}: 5♠\tand 7♥"]

    def waits_for(self) -> str:
        return HOSTILE

    def choices(self) -> list[Any]:
        return []

    def asks(self) -> str:
        return HOSTILE

    def say(self, phrase: Phrase) -> str:
        return phrase.render(english)


def test_control_characters_are_replaced() -> None:
    """Names, cards and line breaks stay."""
    assert printable("Zoë 👩‍🚀 7♥\n\tא") == "Zoë 👩‍🚀 7♥\n\tא"
    assert printable(HOSTILE) == "�]0;owned��[2J�Ana�"


def test_the_plain_table_writes_none() -> None:
    """Whatever the server's sentences have in them."""
    written = StringIO()
    table = PlainTable(cast(GamePresenter, HostileGame()), StringIO(), written)

    table._obey("h")
    table._obey("1")

    assert "Ana" in written.getvalue()
    assert not {"\x1b", "\x07", "\x9b", "\r"} & set(written.getvalue())


def test_an_error_has_none() -> None:
    """A problem's sentence comes from the server too."""
    with pytest.raises(click.ClickException) as refused, exit_on_error(OSError):
        raise OSError(HOSTILE)

    assert "\x1b" not in refused.value.message
