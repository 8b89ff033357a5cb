"""How much counters have grown between two readings, or why that is not known. Nothing is invented.

A counter that is lower than before was cleared by someone, or its port was replaced: what it counted in between is not known.
One that stands at its greatest value counts no further: it has grown by at least the difference, and by how much is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from .fields import FIELDS, Sort

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .readings import Readings


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
    """The port's link was down in between, or the port has another LID."""
    CLOCK = 5
    """The second reading is not later than the first."""
    DAMAGED = 6
    """What was kept of the time between cannot be read."""


@dataclass(frozen=True)
class Growth:
    """Growth of counters by port, between two readings or over a window of a store.

    Attributes:
        guids: the node's GUID, a row each; rows are by GUID, port and plane.
        ports: the port's number.
        planes: the plane, counted from 1; 0 where there are none.
        begins: when each port was first read, nanoseconds since 1970.
        ends: when it was last read.
        values: by a counter's name: by how much it has grown; 0 where that is not known.
        lost: by the same names: `Lost`, why it is not known.
        unit: bytes that one of XmitData and RcvData stands for.
    """

    guids: NDArray[np.uint64]
    ports: NDArray[np.uint16]
    planes: NDArray[np.uint8]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    values: Mapping[str, NDArray[np.uint64]]
    lost: Mapping[str, NDArray[np.uint8]]
    unit: int = 4

    def __len__(self) -> int:
        return len(self.guids)

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Seconds between the two readings of each port; NaN where the clock went back."""
        passed = (self.ends - self.begins) / 1e9
        return np.where(passed > 0, passed, np.nan)

    def per_second(self, name: str) -> NDArray[np.float64]:
        """Growth of a counter in a second, data in bytes; NaN where it is not known."""
        scale = self.unit if FIELDS[name].sort is Sort.DATA else 1
        rate = self.values[name].astype(np.float64) * scale / self.seconds
        return np.where(self.lost[name] == Lost.NOTHING, rate, np.nan)


def growth(before: Readings, after: Readings) -> Growth:
    """How much each counter has grown from one reading to a later one; ports that only one of them has are listed, too."""
    raise NotImplementedError
