"""Two searches for one decision, in two processes: each does its half, and what they have counted is added up.

Whoever decides is the first; the other, the helper, thinks about the same view, with worlds of its own. Engines know
nothing of processes: a ``Helper`` stands for the other.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable

from engines.ai.search import Counts, Search
from engines.contract.levels import Budget
from engines.core.compiled import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class Helper(ABC):
    """A second search in another process, if there is one that has time for it."""

    @abstractmethod
    def ask(self, seconds: float) -> None:
        """Ask for a second opinion; after so many *seconds* it is worth nothing."""

    @abstractmethod
    def answer(self) -> Counts | None:
        """Return the second opinion, or None while there is none: cheap, for the first asks again and again.

        An opinion that nobody has begun by the first of these calls is taken back.
        """


class SharedStop:
    """When a search that has a helper stops: its ``should_stop``.

    It is true once the search's own half is done and the second opinion is there. Until then the first thinks on; if
    the opinion never comes, it does all of its budget, as if it had been alone.
    """

    def __init__(self, search: Search, budget: Budget, helper: Helper, should_stop: Callable[[], bool]) -> None:
        self.counts: Counts | None = None
        """The second opinion, once it was there in time."""
        self._search, self._half = search, budget.half()
        self._helper, self._should_stop = helper, should_stop
        helper.ask(budget.seconds)

    def __call__(self) -> bool:
        """Tell the search whether to stop."""
        return self._should_stop() or (self._search.is_done(self._half) and self.has_counts())

    def has_counts(self) -> bool:
        """Ask the helper for its counts, unless they are there; say whether they are now."""
        if self.counts is None:
            self.counts = self._helper.answer()
        return self.counts is not None
