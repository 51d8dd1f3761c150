"""``regicide check-ruleset``: try the laws on an installed ruleset."""

from textwrap import indent

import click

from api.commands.check_ruleset.card_exchanges import exchanged_nothing
from api.commands.check_ruleset.checks import DEFAULT_SECONDS_FOR_ALL_LAWS, LAWS, check
from api.commands.check_ruleset.generated_games import LawBroken
from api.commands.check_ruleset.text_laws import CATALOGUE_LANGUAGES, entries_to_fill_in, folder_of, untranslated
from engines import REJECTED_RULESETS, RULESETS
from engines.ruleset import Ruleset


@click.command("check-ruleset")
@click.argument("name")
@click.option(
    "--seconds",
    type=click.FloatRange(1, 3600),
    default=DEFAULT_SECONDS_FOR_ALL_LAWS,
    show_default=True,
    help="Time for all laws.",
)
@click.option(
    "--untranslated",
    "language",
    type=click.Choice(CATALOGUE_LANGUAGES),
    help="Instead print the sentences without a translation as entries of a .po file, to be filled in.",
)
def check_ruleset(name: str, seconds: float, language: str | None) -> None:
    """Try the laws of rulesets on the installed ruleset NAME.

    Each broken law is printed with what breaks it and how to mend it. The exit code is 1 if a law is broken or the
    ruleset was rejected, and 2 if no ruleset has this name.
    """
    reasons = [rejected.reason for rejected in REJECTED_RULESETS if rejected.name == name]
    for reason in reasons:
        click.echo(f"The entry point {name} was rejected: {reason}.")
    if name not in RULESETS:
        if reasons:
            raise SystemExit(1)
        raise click.BadParameter(
            f"there is no ruleset {name!r}: installed are {', '.join(RULESETS)}", param_hint="NAME"
        )
    if language is not None:
        click.echo(_entries(RULESETS[name], language), nl=False)
        return
    broken = _try_laws(RULESETS[name], seconds)
    _warn(RULESETS[name], all_kept=not broken)
    click.echo(f"{name} keeps all laws." if not broken else f"{name} breaks {broken} of the laws.")
    raise SystemExit(1 if broken else 0)


def _try_laws(ruleset: Ruleset, seconds: float) -> int:
    """Print each law, and what breaks it. Return the number of broken laws.

    If the same error breaks several laws, it is printed only with the first of them.
    """
    first, broken, tried = dict[str, str](), 0, 0
    for law, finding in check(ruleset, seconds):
        tried += 1
        click.echo(f"{'ok    ' if finding is None else 'broken'}  {law.name}")
        if finding is None:
            continue
        broken += 1
        if (earlier := first.setdefault(finding.what, law.name)) == law.name:
            click.echo(indent(f"{finding.what}{f' ({finding.where})' if finding.where else ''}", " " * 8))
            click.echo(f"        To mend: {finding.mend}.")
        else:
            click.echo(f"        The same as under {earlier!r}.")
    if broken and tried < len(LAWS):
        click.echo(f"The other {len(LAWS) - tried} laws were not tried: mend this first.")
    return broken


def _warn(ruleset: Ruleset, *, all_kept: bool) -> None:
    """Print warnings about defects that break no law: law 6 had nothing to try, or a translation is missing.

    Exchanges of cards are tried only if all laws are kept, because otherwise the ruleset's code may raise errors.
    """
    if all_kept and exchanged_nothing(ruleset):
        click.echo(
            "warning law 6 could exchange no two hidden cards: `load` refuses every position in which they have changed"
            " places. Let it sort a hand that is kept sorted, so that the law can try `worlds`"
        )
    for lacking in untranslated(ruleset):
        click.echo(
            f"warning there is no messages.{lacking}.po: sentences will be shown in English;"
            f" --untranslated {lacking} prints one to be filled in"
        )


def _entries(ruleset: Ruleset, language: str) -> str:
    folder = folder_of(ruleset)
    if folder is None:
        raise click.ClickException(f"{ruleset.name} is a single module: translations need a package")
    try:
        return entries_to_fill_in(folder, language)
    except LawBroken as broken:
        raise click.ClickException(f"{broken}") from broken
