"""How much counters have grown between two readings, or why that is not known. Nothing is invented.

A counter that is lower than before was cleared by someone, or its port was replaced: what it counted in between is not known.
One that stands at its greatest value counts no further: it has grown by at least the difference, and by how much is not known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .fields import FIELDS, Sort
from .lost import Lost
from .stretch import followed, stretch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .readings import Readings
    from .stretch import Stretch

__all__ = ["Growth", "Lost", "growth", "of_stretch"]


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
        at_least: by the same names: by how much it has surely grown, also where `lost` says that this is not all.
        samples: how often each port was read.
    """

    guids: NDArray[np.uint64]
    ports: NDArray[np.uint16]
    planes: NDArray[np.uint8]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    values: Mapping[str, NDArray[np.uint64]]
    lost: Mapping[str, NDArray[np.uint8]]
    unit: int = 4
    at_least: Mapping[str, NDArray[np.uint64]] = field(default_factory=dict)
    samples: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))

    def __len__(self) -> int:
        return len(self.guids)

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Seconds between the two readings of each port; NaN where the clock went back, or where there is one reading."""
        passed = (self.ends - self.begins) / 1e9
        return np.where(passed > 0, passed, np.nan)

    def per_second(self, name: str) -> NDArray[np.float64]:
        """Growth of a counter in a second, data in bytes; NaN where it is not known."""
        scale = self.unit if FIELDS[name].sort is Sort.DATA else 1
        rate = self.values[name].astype(np.float64) * scale / self.seconds
        return np.where(self.lost[name] == Lost.NOTHING, rate, np.nan)


def growth(before: Readings, after: Readings) -> Growth:
    """How much each counter has grown from one reading to a later one.

    Rows are the ports that either has, and columns the counters that either has.
    """
    return of_stretch(followed(stretch(before), stretch(after)))


def of_stretch(over: Stretch) -> Growth:
    """Growth from the first to the last reading of each port in a stretch.

    A counter that the first or the last reading of its port does not know is `ABSENT`.
    """
    values: dict[str, NDArray[np.uint64]] = {}
    lost: dict[str, NDArray[np.uint8]] = {}
    for name, grown in over.grown.items():
        ends = over.first.known[name] & over.last.known[name] & (over.samples > 1)
        lost[name] = np.where(ends, over.lost[name], Lost.ABSENT).astype(np.uint8)
        values[name] = np.where(lost[name] == Lost.NOTHING, grown, 0)
    first = over.first
    return Growth(
        first.guids,
        first.ports,
        first.planes,
        first.times,
        over.last.times,
        values,
        lost,
        first.unit,
        over.grown,
        over.samples,
    )
