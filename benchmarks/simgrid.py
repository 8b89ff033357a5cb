"""The fluid model over time beside SimGrid (Debian package libsimgrid-dev) in the same run.

    python -m benchmarks.simgrid [--repeats N]

Both share the links of ftree's tables max-min fairly, all links 12.5 GB/s, messages of 1 MB;
`tests/oracle/test_simgrid.py` checks that their times agree. Rates are messages per CPU second on one thread. SimGrid's
seconds are those of its simulation only; ours include the patterns and their routes.
"""

from __future__ import annotations

import argparse
import random

import lacis

from tests.oracle import simgrid

from .measure import Figure, Table, number, task

RATE = 12.5e9


def peer(spec: str, repeats: int) -> Figure:
    """SimGrid's messages per CPU second, of a random permutation each repeat."""
    routes = lacis.route(lacis.read(spec), "ftree", fallback=False)
    names = lacis.participants(routes, host_order="name").hosts
    rates = []
    for seed in range(repeats):
        order = list(range(len(names)))
        random.Random(seed).shuffle(order)  # noqa: S311 - not for secrets
        links: dict[tuple[str, int], int] = {}
        flows = []
        for a, b in enumerate(order):
            if a != b:
                hops = [hop for hop in lacis.trace(routes, names[a], names[b]).hops if hop[4] is not None]
                ids = tuple(links.setdefault((hop[0], hop[4] or 0), len(links)) for hop in hops)
                flows.append(simgrid.Flow(a, b, 10**6, ids))
        _, seconds = simgrid.run([RATE] * len(links), len(names), flows)
        rates.append(len(flows) / seconds / 1e3)
    return Figure(rates, "thousand messages/s")


def ours(spec: str, traffic: str, patterns: int, repeats: int) -> tuple[Figure, Figure]:
    """Thousand messages per CPU second, and milliseconds a pattern."""
    done = task("times", spec, traffic, patterns, repeats, threads=1)
    rates = [done["messages"] / cpu / 1e3 for cpu in done["cpu"]]
    return Figure(rates, "thousand messages/s"), Figure([cpu / patterns * 1e3 for cpu in done["cpu"]], "ms")


def main() -> None:
    """Measure, and print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    table = Table("Messages through the fluid model until all have arrived, one thread, CPU time")
    spec = "fat-tree:48,2:rate=4xEDR"
    own, _ = ours(spec, "permutation", 500, repeats)
    table.add(f"`{spec}`, random permutations of 1,152 nodes", own)
    if simgrid.missing():
        table.remark(f"No SimGrid here (Debian packages {simgrid.PACKAGES}), so no ratio.")
    else:
        theirs = peer(spec, repeats)
        table.add("… SimGrid", theirs)
        ratio = own.median / theirs.median
        table.say("… ratio", f"{number(ratio)} times", "≥ 50 times", met=ratio >= 50)
    for spec, traffic, patterns, most in (
        ("fat-tree:36,2:rate=4xEDR", "alltoall", 1, 100),
        ("fat-tree:36,3:rate=4xEDR", "permutation", 20, 20),
    ):
        _, time = ours(spec, traffic, patterns, repeats)
        table.add(f"`{spec}`, {traffic}", time, most=most)
    print(table)


if __name__ == "__main__":
    main()
