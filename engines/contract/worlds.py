"""Worlds: positions sampled from the view of one seat."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from random import Random
from typing import Generic

from engines.contract.position import P
from engines.core.mypyc_support import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class Worlds(ABC, Generic[P]):
    """The positions consistent with one view, prepared for repeated sampling."""

    @abstractmethod
    def sample(self, rng: Random) -> P:
        """Return a new position, sampled by its probability given the view. The caller may change it."""


class SampledWorlds(Worlds[P]):
    """Worlds sampled by a function, for games in which there is nothing to prepare."""

    def __init__(self, sample: Callable[[Random], P]) -> None:
        self._sample = sample

    def sample(self, rng: Random) -> P:
        return self._sample(rng)
