"""The oracle's presence, and the table that its comparisons end in."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass, field

import pytest

from ..conftest import ROOT
from . import opensm

ENGINES = ("minhop", "updn", "ftree")


@pytest.fixture(autouse=True, scope="session")
def oracle_installed() -> None:
    """Skips where OpenSM is not installed; in CI that is a failure."""
    absent = opensm.missing()
    if absent:
        reason = f"no {', '.join(absent)}: install the Debian packages {opensm.PACKAGES}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


@dataclass
class Count:
    """What was compared in one cell of the table, and how much of it was equal."""

    runs: int = 0
    fell_back: int = 0
    entries: int = 0
    equal: int = 0
    lids: int = 0
    lids_equal: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))


@dataclass
class Scores:
    """Counts per fabric and engine asked."""

    cells: dict[str, dict[str, Count]] = field(default_factory=lambda: defaultdict(dict))
    left_out: dict[str, str] = field(default_factory=dict)

    def add(self, fabric: str, engine: str, count: Count) -> None:
        """Adds to a cell."""
        self.cells[fabric][engine] = self.cells[fabric].get(engine, Count()) + count

    def lines(self) -> list[str]:
        """The table: per engine, OpenSM runs, table entries compared and equal; then LIDs."""
        width = max(map(len, self.cells))
        head = "".join(f" | {e + ': runs':>12} {'entries':>9} {'equal':>9}" for e in ENGINES)
        out = [f"{'fabric':{width}}{head} | {'LIDs':>7} {'equal':>7}"]

        def row(name: str, counts: dict[str, Count]) -> str:
            text = f"{name:{width}}"
            for engine in ENGINES:
                c = counts.get(engine)
                runs = (
                    f"{c.runs} ({c.fell_back} fell back)" if c and c.fell_back else f"{c.runs}" if c else "-"
                )
                text += f" | {runs:>12} {c.entries if c else '-':>9} {c.equal if c else '-':>9}"
            total = sum(counts.values(), Count())
            return f"{text} | {total.lids:>7} {total.lids_equal:>7}"

        out += [row(name, counts) for name, counts in self.cells.items()]
        totals = {e: sum((c.get(e, Count()) for c in self.cells.values()), Count()) for e in ENGINES}
        out += ["-" * len(out[0]), row("all", totals)]
        grand = sum(totals.values(), Count())
        share = 100 * (grand.equal + grand.lids_equal) / max(1, grand.entries + grand.lids)
        out.append(
            f"{grand.runs} OpenSM runs on {len(self.cells)} fabrics: {grand.equal} of {grand.entries} "
            f"entries and {grand.lids_equal} of {grand.lids} LIDs equal ({share:.4f} %);"
        )
        out.append(f"in {grand.fell_back} runs OpenSM fell back to minhop, which is compared as such")
        out += [f"left out: ftree on {name}: {why}" for name, why in self.left_out.items()]
        return out


_scores = pytest.StashKey[Scores]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_scores] = Scores()


@pytest.fixture(scope="session")
def scores(request: pytest.FixtureRequest) -> Scores:
    """Where comparisons are counted."""
    return request.config.stash[_scores]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    scores = config.stash[_scores]
    if not scores.cells:
        return
    lines = scores.lines()
    folder = ROOT / "build" / "oracle"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tables.txt").write_text("\n".join(lines) + "\n")
    terminalreporter.section("Lacis against OpenSM 3.3.23")
    for line in lines:
        terminalreporter.write_line(line)
