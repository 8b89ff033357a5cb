"""The page that Prometheus reads: its own text format 0.0.4, or OpenMetrics 1.0.

Series are not formatted one by one: the lines of a family are one template, joined from the labels of its ports, into which the
values go at once. Labels are made when a port is first seen.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from ..counters.fields import FIELDS, Sort
from ..counters.links import active_rates
from ..fabric.ports import ports_of
from ..facts.words import harmless
from . import families
from .families import COUNTERS, Family

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from .._core import Fabric
    from ..counters import Readings
    from ..fabric.ports import Ports
    from .sweeping import Swept

TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"

_PAST_64_BITS = 1 << 59
"""From this value on a counter of flits times the bytes of one may not fit 64 bits."""


class Page:
    """Writes pages; it remembers the labels of ports, and the last peer of each."""

    def __init__(self, version: str) -> None:
        self._build = _escaped(version)
        self._fabric: Fabric | None = None
        self._ports: Ports | None = None
        self._about: dict[tuple[int, int], bytes] = {}
        self._rated: tuple[list[bytes], list[float]] = ([], [])
        self._keys: NDArray[np.void] | None = None
        self._labels: list[bytes] = []

    def cabled(self, fabric: Fabric) -> None:
        """Takes the cables of a fabric, where it is another than before."""
        if fabric is not self._fabric:
            self._fabric = fabric
            self.wired(ports_of(fabric))

    def wired(self, ports: Ports) -> None:
        """Takes ports and their cables: one that has none among them keeps the peer that it had."""
        self._ports = ports
        at = np.flatnonzero(ports.is_cabled)
        names = [_escaped(name) for name in ports.names]
        kinds = [kind.encode() for kind in ports.kinds]
        far = ports.far[at]
        ends = zip(
            ports.guids[at].tolist(),
            ports.numbers[at].tolist(),
            ports.nodes[at].tolist(),
            ports.guids[far].tolist(),
            ports.numbers[far].tolist(),
            ports.nodes[far].tolist(),
            strict=True,
        )
        for guid, port, node, peer_guid, peer_port, peer in ends:
            self._about[guid, port] = (
                b'guid="0x%016x",port="%d",node="%b",kind="%b",peer="%b",peer_kind="%b",peer_guid="0x%016x",peer_port="%d"'
                % (guid, port, names[node], kinds[node], names[peer], kinds[peer], peer_guid, peer_port)
            )
        rated = at[~np.isnan(ports.rates[at])]
        numbered = zip(ports.guids[rated].tolist(), ports.numbers[rated].tolist(), strict=True)
        self._rated = ([b'guid="0x%016x",port="%d"' % end for end in numbered], ports.rates[rated].tolist())

    def parts(self, swept: Swept, now: int, *, openmetrics: bool = False) -> list[bytes]:
        """The page in pieces, to be sent one after the other.

        Args:
            swept: what sweeps have read.
            now: the present time, nanoseconds since 1970.
            openmetrics: in that format rather than Prometheus' own.
        """
        write = _Writer(openmetrics=openmetrics)
        write.lines(families.BUILD, [b'version="%b"' % self._build], None)
        self._add_sweeps(write, swept)
        if swept.readings is not None:
            self._add_ports(write, swept.readings, now)
        write.lines(families.PORT, self._informed(swept.readings), None)
        write.lines(families.RATE, *self._rated)
        if openmetrics:
            write.parts.append(b"# EOF\n")
        return write.parts

    def _add_sweeps(self, write: _Writer, swept: Swept) -> None:
        write.lines(families.SWEEPS, [b""], [swept.sweeps])
        write.lines(families.FAILED, [b""], [swept.failed])
        write.lines(families.GOOD, [b""], [int(swept.is_good)])
        write.lines(families.LOST_EVER, [b""], [swept.lost])
        last = swept.last
        if last is None:
            return
        write.lines(families.DURATION, [b""], [max(0, last.ended - last.started) / 1e9], b"%.6f")
        if last.ended:
            write.lines(families.ENDED, [b""], [last.ended / 1e9], b"%.3f")
        write.lines(families.PORTS, [b""], [len(last)])
        reasons = dict.fromkeys(families.REASONS, 0)
        for one in last.unread:
            reasons[one.reason] = reasons.get(one.reason, 0) + 1
        by_reason = [b'reason="%b"' % _escaped(reason).replace(b"%", b"%%") for reason in reasons]
        write.lines(families.LOST, by_reason, list(reasons.values()))
        unread = [
            b'guid="0x%016x",port="%d",reason="%b"' % (one.guid, one.port, _escaped(one.reason))
            for one in dict.fromkeys(last.unread)
        ]
        write.lines(families.UNREAD, list(dict.fromkeys(unread)), None)

    def _add_ports(self, write: _Writer, readings: Readings, now: int) -> None:
        labels = self._labels_of(readings)
        read = readings.times > 0
        age = np.maximum(now - readings.times[read], 0) / 1e9
        write.lines(families.AGE, _chosen(labels, read), age.tolist(), b"%.3f")
        known = readings.states > 0
        write.lines(families.STATE, _chosen(labels, known), readings.states[known].tolist())
        known = readings.physical > 0
        write.lines(families.PHYSICAL, _chosen(labels, known), readings.physical[known].tolist())
        known = readings.lanes > 0
        write.lines(families.LANES, _chosen(labels, known), readings.lanes[known].tolist())
        active = active_rates(readings) if known.any() else np.full(len(readings), np.nan)
        known = np.isfinite(active)
        write.lines(families.ACTIVE_RATE, _chosen(labels, known), active[known].tolist())
        full: dict[str, int] = {}
        for name, family in COUNTERS.items():
            if name not in readings.values:
                continue
            has = readings.known[name]
            write.lines(family, _chosen(labels, has), _values(readings, name, has))
            greatest = (1 << FIELDS[name].bits) - 1
            if greatest:
                stuck = has & ~readings.wide[name] & (readings.values[name] >= greatest)
                full[name] = int(np.count_nonzero(stuck))
        write.lines(families.FULL, [b'counter="%b"' % name.encode() for name in full], list(full.values()))

    def _labels_of(self, readings: Readings) -> list[bytes]:
        """The labels of each row, made afresh only when there are other rows than before."""
        keys = readings.keys
        if self._keys is None or not np.array_equal(self._keys, keys):
            rows = zip(
                readings.guids.tolist(), readings.ports.tolist(), readings.planes.tolist(), strict=True
            )
            self._labels = [
                b'guid="0x%016x",port="%d",plane="%d"' % row
                if row[2]
                else b'guid="0x%016x",port="%d"' % row[:2]
                for row in rows
            ]
            self._keys = keys
        return self._labels

    def _informed(self, readings: Readings | None) -> list[bytes]:
        """What is known of every port that has a cable, or had one, or was read."""
        about = self._about
        if readings is None:
            return list(about.values())
        others = [
            key
            for key in dict.fromkeys(zip(readings.guids.tolist(), readings.ports.tolist(), strict=True))
            if key not in about
        ]
        return [*about.values(), *(self._alone(*key) for key in others)]

    def _alone(self, guid: int, port: int) -> bytes:
        """What is known of a port that was read and has no cable: its node, where the fabric has that."""
        named = b'guid="0x%016x",port="%d"' % (guid, port)
        ports = self._ports
        if ports is None:
            return named
        row = int(ports.rows(np.array([guid], np.uint64), np.array([port], np.uint16))[0])
        if row < 0:
            return named
        node = ports.nodes[row]
        return named + b',node="%b",kind="%b"' % (_escaped(ports.names[node]), ports.kinds[node].encode())


class _Writer:
    """Collects the pieces of a page."""

    def __init__(self, *, openmetrics: bool) -> None:
        self.parts: list[bytes] = []
        self._openmetrics = openmetrics

    def lines(
        self,
        family: Family,
        labels: Sequence[bytes],
        values: Sequence[float] | None,
        form: bytes = b"%d",
    ) -> None:
        """Adds a family with a series for each set of labels; without values they are all 1."""
        if not labels:
            return
        name = family.series.encode()
        self.parts.append(family.heading(openmetrics=self._openmetrics))
        if labels[0] == b"":
            self.parts.append(name + b" " + form % tuple(values or (1,)) + b"\n")
            return
        if values is None:
            self.parts.append(name + b"{" + (b"} 1\n" + name + b"{").join(labels) + b"} 1\n")
            return
        end = b"} " + form + b"\n"
        # Labels that come with values hold no names of a site, in which there might be a per cent sign.
        self.parts.append((name + b"{" + (end + name + b"{").join(labels) + end) % tuple(values))


def _chosen(labels: list[bytes], which: NDArray[np.bool_]) -> list[bytes]:
    return labels if which.all() else list(compress(labels, which.tolist()))


def _values(readings: Readings, name: str, has: NDArray[np.bool_]) -> list[int]:
    """A counter's values where it has them, data in bytes."""
    values = readings.values[name] if has.all() else readings.values[name][has]
    if FIELDS[name].sort is not Sort.DATA:
        counted: list[int] = values.tolist()
        return counted
    if len(values) and int(values.max()) >= _PAST_64_BITS:
        return [value * readings.unit for value in values.tolist()]
    scaled: list[int] = (values * np.uint64(readings.unit)).tolist()
    return scaled


def _escaped(text: str) -> bytes:
    """Text as the value of a label: any but control characters, which terminals and browsers might obey."""
    return harmless(text).replace("\\", r"\\").replace('"', r"\"").encode("utf-8", "replace")


def wants_openmetrics(headers: Mapping[str, str]) -> bool:
    """Whether a request prefers OpenMetrics to Prometheus' text, by its header Accept."""
    weights = {"application/openmetrics-text": 0.0, "text/plain": 0.0}
    for choice in headers.get("accept", "").split(","):
        kind, *parameters = (word.strip() for word in choice.split(";"))
        given = dict(word.partition("=")[::2] for word in parameters)
        if kind == "application/openmetrics-text" and given.get("version", "1.0.0") not in ("1.0.0", "0.0.1"):
            continue
        try:
            weight = float(given.get("q", "1"))
        except ValueError:
            continue
        for name in weights:
            if kind in (name, "*/*", name.partition("/")[0] + "/*"):
                weights[name] = max(weights[name], weight)
    text = weights["text/plain"]
    return weights["application/openmetrics-text"] > text
