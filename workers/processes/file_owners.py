"""The owner of the files in a data folder.

Operators run commands as root, but the server runs as a user of its own and must be able to read their files.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def given_to_owners(*folders: Path) -> Iterator[None]:
    """When the block ends, give the files that root wrote in each of *folders* to the owner of that folder."""
    try:
        yield
    finally:
        if os.geteuid() == 0:
            for folder in {folder.resolve() for folder in folders if folder.is_dir()}:
                _give_all(folder)


def _give_all(folder: Path) -> None:
    """Change the owner of root's files below *folder*. Symbolic links are not followed."""
    owner = folder.stat()
    if owner.st_uid == 0:
        return
    for _, folders, files, descriptor in os.fwalk(folder):
        for name in (*folders, *files):
            with suppress(FileNotFoundError):  # a running server may have removed the file
                _give(name, descriptor, owner)


def _give(name: str, folder: int, owner: os.stat_result) -> None:
    """Give a file that root owns to *owner*, unless it has another hard link, which might be in a foreign folder."""
    found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if found.st_uid == 0 and (stat.S_ISDIR(found.st_mode) or found.st_nlink == 1):
        os.chown(name, owner.st_uid, owner.st_gid, dir_fd=folder, follow_symlinks=False)
