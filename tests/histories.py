"""Random histories of simulated ports: what their counters truly counted, and what each sweep of them read.

A port counts into registers of two attributes, as the specification has them: 64 bits wide ones, and narrow ones that stop at their greatest value.
Anyone may clear an attribute, a node may leave the fabric and come back with all registers at zero, an answer may be lost, LIDs may change.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from lacis.counters import FIELDS, Readings, Unread
from lacis.counters.readings import empty

WIDE = ("XmitData", "RcvData", "XmitPkts")
NARROW = ("SymbolErrors", "LinkDowned", "XmitWait")
NAMES = (*WIDE, *NARROW)
STEP = 10 * 10**9


@dataclass
class History:
    """Ports and their sweeps.

    Attributes:
        readings: what was read, a sweep each.
        truth: by counter: everything that it counted until each sweep, lost or not; shape (sweeps, ports).
        traceless: whether an attribute was cleared since the port's last reading and every counter of it has grown past its old value; shape (sweeps, ports).
        disturbed: whether anything happened to a port in the step before each sweep.
    """

    ports: int
    readings: list[Readings] = field(default_factory=list)
    truth: dict[str, list[np.ndarray]] = field(default_factory=lambda: {name: [] for name in NAMES})
    traceless: list[np.ndarray] = field(default_factory=list)
    disturbed: list[np.ndarray] = field(default_factory=list)

    def counted(self, name: str) -> np.ndarray:
        return np.array(self.truth[name])


def history(
    seed: int, *, ports: int = 60, sweeps: int = 12, calm: float = 0.9, begin: int = 1_795_862_100 * 10**9
) -> History:
    """A history; a step without any event is as likely as `calm` says."""
    rng = np.random.default_rng(seed)
    made = History(ports)
    total = {name: np.zeros(ports, np.uint64) for name in NAMES}
    register = {name: rng.integers(0, 200, ports).astype(np.uint64) for name in NAMES}
    read = {name: register[name].copy() for name in NAMES}
    cleared = np.zeros((2, ports), np.bool_)
    lids = np.arange(1, ports + 1, dtype=np.uint32)
    now = begin
    for sweep in range(sweeps):
        there, answers = np.ones(ports, np.bool_), np.ones(ports, np.bool_)
        disturbed = np.zeros(ports, np.bool_)
        for half in range(2):
            for name in NAMES:
                most = 10**9 if name in WIDE else 40
                grown = rng.integers(0, most, ports).astype(np.uint64) * (rng.random(ports) < 0.7)
                total[name] += grown
                ceiling = (1 << 64) - 1 if name in WIDE else (1 << FIELDS[name].bits) - 1
                register[name] = np.minimum(register[name] + grown, np.uint64(ceiling))
            if half or not sweep:
                continue
            # Events come between the halves of a step, so that something is counted before and after.
            events = rng.random(ports) > calm
            kind = rng.integers(0, 6, ports)
            disturbed |= events
            for of, names in enumerate((WIDE, NARROW)):
                clears = events & ((kind == of) | (kind == 2) | (kind == 3))
                cleared[of] |= clears
                for name in names:
                    register[name][clears] = 0
            there &= ~(events & (kind == 3))
            answers &= ~(events & (kind == 4))
            lids[events & (kind == 5)] += 1000
        got = there & answers
        traceless = np.zeros(ports, np.bool_)
        for of, names in enumerate((WIDE, NARROW)):
            shows = np.any([register[name] < read[name] for name in names], axis=0)
            traceless |= got & cleared[of] & ~shows
            cleared[of] &= ~got
        for name in NAMES:
            read[name][got] = register[name][got]
            made.truth[name].append(total[name].copy())
        made.traceless.append(traceless)
        made.disturbed.append(disturbed)
        made.readings.append(_sweep(now, register, lids, got, there & ~answers))
        now += STEP
    return made


def _sweep(
    now: int, register: dict[str, np.ndarray], lids: np.ndarray, got: np.ndarray, asked: np.ndarray
) -> Readings:
    rows = np.flatnonzero(got)
    readings = empty(len(rows), NAMES)
    readings.guids[:] = 0x0002C90300000000 + rows // 4
    readings.ports[:] = rows % 4 + 1
    readings.lids[:] = lids[rows]
    readings.times[:] = now + rows * 1000
    for name in NAMES:
        readings.values[name][:] = register[name][rows]
        readings.known[name][:] = True
        readings.wide[name][:] = name in WIDE
    unread = tuple(
        Unread(0x0002C90300000000 + int(row) // 4, int(row) % 4 + 1, "timeout")
        for row in np.flatnonzero(asked)
    )
    return replace(readings, started=now, ended=now + 10**6, unread=unread)


def row_of(guids: np.ndarray, ports: np.ndarray) -> np.ndarray:
    """Which port of the history each row is."""
    return (
        ((guids - np.uint64(0x0002C90300000000)) * np.uint64(4)).astype(np.intp) + ports.astype(np.intp) - 1
    )
