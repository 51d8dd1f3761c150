"""What the commands of the terminal share: how they list their settings, and how they say why they can't go on."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from workers.settings import CannotStart, described


class Configured(click.Command):
    """A command whose help lists the variables of the environment that it reads."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  click
        """Write a line for each variable: what it chooses, and its default."""
        with formatter.section("Environment"):
            lines = [(name, f"{chooses}  [default: {default}]") for name, chooses, default in described()]
            formatter.write_dl([(name, line.replace("`", "")) for name, line in lines])


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
