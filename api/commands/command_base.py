"""Base classes and functions of all commands: help texts of settings, and errors as one sentence."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import Any, Final

import click

from api.commands.printable_text import printable
from engines.core.errors import BadOptions
from engines.core.strict_reading import repeated_name
from engines.core.types import Json
from engines.ruleset import Ruleset
from workers.settings import VARIABLES, CannotStart, Variable, settings_table, unknown_variables

MAX_ANSWER_SECONDS: Final = 24 * 3600
"""Maximum time that a program may be given for an answer."""


class Seconds(click.FloatRange):
    """The type of an option that gives a program a time for each answer."""

    def __init__(self) -> None:
        super().__init__(0, MAX_ANSWER_SECONDS, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the number. NaN, which is in no order with others, is refused."""
        seconds = float(super().convert(value, param, ctx))
        if isnan(seconds):
            self.fail(f"{value!r} is not a number of seconds.", param, ctx)
        return seconds


class CommandWithEnvHelp(click.Command):
    """A command whose help lists its environment variables. The command warns of unknown variables."""

    def invoke(self, ctx: click.Context) -> object:
        """Warn of environment variables without effect, and run the command."""
        for sentence in unknown_variables(os.environ):
            click.echo(f"Warning: {sentence}", err=True)
        return super().invoke(ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  click's signature
        """Write a line per variable: its meaning and default."""
        with formatter.section("Environment"):
            lines = [(name, f"{chooses}  [default: {default}]") for name, chooses, default in settings_table()]
            formatter.write_dl([(name, line.replace("`", "")) for name, line in lines])


class Flagged(CommandWithEnvHelp):
    """A command with a flag for each environment variable of the settings.

    A flag overrides its variable, also in child processes.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        lines = zip(VARIABLES.values(), settings_table(), strict=True)
        self.params += [_flag(variable, chooses, default) for variable, (_, chooses, default) in lines]

    def invoke(self, ctx: click.Context) -> object:
        """Set the variable of each given flag, and run the command."""
        for variable in VARIABLES.values():
            text = ctx.params.pop(_parameter(variable))
            if text is not None:
                os.environ[variable.name] = text
        return super().invoke(ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write nothing: each flag names its variable."""


def _parameter(variable: Variable) -> str:
    """Return click's parameter name of a flag."""
    return variable.name.lower()


def _flag(variable: Variable, chooses: str, default: str) -> click.Option:
    """Return the option that sets a variable. The option's value is validated like the variable's value."""

    def check(_ctx: click.Context, _param: click.Parameter, text: str | None) -> str | None:
        try:
            if text:
                variable.read(text.strip())
        except ValueError as error:
            raise click.BadParameter(f"It {error}.") from error
        return text

    words = f"{chooses}  [env var: {variable.name}; default: {default}]".replace("`", "")
    return click.Option([variable.flag, _parameter(variable)], callback=check, help=words, metavar="VALUE")


def check_players(ruleset: Ruleset, players: int, flag: str) -> None:
    """Raise a ``BadParameter`` that names *flag*, unless the ruleset allows this number of players."""
    if players not in ruleset.player_counts:
        counts = ", ".join(map(str, ruleset.player_counts))
        raise click.BadParameter(f"{ruleset.name} is for {counts} players.", param_hint=flag)


def check_levels(ruleset: Ruleset, levels: Iterable[str], flag: str) -> None:
    """Raise a ``BadParameter`` that names *flag*, unless the ruleset has all these levels."""
    for level in levels:
        if level not in ruleset.levels:
            raise click.BadParameter(
                f"{ruleset.name} has no level {level}: it has {', '.join(ruleset.levels)}.", param_hint=flag
            )


def read_json(text: str | bytes) -> Json:
    """Parse a JSON object. Raises ``ValueError`` with a sentence, also for a name that an object has twice."""
    try:
        decoded = text if isinstance(text, str) else text.decode()
        read = json.loads(decoded, object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise ValueError("It is not UTF-8.") from error
    except RecursionError as error:
        raise ValueError("It is nested too deeply.") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"It is no JSON: {error}.") from error
    except ValueError as error:  # a name that is there twice, or a number of thousands of digits
        raise ValueError(str(error).partition("; use sys.")[0]) from error
    if not isinstance(read, dict):
        raise ValueError("It is no JSON object.")  # noqa: TRY004  # the caller's input is at fault, not its type
    return read


def _object(pairs: list[tuple[str, Any]]) -> Json:
    if (twice := repeated_name(pairs)) is not None:
        raise ValueError(f"{twice!r} is there twice in one object.")
    return dict(pairs)


def read_options(ruleset: Ruleset, players: int, text: str) -> Json:
    """Return the options of a game with defaults filled in. Raises ``BadParameter``."""
    try:
        return ruleset.filled_options(players, read_json(text))
    except (ValueError, BadOptions) as error:
        raise click.BadParameter(f"{error}", param_hint="--options") from error


def record_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a command that writes the records of games."""
    path = click.Path(dir_okay=False, path_type=Path)
    records = click.option(
        "--records", type=path, help="File for the records of all games, one JSON line each, compressed: FILE.jsonl.gz."
    )
    notes = click.option(
        "--notes", is_flag=True, help="Include the notes of the AIs, with which `audit` repeats their decisions."
    )
    return records(notes(command))


class InvalidInput(click.ClickException):
    """The input can't be read."""

    exit_code = 2

    def format_message(self) -> str:
        return printable(super().format_message())


@contextmanager
def exit_on_error(*others: type[Exception], status: int | None = None) -> Iterator[None]:
    """Print ``CannotStart`` or one of *others* as a sentence instead of a traceback, and exit.

    The exit code is 1 for *others*. For ``CannotStart`` it is *status*, or the exception's own status by default.
    """
    reasons: tuple[type[Exception], ...] = (CannotStart, *others)
    try:
        yield
    except reasons as reason:
        refusal = click.ClickException(printable(str(reason)))
        if isinstance(reason, CannotStart):
            refusal.exit_code = status or reason.status  # type: ignore[misc]  # click types it as a class attribute
        raise refusal from reason
