"""Whoever archives games is killed, at each step: none is deleted before it is archived, and each counts once."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import AGES, allowed
from tests.workers.stores import HUMAN, open_table
from workers import game_commands
from workers.archive import Archive, read_lines
from workers.archived_record_format import read_summary
from workers.import_export import Imported, import_records
from workers.retention import Retention, RetentionCounts
from workers.settings import Settings
from workers.storage.commands import text
from workers.storage.store import Store

KILLED = -9

ARCHIVIST = """
import os, signal, sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from workers import archive
from workers import retention
from workers.settings import Settings
from workers.storage.idle_games import IdleGames
from workers.storage.store import open_store

step, url, data, partitions = sys.argv[1:]

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

class Archive(archive.Archive):
    def append(self, records, day):
        if step == "before it writes":
            die()
        super().append(records, day)
        if step == "when it has written":
            die()

class Writing(archive.Archive):
    def append(self, records, day):
        super().append(records, day)
        file = next(self.folder.iterdir())
        os.truncate(file, file.stat().st_size // 2)
        die()

class Games(IdleGames):
    deleted = 0

    def delete(self, table):
        if step == "before it deletes" or (step == "among the deleted" and self.deleted == 2):
            die()
        Games.deleted += 1
        return super().delete(table)

settings = Settings(data=Path(data), redis_url=url, partitions=int(partitions))
store = open_store(settings)
store.idle = Games(store.redis, store.keys)
store.games.now = lambda: datetime.now(UTC) + timedelta(days=31)
retention.Archive = Writing if step == "while it writes" else Archive
retention.Retention(store, settings).enforce(0)
if step == "when it has deleted":
    die()
"""

STEPS = (
    "before it writes",
    "while it writes",
    "when it has written",
    "before it deletes",
    "among the deleted",
    "when it has deleted",
)


def ended(store: Store) -> str:
    """Open a game of Regicide, end it, and return its id."""
    game = open_table(store, HUMAN, ruleset="regicide", game_id=store.keys.new_id(0))
    game_commands.play_action(store, game, 0, store.games.load(game).legal(0)[0]["text"])
    game_commands.change(store, game, lambda table, now: table.abandon(now))
    return game


def archived(archive: Archive) -> tuple[list[bytes], list[str]]:
    """Return the lines of an archive, and what was said of torn ones."""
    torn = list[str]()
    return [line for file in archive.files() for line in read_lines(file, torn.append)], torn


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_any_step(step: str, store: Store, settings: Settings, redis_url: str, tmp_path: Path):
    """Whatever is gone from the store is in the archive; the next one does the rest; an import counts each once."""
    games = {ended(store) for _ in range(4)}
    words = [sys.executable, "-c", ARCHIVIST, step, redis_url, str(settings.data), str(settings.partitions)]

    died = subprocess.run(words, check=False, env=os.environ, capture_output=True, text=True, timeout=allowed(AGES))

    archive = Archive(settings.data / "archive")
    assert died.returncode == KILLED, died.stderr
    written = {read_summary(line)["id"] for line in archived(archive)[0]}
    left = {game for game in games if store.redis.exists(store.keys.game(game))}
    assert left | written == games
    assert (len(left), len(written)) == {
        "before it writes": (4, 0),
        "while it writes": (4, 0),
        "when it has written": (4, 4),
        "before it deletes": (4, 4),
        "among the deleted": (2, 4),
        "when it has deleted": (0, 4),
    }[step]

    done = _in_a_month(store, settings)

    assert done == RetentionCounts(archived=len(left), deleted=len(left))
    lines, torn = archived(archive)
    assert len(torn) == (step == "while it writes")
    assert {read_summary(line)["id"] for line in lines} == games
    taken = import_records(lines, Archive(tmp_path / "elsewhere"), store.now().date(), pytest.fail)
    assert taken == Imported(new=4, known=len(lines) - 4)


def _in_a_month(store: Store, settings: Settings) -> Any:
    """Let somebody else look after the games, whose time has been up for a day."""
    for status in ("finished", "abandoned"):
        name = store.keys.idle(0, status)
        for game in store.redis.zrange(name, 0, -1):
            store.redis.zincrby(name, -31 * 24 * 3600, text(game))
    return Retention(store, settings).enforce(0)
