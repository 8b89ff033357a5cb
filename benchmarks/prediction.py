"""Prediction on one core: random bisections by load, random permutations by max-min fair rates.

    python -m benchmarks.prediction [--repeats N]

Rates are per CPU second of one thread, so that other work on the machine counts little.
"""

from __future__ import annotations

import argparse

from .measure import Figure, Table, task


def main() -> None:
    """Measure, and print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    table = Table("Prediction, one thread, ftree tables")
    for spec, patterns, target in (("fat-tree:36,2", 50_000, 100_000), ("fat-tree:36,3", 1_500, 1_500)):
        done = task("prediction", spec, "load", "bisection", patterns, repeats, threads=1)
        rates = Figure([patterns / cpu for cpu in done["cpu"]], "patterns/s")
        table.add(f"`{spec}`, {done['nodes']:,} nodes: random bisections", rates, least=target)
    spec, patterns = "fat-tree:48,2", 2_000
    done = task("prediction", spec, "fluid", "permutation", patterns, repeats, threads=1)
    rates = Figure([done["flows"] / cpu / 1e6 for cpu in done["cpu"]], "million flows/s")
    table.add(f"`{spec}`, {done['nodes']:,} nodes: fluid, random permutations", rates, least=3)
    spec, patterns = "fat-tree:36,3", 20
    done = task("prediction", spec, "fluid", "permutation", patterns, repeats, threads=1)
    times = Figure([cpu / patterns * 1e3 for cpu in done["cpu"]], "ms")
    table.add(f"`{spec}`, {done['nodes']:,} nodes: fluid, one random permutation", times)
    print(table)


if __name__ == "__main__":
    main()
