"""The ``regicide`` command."""

import errno
import json
import os
import shlex
import sys
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click

from api.commands.command_base import (
    Flagged,
    InvalidInput,
    Seconds,
    check_levels,
    check_players,
    exit_on_error,
    read_options,
    record_options,
)
from api.commands.printable_text import printable
from engines import RULESETS
from engines.analysis.arena import Arena
from engines.contract.levels import level_names
from engines.core.errors import BadRequest
from engines.core.mypyc_support import is_compiled
from engines.core.types import Json
from engines.table.record_parser import Entry, Note, Record, read_record
from engines.table.replay import Mismatch, compare_transcript
from engines.table.replay import audit as audit_record
from engines.table.replay import verify as verify_record
from workers.settings import Settings

LEVELS: Final = level_names(ruleset.levels for ruleset in RULESETS.values())
BOT_EXAMPLE_FILES: Final = {
    "python": "bot.py",
    "node": "bot.mjs",
    "c": "bot.c",
    "python-http": "http_bot.py",
    "node-http": "http_bot.mjs",
    "c-http": "http_bot.c",
}
"""Examples of bots by name: bots that read lines, and bots that speak HTTP."""

if TYPE_CHECKING:
    from regicide_client.types import Game

VERSION_MESSAGE: Final = f"%(prog)s %(version)s, engines {'compiled' if is_compiled() else 'interpreted'}"


STORE_COMMANDS: Final = ("backup", "banner", "close", "export", "games", "import", "prune", "restore", "store")
LAZILY_IMPORTED_COMMANDS: Final = (*STORE_COMMANDS, "check-ruleset", "dataset", "play", "tournament")
"""Commands that are imported only when used, so that the other commands start faster."""


class Commands(click.Group):
    """The group of commands. It lists them by name, and imports ``LAZILY_IMPORTED_COMMANDS`` only when used."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command. If its output can't be written because the device is full, say so in a sentence."""
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            if error.errno != errno.ENOSPC or error.filename:
                raise
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the rest fails when Python exits
            click.echo("Error: The output can't be written: No space left on device.", err=True)
            sys.exit(InvalidInput.exit_code)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *LAZILY_IMPORTED_COMMANDS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in LAZILY_IMPORTED_COMMANDS:
            return super().get_command(ctx, cmd_name)
        if cmd_name == "play":
            from api.commands.play.command import play  # noqa: PLC0415

            return play
        if cmd_name == "tournament":
            from api.commands.tournament.command import tournament  # noqa: PLC0415

            return tournament
        if cmd_name == "dataset":
            from api.commands.dataset import dataset  # noqa: PLC0415

            return dataset
        if cmd_name not in STORE_COMMANDS:
            from api.commands.check_ruleset.command import check_ruleset  # noqa: PLC0415

            return check_ruleset
        from api.commands import operator_commands  # noqa: PLC0415

        return operator_commands.COMMANDS[cmd_name]


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(None, "--version", package_name="regicide-server", prog_name="regicide", message=VERSION_MESSAGE)
def main() -> None:
    """Card games over HTTP: serve them, watch them, read their contract."""


@main.command(cls=Flagged)
def serve() -> None:
    """Serve games until Ctrl-C: the store, the workers and the web server.

    Each setting is a flag or an environment variable. Set passwords as variables, because other users can see flags.
    """
    from api.commands.serve import serve as run  # noqa: PLC0415  other commands start faster without it
    from workers.processes.supervisor import exit_with_supervisor  # noqa: PLC0415
    from workers.startup_ai_file_check import check_ai_files  # noqa: PLC0415

    exit_with_supervisor()
    with exit_on_error():
        check_ai_files()
        run(Settings.from_environment(os.environ))


