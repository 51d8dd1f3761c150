"""Detection of clock jumps, as when a clock is set by hand or is corrected after hours.

Three clocks are used:

store       the times at which the sweeper checks a game or a task (due_games.py, tasks.py), and the lengths of
            leases: one clock for all machines
machine     the times of moves and deadlines, which people see
monotonic   the clock of a process, which never jumps and by which jumps of the other two are detected

If the store's clock is set back, a running lease would last longer than it may. A process that waits for the end of a
lease therefore cuts the remaining time to the length of a new lease (``PEXPIRE ... LT``). After a jump the sweeper
checks all waiting games and tasks (sweeper.py), and extends the deadlines that were set before the jump by the jump's
length.
"""

from typing import Final

MIN_JUMP_SECONDS: Final = 0.5
"""Minimum difference from the monotonic clock, in seconds, that counts as a jump.

Slewing, the gradual correction of a clock, takes a quarter of an hour to correct as much.
"""

UNSURE_AFTER_JUMP_SECONDS: Final = 5.0
"""Time after a clock jump in which a process does not declare a person late. The sweeper does so instead."""


class Drift:
    """Measures jumps of one clock between two calls."""

    def __init__(self) -> None:
        self._apart: float | None = None

    def jump(self, reading: float, steady: float) -> float:
        """Return the seconds by which the clock has jumped since the last call: negative if backwards, 0.0 for none.

        *reading* and *steady* are the current values of the clock and of the monotonic clock, in seconds.
        """
        apart = reading - steady
        before, self._apart = self._apart, apart
        jumped = 0.0 if before is None else apart - before
        return jumped if abs(jumped) > MIN_JUMP_SECONDS else 0.0


class Sureness:
    """Tracks whether a process can trust its clock: whether no jump was detected recently."""

    def __init__(self) -> None:
        self._drift = Drift()
        self._unsure_until = float("-inf")

    def is_sure(self, reading: float, steady: float) -> bool:
        """Return whether no jump was detected within ``UNSURE_AFTER_JUMP_SECONDS``.

        The parameters are those of ``Drift.jump``.
        """
        if self._drift.jump(reading, steady):
            self._unsure_until = steady + UNSURE_AFTER_JUMP_SECONDS
        return steady >= self._unsure_until
