"""Tokens: of which the storage knows the hashes alone."""

from redis import Redis
from redis.client import Pipeline

from workers.storage.connection import pipelined
from workers.storage.keys import Keys


def order_known(pipe: Pipeline, keys: Keys, token_hash: str) -> None:
    """Ask in *pipe* for what is true if some game or task has a token of this hash."""
    pipe.exists(keys.task_token(token_hash))
    for partition in keys.all():
        pipe.hexists(keys.all_tokens(partition), token_hash)


def is_known(redis: Redis, keys: Keys, token_hash: str) -> bool:
    """Some game or task has a token of this hash."""
    return any(pipelined(redis, lambda pipe: order_known(pipe, keys, token_hash)))
