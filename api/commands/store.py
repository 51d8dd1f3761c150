"""Commands for who runs a server: ended games out and in, backups, and what is kept no longer."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final

import click

from api.commands.check_store import check_store
from api.commands.terminal import CommandWithEnvHelp, Unreadable, refusing
from engines import RULESETS
from workers.archive import Archive, read
from workers.import_export import RecordFilter, export_records, import_records
from workers.processes.backups import AOF_FOLDER, back_up
from workers.processes.backups import restore as restore_backup
from workers.processes.logs import set_up_logs
from workers.processes.redis_server import RedisServer, find_servers, locked_folder, own_folder, running_url
from workers.processes.store_damage import repair as repair_store
from workers.processes.store_folder import server_of
from workers.retention import Retention, RetentionCounts
from workers.settings import CannotStart, Settings, UnusableStore
from workers.storage.errors import StorageUnavailable
from workers.storage.store import Store, open_store

CANNOT_BEGIN: Final = 2
"""With which a command exits that can't begin."""

TIMES: Final = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"]
NO_ARCHIVE: Final = "There is no archive: set REGICIDE_ARCHIVE to a folder."
OTHER_STORE: Final = "REDIS_URL names a store of your own, whose server has its own backups: leave it out."


@click.command("export", cls=CommandWithEnvHelp)
@click.option("--since", type=click.DateTime(TIMES), help="Games whose last action was then or later (UTC).")
@click.option("--ruleset", type=click.Choice(list(RULESETS)), help="Games of it alone.")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path), default="-")
def export_games(since: datetime | None, ruleset: str | None, file: Path) -> None:
    """Write the records of ended games, of the store and of the archive, each once, as JSON lines.

    FILE is standard output if it is left out. The exit code is 1 if something couldn't be read.
    """
    wanted = RecordFilter(ruleset, None if since is None else since.replace(tzinfo=UTC))
    complaints, count = _ErrorReporter(), 0
    with (
        refusing(status=CANNOT_BEGIN),
        _stored() as (settings, store),
        _to(file) as out,
        _disk("The archive can't be read"),
    ):
        for record in export_records(store, _archive(settings), wanted, complaints):
            out.write(record + b"\n")
            count += 1
    click.echo(f"{_many(count, 'game')} exported.", err=True)
    raise SystemExit(1 if complaints.count else 0)


@click.command("import", cls=CommandWithEnvHelp)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def import_games(file: Path) -> None:
    """Add the records in FILE to the archive: as `export` wrote them, or a file of another archive.

    Each is replayed before; one that isn't true is refused. One that is there is left as it is. The exit code is 1 if
    something was refused.
    """
    complaints = _ErrorReporter()
    with refusing(status=CANNOT_BEGIN):
        archive = _archive(Settings.from_environment(os.environ))
        if archive is None:
            raise UnusableStore(NO_ARCHIVE)
        with _disk(f"{file} can't be imported"):
            done = import_records(read(file, complaints), archive, datetime.now(UTC).date(), complaints)
    click.echo(f"{_many(done.new, 'game')} imported, {done.known} there before, {done.refused} refused.")
    raise SystemExit(1 if complaints.count else 0)


@click.command("prune", cls=CommandWithEnvHelp)
def prune() -> None:
    """Give up, archive and delete the games whose time is up, now: what the sweeper would do little by little."""
    done = RetentionCounts()
    with refusing(status=CANNOT_BEGIN), _stored() as (settings, store), _disk("The archive can't be written"):
        lifetimes = Retention(store, settings)
        for partition in store.keys.all():
            while step := lifetimes.enforce(partition):
                done += step
    click.echo(f"{_many(done.given_up, 'game')} given up, {done.archived} archived, {done.deleted} deleted.")
    if done.unreadable:
        raise Unreadable(f"{_many(done.unreadable, 'game')} can't be read, and stayed as they were.")


@click.command("backup", cls=CommandWithEnvHelp)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def backup(file: Path) -> None:
    """Write the whole store that `serve` started to FILE, while it serves, or while nobody does."""
    with refusing(status=CANNOT_BEGIN), _stored(own=True) as (settings, store):
        folder = own_folder(settings)
        size = back_up(settings.redis_url or "", folder, server_of(folder, find_servers), file)
        games = store.games.count()
    click.echo(f"{file} has {size:,} bytes; the store has {_many(games, 'game')} now.")


