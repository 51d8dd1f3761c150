"""A build of this checkout that stores one field more, of a table and of a seat: what a newer version may be like."""

import shutil
from pathlib import Path
from typing import Final

from tests.servers.service import ROOT

PACKAGES: Final = ("api", "engines", "regicide_client", "workers")
CHANGES: Final = {
    "engines/table/table.py": (
        ("    unknown: Json = field(", '    mood: str = ""\n    unknown: Json = field('),
        ('        group: str = "",\n        turn', '        group: str = "",\n        mood: str = "",\n        turn'),
        ("            seed=seed.hex(),", "            seed=seed.hex(),\n            mood=mood,"),
        (
            '            "turn_seconds": self.turn_seconds,',
            '            **({"mood": self.mood} if self.mood else {}),\n            "turn_seconds": self.turn_seconds,',
        ),
    ),
    "engines/table/journal.py": (('("game_id", ', '("game_id", "mood", '),),
    "engines/table/seats.py": (("    unknown: Json = field(", '    hat: str = ""\n    unknown: Json = field('),),
    "api/resources/new_game.py": (
        ("from engines.", "from dataclasses import replace\n\nfrom engines."),
        (
            "            seats=seats,",
            '            seats=[replace(seat, hat="tall") for seat in seats],\n            mood="bright",',
        ),
    ),
}
"""By file: what is there, and what comes in its place."""


def newer(folder: Path) -> Path:
    """Make such a checkout in *folder*, and return it."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "openapi.yaml", folder / "openapi.yaml")
    for name, changes in CHANGES.items():
        file = folder / name
        text = file.read_text("utf-8")
        for before, after in changes:
            if before not in text:
                raise LookupError(f"{name} has no line {before!r}")
            text = text.replace(before, after, 1)
        file.write_text(text, "utf-8")
    return folder
