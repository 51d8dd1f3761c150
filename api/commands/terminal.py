"""What the commands of the terminal share: how they list their settings, and how they say why they can't go on."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from workers.settings import VARIABLES, CannotStart, Variable, settings_table, unknown_variables


class CommandWithEnvHelp(click.Command):
    """A command whose help lists the variables of the environment that it reads; one that isn't there is said."""

    def invoke(self, ctx: click.Context) -> object:
        """Warn of variables that change nothing, and run."""
        for sentence in unknown_variables(os.environ):
            click.echo(f"Warning: {sentence}", err=True)
        return super().invoke(ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  click
        """Write a line for each variable: what it chooses, and its default."""
        with formatter.section("Environment"):
            lines = [(name, f"{chooses}  [default: {default}]") for name, chooses, default in settings_table()]
            formatter.write_dl([(name, line.replace("`", "")) for name, line in lines])


class Flagged(CommandWithEnvHelp):
    """A command with a flag for each variable, which goes before it, and is handed on to the processes it starts."""

    def __init__(self, *args: Any, **how: Any) -> None:
        super().__init__(*args, **how)
        lines = zip(VARIABLES.values(), settings_table(), strict=True)
        self.params += [_flag(variable, chooses, default) for variable, (_, chooses, default) in lines]

    def invoke(self, ctx: click.Context) -> object:
        """Let each flag that was given choose what its variable would, and run."""
        for variable in VARIABLES.values():
            text = ctx.params.pop(_parameter(variable))
            if text is not None:
                os.environ[variable.name] = text
        return super().invoke(ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write nothing: each flag names its variable."""


def _parameter(variable: Variable) -> str:
    """Return the name under which click keeps what a flag chooses."""
    return variable.name.lower()


def _flag(variable: Variable, chooses: str, default: str) -> click.Option:
    """Return the option that chooses what a variable does, read as strictly."""

    def check(_ctx: click.Context, _param: click.Parameter, text: str | None) -> str | None:
        try:
            if text:
                variable.read(text.strip())
        except ValueError as error:
            raise click.BadParameter(f"It {error}.") from error
        return text

    words = f"{chooses}  [env var: {variable.name}; default: {default}]".replace("`", "")
    return click.Option([variable.flag, _parameter(variable)], callback=check, help=words, metavar="VALUE")


class Unreadable(click.ClickException):
    """What was given to read can't be read."""

    exit_code = 2


@contextmanager
def refusing(*others: type[Exception], status: int | None = None) -> Iterator[None]:
    """Say in one sentence why a command can't go on, in place of a traceback, for ``CannotStart`` and *others*.

    The exit code is *status*, if it is given.
    """
    reasons: tuple[type[Exception], ...] = (CannotStart, *others)
    try:
        yield
    except reasons as reason:
        refusal = click.ClickException(str(reason))
        if isinstance(reason, CannotStart):
            refusal.exit_code = status or reason.status  # type: ignore[misc]  # click means it to be a class's
        raise refusal from reason
