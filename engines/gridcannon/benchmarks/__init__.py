"""Gridcannon's own benchmarks: duels of searches, strategies against a level, statistics of games."""

from collections.abc import Mapping
from typing import Final

from benchmarks.subjects import PeerEngine

PEER_ENGINES: Final[Mapping[str, PeerEngine]] = {}
