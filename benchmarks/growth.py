"""How table computation grows with the fabric, Lacis and OpenSM on log axes.

    python -m benchmarks.routing --large && python -m benchmarks.growth [-o docs/growth.svg]

Draws what `benchmarks.routing` measured last; nothing is measured here.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path

from .measure import ROOT

MEASURED = ROOT / "build" / "bench" / "routing.json"
TICKS = (648, 2592, 11_664, 27_648)
"""Numbers of nodes that the axis names."""


def main() -> None:
    """Draws one panel an engine."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs" / "growth.svg")
    options = parser.parse_args()
    if not MEASURED.exists():
        sys.exit(f"{MEASURED.relative_to(ROOT)} is not there: run `python -m benchmarks.routing --large`")
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "lacis"
    from matplotlib import pyplot as plt

    found = json.loads(MEASURED.read_text())
    engines = list(dict.fromkeys(record["engine"] for record in found["measured"]))
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
        records = [record for record in found["measured"] if record["engine"] == engine]
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
    figure.savefig(options.output, metadata={"Date": None})
    print(options.output)


if __name__ == "__main__":
    main()
