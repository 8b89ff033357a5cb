"""Counts the instructions of pieces of the core's work, and keeps them in `counts.json`.

    python -m benchmarks.counts            # count, and keep the counts
    python -m benchmarks.counts --check    # count, and compare with those that are kept

A count that differs by more than 3 % fails the check where the same compiler made the code; with another one it is
printed only. `make bench-count` and `make test` run it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from ..measure import ROOT, shared_file
from .compare import Counts, differences, is_failure

KEPT = Path(__file__).with_name("counts.json")


def compiler() -> str:
    """Version, commit and target of the Rust compiler."""
    lines = _output("rustc", "-vV").splitlines()
    fields = dict(line.split(": ", 1) for line in lines if ": " in line)
    return f"{lines[0]}, {fields['host']}"


def build() -> Path:
    """Build the program."""
    subprocess.run(["bash", ROOT / "scripts" / "cargo-release", "-p", "lacis-counts"], check=True)
    metadata = json.loads(_output("cargo", "metadata", "--format-version", "1", "--no-deps"))
    return Path(metadata["target_directory"]) / "release" / "lacis-counts"


def count(program: Path, work: str) -> int | None:
    """Instructions of a piece of work; none where its file is not there."""
    words = [str(program), work]
    if work.startswith("reading, "):
        path = shared_file(work.removeprefix("reading, "))
        if path is None:
            return None
        words.append(str(path))
    with TemporaryDirectory() as folder:
        callgrind = [
            "valgrind",
            "--tool=callgrind",
            f"--callgrind-out-file={folder}/out",
            "--toggle-collect=lacis_counts::counted*",
        ]
        done = subprocess.run(callgrind + words, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None or found[1] == "0":
        raise SystemExit(f"benchmarks.counts: {work}: {done.stderr.strip() or 'nothing was counted'}")
    return int(found[1])


def main() -> int:
    """Count, then keep or compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the counts that are kept")
    asked = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("benchmarks.counts: valgrind is not installed (Debian package valgrind)", file=sys.stderr)
        return 2 if not asked.check or os.environ.get("CI") == "true" else 0
    program = build()
    works = _output(str(program)).splitlines()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = dict(zip(works, pool.map(lambda work: count(program, work), works), strict=True))
    skipped = frozenset(work for work, number in counts.items() if number is None)
    for work in sorted(skipped):
        print(f"{work}: not counted, as the file is not there")
    now = Counts(compiler(), {work: number for work, number in counts.items() if number is not None})
    if not asked.check:
        before = Counts.read(KEPT) if KEPT.exists() else Counts(now.compiler, {})
        kept = {
            work: before.instructions[work] for work in works if work in skipped & set(before.instructions)
        }
        Counts(now.compiler, now.instructions | kept).write(KEPT)
        for work, number in now.instructions.items():
            print(f"{number:>15,}  {work}")
        return 0
    before = Counts.read(KEPT)
    found = differences(before, now, skipped)
    for difference in found:
        print(difference)
    if is_failure(before, now, found):
        print(
            "the same compiler made other counts: `make bench-count` keeps them where they are meant",
            file=sys.stderr,
        )
        return 1
    if found:
        print(f"the counts that are kept are of {before.compiler}; this is {now.compiler}")
    return 0


def _output(*words: str) -> str:
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main())
