"""`python -m benchmarks.states record | compare`: see the package."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import TYPE_CHECKING

from . import commands, inputs
from .differences import Outcome, compared
from .fabrics import Subject, subjects
from .installation import Installation

if TYPE_CHECKING:
    from collections.abc import Iterator

ALONE = "without-fabric"
"""The folder of answers about files alone."""
WORKERS = 2
SHOWN = 6
"""Differences that are printed of each command, unless all are asked for."""


def main() -> int:
    """Record the answers of an installation, or compare two recordings; 1 where more differs than keys gained."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    record = verbs.add_parser("record", help="run every command with the Lacis of a checkout")
    record.add_argument("checkout", type=Path)
    record.add_argument("folder", type=Path)
    compare = verbs.add_parser("compare", help="say what differs between two recordings")
    compare.add_argument("before", type=Path)
    compare.add_argument("after", type=Path)
    compare.add_argument("--all", action="store_true", help="every difference")
    for verb in (record, compare):
        verb.add_argument("--fabric", default="", help="only fabrics whose name contains this")
        verb.add_argument("--command", default="", help="only commands whose name contains this")
    asked = parser.parse_args()
    chosen = Chosen(asked.fabric, asked.command)
    if asked.verb == "record":
        return _record(asked.checkout, asked.folder, chosen)
    return compare_recordings(asked.before, asked.after, chosen, None if asked.all else SHOWN)


@dataclass(frozen=True)
class Chosen:
    """Which fabrics and commands are asked for: those whose names contain these words."""

    fabric: str
    command: str

    def has(self, fabric: str, command: str) -> bool:
        """Whether this command about this fabric is."""
        return self.fabric in fabric and self.command in command


def _record(checkout: Path, folder: Path, chosen: Chosen) -> int:
    start = time.monotonic()
    free: Queue[Installation] = Queue()
    for _ in range(WORKERS):
        free.put(Installation(checkout))

    def one(subject: Subject | None) -> str:
        begun = time.monotonic()
        name = subject.name if subject else ALONE
        installation = free.get()
        try:
            count = _record_one(installation, subject, folder / name, chosen)
        finally:
            free.put(installation)
        return f"{name}: {count} commands, {time.monotonic() - begun:.0f} s"

    every = [None, *subjects()]
    with ThreadPoolExecutor(WORKERS) as pool:
        for line in pool.map(
            one, [each for each in every if chosen.fabric in (each.name if each else ALONE)]
        ):
            print(line, flush=True)
    for _ in range(WORKERS):
        free.get().end()
    print(f"{time.monotonic() - start:.0f} s")
    return 0


def _record_one(installation: Installation, subject: Subject | None, folder: Path, chosen: Chosen) -> int:
    """Asks about one fabric, or about files alone; the number of commands."""
    work, answers = folder / "work", folder / "answers"
    if not chosen.command:
        shutil.rmtree(folder, ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    if subject is None:
        inputs.write_opafm(work)
        every = list(commands.without_fabric())
    else:
        source = str(subject.source)
        if isinstance(subject.source, Path):
            source = subject.source.name
            shutil.copyfile(subject.source, work / source)
        if not (work / "whole.json").is_file():
            installation.run(commands.first(subject, source), work, answers)
        if not (work / "whole.json").is_file():
            return 0
        known = inputs.Known.of(work / "whole.json", answers / "order-name" / "out")
        inputs.write(work, known)
        every = [*commands.first(subject, source), *commands.about(subject, source, known)]
    asked = [command for command in every if chosen.command in command.name]
    installation.run(asked, work, answers)
    return len(asked)


def _answers(before: Path, after: Path, chosen: Chosen) -> Iterator[tuple[str, str]]:
    """Every (fabric, command) that either recording has an answer to."""
    found = {
        (path.parent.parent.parent.name, path.parent.name)
        for folder in (before, after)
        for path in folder.glob("*/answers/*/status")
    }
    yield from sorted(pair for pair in found if chosen.has(*pair))


def compare_recordings(before: Path, after: Path, chosen: Chosen, shown: int | None) -> int:
    """Prints how the answers of two recordings differ; 1 where more differs than keys gained, 2 where nothing is compared."""
    totals = dict.fromkeys(Outcome, 0)
    equal = 0
    pairs = list(_answers(before, after, chosen))
    for subject, command in pairs:
        at = Path(subject) / "answers" / command
        found = compared(before / at, after / at)
        if not found:
            equal += 1
            continue
        outcomes = list(dict.fromkeys(difference.outcome for difference in found))
        for outcome in outcomes:
            totals[outcome] += 1
        print(f"{subject} {command}: {', '.join(outcomes)}")
        for difference in found[:shown]:
            print(f"    {difference}")
        if shown is not None and len(found) > shown:
            print(f"    … {len(found) - shown} more")
    print(f"{len({subject for subject, _ in pairs})} fabrics, {len(pairs)} commands: {equal} equal")
    for outcome, count in totals.items():
        print(f"{count:6} {outcome}")
    if not pairs:
        print("nothing to compare")
        return 2
    return int(any(count for outcome, count in totals.items() if outcome != Outcome.GAINED))


if __name__ == "__main__":
    sys.exit(main())