@contextmanager
def _own_folder_held() -> Iterator[Path]:
    """Hold the folder of the store that `serve` starts. Raises ``UnusableStore`` if REDIS_URL names another store."""
    settings = Settings.from_environment(os.environ)
    if settings.redis_url is not None:
        raise UnusableStore(OTHER_STORE)
    folder = own_folder(settings)
    with locked_folder(folder):
        yield folder


@click.command("restore", cls=CommandWithEnvHelp)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Move a store aside that is there already.")
def restore(file: Path, *, force: bool) -> None:
    """Let the store that `serve` starts be what a backup has; nobody may serve meanwhile."""
    with refusing(status=CANNOT_BEGIN):
        with _own_folder_held() as folder:
            aside = restore_backup(file, folder, server_of(folder, find_servers), force=force)
        with _stored() as (_, store):
            games = store.games.count()
    click.echo(f"{_many(games, 'game')} restored to {folder}.")
    if aside is not None:
        click.echo(f"What was there before is in {aside}: delete it when you don't need it any more.")


@click.group("store")
def store_group() -> None:
    """The store that `serve` starts: repair it."""


@store_group.command("repair", cls=CommandWithEnvHelp)
def repair() -> None:
    """Mend the store that `serve` starts, if it is damaged: go on with what is whole, and keep a copy of what was.

    Nobody may serve meanwhile. What can't be mended is left as it is, and said; the exit code is 2 then.
    """
    with refusing(status=CANNOT_BEGIN):
        with _own_folder_held() as folder, _disk(f"The store in {folder} can't be repaired"):
            mended = repair_store(folder, server_of(folder, find_servers))
        with _stored() as (_, store):
            games = store.games.count()
    if mended is None:
        click.echo(f"The store in {folder} is whole: it has {_many(games, 'game')}.")
        return
    sentence, copy = mended
    click.echo(f"{sentence} It was mended: the store has {_many(games, 'game')}.")
    click.echo(f"What was there before is in {copy}: delete it when you don't need it any more.")


COMMANDS: Final[Mapping[str, click.Command]] = {
    command.name or "": command for command in (backup, export_games, import_games, prune, restore, store_group)
}


class _ErrorReporter:
    """Says on standard error what can't be read, and counts it."""

    count = 0

    def __call__(self, sentence: str) -> None:
        self.count += 1
        _say(sentence)


@contextmanager
def _stored(*, own: bool = False) -> Iterator[tuple[Settings, Store]]:
    """Give the store and the settings that lead to it: one that is served, or else our own, started for this.

    Raises ``CannotStart``; *own*: also if it is somebody else's.
    """
    settings = Settings.from_environment(os.environ)
    if own and settings.redis_url is not None:
        raise UnusableStore(OTHER_STORE)
    set_up_logs("warning")
    with ExitStack() as running:
        if settings.redis_url is None:
            settings = replace(settings, redis_url=_own_url(own_folder(settings), running))
        check_store(settings, _say)
        store = running.enter_context(closing(open_store(settings)))
        try:
            yield settings, store
        except StorageUnavailable as error:
            raise CannotStart("The store went away meanwhile: what was done stays done, begin again.") from error


def _own_url(folder: Path, running: ExitStack) -> str:
    """Return where the server answers that keeps its games in *folder*; one is started if there is none."""
    url = running_url(folder)
    if url is not None:
        return url
    if not (folder / AOF_FOLDER).exists():
        raise UnusableStore(f"There is no store in {folder}: set REGICIDE_DATA, or REDIS_URL.")
    return running.enter_context(RedisServer(folder, server_of(folder, find_servers), report=_say)).url


def _archive(settings: Settings) -> Archive | None:
    return None if settings.archive_folder is None else Archive(settings.archive_folder)


@contextmanager
def _to(file: Path) -> Iterator[BinaryIO]:
    """Give what is written to: a file, or standard output. Raises ``Unreadable``."""
    if str(file) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with _disk(f"{file} can't be written"), file.open("wb") as out:
        yield out


@contextmanager
def _disk(trouble: str) -> Iterator[None]:
    """Say in one sentence what the disk refused."""
    try:
        yield
    except BrokenPipeError:
        raise  # whoever read has read enough
    except OSError as error:
        where = f" ({error.filename})" if error.filename and str(error.filename) not in trouble else ""
        raise Unreadable(f"{trouble}: {error.strerror or error}{where}.") from error


def _many(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def _say(sentence: str) -> None:
    click.echo(sentence, err=True)