@main.command(cls=Flagged)
def worker() -> None:
    """Run a pool of workers for a server that runs elsewhere. REDIS_URL names its store."""
    from api.commands.wait_for_store import wait_for_store  # noqa: PLC0415  other commands start faster without it
    from workers.__main__ import main as run  # noqa: PLC0415
    from workers.startup_ai_file_check import check_ai_files  # noqa: PLC0415

    with exit_on_error():
        check_ai_files()
        wait_for_store(Settings.from_environment(os.environ), partial(click.echo, err=True))
        run()


@main.command()
@click.option("--ruleset", type=click.Choice(list(RULESETS)), default=next(iter(RULESETS)), show_default=True)
@click.option("--players", type=int, help="By default as many as the ruleset allows.")
@click.option("--seed", default="", help="The client seed of the scripted player.")
@click.option("--lang", type=click.Choice(["en", "es"]), default="en", show_default=True, help="Language of the story.")
def demo(ruleset: str, players: int | None, seed: str, lang: str) -> None:
    """Watch one game, played over HTTP by a client that follows hints, and by AIs."""
    from api.commands.demo import DemoOptions  # noqa: PLC0415  other commands start faster without it
    from api.commands.demo import demo as run  # noqa: PLC0415  other commands start faster without it
    from regicide_client import RegicideError  # noqa: PLC0415  other commands start faster without it

    players = players or max(RULESETS[ruleset].player_counts)
    check_players(RULESETS[ruleset], players, "--players")
    with exit_on_error(RegicideError):
        run(Settings.from_environment(os.environ), DemoOptions(ruleset, players, seed, lang), click.echo)


@main.command()
@click.option("--ruleset", type=click.Choice(list(RULESETS)), default=next(iter(RULESETS)), show_default=True)
@click.option(
    "--seat",
    "seats",
    type=click.Choice(LEVELS),
    multiple=True,
    required=True,
    help="Level of an AI, once for each seat.",
)
@click.option("--games", type=click.IntRange(1), default=100, show_default=True)
@click.option("--seed", default="arena", show_default=True, help="Equal seeds give equal games.")
@click.option("--options", default="{}", help="Options of the ruleset, as a JSON object.")
@click.option("--by-clock", is_flag=True, help="Limit thinking time as at a table. Such games can't be repeated.")
@click.option("--processes", type=click.IntRange(1), help="Number of processes. By default one for each core.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the results, as JSON. An unfinished run in it is continued.",
)
@record_options
def arena(  # noqa: PLR0913  # one parameter per option
    ruleset: str,
    seats: tuple[str, ...],
    games: int,
    seed: str,
    options: str,
    processes: int | None,
    out: Path | None,
    *,
    records: Path | None,
    notes: bool,
    by_clock: bool,
) -> None:
    """Let AIs play each other on all cores of this machine, and show how often each AI wins."""
    from workers.local_arena import LocalArena, table  # noqa: PLC0415  other commands start faster without it
    from workers.local_work_processes import cores  # noqa: PLC0415

    check_players(RULESETS[ruleset], len(seats), "--seat")
    check_levels(RULESETS[ruleset], seats, "--seat")
    with exit_on_error():
        filled_in = read_options(RULESETS[ruleset], len(seats), options)
        played = LocalArena(Arena(ruleset, seats, games, filled_in, seed, by_clock), out, records, notes=notes)
        with click.progressbar(length=games, label="Games", show_pos=True, file=sys.stderr) as bar:
            played.run(processes or cores(), bar.update)
    click.echo(table(played.result()))


def _print_example(ctx: click.Context, _param: click.Parameter, name: str | None) -> None:
    """Print the example bot *name* and exit."""
    if name is not None:
        click.echo(files("regicide_client").joinpath("examples", BOT_EXAMPLE_FILES[name]).read_text("utf-8"), nl=False)
        ctx.exit()


