"""Clocks that may jump: somebody sets them, or they are put right after hours.

Three clocks, and what each of them holds:

    the store's own        when the sweeper is to look after a game or a task (due_games.py, tasks.py), and how long
                           leases last: one clock for all machines
    a machine's            the times of moves and deadlines, which people are shown
    a process's steady one ``monotonic``: it never jumps, and by it the others are seen to

A lease that is on its way when the store's clock is set back would last as much longer; whoever waits for its end cuts
it to its length (``PEXPIRE ... LT``). When a clock has jumped, the sweeper looks after all that waits (sweeper.py), and
gives people whose deadline was set before as much more time as the clock has leapt.
"""

from typing import Final

JUMP_SECONDS: Final = 0.5
"""A clock that goes by so much more or less than the steady one has jumped: to slew it so far takes a quarter hour."""

UNSURE_SECONDS: Final = 5.0
"""So long after its clock has jumped a process doesn't say that a person is late: the sweeper finds out."""


class Drift:
    """How much a clock has jumped since it was looked at last."""

    def __init__(self) -> None:
        self._apart: float | None = None

    def jump(self, reading: float, steady: float) -> float:
        """Return by how many seconds the clock has jumped, forward or, below 0, back; 0.0: it has gone on.

        *reading* is what it shows, *steady* what the steady one does.
        """
        apart = reading - steady
        before, self._apart = self._apart, apart
        jumped = 0.0 if before is None else apart - before
        return jumped if abs(jumped) > JUMP_SECONDS else 0.0


class Sureness:
    """Says whether a process may trust its clock."""

    def __init__(self) -> None:
        self._drift = Drift()
        self._unsure_until = float("-inf")

    def is_sure(self, reading: float, steady: float) -> bool:
        """Return whether the clock hasn't jumped for a while, as far as it was looked at (``Drift.jump``)."""
        if self._drift.jump(reading, steady):
            self._unsure_until = steady + UNSURE_SECONDS
        return steady >= self._unsure_until
