"""CPU and memory of a scrape: Lacis' page of every port against the same series of Prometheus' own client library.

    python -m benchmarks.exporter [FABRIC]

FABRIC is selene-2021 unless given: 25,704 ports, each with 12 counters. The client library is measured where it is installed
(`pip install prometheus-client`).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .measure import ROOT, Figure, Table, peak_mb, shared_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from lacis.counters import Readings

REPEATS = 7
LARGEST = 200.0
"""MB that the exporter may have resident."""
LONGEST = 0.5
"""Seconds of CPU that a scrape may take."""
NAMES = (
    *("XmitData", "RcvData", "XmitPkts", "RcvPkts", "XmitWait", "SymbolErrors"),
    *(
        "LinkErrorRecovery",
        "LinkDowned",
        "RcvErrors",
        "RcvRemotePhysicalErrors",
        "XmitDiscards",
        "VL15Dropped",
    ),
)


def readings(source: str) -> tuple[Any, Readings]:
    """The ports of a fabric, and counters of those that have cables, drawn with a seed."""
    import lacis
    from lacis.counters.readings import empty
    from lacis.fabric.ports import ports_of

    ports = ports_of(lacis.read(source))
    rows = np.flatnonzero(ports.far >= 0)
    drawn = np.random.default_rng(1)
    now = time.time_ns()
    read = replace(
        empty(len(rows), NAMES),
        guids=ports.guids[rows],
        ports=ports.numbers[rows],
        times=np.full(len(rows), now),
        states=np.full(len(rows), 4, np.uint8),
        values={
            name: drawn.integers(0, 1 << 50 if at < 4 else 1 << 15, len(rows)).astype(np.uint64)
            for at, name in enumerate(NAMES)
        },
        known={name: np.ones(len(rows), np.bool_) for name in NAMES},
        wide={name: np.full(len(rows), at < 4) for at, name in enumerate(NAMES)},
        started=now,
        ended=now,
    )
    return ports, read


def ours(source: str) -> Callable[[], int]:
    """A scrape of the exporter: page, with states, ages, rates and cables; the bytes that it has."""
    from lacis.exporter import Page, Swept

    ports, read = readings(source)
    page = Page("0")
    page.wired(ports)
    swept = Swept().after(read)
    return lambda: sum(map(len, page.parts(swept, time.time_ns())))


def theirs(source: str) -> Callable[[], int]:
    """A scrape of the client library: the counters alone, with the same labels."""
    from lacis.counters.fields import FIELDS
    from lacis.exporter.families import COUNTERS
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.core import CounterMetricFamily

    _, read = readings(source)

    class Collector:
        def collect(self) -> Any:
            labels = [
                (f"0x{guid:016x}", str(port))
                for guid, port in zip(read.guids.tolist(), read.ports.tolist(), strict=True)
            ]
            for name in NAMES:
                scale = read.unit if FIELDS[name].sort.value == "data" else 1
                family = CounterMetricFamily(
                    COUNTERS[name].name, COUNTERS[name].help, labels=["guid", "port"]
                )
                for of, value in zip(labels, read.values[name].tolist(), strict=True):
                    family.add_metric(of, value * scale)
                yield family

    registry = CollectorRegistry()
    registry.register(Collector())
    return lambda: len(generate_latest(registry))


def measured(which: str, source: str) -> dict[str, Any]:
    """CPU seconds of scrapes in this process, and its greatest size."""
    scrape = {"ours": ours, "theirs": theirs}[which](source)
    times, size = [], 0
    for _ in range(REPEATS):
        began = time.process_time()
        size = scrape()
        times.append(time.process_time() - began)
    return {"times": times, "bytes": size, "peak": peak_mb()}


def main() -> int:
    """Measures both, each in a process of its own."""
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measured(*sys.argv[2:])))
        return 0
    given = sys.argv[1] if len(sys.argv) > 1 else shared_file("selene-2021.ibnetdiscover")
    if given is None:
        print(
            "no shared/data/selene-2021.ibnetdiscover at or above the checkout: name a fabric",
            file=sys.stderr,
        )
        return 2
    found = {}
    for which in ("ours", "theirs"):
        words = [sys.executable, "-m", "benchmarks.exporter", "--one", which, str(given)]
        done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode == 0:
            found[which] = json.loads(done.stdout)
    table = Table("A scrape of every port")
    mine = found["ours"]
    table.add("Lacis' page, CPU", Figure(mine["times"], "s"), most=LONGEST)
    table.add("… memory of the process", Figure([mine["peak"]], "MB"), most=LARGEST)
    table.remark(f"Lacis' page has {mine['bytes'] / 1e6:.1f} MB: counters, states, ages, rates and cables.")
    if "theirs" in found:
        other = found["theirs"]
        table.add("prometheus-client, CPU, counters alone", Figure(other["times"], "s"))
        table.add("… memory of the process", Figure([other["peak"]], "MB"))
        ratio = Figure(other["times"], "s").median / Figure(mine["times"], "s").median
        table.remark(
            f"The client library takes {ratio:.0f} times as long, for {other['bytes'] / 1e6:.1f} MB."
        )
    print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
