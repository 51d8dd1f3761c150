"""Commands for operators: games, the banner, export and import, backup, restore, repair, pruning."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final

import click

from api.commands.command_base import CommandWithEnvHelp, InvalidInput, exit_on_error
from api.commands.wait_for_store import wait_for_store
from engines import RULESETS
from engines.core.errors import GameOver
from engines.table.seats import OPERATOR
from engines.table.table import STATUSES, Table
from workers import game_commands
from workers.archive import Archive, read_lines
from workers.import_export import RecordFilter, export_records, import_records
from workers.processes.backups import back_up
from workers.processes.backups import restore as restore_backup
from workers.processes.file_owners import given_to_owners
from workers.processes.logs import set_up_logs
from workers.processes.redis_server import RedisServer, find_servers, locked_folder, own_folder, running_url
from workers.processes.store_damage import repair as repair_store
from workers.processes.store_folder import another_users, has_store, read_server_marker, server_of
from workers.retention import Retention, RetentionCounts
from workers.settings import CannotStart, Settings, UnusableStore
from workers.storage.errors import NoSuchGame, StorageUnavailable, Unreadable
from workers.storage.keys import ID_PATTERN
from workers.storage.operator_notice import MAX_NOTICE_LENGTH, ONE_LINE_PATTERN
from workers.storage.store import Store, open_store

CANNOT_START_EXIT_CODE: Final = 2
"""Exit code of a command that could not start."""

TIME_FORMATS: Final = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"]
NO_ARCHIVE_MESSAGE: Final = "There is no archive: set REGICIDE_ARCHIVE to a folder."
OTHER_STORE_MESSAGE: Final = "REDIS_URL names a store of your own, whose server has its own backups: leave it out."


@click.command("export", cls=CommandWithEnvHelp)
@click.option(
    "--since", type=click.DateTime(TIME_FORMATS), help="Only games whose last action was at this time (UTC) or later."
)
@click.option("--ruleset", type=click.Choice(list(RULESETS)), help="Only games of this ruleset.")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path), default="-")
def export_games(since: datetime | None, ruleset: str | None, file: Path) -> None:
    """Write the records of all ended games, stored and archived, as JSON lines.

    FILE is standard output if left out. The exit code is 1 if something couldn't be read.
    """
    wanted = RecordFilter(ruleset, None if since is None else since.replace(tzinfo=UTC))
    complaints, count = _ErrorReporter(), 0
    with (
        exit_on_error(status=CANNOT_START_EXIT_CODE),
        _opened_store_if_any() as (settings, store),
        _opened_output(file) as out,
    ):
        for record in _read_from_archive(export_records(store, _archive(settings), wanted, complaints)):
            out.write(record + b"\n")
            count += 1
    click.echo(f"{_count_of(count, 'game')} exported.", err=True)
    raise SystemExit(1 if complaints.count else 0)


@click.command("import", cls=CommandWithEnvHelp)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def import_games(file: Path) -> None:
    """Add the records in FILE, an export or another server's archive, to the archive.

    Each record is replayed first, and a record that does not match is refused. A record that the archive already has is
    kept. The exit code is 1 if something was refused.
    """
    complaints = _ErrorReporter()
    with exit_on_error(status=CANNOT_START_EXIT_CODE):
        settings = Settings.from_environment(os.environ)
        archive = _archive(settings)
        if archive is None:
            raise UnusableStore(NO_ARCHIVE_MESSAGE)
        with _files_given_to_owners(settings), _disk_errors_reported(f"{file} can't be imported"):
            done = import_records(read_lines(file, complaints), archive, datetime.now(UTC).date(), complaints)
    click.echo(f"{_count_of(done.new, 'game')} imported, {done.known} there before, {done.refused} refused.")
    raise SystemExit(1 if complaints.count else 0)


@click.command("prune", cls=CommandWithEnvHelp)
def prune() -> None:
    """Enforce the retention periods on all games now: abandon idle ones, archive and delete ended ones."""
    done = RetentionCounts()
    with (
        exit_on_error(status=CANNOT_START_EXIT_CODE),
        _opened_store() as (settings, store),
        _disk_errors_reported("The archive can't be written"),
    ):
        lifetimes = Retention(store, settings)
        for partition in store.keys.all():
            while step := lifetimes.enforce(partition):
                done += step
    click.echo(f"{_count_of(done.given_up, 'game')} given up, {done.archived} archived, {done.deleted} deleted.")
    if done.unreadable:
        raise InvalidInput(f"{_count_of(done.unreadable, 'game')} can't be read, and stayed as they were.")


@click.command("backup", cls=CommandWithEnvHelp)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def backup(file: Path) -> None:
    """Write the whole embedded store to FILE. The server may be running or stopped."""
    with exit_on_error(status=CANNOT_START_EXIT_CODE), _opened_store(own=True) as (settings, store):
        folder = own_folder(settings)
        size = back_up(settings.redis_url or "", folder, server_of(folder, find_servers), file)
        games = store.games.count()
    click.echo(f"{file} has {size:,} bytes; the store has {_count_of(games, 'game')} now.")


@contextmanager
def _own_folder_held() -> Iterator[Path]:
    """Lock the folder of the embedded store during the block, and yield the folder.

    Raises ``UnusableStore`` if REDIS_URL names another store.
    """
    settings = Settings.from_environment(os.environ)
    if settings.redis_url is not None:
        raise UnusableStore(OTHER_STORE_MESSAGE)
    folder = own_folder(settings)
    with (
        given_to_owners(settings.data),
        _disk_errors_reported(f"The store in {folder} can't be changed"),
        locked_folder(folder),
    ):
        yield folder


@click.command("restore", cls=CommandWithEnvHelp)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Move an existing store aside.")
def restore(file: Path, *, force: bool) -> None:
    """Replace the embedded store by a backup. The server must be stopped."""
    with exit_on_error(status=CANNOT_START_EXIT_CODE):
        with _own_folder_held() as folder:
            aside = restore_backup(file, folder, server_of(folder, find_servers), force=force)
        with _opened_store() as (_, store):
            games = store.games.count()
    click.echo(f"{_count_of(games, 'game')} restored to {folder}.")
    if aside is not None:
        click.echo(f"What was there before is in {aside}: delete it when you don't need it any more.")


@click.group("store")
def store_group() -> None:
    """The embedded store: repair it."""


@store_group.command("repair", cls=CommandWithEnvHelp)
def repair() -> None:
    """Repair a damaged embedded store. Intact data is kept, and so is a copy of the damaged files.

    The server must be stopped. If nothing can be repaired, nothing is changed, the reason is printed and the exit code
    is 2.
    """
    with exit_on_error(status=CANNOT_START_EXIT_CODE):
        with _own_folder_held() as folder, _disk_errors_reported(f"The store in {folder} can't be repaired"):
            mended = repair_store(folder, server_of(folder, find_servers))
        with _opened_store() as (_, store):
            games = store.games.count()
    if mended is None:
        click.echo(f"The store in {folder} is whole: it has {_count_of(games, 'game')}.")
        return
    sentence, copy = mended
    click.echo(f"{sentence} It was mended: the store has {_count_of(games, 'game')}.")
    click.echo(f"What was there before is in {copy}: delete it when you don't need it any more.")


@click.command("games", cls=CommandWithEnvHelp)
@click.option(
    "--status",
    "statuses",
    type=click.Choice(STATUSES),
    multiple=True,
    help="Only games with this status. By default all games.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Maximum number of games, those that changed last first.",
)
def list_games(statuses: tuple[str, ...], limit: int) -> None:
    """List the games of the store, including private ones: id, ruleset, status, moves, last change, players.

    The exit code is 1 if a game couldn't be read.
    """
    with exit_on_error(status=CANNOT_START_EXIT_CODE), _opened_store() as (_, store):
        wanted = statuses or STATUSES
        ids = [game for partition in store.keys.all() for game in store.idle.newest(partition, wanted, limit)]
        tables, unreadable = _load(store, ids)
    for table in sorted(tables, key=lambda table: table.updated, reverse=True)[:limit]:
        names = ", ".join(seat.name or seat.kind for seat in table.seats)
        click.echo(f"{table.id}  {table.ruleset_name:<12} {table.status:<9} {table.moves:>5}  {table.updated}  {names}")
    for game, why in unreadable:
        _print_error(f"{game}: {why}")
    raise SystemExit(1 if unreadable else 0)


def _load(store: Store, ids: Iterable[str]) -> tuple[list[Table], list[tuple[str, Unreadable]]]:
    """Return the readable games, and the ids and errors of unreadable games. Deleted games are left out."""
    tables, unreadable = list[Table](), list[tuple[str, Unreadable]]()
    for game in ids:
        try:
            tables.append(store.games.load(game))
        except NoSuchGame:
            continue
        except Unreadable as error:
            unreadable.append((game, error))
    return tables, unreadable


@click.command("close", cls=CommandWithEnvHelp)
@click.argument("game")
def close(game: str) -> None:
    """End a game without an outcome, as its host could. Players see the end at once."""
    with exit_on_error(NoSuchGame, Unreadable, GameOver, status=CANNOT_START_EXIT_CODE), _opened_store() as (_, store):
        if not ID_PATTERN.fullmatch(game):
            raise NoSuchGame
        table = game_commands.change(store, game, partial(Table.abandon, by=OPERATOR))
    click.echo(f"Game {table.id} is closed.")


@click.command("banner", cls=CommandWithEnvHelp)
@click.argument("text", required=False)
@click.option("--clear", is_flag=True, help="Remove the notice.")
def banner(text: str | None, *, clear: bool) -> None:
    """Show TEXT as a notice in all games. Without TEXT, print the present notice."""
    if text is not None and (clear or not (1 <= len(text) <= MAX_NOTICE_LENGTH and ONE_LINE_PATTERN.fullmatch(text))):
        raise click.UsageError(f"TEXT is one line of 1 to {MAX_NOTICE_LENGTH} characters, and not beside --clear.")
    with exit_on_error(status=CANNOT_START_EXIT_CODE), _opened_store() as (_, store):
        if text is None and not clear:
            click.echo(store.notice.read() or "No banner is shown.")
            return
        store.notice.write(text)
    click.echo("The banner is taken back." if clear else "All games have it.")


COMMANDS: Final[Mapping[str, click.Command]] = {
    command.name or "": command
    for command in (backup, banner, close, export_games, import_games, list_games, prune, restore, store_group)
}


class _ErrorReporter:
    """Prints unreadable items on standard error and counts them."""

    count = 0

    def __call__(self, sentence: str) -> None:
        self.count += 1
        _print_error(sentence)


@contextmanager
def _opened_store(*, own: bool = False) -> Iterator[tuple[Settings, Store]]:
    """Yield the settings and the server's store. An embedded store that isn't running is started for the block.

    Raises ``CannotStart``. With *own* it is also raised if REDIS_URL names a store that isn't embedded.
    """
    settings = Settings.from_environment(os.environ)
    if own and settings.redis_url is not None:
        raise UnusableStore(OTHER_STORE_MESSAGE)
    set_up_logs("warning")
    with _files_given_to_owners(settings), ExitStack() as running:
        if settings.redis_url is None:
            settings = replace(settings, redis_url=_own_url(settings, running))
        wait_for_store(settings, _print_error)
        store = running.enter_context(closing(open_store(settings)))
        try:
            yield settings, store
        except StorageUnavailable as error:
            raise CannotStart("The store went away meanwhile: what was done stays done, begin again.") from error


@contextmanager
def _opened_store_if_any() -> Iterator[tuple[Settings, Store | None]]:
    """Yield the settings and the server's store, or None on a machine that has only the archive."""
    settings = Settings.from_environment(os.environ)
    archive = settings.archive_folder
    if settings.redis_url is None and archive is not None and archive.is_dir() and not _has_own_store(settings):
        with _files_given_to_owners(settings):
            yield settings, None
        return
    with _opened_store() as opened:
        yield opened


