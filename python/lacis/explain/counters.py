"""Port counters that lacis-mpi recorded around rounds: a host that sent or received far more than the others served another job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ..documents.explain import BusyHost, CountedTraffic
from ..io import packed

if TYPE_CHECKING:
    from collections.abc import Iterable

FAR = 1.25
"""A host that counts so many times the median of its round served another job."""
_LEAST_WORDS = 1 << 18
"""The least difference from the median, and the least median, in words of 4 bytes: heartbeats are less, and where most hosts
are idle those that are measured stand out."""
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


def counted(files: Iterable[str]) -> dict[str, CountedTraffic]:
    """What the counters of some files show, by lacis-mpi's test; nothing of tests that count for too few hosts."""
    before: dict[tuple[str, int, str, str, str], dict[str, int]] = {}
    # By test, round and side, then host: its words; none where a counter was cleared or is not in both readings.
    words: dict[tuple[str, int, str], dict[str, int | None]] = {}
    for one in _records(files):
        key = (one.test, one.round, one.host, one.device, one.port)
        if one.when == "before":
            before[key] = one.values
            continue
        first = before.pop(key, None)
        if first is None:
            continue
        for side in _SIDES:
            sums = words.setdefault((one.test, one.round, side), {})
            then, now, sofar = first.get(side), one.values.get(side), sums.get(one.host, 0)
            if then is None or now is None or sofar is None or now < then:
                sums[one.host] = None
            else:
                sums[one.host] = sofar + now - then
    seen: dict[str, set[tuple[str, int]]] = {}
    busy: dict[str, list[BusyHost]] = {}
    for (test, number, side), sums in sorted(words.items()):
        hosts = {host: sent for host, sent in sums.items() if sent is not None}
        middle = float(np.median(list(hosts.values()))) if len(hosts) >= _LEAST_HOSTS else 0.0
        if middle < _LEAST_WORDS:
            continue
        seen.setdefault(test, set()).update((host, number) for host in hosts)
        busy.setdefault(test, []).extend(
            BusyHost(host, number, _SIDES[side], sent / middle)
            for host, sent in sorted(hosts.items())
            if sent > FAR * middle and sent - middle > _LEAST_WORDS
        )
    return {
        test: CountedTraffic(
            len(seen[test]),
            len({(one.host, one.round) for one in found}),
            sorted(found, key=lambda one: -one.times)[:_LISTED],
        )
        for test, found in busy.items()
    }


def _records(files: Iterable[str]) -> Iterable[_Record]:
    """The records of counters of those files that are lacis-mpi's."""
    decoder = msgspec.json.Decoder(_Record)
    for name in files:
        path = Path(name)
        if name == "-" or not path.is_file():
            continue
        with path.open("rb") as file:
            for number, line in enumerate(packed.stream(file)):
                if number == 0 and not line.startswith(b"{"):
                    break
                if b'"counters"' not in line:
                    continue
                try:
                    one = decoder.decode(line)
                except msgspec.DecodeError:
                    continue  # a record that is damaged is remarked on where results are read
                if one.record == "counters":
                    yield one
