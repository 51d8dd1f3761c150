"""Whose the files in a data folder are.

Operators run commands as root, and the server runs as a user of its own: it must be able to read what they write.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def given_to_owners(*folders: Path) -> Iterator[None]:
    """Give the owner of each of *folders* what root has written into it, when the block ends."""
    try:
        yield
    finally:
        if os.geteuid() == 0:
            for folder in {folder.resolve() for folder in folders if folder.is_dir()}:
                _give_all(folder)


def _give_all(folder: Path) -> None:
    """Change the owner of root's files below *folder*; no link is followed out of it."""
    owner = folder.stat()
    if owner.st_uid == 0:
        return
    for _, folders, files, descriptor in os.fwalk(folder):
        for name in (*folders, *files):
            with suppress(FileNotFoundError):  # a server that runs has removed it
                _give(name, descriptor, owner)


def _give(name: str, folder: int, owner: os.stat_result) -> None:
    """Change the owner of a file of root, unless it has a second name, which could be anywhere."""
    found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if found.st_uid == 0 and (stat.S_ISDIR(found.st_mode) or found.st_nlink == 1):
        os.chown(name, owner.st_uid, owner.st_gid, dir_fd=folder, follow_symlinks=False)
