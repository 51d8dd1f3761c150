"""Damage to the embedded store: detection, an estimate of the loss, and repair.

A server's folder has a manifest that names its files: a snapshot (base) and the writes since then (increments). Each
confirmed write is complete on the disk. Therefore:

  the last write is cut, or zeros follow it   a power failure: no confirmed write is lost, and what is cut or zero is
                                              dropped
  any other difference                        confirmed moves may be lost: only the operator decides what to do

A server treats a folder without a manifest as new and starts empty, and it ignores files that the manifest doesn't
name. To detect such a loss, ``server.json`` is written when a server has replied: from then on there must be a manifest
that names one snapshot and, once there are any writes, a file of writes. The length of a complete file of writes is
stored next to it (``LENGTH_FILE``). A shorter file has lost confirmed writes.
"""

import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from json import dumps, loads
from pathlib import Path
from typing import Final

from workers.processes.append_only_file_scan import scan
from workers.processes.store_folder import AOF_FOLDER, AOF_MANIFEST_FILE, SERVER_MARKER, is_whole
from workers.settings import CannotStart

LENGTH_FILE: Final = "length.json"
MANIFEST_LINE_PATTERN: Final = re.compile(r"file (?P<name>\S+) seq (?P<number>\d+) type (?P<type>[bih])")
AOF_FILE_NAME_PATTERN: Final = re.compile(
    r"appendonly\.aof\.(?P<number>\d+)\.(?:(?P<base>base)\.(?:rdb|aof)|incr\.aof)"
)

REPAIR_ADVICE: Final = (
    "`regicide store repair` keeps a copy and goes on with what is whole; `regicide restore` takes a backup."
)


class DamagedStore(CannotStart):
    """The store is damaged. The message is a sentence with the damage and the command that repairs it."""

    status = 2


@dataclass(frozen=True)
class Damage:
    """Damage to a store."""

    sentence: str
    """Description of the damage, without the command that repairs the store."""
    file: Path | None = None
    """The file of writes whose truncation repairs the store, or None."""
    whole: int = 0
    """Length of the file after truncation, in bytes."""
    rewrites_manifest: bool = False
    """True if the lost manifest can be written again."""
    is_hopeless: bool = False
    """True if nothing can be repaired."""

    def refusal(self) -> DamagedStore:
        """Return the error with the damage and the command."""
        mends = "`regicide restore FILE` takes a backup." if self.is_hopeless else REPAIR_ADVICE
        return DamagedStore(f"{self.sentence} Nothing was changed. {mends}")


def check(folder: Path) -> None:
    """Check a store before its server is started, without reading all of it. Raises ``DamagedStore``, ``OSError``."""
    damage = _file_damage(folder)
    if damage is not None:
        raise damage.refusal()


def drop_torn_end(folder: Path, binary: Path) -> int:
    """Drop the incomplete last write of a store that its server can't load. Return the length of that write in bytes.

    Returns 0 if every write is complete. Raises ``DamagedStore`` if there is other damage, ``OSError``.
    """
    damage = find(folder, binary)
    if damage is not None:
        raise damage.refusal()
    file = _last_writes_file(folder)
    found = None if file is None else scan(file)
    if file is None or found is None or found.whole == found.size:
        return 0
    os.truncate(file, found.whole)
    return found.size - found.whole


def find(folder: Path, binary: Path) -> Damage | None:
    """Check a whole store, whose server is stopped. Return the first damage, or None. Raises ``OSError``."""
    damage = _file_damage(folder)
    if damage is not None:
        return damage
    for kind, file in _manifest_entries(folder):
        if kind == "b" and file.suffix == ".rdb":
            if not is_whole(file, binary):
                return Damage(f"The snapshot {file} is damaged: its games can't be read.", is_hopeless=True)
        elif (damage := _write_damage(file)) is not None:
            return damage
    return None


def repair(folder: Path, binary: Path) -> tuple[str, Path] | None:
    """Repair a store whose server is stopped. Return a sentence with the damage, and the folder of a copy of the store.

    Returns None if there is no damage. Raises ``DamagedStore`` if the store can't be repaired, ``OSError`` if it can't
    be copied. In both cases the store is left unchanged.
    """
    damage = find(folder, binary)
    if damage is None:
        return None
    if damage.is_hopeless:
        raise damage.refusal()
    journal = folder / AOF_FOLDER
    copy = folder / f"{AOF_FOLDER}.{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    try:
        shutil.copytree(journal, copy)
    except OSError:
        shutil.rmtree(copy, ignore_errors=True)
        raise
    said = damage.sentence
    while damage is not None:
        if damage.is_hopeless:
            shutil.rmtree(journal)
            copy.rename(journal)
            raise damage.refusal()
        _repair_step(folder, damage)
        damage = find(folder, binary)
    return said, copy


def record_length(folder: Path) -> None:
    """Store the length of the file of writes in ``LENGTH_FILE``. The file must be complete. Raises ``OSError``."""
    file = _last_writes_file(folder)
    if file is not None and file.exists():
        part = file.with_name(f"{LENGTH_FILE}.part")
        part.write_text(dumps({"file": file.name, "bytes": file.stat().st_size}), "utf-8")
        part.replace(file.with_name(LENGTH_FILE))