@main.command()
@click.option(
    "--example",
    type=click.Choice(list(BOT_EXAMPLE_FILES)),
    is_eager=True,
    expose_value=False,
    callback=_print_example,
    help="Print an example program and exit.",
)
@click.option("--game", required=True, help="The game's id.")
@click.option("--token", required=True, envvar="REGICIDE_TOKEN", show_envvar=True, help="The seat's token.")
@click.option("--exec", "command", required=True, help="The program, as in 'python mybot.py'.")
@click.option("--server", help="Address of the server. By default from HOST and PORT.")
@click.option("--seconds", type=Seconds(), default=5.0, show_default=True)
@click.option("--restarts", type=click.IntRange(0), default=3, show_default=True)
def bot(*, game: str, token: str, command: str, server: str | None, seconds: float, restarts: int) -> None:
    """Let a program play a seat. It reads questions and writes answers as JSON lines (docs/bots.md).

    The program has SECONDS for each answer. A program that exits, hangs or answers nonsense is restarted, at most
    RESTARTS times without a valid answer in between. After that, the exit code is 1.
    """
    from api.commands.serve import server_url  # noqa: PLC0415
    from regicide_client import RegicideError  # noqa: PLC0415
    from regicide_client.bot_command import ProgramSetup, play_seat  # noqa: PLC0415

    try:
        words = shlex.split(command)
    except ValueError as error:
        raise click.BadParameter(f"{error}.", param_hint="--exec") from error
    if not words:
        raise click.BadParameter("There is no program.", param_hint="--exec")
    if not (token.isascii() and token.isprintable()):
        raise click.BadParameter("A token has no such characters.", param_hint="--token")
    with exit_on_error(RegicideError):
        url = server or server_url(Settings.from_environment(os.environ))
        setup = ProgramSetup(words, seconds, restarts, lambda line: click.echo(line, err=True), _outcome_line)
        ended = play_seat(url, game, token, setup)
    click.echo(f"Game {ended['id']} is {ended['status']}: {json.dumps(ended['outcome'])}")


def _outcome_line(game: "Game") -> Json:
    """Return the line that tells a program the outcome of its game."""
    from regicide_client.bot_command import ended_line  # noqa: PLC0415

    if game["outcome"] is None or game["you"] is None:
        return ended_line(won=False, drawn=False, outcome=game["outcome"])
    verdict = RULESETS[game["ruleset"]].verdict(game["outcome"], len(game["seats"]))
    return ended_line(game["you"] in verdict.winners, verdict.drawn, game["outcome"])


@main.command()
@click.argument("record", type=click.File("rb"))
@click.option("--heard", type=click.File("rb"), help="File of JSON lines received from the server while the game ran.")
def verify(record: BinaryIO, heard: BinaryIO | None) -> None:
    """Replay the record of a game (a file, or - for standard input) and list what does not match.

    HEARD is a file of JSON lines received from the game's stream or its routes. With it, list also what the server sent
    that the replay contradicts. The exit code is 0 if everything matches, 1 if not, 2 if the record can't be read.
    """
    read = _read_record(record)
    kept = [] if heard is None else _read_json_lines(heard)
    _report(read, [*verify_record(read), *compare_transcript(read, kept)], f"{len(read.entries)} actions replayed")


def _read_json_lines(heard: BinaryIO) -> list[Json]:
    """Return the objects of a file of JSON lines. Raises ``InvalidInput``."""
    try:
        lines = [json.loads(line) for line in heard if line.strip()]
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInput(f"What was heard is no JSON, a line for each object: {error}.") from error
    if not all(isinstance(line, dict) for line in lines):
        raise InvalidInput("What was heard is no JSON, a line for each object.")
    return lines


