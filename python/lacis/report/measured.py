"""What was measured, for the report: kinds of pairs, groups, hosts that stand out, and a heat map."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..explain.figures import block_means, boundaries, histogram_edges, named
from ..facts.verdicts import HostsMisplaced, HostsStandOut
from ..facts.words import count, quantity
from . import charts
from .table import Cell, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..explain.structure import Structure
    from .table import Table

MOST_CELLS = 128
"""Rows of the page's heat map; with more hosts a cell is the mean of a block of pairs."""


def verdicts(found: Structure) -> Iterator[HostsMisplaced | HostsStandOut]:
    """What is wrong: hosts among those of another leaf, hosts that stand out for the worse."""
    if found.leaves and found.leaves.misplaced:
        yield HostsMisplaced(tuple(host.host for host in found.leaves.misplaced))
    if slow := tuple(host.host for host in found.outstanding if host.by > 0):
        yield HostsStandOut(slow)


def view(found: Structure) -> dict[str, object]:
    """What the template shows."""
    return {
        "words": _words(found),
        "lines": _lines(found),
        "kinds": _kinds(found),
        "hosts": _hosts(found),
        "heat": heat(found),
        "spectrum": _spectrum(found),
    }


def _words(found: Structure) -> str:
    hosts = len(found.hosts)
    left = "".join(f"; left out: {number:,} {reason}" for reason, number in found.left_out.items())
    return (
        f"{named(found)}: {found.pairs:,} of {hosts * (hosts - 1):,} ordered pairs of {count(hosts, 'host')}, median "
        f"{quantity(found.level, found.series.unit)}{left}. What the values show without tables."
    )


def _lines(found: Structure) -> list[str]:
    """Groups, leaves, asymmetry and jitter in a sentence each."""
    unit = found.series.unit
    lines = [
        f"{count(len(g.members()), 'group')} of hosts: {quantity(g.inside, unit)} inside, {quantity(g.between, unit)} between, a gap of "
        f"{g.gap:.2%} with noise of {g.noise:.2%}."
        for g in found.groupings
    ]
    if not found.groupings:
        least = found.least_gap
        noise = f" from noise; a gap below about {least:.2%} would not be"
        lines.append(f"No groups of hosts stand out{noise if math.isfinite(least) else ': too few pairs'}.")
    if found.leaves and not found.leaves.is_distinct:
        lines.append("Pairs inside the fabric's leaves and between them do not differ by more than noise.")
    elif found.leaves and not found.leaves.misplaced:
        lines.append("Every host is near to the hosts of its own leaf.")
    parts = found.parts
    if parts.pairs:
        lines.append(
            f"There and back differ by {parts.difference:.2%} (robust deviation), from {parts.least:.2%} to {parts.greatest:.2%}."
        )
    if found.jitter:
        jitter = found.jitter
        lines.append(
            f"Repeats are {jitter.least:.2%} to {jitter.greatest:.2%} off the mean of their pair, standard deviation "
            f"{jitter.deviation:.2%}, {count(jitter.outliers, 'outlier')}."
        )
    return lines


def _kinds(found: Structure) -> Table:
    unit = found.series.unit
    where = "leaves" if any(found.leaf) else "groups"
    rows = [
        [
            Cell(f"{number}"),
            Cell(quantity(peak.center, unit), sort=peak.center),
            Cell(quantity(peak.width, unit), sort=peak.width),
            Cell(
                f"{peak.count:,}",
                sort=peak.count,
                note="" if peak.inside is None else f"{peak.inside:,} inside {where}",
            ),
            Cell(f"{quantity(peak.least, unit)} … {quantity(peak.greatest, unit)}", sort=peak.least),
        ]
        for number, peak in enumerate(found.peaks, 1)
    ]
    head = ["n:kind of pairs", "n:median", "n:± width", "n:ordered pairs", "n:range"]
    return table("kinds-of-pairs", "Kinds of pairs, by their values alone", head, rows)


def _hosts(found: Structure) -> Table | None:
    """Hosts to look at."""
    rows = [
        [
            Cell(m.host),
            Cell(f"by the cables on {m.leaf}, but near to the hosts of {m.among}", kind="bad"),
            Cell(f"{m.other_near} of {m.other} pairs near there, {m.own_near} of {m.own} with its own leaf"),
        ]
        for m in (found.leaves.misplaced if found.leaves else ())
    ]
    for host in found.outstanding:
        side = "sending and receiving" if host.side == "both" else host.side
        how = "worse" if host.by > 0 else "better"
        rows.append(
            [
                Cell(host.host),
                Cell(f"{side} {abs(host.by):.1%} {how}", kind="bad" if host.by > 0 else ""),
                Cell(f"{host.deviations:.0f} robust deviations from the median host"),
            ]
        )
    return table("measured-hosts", "Hosts to look at", ["host", "what", "evidence"], rows) if rows else None


def heat(found: Structure) -> dict[str, object]:
    """The heat map as `heat.js` reads it: names of rows, values in µs or GB/s, the meaning of a cell."""
    factor, unit = (1e6, "µs") if found.series.unit == "s" else (1e-9, "GB/s")
    order, _, by = boundaries(found)
    cells, size = block_means(found.values[np.ix_(order, order)] * factor, MOST_CELLS)
    hosts = [found.hosts[i] for i in order]
    names = [
        hosts[i] if size == 1 else f"{hosts[i]} … {hosts[min(i + size, len(hosts)) - 1]}"
        for i in range(0, len(hosts), size)
    ]
    known = cells[np.isfinite(cells)]
    low, high = (float(value) for value in np.quantile(known, [0.001, 0.999]))
    step = 10.0 ** (math.floor(math.log10(max(high - low, 1e-9))) - 3)
    digits = max(0, -round(math.log10(step)))
    bounds = f"each cell the mean of {size} × {size} pairs, " if size > 1 else ""
    return {
        "leaves": names,
        "mean": [round(v, digits) if math.isfinite(v) else None for v in cells.ravel().tolist()],
        "low": low,
        "high": high if high > low else low + 1,
        "digits": min(digits, 4),
        "unit": unit,
        "words": f"{found.series.what.capitalize()} [{unit}] from each host (row) to each host (column), {bounds}{by}. Empty cells were not measured.",
    }


def _spectrum(found: Structure) -> str:
    factor, unit = (1e6, "µs") if found.series.unit == "s" else (1e-9, "GB/s")
    known = found.values[np.isfinite(found.values)] * factor
    low, high = (float(value) for value in np.quantile(known, [0.001, 0.999]))
    shown = known[(known >= low) & (known <= high)]
    edges = histogram_edges(shown, low, high if high > low else low * 1.001)
    counts, _ = np.histogram(shown, edges)
    beyond = f"; {len(known) - len(shown):,} values are outside" if len(shown) < len(known) else ""
    return charts.histogram(
        edges.tolist(),
        counts.tolist(),
        [
            (peak.center * factor, f"{peak.center * factor:.4g} {unit}, {peak.count:,} pairs")
            for peak in found.peaks
        ],
        xlabel=f"{found.series.what} [{unit}]; n = {len(known):,} ordered pairs, measured{beyond}",
        title=f"Spectrum: {count(len(found.peaks), 'kind of pairs', 'kinds of pairs')}",
    )
