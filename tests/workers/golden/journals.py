"""Stored games as JSON: what is in the storage of each, and what was told of it."""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from api.commands.check_ruleset.generated_games import Setup, setups, through_json
from engines import RULESETS
from engines.core.types import Json
from engines.table import table_json
from engines.table.table import Change, Table
from tests.contract.hosted import Hosting
from workers.storage import journal, table_codec
from workers.storage.store import Store

HERE: Final = Path(__file__).parent

REGICIDE, GRIDCANNON = RULESETS["regicide"], RULESETS["gridcannon"]


def games() -> Iterator[tuple[str, Hosting]]:
    """Yield games of both rulesets in which there is everything that can be stored, by name."""
    yield "joined, handed over, signalled", _first(setups(REGICIDE, 4)[0], {"join", "signal", "hand_over", "start"})
    yield "abandoned, with searches", Hosting(setups(REGICIDE, 2)[0], 3, ("master",), abandoned=True)
    yield "from a position", Hosting(setups(REGICIDE, 3)[0], 1, from_position=True)
    yield "long", Hosting(setups(REGICIDE, 4)[0], 2, ("adept",), chance=0.0)
    yield "of Gridcannon", Hosting(setups(GRIDCANNON, 2)[0], 4, abandoned=True)


def _first(setup: Setup, verbs: set[str]) -> Hosting:
    """Return the first game of a setup in which all *verbs* are."""
    hostings = (Hosting(setup, seed) for seed in range(1000))
    return next(one for one in hostings if verbs <= {change.entry["verb"] for _, change in one.changes()})


def as_stored(hosting: Hosting) -> Json:
    """Return what a game leaves in the storage, its record, and the types of its events by version."""
    done = list(hosting.changes())
    table = done[-1][1].table
    lines = [table_json.line(before, change.entry) for before, change in done if before is not None]
    return {
        "id": table.id,
        "opening": journal.opening(done[0][1]).decode(),
        "table": b64encode(table_codec.pack(table_json.dump(table))).decode(),
        "journal": [_fields(change) for _, change in done[1:]],
        "record": through_json(table_json.record(table, [line for line in lines if line is not None])),
        "events": [[event.type for event in change.events] for _, change in done],
    }


def _fields(change: Change) -> list[str]:
    """Return the entry of a change, and its keyframe if it has one."""
    table = change.table
    keyframe = journal.keyframe(table, table_json.dump(table))
    return [journal.entry(change).decode(), *([b64encode(keyframe).decode()] if keyframe else [])]


def put(store: Store, game: Json) -> Table:
    """Put a game into the storage as it was stored once, and return the table."""
    keys, redis, packed = store.keys, store.redis, b64decode(game["table"])
    table = table_codec.load(table_codec.unpack(packed))
    about: dict[Any, Any] = {
        "version": table.version,
        "status": table.status,
        "table": packed,
        "opening": game["opening"],
    }
    redis.hset(keys.game(game["id"]), mapping=about)
    for version, (entry, *keyframe) in enumerate(game["journal"], start=1):
        fields: dict[Any, Any] = {"commit": "golden", "entry": entry}
        if keyframe:
            fields["keyframe"] = b64decode(keyframe[0])
        redis.xadd(keys.journal(game["id"]), fields, id=f"{version}-1")
    return table


def write(layout: str) -> None:
    """Write the games into a file of its own."""
    written = {name: as_stored(hosting) for name, hosting in games()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(game, ensure_ascii=False)}" for name, game in written.items())
    (HERE / f"{layout}.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def read() -> Iterator[tuple[str, Json]]:
    """Yield every game of every layout."""
    for file in sorted(HERE.glob("*.json")):
        for name, game in json.loads(file.read_text(encoding="utf-8")).items():
            yield f"{file.stem}: {name}", game
