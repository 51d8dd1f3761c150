"""The command ``regicide play``."""

import getpass
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final

import click

from api.commands.command_base import exit_on_error
from api.commands.entry_point import exit_by_signal
from api.commands.play import plain
from api.commands.play.game_presenter import GamePresenter
from api.commands.play.personal_rating import RATED_PLAYERS, Result, Results
from api.commands.play.puzzle_presenter import TODAYS_PUZZLE_ARGUMENT, PuzzlePresenter, find_puzzle
from api.commands.play.seating import Link, Wishes, join, sit_down, standing
from api.commands.printable_text import printable
from api.commands.running_or_temporary_server import STARTING_SERVER_PHRASE, open_client, running_or_temporary_server
from api.language import LANGUAGES, translator
from engines.core.phrase import Phrase, Translator
from regicide_client import RegicideClient, RegicideError
from workers.settings import Settings

FULL_SCREEN_MISSING_PHRASE: Final = Phrase("In plain text. For the full screen: pip install 'textual>=8.2'")


@click.command()
@click.argument("ruleset", required=False)
@click.option("--players", type=click.IntRange(1), help="Number of players, you included. By default two.")
@click.option("--level", help="Level of the AIs. By default the one that your last results suggest.")
@click.option("--name", help="Your name. By default the name of your account.")
@click.option("--lang", type=click.Choice(LANGUAGES), default=LANGUAGES[0], show_default=True)
@click.option("--plain", "is_plain", is_flag=True, help="Play in plain lines, for screen readers and pipes.")
@click.option("--review", is_flag=True, help="With --plain: say after the end which moves would have been better.")
@click.option("--server", help="Address of the server. By default the one that runs here, or a new one for this game.")
@click.option(
    "--puzzle",
    is_flag=False,
    flag_value=TODAYS_PUZZLE_ARGUMENT,
    help="Solve the puzzle with this id. Without an id, today's puzzle.",
)
@click.option("--join", "link", help="The link of an invitation.")
def play(  # noqa: PLR0913  # one parameter per option
    *,
    ruleset: str | None,
    players: int | None,
    level: str | None,
    name: str | None,
    lang: str,
    is_plain: bool,
    review: bool,
    server: str | None,
    puzzle: str | None,
    link: str | None,
) -> None:
    """Play a game in the terminal, with AIs or at a friend's table, or solve a puzzle."""
    translate, results = translator(lang), Results.of_this_user()
    # A shell script starts background commands with SIGINT ignored, so Python's handler is set explicitly.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, exit_by_signal)
    with exit_on_error(RegicideError, OSError):
        joined = None if link is None else Link.of(link)
        wishes = Wishes(name or _account_name(), ruleset, players, level)
        with _server(joined.url if joined else server, translate) as url, open_client(url, lang) as client:
            game = _begin(client, joined, wishes, results, translate, puzzle)
            try:
                _play(game, is_plain=is_plain or not _has_full_screen(translate), review=review)
                if puzzle is None:
                    _keep_result(client, game, results)
            except KeyboardInterrupt:
                click.echo()
            finally:
                game.leave()


def _begin(
    server: RegicideClient,
    link: Link | None,
    wishes: Wishes,
    results: Results,
    translate: Translator,
    puzzle: str | None,
) -> GamePresenter:
    """Return a puzzle, the seat that a link offers, or a seat of a new game."""
    if puzzle is not None:
        return PuzzlePresenter(server, find_puzzle(server, puzzle, wishes.ruleset), translate)
    if link is not None:
        return join(server, link, wishes.name, translate)
    return sit_down(server, wishes, results, translate)


def _account_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # the account has no name
        return "Player"


@contextmanager
def _server(url: str | None, translate: Translator) -> Iterator[str]:
    """Yield the address of the server to play on."""
    if url is not None:
        yield url
        return
    settings = Settings.from_environment(os.environ)

    def starts() -> None:
        click.echo(STARTING_SERVER_PHRASE.render(translate))

    with running_or_temporary_server(settings, starts, errors=subprocess.DEVNULL) as found:
        yield found


def _has_full_screen(translate: Translator) -> bool:
    """Return whether the terminal can show the full screen. If only the extra for it is missing, say so."""
    if not sys.stdin.isatty() or not sys.stdout.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return False
    if find_spec("textual") is not None:
        return True
    click.echo(FULL_SCREEN_MISSING_PHRASE.render(translate))
    return False


def _play(game: GamePresenter, *, is_plain: bool, review: bool) -> None:
    if is_plain:
        plain.play(game, review=review)
        return
    from api.commands.play import full_screen  # noqa: PLC0415  the extra is needed for the full screen alone

    full_screen.play(game)


def _keep_result(client: RegicideClient, game: GamePresenter, results: Results) -> None:
    """If the person and one AI have played the game, store its result and print the level that suits the person now.

    The AI may have been an opponent or a partner. The results of all other games are not stored.
    """
    game.refresh()
    result, seats = game.result(), game.game["seats"]
    levels = [seat["level"] for seat in seats if "level" in seat]
    if result is None or len(seats) != RATED_PLAYERS or not levels:
        return
    results.add(Result(game.game["ruleset"], levels[0], len(seats), result))
    found = standing(client, game.game["ruleset"], results)
    if found is not None:
        phrase = Phrase("The level that suits you now: {level}.", level=found.level)
        click.echo(printable(game.say(phrase)))
