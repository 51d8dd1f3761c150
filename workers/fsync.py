"""Sync of files and folders to the disk."""

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Sync a file, or a folder's directory entries, to the disk. Raises ``OSError``."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