def _has_own_store(settings: Settings) -> bool:
    """Return whether there is an embedded store, or was one that is damaged. Raises ``UnusableStore``."""
    folder = own_folder(settings)
    return has_store(folder) or read_server_marker(folder) is not None


def _nearby_store() -> str:
    """Return a sentence that names the folder of ``make serve`` if it is here, else nothing."""
    nearby = Path(".regicide")
    return f" That of `make serve` is here: REGICIDE_DATA={nearby}" if (nearby / "store").is_dir() else ""


def _own_url(settings: Settings, running: ExitStack) -> str:
    """Return the URL of the embedded store. If it isn't running, start it until *running* is closed."""
    folder = own_folder(settings)
    try:
        url = running_url(folder)
        if url is None and not _has_own_store(settings):
            raise UnusableStore(f"There is no store in {folder}: set REGICIDE_DATA, or REDIS_URL.{_nearby_store()}")
    except PermissionError as error:
        raise another_users(folder) from error
    if url is not None:
        return url
    return running.enter_context(RedisServer(folder, server_of(folder, find_servers), report=_print_error)).url


def _files_given_to_owners(settings: Settings) -> AbstractContextManager[None]:
    """Context manager: at its end, give files that root wrote in the server's folders to the folders' owners."""
    return given_to_owners(settings.data, settings.archive_folder or settings.data)


