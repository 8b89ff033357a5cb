"""Lacis' engines inside OpenSM beside OpenSM's own, in the same run on the same fabrics: ``-R lacis-X`` and ``-R X``.

    python -m benchmarks.plugin [--nodes 648,2592,11664] [--repeats N] [--engines minhop,updn,…]

Measured is the CPU time from the beginning of OpenSM's table phase until it sends the first table
(`opensm_clock.c`): of its thread, and of the process in which the plugin's engine runs, with all threads. This includes
building the fabric from OpenSM's subnet object, the proof, and hop matrices. The tables of both are compared.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
from pathlib import Path

from tests.oracle import opensm

from .routing import (
    COMPARED_UP_TO,
    FABRICS,
    Cost,
    asks_opensm,
    build_clock,
    clocked,
    load,
    machine,
    peer_at_most,
)

ENGINES = ("minhop", "updn", "ftree", "dfsssp", "lash", "sssp", "nue", "eventree")
CONF = f"{opensm.PLUGIN_CONF}event_plugin_options prove=delivery\n"
"""Credit loops are counted, and no reason to refuse: on whole trees minhop and sssp have none, on others they may."""


def main() -> None:
    """Measures, and prints one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3, help="runs of the plugin per cell")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--nodes", default="648,2592", help="fabrics, by their numbers of nodes")
    options = parser.parse_args()
    if absent := [*opensm.missing(), *([] if opensm.PLUGIN.exists() else ["make opensm-plugin"])]:
        sys.exit(f"no {', '.join(absent)}: install the Debian packages {opensm.PACKAGES}")
    print(f"# {machine()}")
    print(
        "# CPU seconds of the table phase: median (least - greatest); wall: seconds until the first table is sent"
    )
    print(
        f"{'nodes':>6} {'engine':8} {'OpenSM -R X [s]':>31} {'-R lacis-X [s]':>31} {'ratio':>7} {'wall':>7} "
        f"{'build':>6} {'route':>6} {'prove':>6} {'write':>6}  tables"
    )
    with tempfile.TemporaryDirectory() as temp:
        clock = build_clock(Path(temp))
        for nodes in map(int, options.nodes.split(",")):
            net = opensm.as_simulated(load(FABRICS[nodes]).to_net())
            for engine in options.engines.split(","):
                row(net, nodes, engine, clock, options.repeats)


def row(net: str, nodes: int, engine: str, clock: Path, repeats: int) -> None:
    """Measures one engine on one fabric."""
    has_peer = nodes <= peer_at_most(engine)
    is_compared = has_peer and nodes <= COMPARED_UP_TO
    with tempfile.TemporaryDirectory() as temp:
        report = Path(temp) / "sweeps.jsonl"
        conf = f"{CONF.rstrip()} report={report}\n"
        runs = [
            clocked(net, f"lacis-{engine}", clock, dump=is_compared and n == 0, conf=conf)
            for n in range(repeats)
        ]
        phases = re.findall(r'"(build|route|prove|write)":([\d.]+)', report.read_text())
    own = clocked(net, engine, clock, dump=is_compared) if has_peer else None
    us = Cost([run.cpu_s for run in runs], runs[0].peak_mb)
    them = f"{own.cpu_s:9.5f}" if own else "not measured" if asks_opensm(engine) else "-"
    ratio = f"{own.cpu_s / statistics.median(us.seconds):.0f}×" if own else ""
    same = "equal" if own and own.tables == runs[0].tables else "DIFFERENT"
    mean = {
        name: statistics.mean(float(value) for phase, value in phases if phase == name) for name, _ in phases
    }
    print(
        f"{nodes:>6} {engine:8} {them:>31} {us!s:>31} {ratio:>7} {statistics.median(r.wall_s for r in runs):>7.3f} "
        + " ".join(f"{mean[name]:>6.3f}" for name in ("build", "route", "prove", "write"))
        + f"  {same if is_compared else 'not compared'}",
        flush=True,
    )


if __name__ == "__main__":
    main()
