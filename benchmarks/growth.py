"""How table computation grows with the fabric, Lacis and OpenSM on log axes.

    python -m benchmarks.routing --large && python -m benchmarks.growth [-o docs/growth.svg]
    python -m benchmarks.growth --table

Draws what `benchmarks.routing` measured last, or prints it as the table of docs/explanation/benchmarks.md; nothing is measured here.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

from .measure import ROOT
from .routing import MEASURED

TICKS = (648, 2592, 11_664, 27_648)
"""Numbers of nodes that the axis names."""


def main() -> None:
    """Draws or prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs" / "growth.svg")
    parser.add_argument("--table", action="store_true", help="print a Markdown table instead")
    options = parser.parse_args()
    if not MEASURED.exists():
        sys.exit(f"{MEASURED.relative_to(ROOT)} is not there: run `python -m benchmarks.routing --large`")
    found = json.loads(MEASURED.read_text())
    engines = list(dict.fromkeys(record["engine"] for record in found["measured"]))
    if options.table:
        print(table(found["measured"], engines))
    else:
        draw(found["measured"], engines, options.output)


def table(measured: list[dict[str, Any]], engines: list[str]) -> str:
    """An engine a row, a fabric a column; the last column is the floor over Lacis' time on the largest fabric."""
    sizes = [nodes for nodes in TICKS if any(record["nodes"] == nodes for record in measured)]
    cells = {(record["engine"], record["nodes"]): record for record in measured}
    lines = [
        f"| engine | {' | '.join(f'{nodes:,} nodes' for nodes in sizes)} | writing the tables alone |",
        f"|---|{'---|' * len(sizes)}---|",
    ]
    for engine in engines:
        row = [cell(cells.get((engine, nodes))) for nodes in sizes]
        last = next(cells[engine, nodes] for nodes in reversed(sizes) if (engine, nodes) in cells)
        floor = f"1/{statistics.median(last['lacis']) / last['floor']:.0f} at {last['nodes']:,}"
        lines.append(f"| {engine} | {' | '.join(row)} | {floor} |")
    return "\n".join(lines)


def cell(record: dict[str, Any] | None) -> str:
    """OpenSM's seconds, Lacis', and the ratio."""
    if record is None:
        return "–"
    ours = statistics.median(record["lacis"])
    if "opensm" not in record:
        return f"– / {ours:.2g}"
    theirs = statistics.median(record["opensm"])
    return f"{theirs:.2g} / {ours:.2g}: **{theirs / ours:.0f} ×**"


def draw(measured: list[dict[str, Any]], engines: list[str], output: Path) -> None:
    """One panel an engine."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "lacis"
    from matplotlib import pyplot as plt

    columns = 5
    figure, panels = plt.subplots(
        -(-len(engines) // columns),
        columns,
        figsize=(13, 5.6),
        sharex=True,
        sharey=True,
        layout="constrained",
    )
    for panel, engine in zip(panels.flat, engines, strict=False):
        records = [record for record in measured if record["engine"] == engine]
        for key, label, style in (("opensm", "OpenSM 3.3.23", "C0o--"), ("lacis", "Lacis", "C1o-")):
            points = [(r["nodes"], statistics.median(r[key])) for r in records if key in r]
            if points:
                panel.plot(*zip(*points, strict=True), style, label=label, markersize=4)
        floors = [(r["nodes"], r["floor"]) for r in records]
        panel.plot(*zip(*floors, strict=True), ":", color="grey", label="writing the tables")
        panel.set(xscale="log", yscale="log", title=engine)
        panel.set_xticks([], minor=True)
        panel.set_xticks(TICKS, [f"{nodes:,}" for nodes in TICKS], fontsize="small")
        panel.grid(alpha=0.3)
    for panel in list(panels.flat)[len(engines) :]:
        panel.set_axis_off()
    figure.supxlabel("nodes of a fat tree (2 tiers up to 1,152, 3 beyond)")
    figure.supylabel("CPU seconds on one core")
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=3)
    figure.suptitle("Measured: table computation", x=0.01, ha="left")
    figure.savefig(output, metadata={"Date": None})
    print(output)


if __name__ == "__main__":
    main()
