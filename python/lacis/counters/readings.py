"""What one sweep read: a row for each port, a column for each counter, and the ports that gave no answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


class LinkState(IntEnum):
    """The state of a port's link, as far as a source says."""

    UNKNOWN = 0
    DOWN = 1
    INIT = 2
    ARMED = 3
    ACTIVE = 4


class PhysicalState(IntEnum):
    """What the transceivers of a port do, as far as a source says."""

    UNKNOWN = 0
    SLEEP = 1
    POLLING = 2
    DISABLED = 3
    TRAINING = 4
    UP = 5
    RECOVERY = 6
    TEST = 7


SPEEDS = ("", "SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR")
"""Speeds of a lane; the first stands for one that is not known."""


WIDTHS = (1, 2, 4, 8, 12)
"""Lanes that a link can have."""


@dataclass(frozen=True)
class Unread:
    """A port that was to be read and gave no answer.

    Attributes:
        guid: of its node.
        port: its number.
        reason: why, as a stable word: `timeout`, `status`, `unsupported`, `unreadable`, `moved` (its LID belongs to another node).
        detail: such as the status of the answer; empty where there is nothing to say.
    """

    guid: int
    port: int
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class Readings:
    """Counters of many ports, read in one sweep; rows are by GUID, port and plane.

    Attributes:
        guids: the node's GUID, a row each.
        ports: the port's number.
        planes: the plane of a planarised adapter, counted from 1; 0 where there are none.
        lids: the LID by which the port was read; 0 where that is not known.
        times: when the answer came, nanoseconds since 1970, UTC.
        states: `LinkState`.
        physical: `PhysicalState`.
        lanes: how many lanes the link uses now; 0 where that is not known.
        speeds: how fast each of them is now, an index of `SPEEDS`.
        values: by a counter's name (a key of `FIELDS`): its value; 0 where it is not known.
        known: by the same names: whether the source has the value. Absent is not zero.
        wide: by the same names: whether the value has 64 bits, and so is neither full nor wraps.
        unit: bytes that one of XmitData and RcvData stands for: 4 on InfiniBand, 8 on Omni-Path.
        started: when the sweep began, nanoseconds since 1970.
        ended: when it ended.
        unread: ports without an answer.
        only_faulty: whether the source leaves out ports without errors, as ibqueryerrors does.
        source: where the readings are from: a file, a device.
    """

    guids: NDArray[np.uint64]
    ports: NDArray[np.uint16]
    planes: NDArray[np.uint8]
    lids: NDArray[np.uint32]
    times: NDArray[np.int64]
    states: NDArray[np.uint8]
    physical: NDArray[np.uint8]
    lanes: NDArray[np.uint8]
    speeds: NDArray[np.uint8]
    values: Mapping[str, NDArray[np.uint64]]
    known: Mapping[str, NDArray[np.bool]]
    wide: Mapping[str, NDArray[np.bool]]
    unit: int = 4
    started: int = 0
    ended: int = 0
    unread: tuple[Unread, ...] = ()
    only_faulty: bool = False
    source: str = ""

    def __len__(self) -> int:
        return len(self.guids)

    @property
    def keys(self) -> NDArray[np.void]:
        """What identifies a row, comparable and sorted: GUID, port and plane."""
        return keys_of(self.guids, self.ports, self.planes)

    def taken(self, rows: NDArray[np.intp] | NDArray[np.bool]) -> Readings:
        """The rows that are chosen by index or by a mask, in that order."""
        return replace(
            self,
            guids=self.guids[rows],
            ports=self.ports[rows],
            planes=self.planes[rows],
            lids=self.lids[rows],
            times=self.times[rows],
            states=self.states[rows],
            physical=self.physical[rows],
            lanes=self.lanes[rows],
            speeds=self.speeds[rows],
            values={name: column[rows] for name, column in self.values.items()},
            known={name: column[rows] for name, column in self.known.items()},
            wide={name: column[rows] for name, column in self.wide.items()},
        )

    def sorted(self) -> Readings:
        """The same rows by GUID, port and plane."""
        return self.taken(np.lexsort((self.planes, self.ports, self.guids)))


OF_LINKS = ("states", "physical", "lanes", "speeds")
"""Columns of what a port's link does, in each of which 0 is not known."""
_KEY = np.dtype([("guid", "<u8"), ("port", "<u2"), ("plane", "u1")])


def keys_of(
    guids: NDArray[np.uint64], ports: NDArray[np.uint16], planes: NDArray[np.uint8]
) -> NDArray[np.void]:
    """GUID, port and plane as one array that can be sorted and compared."""
    keys = np.empty(len(guids), _KEY)
    keys["guid"], keys["port"], keys["plane"] = guids, ports, planes
    return keys


def empty(count: int, names: Sequence[str] = ()) -> Readings:
    """Readings of so many ports in which nothing is known yet, with columns of these names: to be filled by a reader."""
    return Readings(
        guids=np.zeros(count, np.uint64),
        ports=np.zeros(count, np.uint16),
        planes=np.zeros(count, np.uint8),
        lids=np.zeros(count, np.uint32),
        times=np.zeros(count, np.int64),
        states=np.zeros(count, np.uint8),
        physical=np.zeros(count, np.uint8),
        lanes=np.zeros(count, np.uint8),
        speeds=np.zeros(count, np.uint8),
        values={name: np.zeros(count, np.uint64) for name in names},
        known={name: np.zeros(count, np.bool) for name in names},
        wide={name: np.zeros(count, np.bool) for name in names},
    )


def joined(parts: Sequence[Readings]) -> Readings:
    """Readings of several sources as those of one sweep, by GUID, port and plane.

    Of a port that several have, each counter is taken from the first that knows it.
    """
    if len(parts) == 1:
        return parts[0].sorted()
    names = list(dict.fromkeys(name for part in parts for name in part.values))
    keys = np.unique(np.concatenate([part.keys for part in parts])) if parts else keys_of(*_no_keys())
    whole = replace(
        empty(len(keys), names),
        guids=keys["guid"].copy(),
        ports=keys["port"].copy(),
        planes=keys["plane"].copy(),
        unit=parts[0].unit if parts else 4,
        started=min((part.started for part in parts), default=0),
        ended=max((part.ended for part in parts), default=0),
        unread=tuple(one for part in parts for one in part.unread),
        only_faulty=any(part.only_faulty for part in parts),
        source=", ".join(dict.fromkeys(part.source for part in parts if part.source)),
    )
    for part in reversed(parts):
        rows = np.searchsorted(keys, part.keys)
        for column in ("lids", "times", *OF_LINKS):
            have = getattr(part, column) != 0
            getattr(whole, column)[rows[have]] = getattr(part, column)[have]
        for name, known in part.known.items():
            at = rows[known]
            whole.values[name][at] = part.values[name][known]
            whole.wide[name][at] = part.wide[name][known]
            whole.known[name][at] = True
    return whole


def _no_keys() -> tuple[NDArray[np.uint64], NDArray[np.uint16], NDArray[np.uint8]]:
    return np.zeros(0, np.uint64), np.zeros(0, np.uint16), np.zeros(0, np.uint8)
