"""Backups of the embedded store: one file, a snapshot in the server's format (RDB).

The server continues to serve while it writes the snapshot. The snapshot has every write that was confirmed before its
start. The server's own check must accept the whole snapshot before it counts as a backup, and again before it is
restored.
"""

import shutil
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any, Final

from redis import Redis
from redis.exceptions import RedisError, ResponseError

from workers.fsync import sync
from workers.processes.store_folder import AOF_FOLDER, AOF_MANIFEST_FILE, is_whole
from workers.settings import UnusableStore

CHECK_INTERVAL_SECONDS: Final = 0.05
"""Interval of the check whether the snapshot has been written."""

SOCKET_TIMEOUT_SECONDS: Final = 10.0
"""Timeout of connecting and of each reply. It does not limit the time that writing the snapshot takes."""

SNAPSHOT_FILE: Final = "dump.rdb"
AOF_BASE_FILE: Final = "appendonly.aof.1.base.rdb"


class NoBackup(UnusableStore):
    """No backup could be made."""


class NotRestored(UnusableStore):
    """A backup can't be restored."""


def back_up(url: str, folder: Path, binary: Path, file: Path) -> int:
    """Write a backup to *file* and return its size in bytes. *folder* is that of the server at *url*.

    An existing *file* is replaced only after the new backup is complete and on the disk; if it is a link, the file that
    it names. A device or a pipe is refused. Raises ``NoBackup``.
    """
    file = file.resolve()
    if file.exists() and not file.is_file():
        raise NoBackup(f"{file} is no file: name a file, and send that on when it is complete.")
    part = file.with_name(f".{file.name}.part")
    try:
        part.touch(mode=0o600)  # this fails before the snapshot if the file can't be written
        _take_snapshot(url)
        shutil.copyfile(folder / SNAPSHOT_FILE, part)
        (folder / SNAPSHOT_FILE).unlink()
        if not is_whole(part, binary):
            raise NoBackup("The snapshot that the store wrote isn't whole: there is no backup.")
        sync(part)
        part.replace(file)
        sync(file.absolute().parent)
    except OSError as error:
        raise NoBackup(f"The backup can't be written to {file}: {error.strerror}.") from error
    except RedisError as error:
        raise NoBackup(f"The store made no snapshot: {error}.") from error
    finally:
        part.unlink(missing_ok=True)
    return file.stat().st_size


def restore(file: Path, folder: Path, binary: Path, *, force: bool) -> Path | None:
    """Replace the store in *folder*, whose server is stopped, by the backup *file*.

    Without *force* an existing store is refused. With *force* it is moved, and the folder that it was moved to is
    returned. Raises ``NotRestored``.
    """
    journal, made = folder / AOF_FOLDER, folder / f"{AOF_FOLDER}.part"
    if journal.exists() and not force:
        raise NotRestored(f"There is a store in {folder} already: --force moves it aside.")
    try:
        file.open("rb").close()
        if not is_whole(file, binary):
            raise NotRestored(f"{file} is no whole backup of a store.")
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(mode=0o700)
        shutil.copyfile(file, made / AOF_BASE_FILE)
        (made / AOF_MANIFEST_FILE).write_text(f"file {AOF_BASE_FILE} seq 1 type b\n", "utf-8")
        for written in (made / AOF_BASE_FILE, made / AOF_MANIFEST_FILE, made):
            sync(written)
        aside = None
        if journal.exists():
            aside = journal.rename(folder / f"{AOF_FOLDER}.{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
        made.rename(journal)
        sync(folder)
    except OSError as error:
        raise NotRestored(f"{file} can't be restored to {folder}: {error.strerror}.") from error
    return aside


def _take_snapshot(url: str) -> None:
    """Let the server write a snapshot and wait for its end. Raises ``NoBackup``, ``RedisError``."""
    pause = Event()
    with Redis.from_url(url, socket_timeout=SOCKET_TIMEOUT_SECONDS) as client:
        while not _begins(client):
            pause.wait(CHECK_INTERVAL_SECONDS)
        while (told := _persistence_info(client))["rdb_bgsave_in_progress"]:
            pause.wait(CHECK_INTERVAL_SECONDS)
    if told["rdb_last_bgsave_status"] != "ok":
        raise NoBackup("The store couldn't write its snapshot: its own log, server.log, says why.")


def _begins(client: Redis) -> bool:
    """Start a snapshot, unless an older one is being written. Return whether it was started."""
    try:
        client.bgsave()
    except ResponseError as error:
        if "in progress" in str(error) or "AOF" in str(error):
            return False
        raise
    return True


def _persistence_info(client: Redis) -> dict[str, Any]:
    told: dict[str, Any] = client.info("persistence")
    return told
