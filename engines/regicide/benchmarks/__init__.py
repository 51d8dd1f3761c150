"""Benchmarks that only Regicide has: another project's engine."""

from collections.abc import Mapping
from typing import Final

from benchmarks.subjects import PeerEngine

PEER_ENGINES: Final[Mapping[str, PeerEngine]] = {
    "regicide 0.1.5": PeerEngine("regicide", "engines.regicide.benchmarks.rust_package"),
}