@main.command()
@click.argument("record", type=click.File("rb"))
def audit(record: BinaryIO) -> None:
    """Verify a record and repeat the decisions of its AIs. Each must choose the same action again.

    The repetition takes about as long as the decisions in the game did. The exit codes are those of verify.
    """
    read = _read_record(record)
    moves = sum(entry.ai is not None for entry in read.entries)
    done = 0

    def tell(entry: Entry, ai: Note, same: bool) -> None:  # noqa: FBT001  ``audit_record`` passes *same* by position
        nonlocal done
        done += 1
        choice = "the same" if same else "something else"
        work = f"{ai.iterations} + {ai.helper_iterations}" if ai.helper_iterations else f"{ai.iterations}"
        about = f"version {entry.version}, seat {entry.seat}, {ai.level}, {work} iterations"
        click.echo(f"{done}/{moves} {about}: {choice}", err=True)

    found = audit_record(read, tell)
    _report(read, found, f"{len(read.entries)} actions replayed, {done} of {moves} choices of AIs repeated")


def _read_record(record: BinaryIO) -> Record:
    """Return the record in a file. Raises ``InvalidInput``."""
    try:
        return read_record(record.read().decode())
    except OSError as error:
        raise InvalidInput(f"The record can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"The record isn't UTF-8: {error.reason} at byte {error.start}.") from error
    except BadRequest as refusal:
        raise InvalidInput(refusal.detail) from refusal


def _report(record: Record, found: list[Mismatch], work: str) -> None:
    """Print the mismatches. Exit with code 1 if there are any."""
    for finding in found:
        click.echo(printable(f"{finding.code}: {finding.sentence}"))
    verdict = f"{len(found)} things don't match." if len(found) > 1 else "One thing doesn't match."
    verdict = verdict if found else "Everything matches."
    work = f"{work}{_report_notes(record, found)}"
    click.echo(f"Game {printable(record.id)}, {record.ruleset.title} for {record.players}: {work}. {verdict}")
    if found:
        raise SystemExit(1)


def _report_notes(record: Record, found: list[Mismatch]) -> str:
    """Return the part of the verdict on the AIs' notes. It is empty without notes, or if they don't match."""
    notes = sum(entry.ai is not None for entry in record.entries)
    if not notes or "ai_notes" in {finding.code for finding in found}:
        return ""
    if record.ai_notes is None:
        return f", {notes} notes of AIs not chained by the server"
    return f", {notes} notes of AIs as committed by the server"


@main.command()
@click.argument("record", type=click.File("rb"))
@click.option(
    "--seat", "seats", type=click.IntRange(0), multiple=True, help="Seat to review. By default every person's seat."
)
@click.option(
    "--level", type=click.Choice(LEVELS), default="expert", show_default=True, help="Level of the AI that reviews."
)
@click.option("--lang", type=click.Choice(["en", "es"]), default="en", show_default=True, help="Language of the table.")
def review(record: BinaryIO, seats: tuple[int, ...], level: str, lang: str) -> None:
    """Review the decisions of a record's seats. An AI repeats each decision from what the seat knew at that time.

    The exit code is 1 if the record can't be replayed to its end, 2 if it can't be read.
    """
    from api.commands.record_review import RecordReview, Unplayable  # noqa: PLC0415
    from api.language import translator  # noqa: PLC0415  other commands start faster without it

    read = _read_record(record)
    if max(seats, default=0) >= read.players:
        raise click.BadParameter(f"The record has the seats 0 to {read.players - 1}.", param_hint="--seat")
    check_levels(read.ruleset, [level], "--level")
    try:
        reviewing = RecordReview(read, seats, level)
    except Unplayable as unplayable:
        for finding in unplayable.found:
            click.echo(printable(f"{finding.code}: {finding.sentence}"))
        raise click.ClickException(f"{unplayable}") from unplayable
    with click.progressbar(length=reviewing.count, label="Decisions", show_pos=True, file=sys.stderr) as bar:
        lines = reviewing.run(translator(lang), bar.update)
    click.echo(printable("\n".join(lines)), nl=False)


@main.command()
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write to, instead of the standard output.",
)
def openapi(output: Path | None) -> None:
    """Print the HTTP contract, openapi.yaml."""
    from api.openapi import contract_text  # noqa: PLC0415  other commands start faster without it

    text = contract_text()
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.FileError(str(output), f"{error.strerror}.") from error


if __name__ == "__main__":
    main()