def _file_damage(folder: Path) -> Damage | None:
    """Return the damage if the manifest is invalid or a file is missing or too short, or None."""
    journal = folder / AOF_FOLDER
    had_server = (folder / SERVER_MARKER).exists()
    if not had_server and not journal.exists():
        return None  # there never was a store
    if not journal.exists():
        return Damage(
            f"There were games in {folder}, and its folder {AOF_FOLDER} is gone: started as it is, the store would be "
            f"empty. If it is meant to be, delete {folder / SERVER_MARKER}.",
            is_hopeless=True,
        )
    named, files = (
        _manifest_entries(folder),
        [file for file in journal.iterdir() if AOF_FILE_NAME_PATTERN.fullmatch(file.name)],
    )
    has_writes = any(".incr." in file.name and file.stat().st_size for file in files)
    if not had_server and not named and not has_writes:
        return None  # the first start was interrupted
    if not _is_list(named, has_writes=has_writes):
        can_be_written = {".base." in file.name for file in files} == {True, False}
        return Damage(
            f"The list of the store's files, {journal / AOF_MANIFEST_FILE}, is gone or isn't whole: started as it is, "
            "the store would be empty, or lack games.",
            rewrites_manifest=can_be_written,
            is_hopeless=not can_be_written,
        )
    return _missing_file_damage(named)


def _is_list(named: list[tuple[str, Path]], *, has_writes: bool) -> bool:
    """Return whether a manifest is valid: one snapshot, a file of writes if there are any, and no file named twice."""
    kinds = [kind for kind, _ in named]
    is_whole = kinds.count("b") == 1 and ("i" in kinds or not has_writes)
    return is_whole and len({file for _, file in named}) == len(named)


def _missing_file_damage(named: list[tuple[str, Path]]) -> Damage | None:
    """Return the damage if a file that the manifest names is missing or too short, or if the snapshot is empty."""
    for kind, file in named:
        if not file.is_file():
            lost = "What is in it is lost, unless you find it."
            return Damage(f"A file of the store is gone: {file}. {lost}", is_hopeless=True)
        if kind == "b" and not file.stat().st_size:
            return Damage(f"The snapshot {file} is empty: its games are lost.", is_hopeless=True)
    return _length_damage(named[-1][1])


def _length_damage(file: Path) -> Damage | None:
    """Return the damage if the file of writes is shorter than its stored length, or None."""
    known, size = _recorded_length(file), file.stat().st_size
    if size >= known:
        return None
    found = scan(file)
    return Damage(
        f"The store's file {file} has {size:,} bytes, and had {known:,} when it was whole: moves that were answered "
        f"are gone; {found.count:,} writes are left.",
        file,
        found.whole,
    )


def _write_damage(file: Path) -> Damage | None:
    """Return the damage of a file of writes, or None. An incomplete write at its end is no damage."""
    found = scan(file)
    if found.whole == found.size or (found.is_torn and found.whole >= _recorded_length(file)):
        return None
    lost = f", and {found.after:,} whole commands in them" if found.after else ""
    return Damage(
        f"The store's file {file} is damaged from byte {found.whole:,} on. The {found.count:,} writes before it are "
        f"whole; to go on with them would lose the {found.size - found.whole:,} bytes from there on{lost}.",
        file,
        found.whole,
    )


def _repair_step(folder: Path, damage: Damage) -> None:
    journal = folder / AOF_FOLDER
    (journal / LENGTH_FILE).unlink(missing_ok=True)
    if damage.file is not None:
        os.truncate(damage.file, damage.whole)
    if damage.rewrites_manifest:
        (journal / AOF_MANIFEST_FILE).write_text("".join(_manifest(journal)), "utf-8")


def _manifest(journal: Path) -> list[str]:
    """Return the lines of a manifest for the existing files: the newest snapshot and all files of writes."""
    found = [name for file in journal.iterdir() if (name := AOF_FILE_NAME_PATTERN.fullmatch(file.name)) is not None]
    bases = sorted([one for one in found if one["base"]], key=lambda one: int(one["number"]))[-1:]
    writes = sorted([one for one in found if not one["base"]], key=lambda one: int(one["number"]))
    return [f"file {one[0]} seq {one['number']} type {'b' if one['base'] else 'i'}\n" for one in [*bases, *writes]]


def _manifest_entries(folder: Path) -> list[tuple[str, Path]]:
    """Return type and path of the files that the manifest names, in loading order.

    The type is ``b`` for a snapshot (base), and ``i`` for a file of writes (increment). The list is empty if the
    manifest is missing or has a line that no server writes.
    """
    try:
        text = (folder / AOF_FOLDER / AOF_MANIFEST_FILE).read_text("utf-8", "replace")
    except FileNotFoundError:
        return []
    lines = [MANIFEST_LINE_PATTERN.match(line) for line in text.splitlines() if line and not line.startswith("#")]
    found = [(line["type"], folder / AOF_FOLDER / line["name"]) for line in lines if line is not None]
    return [one for one in found if one[0] != "h"] if None not in lines else []


def _last_writes_file(folder: Path) -> Path | None:
    return next((file for kind, file in reversed(_manifest_entries(folder)) if kind == "i"), None)


def _recorded_length(file: Path) -> int:
    """Return the stored length of a file of writes, or 0 if it is unknown."""
    with suppress(FileNotFoundError, ValueError, LookupError, TypeError):
        stored = loads(file.with_name(LENGTH_FILE).read_text("utf-8"))
        return int(stored["bytes"]) if stored["file"] == file.name else 0
    return 0
