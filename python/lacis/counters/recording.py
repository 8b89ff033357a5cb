"""Sweeps as JSON lines, `lacis.counters/1`: written with the names of a fabric, and read again as they were."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from msgspec import UNSET

from ..documents.counters import CounterRow, CountersDocument, UnreadRow
from ..errors import LacisError
from ..facts.words import harmless
from .fields import FIELDS
from .growth import Lost
from .links import Change, changes, rates
from .readings import SPEEDS, WIDTHS, LinkState, PhysicalState, Unread, empty

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ..facts.counters import CountersRemark
    from .growth import Growth
    from .names import PortNames
    from .readings import Readings

SCHEMA = "lacis.counters/1"
_STATES = {state.value: state.name.lower() for state in LinkState}
_PHYSICAL = {state.value: state.name.lower() for state in PhysicalState if state}
_RATE = re.compile(r"(\d{1,2})x([A-Z0-9]{3,5})", re.ASCII)
_MARK = f'"{SCHEMA}"'.encode()


def is_recording(data: bytes) -> bool:
    """Whether a file is one: the first line names the schema."""
    return data[:1] == b"{" and _MARK in data[:200]


def document(
    readings: Readings,
    names: PortNames,
    growth: Growth | None = None,
    remarks: Sequence[CountersRemark] = (),
    uncleared: Iterable[Unread] | None = None,
    before: Readings | None = None,
) -> CountersDocument:
    """A sweep as it is printed.

    Args:
        readings: the sweep.
        names: of nodes and of the ports at other ends.
        growth: since the sweep before; its rows hold those of the readings.
        remarks: what the sweep found out about the fabric.
        uncleared: ports that were to be cleared and were not.
        before: the sweep before.
    """
    readings = readings.sorted()
    wide = _usual(readings)
    columns = {name: values.tolist() for name, values in readings.values.items()}
    known = {name: flags.tolist() for name, flags in readings.known.items()}
    odd = _odd(readings, wide)
    grown = _Grown(readings, growth) if growth is not None else None
    ends = zip(readings.guids.tolist(), readings.ports.tolist(), readings.planes.tolist(), strict=True)
    lids, times, states = readings.lids.tolist(), readings.times.tolist(), readings.states.tolist()
    physical, links = readings.physical.tolist(), rates(readings)
    happened = None if before is None or growth is None else changes(before, readings, growth).tolist()
    rows = []
    for row, (guid, port, plane) in enumerate(ends):
        rows.append(
            CounterRow(
                node=names.node(guid),
                guid=f"0x{guid:016x}",
                port=port,
                plane=plane,
                peer=names.peer(guid, port),
                lid=lids[row],
                time=times[row],
                state=_STATES[states[row]],
                physical=_PHYSICAL.get(physical[row], UNSET),
                rate=links[row] or UNSET,
                link=_words(happened[row]) if happened and happened[row] else UNSET,
                counters={name: columns[name][row] for name in columns if known[name][row]},
                wide=[name for name in columns if readings.wide[name][row]] if odd[row] else UNSET,
                **(grown.of(row) if grown is not None else {}),
            )
        )
    return CountersDocument(
        source=readings.source,
        started=readings.started,
        ended=readings.ended,
        unit=readings.unit,
        wide=wide,
        only_faulty=readings.only_faulty,
        ports=rows,
        unread=_unread_rows(readings.unread, names),
        uncleared=UNSET if uncleared is None else _unread_rows(uncleared, names),
        remarks=list(remarks),
    )


def _words(happened: int) -> list[str]:
    return [change.name.lower() for change in Change if change & happened and change.name]


class _Grown:
    """What rows say of growth."""

    def __init__(self, readings: Readings, growth: Growth) -> None:
        keys = np.zeros(len(growth), readings.keys.dtype)
        keys["guid"], keys["port"], keys["plane"] = growth.guids, growth.ports, growth.planes
        rows = np.searchsorted(keys, readings.keys)
        self._seconds = growth.seconds[rows]
        self._data = {
            name: growth.per_second(name)[rows] for name in ("XmitData", "RcvData") if name in growth.values
        }
        self._values = {name: values[rows].tolist() for name, values in growth.values.items()}
        self._lost = {name: reasons[rows].tolist() for name, reasons in growth.lost.items()}
        self._known = {name: known.tolist() for name, known in readings.known.items()}

    def of(self, row: int) -> dict[str, Any]:
        """Fields of a row; nothing where the port was not read before."""
        seconds = float(self._seconds[row])
        if not np.isfinite(seconds):
            return {}
        rates = {name: float(values[row]) for name, values in self._data.items()}
        finite = {name: rate if np.isfinite(rate) else None for name, rate in rates.items()}
        known = [name for name, flags in self._known.items() if flags[row]]
        lost = {name: Lost(self._lost[name][row]).name.lower() for name in known if self._lost[name][row]}
        return {
            "seconds": seconds,
            "sends": finite.get("XmitData"),
            "receives": finite.get("RcvData"),
            "grown": {name: self._values[name][row] for name in known if self._values[name][row]},
            "lost": lost or UNSET,
        }


def _usual(readings: Readings) -> list[str]:
    """Counters that have 64 bits at most ports that know them."""
    return [
        name
        for name, wide in readings.wide.items()
        if 2 * int((wide & readings.known[name]).sum()) > int(readings.known[name].sum())
    ]


def _odd(readings: Readings, usual: Sequence[str]) -> NDArray[np.bool_]:
    """Ports whose counters have other widths than is usual."""
    odd = np.zeros(len(readings), np.bool_)
    for name, wide in readings.wide.items():
        odd |= readings.known[name] & (wide != (name in usual))
    return odd


def _unread_rows(unread: Iterable[Unread], names: PortNames) -> list[UnreadRow]:
    return [
        UnreadRow(
            node=names.node(one.guid),
            guid=f"0x{one.guid:016x}",
            port=one.port,
            reason=one.reason,
            detail=one.detail,
        )
        for one in unread
    ]


def line(sweep: CountersDocument) -> bytes:
    """A sweep as a line of JSON."""
    return msgspec.json.encode(sweep) + b"\n"


@dataclass(frozen=True)
class Recording:
    """What a recording holds.

    Attributes:
        sweeps: in its order.
        nodes: descriptions of nodes, by GUID.
        peers: ports at other ends, by GUID and number.
    """

    sweeps: tuple[Readings, ...]
    nodes: Mapping[int, str]
    peers: Mapping[tuple[int, int], str]


def read(data: bytes) -> Recording:
    """The sweeps of a recording, or the one that `--json` printed over several lines.

    Raises:
        LacisError: when a line is no sweep.
    """
    decoder = msgspec.json.Decoder(CountersDocument)
    found: list[Readings] = []
    nodes: dict[int, str] = {}
    peers: dict[tuple[int, int], str] = {}
    lines = [data] if data.startswith(b"{\n") else data.split(b"\n")
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            sweep = decoder.decode(text)
            found.append(_readings(sweep))
        except (ValueError, OverflowError, KeyError) as error:
            raise LacisError(
                f"no sweep of counters: {error}", number, text[:80].decode(errors="replace")
            ) from None
        nodes |= {int(row.guid, 16): harmless(row.node) for row in sweep.ports}
        peers |= {(int(row.guid, 16), row.port): harmless(row.peer) for row in sweep.ports if row.peer}
    return Recording(tuple(found), nodes, peers)


def _physical(row: CounterRow) -> PhysicalState:
    if row.physical is UNSET:
        return PhysicalState.UNKNOWN
    if row.physical not in _PHYSICAL.values():
        raise ValueError(f"{harmless(row.physical)[:40]!r} is no physical state of a port, such as polling")
    return PhysicalState[row.physical.upper()]


def _rate(row: CounterRow) -> tuple[int, int]:
    """Lanes and speed of a row; zeros where it says none."""
    if row.rate is UNSET:
        return 0, 0
    match = _RATE.fullmatch(row.rate)
    if match is None or int(match[1]) not in WIDTHS or match[2] not in SPEEDS:
        raise ValueError(f"{harmless(row.rate)[:40]!r} is no rate of a link, such as 4xHDR")
    return int(match[1]), SPEEDS.index(match[2])


def _readings(sweep: CountersDocument) -> Readings:
    """A sweep as it was before it was written."""
    rows = sweep.ports
    names = [name for name in FIELDS if any(name in row.counters for row in rows)]
    whole = replace(
        empty(len(rows), names),
        guids=np.array([int(row.guid, 16) for row in rows], np.uint64),
        ports=np.array([row.port for row in rows], np.uint16),
        planes=np.array([row.plane for row in rows], np.uint8),
        lids=np.array([row.lid for row in rows], np.uint32),
        times=np.array([row.time for row in rows], np.int64),
        states=np.array([LinkState[row.state.upper()] for row in rows], np.uint8),
        physical=np.array([_physical(row) for row in rows], np.uint8),
        lanes=np.array([_rate(row)[0] for row in rows], np.uint8),
        speeds=np.array([_rate(row)[1] for row in rows], np.uint8),
        unit=sweep.unit,
        started=sweep.started,
        ended=sweep.ended,
        unread=tuple(Unread(int(one.guid, 16), one.port, one.reason, one.detail) for one in sweep.unread),
        only_faulty=sweep.only_faulty,
        source=sweep.source,
    )
    for name in names:
        whole.known[name][:] = [name in row.counters for row in rows]
        whole.values[name][:] = np.array([row.counters.get(name, 0) for row in rows], np.uint64)
        usual = name in sweep.wide
        whole.wide[name][:] = [usual if row.wide is UNSET else name in row.wide for row in rows]
        whole.wide[name][:] &= whole.known[name]
    return whole.sorted()
