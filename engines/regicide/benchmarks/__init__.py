"""The peer engine of Regicide's benchmarks: an engine of another project, for comparison."""

from collections.abc import Mapping
from typing import Final

from benchmarks.subjects import PeerEngine

PEER_ENGINES: Final[Mapping[str, PeerEngine]] = {
    "regicide 0.1.5": PeerEngine("regicide", "engines.regicide.benchmarks.rust_package"),
}
