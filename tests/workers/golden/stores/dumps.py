"""Stores as JSON: every key of games with its type and what it has, bytes as Latin-1."""

import json
from pathlib import Path
from typing import Any, Final

from redis import Redis

from engines.core.types import Json
from workers.storage.commands import text

HERE: Final = Path(__file__).parent
OURS: Final = ("{p", "regicide:layout")
"""How the keys begin that are kept: those of games and of the layout."""
CODING: Final = "latin-1"


def taken(redis: Redis) -> Json:
    """Return what a store has of games, by key."""
    names = sorted(key.decode(CODING) for key in redis.scan_iter())
    return {name: _read(redis, name) for name in names if name.startswith(OURS) and redis.ttl(name) == -1}


def _read(redis: Redis, name: str) -> list[Any]:
    kind = text(redis.type(name))
    found: Any = {
        "string": lambda: redis.get(name),
        "hash": lambda: sorted(redis.hgetall(name).items()),
        "zset": lambda: redis.zrange(name, 0, -1, withscores=True),
        "list": lambda: redis.lrange(name, 0, -1),
        "stream": lambda: [(entry, sorted(fields.items())) for entry, fields in _entries(redis, name)],
    }[kind]()
    return [kind, _text(found)]


def _entries(redis: Redis, name: str) -> Any:
    return redis.xrange(name)


def _text(found: Any) -> Any:
    if isinstance(found, bytes):
        return found.decode(CODING)
    return [_text(one) for one in found] if isinstance(found, list | tuple) else found


def put(redis: Redis, dump: Json) -> None:
    """Put a store where there is none."""
    for name, (kind, held) in dump.items():
        if kind == "string":
            redis.set(name, held.encode(CODING))
        elif kind == "hash":
            redis.hset(name, mapping={_bytes(field): _bytes(value) for field, value in held})
        elif kind == "zset":
            redis.zadd(name, {_bytes(member): score for member, score in held})
        elif kind == "list":
            redis.rpush(name, *map(_bytes, held))
        else:
            for entry, fields in held:
                redis.xadd(name, {_bytes(field): _bytes(value) for field, value in fields}, id=entry)


def _bytes(text: Any) -> bytes:
    return str(text).encode(CODING)


def write(file: Path, dump: Json) -> None:
    """Write a store into a file of its own."""
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(held)}" for name, held in dump.items())
    file.write_text(f"{{\n{lines}\n}}\n", "utf-8")


def read() -> dict[str, Json]:
    """Return every store, by the version that left it."""
    return {file.stem: json.loads(file.read_text("utf-8")) for file in sorted(HERE.glob("*.json"))}
