"""Ways in which what is stored under one key can be damaged, whatever the type of the key."""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from redis import Redis

Change = Callable[[bytes], bytes]
GARBAGE = b"\xff\x00{not what was here"
UNKNOWN = "of_a_newer_version"


@dataclass(frozen=True)
class Damage:
    """What is done to a key, and whether it can be read as before afterwards."""

    name: str
    do: Callable[[Redis, str], None]
    is_harmless: bool = False


def _of_another_type(redis: Redis, key: str) -> None:
    was = redis.type(key)
    redis.delete(key)
    if was == b"list":
        redis.set(key, "a string")
    else:
        redis.rpush(key, "a list")


def _rewritten(change: Change) -> Callable[[Redis, str], None]:
    """Return what changes each value of a key: those of a hash, the members of a list or set, the parts of entries."""

    def do(redis: Redis, key: str) -> None:
        client: Any = redis
        ttl, type_ = client.pttl(key), client.type(key).decode()
        match type_:
            case "string":
                client.set(key, change(client.get(key)))
            case "hash":
                client.hset(key, mapping={name: change(value) for name, value in client.hgetall(key).items()})
            case "list":
                items = client.lrange(key, 0, -1)
                client.delete(key)
                client.rpush(key, *map(change, items))
            case "set":
                items = client.smembers(key)
                client.delete(key)
                client.sadd(key, *map(change, items))
            case "zset":
                members = client.zrange(key, 0, -1, withscores=True)
                client.delete(key)
                client.zadd(key, {change(member): score for member, score in members})
            case "stream":
                entries = client.xrange(key)
                client.delete(key)
                for number, fields in entries:
                    client.xadd(key, {name: change(value) for name, value in fields.items()}, number)
            case _:
                raise AssertionError(type_)
        if ttl > 0:
            client.pexpire(key, ttl)

    return do


def _with_unknown(value: bytes) -> bytes:
    """Return JSON, packed or not, with a field that nobody knows; other values as they are."""
    for unpack, pack in ((zlib.decompress, zlib.compress), (bytes, bytes)):
        try:
            read = orjson.loads(unpack(value))
        except (ValueError, zlib.error):
            continue
        if isinstance(read, dict):
            return pack(orjson.dumps({**read, UNKNOWN: {"a": [1]}}))
    return value


def _newer(redis: Redis, key: str) -> None:
    """Add a field to a hash, to the entries of a stream, and to whatever is JSON in them."""
    _rewritten(_with_unknown)(redis, key)
    client: Any = redis
    match client.type(key).decode():
        case "hash":
            client.hset(key, UNKNOWN, "1")
        case "stream":
            entries = client.xrange(key)
            client.delete(key)
            for number, fields in entries:
                client.xadd(key, {**fields, UNKNOWN: "1"}, number)
        case _:  # neither has fields
            pass


def _field(name: bytes, change: Change) -> Callable[[Redis, str], None]:
    def do(redis: Redis, key: str) -> None:
        redis.hset(key, name, change(redis.hget(key, name)))  # type: ignore[arg-type]

    return do


def _without(name: bytes) -> Callable[[Redis, str], None]:
    return lambda redis, key: (redis.hdel(key, name), None)[1]


def cut(value: bytes) -> bytes:
    """Return the first half of a value."""
    return value[: len(value) // 2]


def damages(redis: Redis, key: str, *, thorough: bool) -> Iterator[Damage]:
    """Yield every damage that can be done to a key, to each field of a hash by itself too."""
    yield Damage("another type", _of_another_type)
    yield Damage("garbage", _rewritten(lambda _: GARBAGE))
    yield Damage("cut", _rewritten(cut))
    yield Damage("gone", lambda redis, key: (redis.delete(key), None)[1])
    yield Damage("unknown fields", _newer, is_harmless=True)
    if redis.type(key) == b"hash":
        fields: Any = redis.hkeys(key)
        for field in sorted(fields) if len(fields) < MOST_FIELDS else []:
            name = field.decode()
            yield Damage(f"garbage in {name}", _field(field, lambda _: GARBAGE))
            if thorough:
                yield Damage(f"{name} cut", _field(field, cut))
                yield Damage(f"{name} gone", _without(field))


MOST_FIELDS = 12
"""A hash with more of them, such as the sums of metrics, is damaged as a whole alone."""
