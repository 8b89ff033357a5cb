"""One thread and two: the same results bit for bit, and how much sooner.

python -m benchmarks.threads [SPEC]
"""

from __future__ import annotations

import sys
import time

from tests.unit.digests import run

from .measure import Figure, Table


def main() -> None:
    """Compare, and print one table."""
    spec = sys.argv[1] if len(sys.argv) > 1 else "fat-tree:36,3:pods=8"
    table = Table("Threads")
    results, walls = [], []
    for threads in (1, 2):
        begin = time.perf_counter()
        results.append(run(spec, threads))
        walls.append(time.perf_counter() - begin)
    equal = sum(results[1].get(name) == digest for name, digest in results[0].items())
    count = max(map(len, results))
    table.say(
        f"`{spec}`: SHA-256 of tables, loads, verdicts and predictions at 1 and 2 threads",
        f"{equal} of {count} equal",
        "all",
        met=equal == count,
    )
    table.add("… wall at 1 thread, start included", Figure(walls[:1], "s"))
    table.add("… wall at 2 threads, start included", Figure(walls[1:], "s"))
    print(table)
    if equal != count:
        sys.exit(1)


if __name__ == "__main__":
    main()
