"""Benchmarks that only Gridcannon has: simple strategies against a level, statistics of games between policies."""

from collections.abc import Mapping
from typing import Final

from benchmarks.subjects import PeerEngine

PEER_ENGINES: Final[Mapping[str, PeerEngine]] = {}
