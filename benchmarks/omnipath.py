"""opareport beside Lacis on a snapshot of 1,152 hosts: reading, routes, port groups, credit loops.

    python -m benchmarks.omnipath [--spec opa-1152] [--repeats 3]

opareport runs from the command line, start included; the steps of Lacis are timed in this process. Prints ratios, with
machine and spread.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path


def _clock(work: Callable[[], object], repeats: int) -> list[float]:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return times


def _shown(times: list[float]) -> str:
    return f"{statistics.median(times):8.3f} s ({min(times):.3f} to {max(times):.3f})"


def main() -> None:
    """Runs both and prints a table."""
    import lacis
    from lacis import _core
    from lacis.routing.tables import read_tables, write_snapshot

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spec", default="opa-1152")
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    if shutil.which("opareport") is None:
        sys.exit("no opareport: install the Debian package opa-fastfabric")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snapshot.xml"
        write_snapshot(lacis.route(lacis.read(asked.spec), "fattree"), path)
        size = path.stat().st_size / 1e6
        print(
            f"{asked.spec}: {size:.1f} MB; {platform.machine()}, {asked.repeats} repeats, median (least to most)"
        )

        def theirs(report: str) -> list[float]:
            words = ["opareport", "-q", "-X", str(path), "-o", report]
            return _clock(lambda: subprocess.run(words, capture_output=True, check=True), asked.repeats)

        fabric = lacis.read(path)
        routes, _ = read_tables(fabric, path)
        ours = {
            "read the fabric": _clock(lambda: lacis.read(path), asked.repeats),
            "read the tables": _clock(lambda: read_tables(fabric, path), asked.repeats),
            "verify": _clock(lambda: _core.verify(routes, "all", switches=True), asked.repeats),
            "port groups": _clock(routes.port_groups, asked.repeats),
            "credit loops": _clock(lambda: _core.verify(routes, "hosts").credit_loops, asked.repeats),
        }
        for name, times in ours.items():
            print(f"lacis      {name:16} {_shown(times)}")
        whole = sum(statistics.median(ours[name]) for name in list(ours)[:4])
        print(f"lacis      the first four   {whole:8.3f} s")
        pairs = {
            "validateroutes": "verify",
            "validatepgs": "port groups",
            "validatecreditloops": "credit loops",
        }
        for report, step in pairs.items():
            times = theirs(report)
            read = statistics.median(ours["read the fabric"]) + statistics.median(ours["read the tables"])
            own = statistics.median(ours[step])
            ratio, with_reading = (statistics.median(times) / t for t in (own, own + read))
            print(
                f"opareport  {report:16} {_shown(times)}: {ratio:.0f} × {step}, {with_reading:.1f} × with reading"
            )


if __name__ == "__main__":
    main()
