"""One test over many runs: the median of each and its interval, as rows and as a plot."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..documents.results import HistoryPoint
from ..errors import LacisError
from ..io.figures import matplotlib
from ..io.files import writing
from .comparison import _binomial_k
from .results import Measure, polars

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from .store import Run


@dataclass(frozen=True)
class History(Measure):
    """One test over time, oldest first.

    Attributes:
        points: a run each.
        provenance: of the values: measured, modelled, assumed, or several with commas between.
    """

    points: Sequence[HistoryPoint]
    provenance: str

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Writes a picture; the suffix says which kind: `.svg`, `.png`, `.pdf`.

        Raises:
            LacisError: when matplotlib is not installed, the suffix is unknown, or the file cannot be written.
        """
        kind = Path(path).suffix.removeprefix(".").lower()
        if kind not in ("svg", "png", "pdf"):
            raise LacisError("a plot is written as .svg, .png or .pdf", source=str(path))
        mpl = matplotlib()
        factor, unit = {"s": (1e6, "µs"), "bytes/s": (1e-9, "GB/s")}.get(self.unit, (1.0, self.unit))
        times = [dt.datetime.fromisoformat(point.time) for point in self.points]
        medians = np.array([point.median for point in self.points]) * factor
        spans = np.array(
            [
                [point.median - (point.low or point.median), (point.high or point.median) - point.median]
                for point in self.points
            ]
        ).T
        figure = mpl.figure.Figure(figsize=(8, 4.5), layout="constrained")
        axes = figure.add_subplot()
        axes.errorbar(
            np.array(times, dtype=object),
            medians,
            yerr=spans * factor,
            fmt="o-",
            capsize=3,
            linewidth=1,
            markersize=4,
        )
        size = "" if self.bytes is None else f", {self.bytes:,} B"
        values = sum(point.values for point in self.points)
        axes.set_title(f"{self.test}: {self.what}{size}")
        axes.set_ylabel(f"{self.what} [{unit}], median and its 95 % interval")
        axes.set_xlabel(
            f"time (UTC); n = {values:,} values of {len(self.points)} runs, {self.statistic}, {self.provenance}"
        )
        axes.grid(visible=True, alpha=0.3)
        axes.margins(x=0.05, y=0.2)
        figure.autofmt_xdate()
        with writing(path) as out:
            figure.savefig(out, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)


def history(
    runs: Sequence[Run],
    test: str,
    *,
    what: str | None = None,
    bytes: int | None = None,  # noqa: A002
    statistic: str | None = None,
) -> History:
    """One test over runs.

    Args:
        runs: in any order.
        test: its name.
        what: what is measured; may be left out where the test measures one quantity.
        bytes: of a message; by default the largest.
        statistic: by default `sample` where there is one, else the first.

    Raises:
        LacisError: when no run has the test, or `what` is ambiguous.
    """
    pl = polars()
    having = [run for run in runs if any(one.test == test for one in run.manifest.tests)]
    if not having:
        known = sorted({one.test for run in runs for one in run.manifest.tests})
        raise LacisError(
            f"no run has a test {test!r}" + (f" (tests: {', '.join(known[:8])})" if known else "")
        )
    chosen: list[tuple[Any, Any]] = [(run, run.values().filter(pl.col("test") == test)) for run in having]
    everything = pl.concat([frame for _, frame in chosen])
    whats = everything["what"].unique(maintain_order=True).to_list()
    if what is None and len(whats) > 1:
        raise LacisError(f"{test} measures {', '.join(whats)}: say which")
    what = what if what is not None else whats[0]
    everything = _only(
        everything, pl.col("what") == what, f"{test} does not measure {what!r} ({', '.join(whats)})"
    )
    if bytes is not None:
        everything = _only(everything, pl.col("bytes") == bytes, f"no messages of {bytes} bytes")
    statistics = everything["statistic"].unique(maintain_order=True).to_list()
    statistic = statistic or ("sample" if "sample" in statistics else statistics[0])
    everything = _only(
        everything, pl.col("statistic") == statistic, f"no {statistic!r} ({', '.join(statistics)})"
    )
    size = everything["bytes"].unique().sort().to_list()[-1]
    mine = (
        pl.col("bytes").eq_missing(pl.lit(size, dtype=pl.UInt64))
        & (pl.col("what") == what)
        & (pl.col("statistic") == statistic)
    )
    everything = everything.filter(mine)
    points = []
    for run, frame in chosen:
        values = np.sort(frame.filter(mine)["value"].to_numpy())
        if not len(values):
            continue
        k = _binomial_k(len(values))
        low, high = (float(values[k - 1]), float(values[len(values) - k])) if k else (None, None)
        points.append(
            HistoryPoint(run.id, run.name, run.time, float(np.median(values)), low, high, len(values))
        )
    points.sort(key=lambda point: (point.time, point.run))
    provenance = ", ".join(sorted(everything["provenance"].unique()))
    return History(test, what, everything["unit"][0], statistic, size, points, provenance)


def _only(frame: Any, condition: Any, otherwise: str) -> Any:
    left = frame.filter(condition)
    if not left.height:
        raise LacisError(otherwise)
    return left
