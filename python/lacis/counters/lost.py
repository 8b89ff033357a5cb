"""Why the growth of a counter is not known."""

from __future__ import annotations

from enum import IntEnum


class Lost(IntEnum):
    """Why the growth of a counter is not known."""

    NOTHING = 0
    """It is known."""
    ABSENT = 1
    """One of the two readings does not have the port or the counter."""
    CLEARED = 2
    """It is lower than before, or a counter that is cleared with it is."""
    FULL = 3
    """It stands at the greatest value that it can hold."""
    GONE = 4
    """The port was not in the fabric in between, or has another LID: its node may have been started again, or be another."""
    CLOCK = 5
    """The second reading is not later than the first."""
    DAMAGED = 6
    """What was kept of the time between cannot be read."""
    BEYOND = 7
    """It has grown by more than its link can carry in that time: it was written to, or it is another port's."""
