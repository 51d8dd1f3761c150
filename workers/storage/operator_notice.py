"""The operator's notice: one sentence for everybody at a table, until the operator withdraws it."""

import re
from functools import partial
from typing import Final

from redis import Redis

from workers.storage import keys
from workers.storage.commands import run_command, text
from workers.storage.replicas import Replicas

MAX_NOTICE_LENGTH: Final = 200
"""Maximum length of a notice, in characters."""
ONE_LINE_PATTERN: Final = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]*")
"""Pattern of a notice: no control characters, no line separators, none that turn the direction of the text
around, no surrogates."""


class OperatorNotice:
    """The notice of one store."""

    def __init__(self, redis: Redis, replicas: Replicas) -> None:
        self._redis = redis
        self._replicas = replicas

    def read(self) -> str | None:
        """Return the notice, or None if there is none. Raises ``StorageUnavailable``, ``DamagedKey``."""
        stored = run_command(partial(self._redis.get, keys.NOTICE))
        return None if stored is None else text(stored)

    def write(self, notice: str | None) -> None:
        """Replace the notice. None withdraws it. Raises ``StorageUnavailable``."""
        if notice is None:
            run_command(partial(self._redis.delete, keys.NOTICE))
        else:
            run_command(partial(self._redis.set, keys.NOTICE, notice))
        self._replicas.confirm(keys.NOTICE)
