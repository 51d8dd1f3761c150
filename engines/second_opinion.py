"""Two searches for one decision, in two processes: each does its half, and what they have counted is added up.

Whoever decides is the first; the other thinks about the same view, with worlds of its own. Engines know nothing of
processes: a ``Companion`` stands for the other.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

from engines.compiled import mypyc_attr
from engines.levels import Budget
from engines.search import Counts, Search


@mypyc_attr(allow_interpreted_subclasses=True)
class Companion(ABC):
    """Somebody who may think beside the first search, if there is time for it."""

    @abstractmethod
    def ask(self, seconds: float) -> None:
        """Ask for a second opinion; after so many *seconds* it is worth nothing."""

    @abstractmethod
    def answer(self) -> Counts | None:
        """Return the second opinion, or None while there is none: cheap, for the first asks again and again.

        An opinion that nobody has begun by the first of these calls is taken back.
        """


class Together:
    """The ``should_stop`` of a first search: true once its own half is done and the second opinion is there.

    Until then the first thinks on. If the opinion never comes it does all of its budget, as if it had been alone.
    """

    def __init__(self, search: Search, budget: Budget, companion: Companion, should_stop: Callable[[], bool]) -> None:
        self.beside: Counts | None = None
        """The second opinion, once it was there in time."""
        self._search, self._half = search, budget.half()
        self._companion, self._should_stop = companion, should_stop
        companion.ask(budget.seconds)

    def __call__(self) -> bool:
        """Tell the search whether to stop."""
        return self._should_stop() or (self._search.is_done(self._half) and self.look())

    def look(self) -> bool:
        """Look for the second opinion; say whether it is there."""
        if self.beside is None:
            self.beside = self._companion.answer()
        return self.beside is not None
