"""The command ``regicide tournament``."""

import shlex
import shutil
import sys
from pathlib import Path
from typing import BinaryIO, Final

import click

from api.commands.command_base import Seconds, check_players, exit_on_error, read_json, read_options, record_options
from api.commands.tournament.pair_test import PairTest
from api.commands.tournament.plan import MAX_NAME_LENGTH, SIDES_PER_PAIRING, Plan
from api.commands.tournament.runner import Tournament
from api.commands.tournament.standings import report
from engines import RULESETS
from engines.analysis.sprt import Sprt
from engines.core.errors import BadCard, BadPosition
from engines.core.types import Json
from engines.ruleset import Ruleset
from workers.local_work_processes import cores
from workers.startup_ai_file_check import check_ai_files

DEFAULT_RULESET: Final = next(iter(RULESETS))
MAX_ELO: Final = 1_000
"""Maximum difference of playing strength that can be tested. Above it the weaker player would never win."""


@click.command()
@click.option("--ruleset", type=click.Choice(list(RULESETS)), default=DEFAULT_RULESET, show_default=True)
@click.option("--player", "players", multiple=True, required=True, help="A level, or NAME=COMMAND for a program.")
@click.option(
    "--games",
    type=click.IntRange(SIDES_PER_PAIRING),
    default=100,
    show_default=True,
    help="Games of each pairing, an even number.",
)
@click.option("--seats", type=int, default=2, show_default=True)
@click.option("--seed", default="tournament", show_default=True, help="Equal seeds give equal games.")
@click.option("--options", default="{}", help="Options of the ruleset, as a JSON object.")
@click.option("--positions", type=click.File("rb"), help="Positions to start from, a JSON object on each line.")
@click.option("--seconds", type=Seconds(), default=5.0, show_default=True)
@click.option(
    "--concurrency", type=click.IntRange(1), help="Games played at the same time. By default one for each core."
)
@click.option(
    "--sprt",
    help="E0,E1: for two players, stop as soon as a difference of E1 or E0 Elo is accepted, with errors of 5 %.",
)
@record_options
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="File for the results, as JSON."
)
def tournament(  # noqa: PLR0913  # one parameter per option
    *,
    ruleset: str,
    players: tuple[str, ...],
    games: int,
    seats: int,
    seed: str,
    options: str,
    positions: BinaryIO | None,
    seconds: float,
    concurrency: int | None,
    sprt: str | None,
    records: Path | None,
    notes: bool,
    out: Path,
) -> None:
    """Let levels and programs play each other, and rate them: a round robin on all cores, without a server.

    Rivals play each deal twice, with the seats exchanged; every composition of a team plays each deal once. A program
    reads and writes JSON lines as under `regicide bot`. A program that exits, exceeds SECONDS or answers with an
    illegal action forfeits the game, which is counted separately. Repeat a killed command to resume it.
    """
    rules = RULESETS[ruleset]
    check_players(rules, seats, "--seats")
    if games % SIDES_PER_PAIRING:
        raise click.BadParameter("It is even: each deal is played from both sides.", param_hint="--games")
    started = _positions(rules, seats, positions)
    plan = Plan(ruleset, seed, _players(rules, players), games, seats, read_options(rules, seats, options), started)
    test = _pair_test(rules, sprt, list(plan.players))
    with exit_on_error():
        check_ai_files([rules])
        played = Tournament(plan, out, records, notes=notes, test=test)
        with click.progressbar(length=plan.total, label="Games", show_pos=True, file=sys.stderr) as bar:
            played.run(concurrency or cores(), bar.update, seconds=seconds)
    click.echo(report(plan, list(played.games.values())))
    if test is not None:
        click.echo(f"\nLog-likelihood ratio {test.ratio:+.2f}: {_verdict(test.verdict, sprt)}")


def _players(rules: Ruleset, given: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the command of each player by name, empty for a level. Raises ``BadParameter``."""
    players = dict[str, tuple[str, ...]]()
    for text in given:
        name, is_program, command = text.partition("=")
        words = _command(name, command) if is_program else ()
        if not is_program and name not in rules.levels:
            raise click.BadParameter(
                f"{name!r} is no level of {rules.name}; there are {', '.join(rules.levels)}. A program is "
                "NAME=COMMAND.",
                param_hint="--player",
            )
        if name in players:
            raise click.BadParameter(f"There are two players called {name}.", param_hint="--player")
        players[name] = words
    if len(players) < (1 if rules.cooperative else SIDES_PER_PAIRING):
        raise click.BadParameter("A tournament needs two players.", param_hint="--player")
    return players


def _command(name: str, command: str) -> tuple[str, ...]:
    """Return the words of a program's command. Raises ``BadParameter``."""
    if not name or not name.isprintable():
        raise click.BadParameter("A program needs a name: NAME=COMMAND.", param_hint="--player")
    if len(name) > MAX_NAME_LENGTH:
        raise click.BadParameter(f"A name has at most {MAX_NAME_LENGTH} characters.", param_hint="--player")
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise click.BadParameter(f"{error}.", param_hint="--player") from error
    if not words or shutil.which(words[0]) is None:
        raise click.BadParameter(f"The program of {name} can't be run: {command!r}.", param_hint="--player")
    return words


def _positions(rules: Ruleset, seats: int, lines: BinaryIO | None) -> tuple[Json, ...]:
    """Parse the positions, one per line. Raises a ``BadParameter`` that names the line, or for a file without lines."""
    if lines is None:
        return ()
    found = list[Json]()
    for number, line in enumerate(lines, start=1):
        try:
            written = read_json(line)
            position = rules.load(written)
        except (ValueError, BadPosition, BadCard) as error:
            raise click.BadParameter(f"Line {number}: {error}", param_hint="--positions") from error
        if position.players != seats or position.is_over:
            what = "the game has ended" if position.is_over else f"it is for {position.players} players"
            raise click.BadParameter(f"Line {number}: {what}.", param_hint="--positions")
        found.append(written)
    if not found:
        raise click.BadParameter("There are no positions in the file.", param_hint="--positions")
    return tuple(found)


def _pair_test(rules: Ruleset, text: str | None, players: list[str]) -> PairTest | None:
    """Return the sequential test with the hypotheses in *text*. Raises ``BadParameter``."""
    if text is None:
        return None
    if len(players) != SIDES_PER_PAIRING or rules.cooperative:
        raise click.BadParameter("It tests two players who play against each other.", param_hint="--sprt")
    try:
        low, high = map(float, text.split(","))
    except ValueError as error:
        raise click.BadParameter("It is two numbers, as in 0,10.", param_hint="--sprt") from error
    if not low < high:
        raise click.BadParameter("The first number is less than the second.", param_hint="--sprt")
    if max(-low, high) > MAX_ELO:
        raise click.BadParameter(f"Differences of up to {MAX_ELO:,} Elo can be tested.", param_hint="--sprt")
    return PairTest(Sprt(low, high), players[0])


def _verdict(verdict: str | None, asked: str | None) -> str:
    """Return the result of the sequential test as a sentence."""
    low, high = (asked or ",").split(",")
    if verdict is None:
        return "not decided yet; more --games go on from here."
    return f"the first player is {high} Elo points better." if verdict == "high" else f"it isn't: {low} is accepted."
