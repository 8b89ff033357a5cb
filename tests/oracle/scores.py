"""The table of all comparisons with the real OpenSM, summed over pytest-xdist's workers.

A plugin of pytest: `tests/conftest.py` names it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from lacis.sm.engines import OPENSM

ROOT = Path(__file__).resolve().parents[2]
ENGINES = OPENSM


@dataclass
class Count:
    """One cell of the table: numbers compared, and equal."""

    runs: int = 0
    fell_back: int = 0
    entries: int = 0
    equal: int = 0
    lids: int = 0
    lids_equal: int = 0
    lanes: int = 0
    lanes_equal: int = 0
    cached: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))


@dataclass
class Scores:
    """Counts by fabric and requested engine."""

    cells: dict[str, dict[str, Count]] = field(default_factory=lambda: defaultdict(dict))
    left_out: dict[str, str] = field(default_factory=dict)

    def add(self, fabric: str, engine: str, count: Count) -> None:
        """Adds to a cell."""
        self.cells[fabric][engine] = self.cells[fabric].get(engine, Count()) + count

    def lines(self) -> list[str]:
        """The table: for each engine the OpenSM runs and the entries (all equal, or how many); then LIDs."""
        engines = [e for e in (*ENGINES, "torus-2QoS") if any(e in cell for cell in self.cells.values())]
        width = max(map(len, self.cells))
        head = "".join(f" | {'runs':>4} {engine:>13}" for engine in engines)
        out = [f"{'entries (all equal to OpenSM’s, or how many)':{width}}{head} | {'LIDs':>9}"]

        def row(name: str, counts: dict[str, Count]) -> str:
            text = f"{name:{width}}"
            for engine in engines:
                c = counts.get(engine)
                text += f" | {c.runs:>4} {_share(c.equal, c.entries):>13}" if c else f" | {'-':>4} {'-':>13}"
            total = sum(counts.values(), Count())
            return f"{text} | {_share(total.lids_equal, total.lids):>9}"

        out += [row(name, counts) for name, counts in self.cells.items()]
        totals = {e: sum((c.get(e, Count()) for c in self.cells.values()), Count()) for e in engines}
        out += ["-" * len(out[0]), row("all", totals)]
        grand = sum(totals.values(), Count())
        share = 100 * (grand.equal + grand.lids_equal) / max(1, grand.entries + grand.lids)
        out.append(
            f"{grand.runs} OpenSM runs on {len(self.cells)} fabrics: {grand.equal} of {grand.entries} "
            f"entries and {grand.lids_equal} of {grand.lids} LIDs equal ({share:.4f} %);"
        )
        out.append(f"in {grand.fell_back} runs OpenSM fell back to another engine, whose tables are compared")
        if grand.lanes:
            out.append(f"{grand.lanes_equal} of {grand.lanes} lanes of pairs of LIDs equal")
        out += [f"left out: ftree on {name}: {why}" for name, why in self.left_out.items()]
        return out


def _share(equal: int, all_of_them: int) -> str:
    return f"{all_of_them}" if equal == all_of_them else f"{equal} of {all_of_them}"


SCORES = pytest.StashKey[Scores]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SCORES] = Scores()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Sends the counts of a pytest-xdist worker to the process that prints."""
    if hasattr(session.config, "workeroutput"):
        scores = session.config.stash[SCORES]
        session.config.workeroutput["scores"] = {
            "cells": {
                # Plain integers: counts of numpy arrays cannot be handed over.
                name: {
                    engine: {key: int(number) for key, number in vars(count).items()}
                    for engine, count in cell.items()
                }
                for name, cell in scores.cells.items()
            },
            "left_out": scores.left_out,
        }


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Adds the counts of a worker that has ended."""
    counted = getattr(node, "workeroutput", {}).get("scores")
    if counted is None:
        return
    scores = node.config.stash[SCORES]
    for name, cell in counted["cells"].items():
        for engine, count in cell.items():
            scores.add(name, engine, Count(**count))
    scores.left_out.update(counted["left_out"])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    scores = config.stash[SCORES]
    if not scores.cells:
        return
    lines = scores.lines()
    folder = ROOT / "build" / "oracle"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tables.txt").write_text("\n".join(lines) + "\n")
    terminalreporter.section("Lacis against OpenSM 3.3.23")
    for line in lines:
        terminalreporter.write_line(line)
