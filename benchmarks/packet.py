"""Simulation packet by packet on one core: a random permutation of messages, from 72 to 11,664 nodes.

    python -m benchmarks.packet [--repeats N] [--nodes N] [-o docs/packet-growth.svg]
    python -m benchmarks.packet --draw

An event is a header that has crossed a switch, an output that becomes free while a packet waits for it, credits that
a packet waits for, a host's turn, or a message posted or arrived. Rates are per CPU
second. htsim, the fastest open peer, was measured elsewhere at 1.6 million events/s and 10.9 s for the
permutation of 2 MB messages on 1,024 nodes; it does not run here.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

from .measure import ROOT, Figure, Table, machine, task

# (fabric, bytes of a message)
CASES = (
    ("fat-tree:12,2:rate=4xEDR", 2_000_000),
    ("fat-tree:8,3:rate=4xEDR", 2_000_000),
    ("fat-tree:24,2:rate=4xEDR", 2_000_000),
    ("fat-tree:16,3:rate=4xEDR", 2_000_000),
    ("fat-tree:24,3:rate=4xEDR", 1_000_000),
    ("fat-tree:36,3:rate=4xEDR", 200_000),
)
MEASURED = ROOT / "build" / "bench" / "packet.json"
TICKS = (72, 288, 1024, 3456, 11_664)
"""Numbers of nodes that the axis names."""
PEER = (1024, 1.6)
"""Nodes, and million events/s of htsim there."""


def main() -> None:
    """Measure, print one table, keep what was measured; or draw it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=20_000, help="largest fabric")
    parser.add_argument("--draw", action="store_true", help="draw the last measurement, and measure nothing")
    parser.add_argument("-o", "--output", type=Path, help="draw to this file too")
    asked = parser.parse_args()
    if asked.draw:
        if not MEASURED.exists():
            sys.exit(f"{MEASURED.relative_to(ROOT)} is not there: run `python -m benchmarks.packet`")
        found = json.loads(MEASURED.read_text())
    else:
        measured, table = measure(asked.repeats, asked.nodes)
        print(table)
        found = {"machine": machine(), "measured": measured}
        MEASURED.parent.mkdir(parents=True, exist_ok=True)
        MEASURED.write_text(json.dumps(found, indent=1))
    if asked.draw or asked.output:
        draw(found, asked.output or ROOT / "docs" / "packet-growth.svg")


def measure(repeats: int, nodes: int) -> tuple[list[dict[str, Any]], Table]:
    """One record a fabric, and the table of all."""
    table = Table("Simulation packet by packet, one thread, ftree tables, 4 KiB packets")
    measured = []
    for spec, size in CASES:
        arity, levels = map(int, spec.split(":")[1].split(","))
        if 2 * (arity // 2) ** levels > nodes:
            continue
        done = task("packet", spec, size, repeats, threads=1)
        measured.append({"spec": spec, "bytes": size, **done})
        what = f"`{spec}`, {done['nodes']:,} nodes, {size / 1e6:g} MB each"
        is_target = done["nodes"] == PEER[0]
        table.add(what, Figure(rates(done), "million events/s"), least=8 if is_target else None)
        hops = Figure([done["hops"] / cpu / 1e6 for cpu in done["cpu"]], "million links crossed/s")
        table.add("… links crossed by packets", hops)
        table.add("… CPU", Figure(done["cpu"], "s"), most=1 if is_target else None)
        table.add("… peak memory", Figure([done["peak"]], "MB"), most=500 if is_target else None)
    return measured, table


def rates(record: dict[str, Any]) -> list[float]:
    """Million events per CPU second."""
    return [record["events"] / cpu / 1e6 for cpu in record["cpu"]]


def draw(found: dict[str, Any], output: Path) -> None:
    """Speed and memory against nodes."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "lacis"
    from matplotlib import pyplot as plt

    records = sorted(found["measured"], key=lambda record: record["nodes"])
    figure, (speed, memory) = plt.subplots(1, 2, figsize=(9, 3.4), sharex=True, layout="constrained")
    nodes = [record["nodes"] for record in records]
    medians = [statistics.median(rates(record)) for record in records]
    below = [median - min(rates(record)) for median, record in zip(medians, records, strict=True)]
    above = [max(rates(record)) - median for median, record in zip(medians, records, strict=True)]
    speed.errorbar(nodes, medians, [below, above], fmt="C1o-", markersize=4, capsize=2, label="Lacis")
    speed.plot(*PEER, "C0s", markersize=4, label="htsim, measured elsewhere")
    speed.set(ylabel="million events per CPU second", ylim=(0, None))
    speed.legend(fontsize="small")
    memory.plot(nodes, [record["peak"] for record in records], "C1o-", markersize=4)
    memory.set(ylabel="peak memory [MB]", yscale="log")
    for panel in (speed, memory):
        panel.set(xscale="log", xlabel="nodes of a fat tree")
        panel.set_xticks([], minor=True)
        panel.set_xticks(TICKS, [f"{tick:,}" for tick in TICKS], fontsize="small")
        panel.grid(alpha=0.3)
    repeats = len(records[0]["cpu"]) if records else 0
    title = (
        f"Measured: a random permutation, packet by packet, one thread, {repeats} repeats, least to greatest"
    )
    figure.suptitle(title, x=0.01, ha="left", fontsize="small")
    figure.savefig(output, metadata={"Date": None})
    print(output)


if __name__ == "__main__":
    main()
