"""The ``regicide`` command."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version as installed_version
from pathlib import Path

import click

from engines import RULESETS
from engines.native import is_compiled
from workers.settings import CannotStart, Settings


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Card games over HTTP: serve them, watch them, read their contract."""


@main.command()
def version() -> None:
    """Print the version, and whether the engines are compiled or interpreted."""
    click.echo(f"regicide {installed_version('regicide')}, engines {'compiled' if is_compiled() else 'interpreted'}")


@main.command()
def serve() -> None:
    """Serve games until Ctrl-C: the store, the workers and the web server.

    The environment chooses: HOST, PORT, WORKERS, REDIS_URL (else a store of its own), REGICIDE_DATA (its folder).
    """
    from api.serve import serve as run  # noqa: PLC0415  other commands start faster without

    with _refusing():
        run(Settings.from_environment(os.environ))


@main.command()
def worker() -> None:
    """Run a pool of workers, for a server that runs elsewhere: REDIS_URL says where its store is."""
    from workers.__main__ import main as run  # noqa: PLC0415  other commands start faster without

    with _refusing():
        run()


@main.command()
@click.option("--ruleset", type=click.Choice(list(RULESETS)), default="regicide", show_default=True)
@click.option("--players", type=int, default=4, show_default=True)
@click.option("--seed", default="", help="The client seed of the scripted player.")
def demo(ruleset: str, players: int, seed: str) -> None:
    """Watch one game, played over HTTP by a scripted client and AIs."""
    from api.demo import demo as run  # noqa: PLC0415  other commands start faster without

    counts = RULESETS[ruleset].player_counts
    if players not in counts:
        raise click.BadParameter(f"{ruleset} is for {', '.join(map(str, counts))} players.", param_hint="--players")
    with _refusing():
        run(Settings.from_environment(os.environ), ruleset, players, seed, click.echo)


@contextmanager
def _refusing() -> Iterator[None]:
    """Say in one sentence why something can't be started."""
    try:
        yield
    except CannotStart as reason:
        raise click.ClickException(str(reason)) from reason


@main.command()
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write it here instead.")
def openapi(output: Path | None) -> None:
    """Print the HTTP contract, openapi.yaml."""
    from api.openapi import contract_text  # noqa: PLC0415  other commands start faster without

    text = contract_text()
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
