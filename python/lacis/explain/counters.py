"""Port counters that lacis-mpi recorded around rounds: a host that sent or received far more than the others served another job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ..documents.explain import BusyHost, CountedTraffic

if TYPE_CHECKING:
    from collections.abc import Iterable

_FAR = 1.25
"""A host that counts so many times the median of its round served another job."""
_LEAST_WORDS = 1 << 18
"""The least difference from the median, in words of 4 bytes: heartbeats are less."""
_LEAST_HOSTS = 4
"""Hosts of a round from which a median says something."""
_LISTED = 8
_SIDES = {"port_xmit_data": "sent", "port_rcv_data": "received"}


class _Record(msgspec.Struct):
    """The fields of lacis-mpi's records that count here."""

    record: str = ""
    test: str = ""
    when: str = ""
    round: int = 0
    host: str = ""
    device: str = ""
    port: str = ""
    values: dict[str, int] = {}


def counted(files: Iterable[str]) -> CountedTraffic | None:
    """What the counters of some files show; none where no file has any of enough hosts."""
    before: dict[tuple[str, int, str, str, str], dict[str, int]] = {}
    words: dict[tuple[str, int, str], dict[str, int]] = {}
    for one in _records(files):
        key = (one.test, one.round, one.host, one.device, one.port)
        if one.when == "before":
            before[key] = one.values
            continue
        first = before.pop(key, None)
        if first is None:
            continue
        sums = words.setdefault(key[:3], {})
        for side in _SIDES:
            more = one.values.get(side, 0) - first.get(side, 0)
            # A counter that is lower afterwards was cleared.
            sums[side] = sums.get(side, 0) + max(more, 0)
    rounds: dict[tuple[str, int], dict[str, dict[str, int]]] = {}
    for (test, number, host), sums in words.items():
        rounds.setdefault((test, number), {})[host] = sums
    busy: list[BusyHost] = []
    seen = 0
    for (_, number), hosts in sorted(rounds.items()):
        if len(hosts) < _LEAST_HOSTS:
            continue
        seen += len(hosts)
        for side, verb in _SIDES.items():
            middle = float(np.median([sums[side] for sums in hosts.values()]))
            busy += [
                BusyHost(host, number, verb, sums[side] / max(middle, 1.0))
                for host, sums in sorted(hosts.items())
                if sums[side] > _FAR * middle and sums[side] - middle > _LEAST_WORDS
            ]
    if not seen:
        return None
    where = {(one.host, one.round) for one in busy}
    worst = sorted(busy, key=lambda one: -one.times)[:_LISTED]
    return CountedTraffic(seen, len(where), worst)


def _records(files: Iterable[str]) -> Iterable[_Record]:
    """The records of counters of those files that are lacis-mpi's."""
    decoder = msgspec.json.Decoder(_Record)
    for name in files:
        path = Path(name)
        if name == "-" or not path.is_file():
            continue
        with path.open("rb") as lines:
            if lines.read(1) != b"{":
                continue
            lines.seek(0)
            for line in lines:
                if b'"counters"' not in line:
                    continue
                try:
                    one = decoder.decode(line)
                except msgspec.DecodeError:
                    continue  # a record that is damaged is remarked on where results are read
                if one.record == "counters":
                    yield one
