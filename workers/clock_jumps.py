"""Detection of clock jumps: a clock is set by hand, or corrected after hours.

Three clocks are used:

    the store's            times at which the sweeper checks a game or a task (due_games.py, tasks.py), and lengths of
                           leases: one clock for all machines
    a machine's            times of moves and deadlines, which people see
    a process's monotonic  never jumps; jumps of the others are detected by it

A running lease would last longer if the store's clock is set back, so whoever waits for its end cuts it to its length
(``PEXPIRE ... LT``). After a jump the sweeper checks all waiting games and tasks (sweeper.py), and extends deadlines
that were set before by the length of the jump.
"""

from typing import Final

JUMP_SECONDS: Final = 0.5
"""Minimum difference to the monotonic clock, in seconds, that counts as a jump. Slewing takes a quarter of an hour for
so much."""

UNSURE_SECONDS: Final = 5.0
"""Seconds after a jump of its clock during which a process does not declare a person late; the sweeper does instead."""


class Drift:
    """Measures jumps of one clock between two calls."""

    def __init__(self) -> None:
        self._apart: float | None = None

    def jump(self, reading: float, steady: float) -> float:
        """Return the seconds by which the clock has jumped since the last call: negative if backwards, 0.0 for none.

        *reading* and *steady* are the clock's and the monotonic clock's current values, in seconds.
        """
        apart = reading - steady
        before, self._apart = self._apart, apart
        jumped = 0.0 if before is None else apart - before
        return jumped if abs(jumped) > JUMP_SECONDS else 0.0


class Sureness:
    """Tells whether a process may trust its clock."""

    def __init__(self) -> None:
        self._drift = Drift()
        self._unsure_until = float("-inf")

    def is_sure(self, reading: float, steady: float) -> bool:
        """Return whether no jump was detected within ``UNSURE_SECONDS``; parameters as of ``Drift.jump``."""
        if self._drift.jump(reading, steady):
            self._unsure_until = steady + UNSURE_SECONDS
        return steady >= self._unsure_until