def _archive(settings: Settings) -> Archive | None:
    return None if settings.archive_folder is None else Archive(settings.archive_folder)


def _read_from_archive(records: Iterator[bytes]) -> Iterator[bytes]:
    """Yield *records*. Raises ``InvalidInput`` if they can't be read."""
    with _disk_errors_reported("The archive can't be read"):
        yield from records


@contextmanager
def _opened_output(file: Path) -> Iterator[BinaryIO]:
    """Yield the output: a file, or standard output. Raises ``InvalidInput``.

    An existing file is replaced only at the end, when the new one is complete.
    """
    if str(file) == "-":
        with _disk_errors_reported("The records can't be written"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    with _disk_errors_reported(f"{file} can't be written"):
        if file.exists() and not file.is_file():  # a device or a pipe
            with file.open("wb") as out:
                yield out
            return
        target = file.resolve()
        draft = target.with_name(f".{target.name}.part")
        try:
            with draft.open("wb") as out:
                yield out
            if target.exists():
                shutil.copymode(target, draft)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


@contextmanager
def _disk_errors_reported(trouble: str) -> Iterator[None]:
    """Context manager that converts a disk error into ``InvalidInput``, a sentence that begins with *trouble*."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader of standard output has closed the pipe
    except OSError as error:
        where = f" ({error.filename})" if error.filename and str(error.filename) not in trouble else ""
        raise InvalidInput(f"{trouble}: {error.strerror or error}{where}.") from error


def _count_of(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def _print_error(sentence: str) -> None:
    click.echo(sentence, err=True)
