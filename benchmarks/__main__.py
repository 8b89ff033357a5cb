"""`python -m benchmarks [NAME…]`: every script, one after the other; tables in `build/bench`."""

from __future__ import annotations

import subprocess
import sys

from .measure import ROOT

SCRIPTS = (
    "scale",
    "prediction",
    "threads",
    "quality",
    "routing",
    "simgrid",
    "packet",
    "plans",
    "mpi",
    "omnipath",
    "why_stories",
    "exporter",
    "live",
    "counters",
    "mapping",
)


def main() -> int:
    """Run the scripts; the exit status is the number of those that failed."""
    names = sys.argv[1:] or SCRIPTS
    if unknown := [name for name in names if name not in SCRIPTS]:
        print(f"no benchmark {unknown[0]!r}; there are {', '.join(SCRIPTS)}", file=sys.stderr)
        return 2
    folder = ROOT / "build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name in names:
        words = [sys.executable, "-m", f"benchmarks.{name}"]
        done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        print(done.stdout, flush=True)
        if done.returncode != 0:
            print(f"benchmarks.{name} ended with status {done.returncode}", file=sys.stderr, flush=True)
            failed += 1
        if done.stdout:
            table = done.stdout if "\n|" in done.stdout else f"```\n{done.stdout}```\n"
            (folder / f"{name}.md").write_text(table)
    return failed


if __name__ == "__main__":
    sys.exit(main())
