"""Pictures of a measurement, as SVG and PNG: matrices as heat maps, the spectrum, what hosts add.

Colours are clear without red and green and in grey: cividis for values, blue to orange for residuals. Figures say what
is shown, of how many hosts and pairs, in which unit, and that it is measured.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LacisError
from ..facts.words import count
from ..io.figures import matplotlib
from ..io.files import reason_of, writing

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from .structure import Structure

    Array = NDArray[np.float64]

MOST_CELLS = 256
"""Rows of a heat map; with more hosts each cell is the mean of a block of pairs."""
_MOST_NAMES = 40
"""Labels at an axis."""
_MOST_BARS = 200
"""Error bars in one picture."""
_UNITS = {"s": (1e6, "µs"), "bytes/s": (1e-9, "GB/s")}


def write_figures(
    found: Structure,
    folder: str | os.PathLike[str],
    more: Mapping[str, Callable[[], str | None]] | None = None,
) -> list[Path]:
    """Writes `values`, `rest`, `spectrum` and `hosts`, each as `.svg` and `.png`, into a folder; returns the files.

    Args:
        found: what is shown.
        folder: created if it does not exist.
        more: functions that draw further pictures as SVG, by name; None where there is nothing to draw.

    Raises:
        LacisError: without matplotlib, or where a file cannot be written.
    """
    mpl = matplotlib()
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LacisError(
            f"cannot be made: {reason_of(error)}", source=str(error.filename or folder)
        ) from None
    written = []
    with mpl.rc_context({"svg.hashsalt": "lacis", "font.size": 9, "svg.fonttype": "none"}):
        drawn = {name: draw(found) for name, draw in _FIGURES.items()}
        for name, figure in drawn.items():
            for kind in ("svg", "png"):
                path = folder / f"{name}.{kind}"
                with writing(path) as out:
                    figure.savefig(
                        out, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None
                    )
                written.append(path)
    for name, picture in (more or {}).items():
        if (svg := picture()) is not None:
            path = folder / f"{name}.svg"
            with writing(path) as out:
                out.write(svg.encode())
            written.append(path)
    return written


def block_means(values: Array, most: int = MOST_CELLS) -> tuple[Array, int]:
    """Means of square blocks of the known values of a matrix, at most `most` rows; and how many rows make one."""
    n = len(values)
    size = -(-n // most)
    if size <= 1:
        return values, 1
    starts = np.arange(0, n, size)
    known = np.isfinite(values)

    def sums(of: NDArray[Any]) -> NDArray[Any]:
        return np.add.reduceat(np.add.reduceat(of, starts, axis=0), starts, axis=1)

    counts = sums(known.astype(np.float64))
    with np.errstate(invalid="ignore"):
        return sums(np.where(known, values, 0.0)) / np.where(counts > 0, counts, np.nan), size


def named(found: Structure) -> str:
    """What was measured, for a title."""
    one = found.series
    return f"{one.test} {one.what}" + ("" if one.bytes is None else f", {count(one.bytes, 'byte')}")


def boundaries(found: Structure) -> tuple[NDArray[np.int64], list[str], str]:
    """Hosts as pictures have them: indices in order, the block of each, and the order in words.

    By leaf where there is a fabric, else by the finest groups, else by name; a block is a leaf or group.
    """
    n = len(found.hosts)
    if any(found.leaf):
        return np.arange(n), [name or "no leaf known" for name in found.leaf], "leaf by leaf"
    order = found.order()
    few = next((g for g in found.groupings if len(g.members()) <= _MOST_NAMES), None)
    if few is None:
        return order, [""] * n, "group by group, as measured" if found.groupings else "by name"
    numbers = {group: number for number, group in enumerate(dict.fromkeys(few.group[order].tolist()), 1)}
    return order, [f"group {numbers[few.group[i]]}" for i in order], "group by group, as measured"


def _values(found: Structure) -> Figure:
    factor, unit = _UNITS[found.series.unit]
    figure, axes = _page((7.4, 6.4))
    _heat(figure, axes, found, found.values * factor, f"{found.series.what} [{unit}]", "cividis")
    axes.set_title(f"{named(found)}: each ordered pair of {len(found.hosts):,} hosts, measured", fontsize=10)
    return figure


def _rest(found: Structure) -> Figure:
    figure, axes = _page((7.4, 6.4))
    label = "beyond hosts and kinds of pairs [% of the median]; more is worse"
    _heat(figure, axes, found, found.rest * 100, label, "PuOr_r", has_sign=True)
    axes.set_title(f"{named(found)}: what hosts and groups leave unexplained, measured", fontsize=10)
    return figure


def _heat(
    figure: Figure,
    axes: Axes,
    found: Structure,
    values: Array,
    label: str,
    colors: str,
    *,
    has_sign: bool = False,
) -> None:
    """A heat map in leaf order with lines between leaves and a scale."""
    order, blocks, by = boundaries(found)
    n = len(order)
    cells, size = block_means(values[np.ix_(order, order)])
    low, high = _range(cells)
    if has_sign:
        low, high = -max(-low, high), max(-low, high)
    axes.patch.set(hatch="//////", facecolor="white", edgecolor="#909090")  # seen where nothing was measured
    image = axes.imshow(
        np.ma.masked_invalid(cells),
        cmap=colors,
        vmin=low,
        vmax=high,
        interpolation="nearest",
        extent=(-0.5, n - 0.5, n - 0.5, -0.5),
    )
    starts = [i for i in range(1, n) if blocks[i] != blocks[i - 1]]
    if len(starts) < _MOST_NAMES:
        for at in starts:
            axes.axhline(at - 0.5, color="white", linewidth=0.6)
            axes.axvline(at - 0.5, color="white", linewidth=0.6)
    _ticks(axes, [found.hosts[i] for i in order], blocks, [0, *starts, n])
    bounds = f"a cell is the mean of {size} × {size} pairs; " if size > 1 else ""
    known = np.isfinite(values)
    least, most = float(values[known].min()), float(values[known].max())
    beyond = {(False, False): "neither", (True, False): "min", (False, True): "max"}.get(
        (float(np.nanmin(cells)) < low, float(np.nanmax(cells)) > high), "both"
    )
    axes.set_xlabel(
        f"receiving host, {by}\n{bounds}from {least:.4g} to {most:.4g}; hatched: not measured; n = {found.pairs:,} pairs"
    )
    axes.set_ylabel(f"sending host, {by}")
    figure.colorbar(image, ax=axes, label=label, shrink=0.85, extend=beyond)


def _ticks(axes: Axes, hosts: Sequence[str], blocks: Sequence[str], ends: Sequence[int]) -> None:
    """Names of hosts where they have room, else of leaves in the middle of each, else numbers."""
    if len(hosts) <= _MOST_NAMES:
        ticks, names = [float(i) for i in range(len(hosts))], list(hosts)
    elif 1 < len(ends) - 1 <= _MOST_NAMES:
        ticks = [(a + b - 1) / 2 for a, b in pairwise(ends)]
        names = [blocks[a] for a in ends[:-1]]
    else:
        return
    axes.set_xticks(ticks, names, rotation=90, fontsize=7)
    axes.set_yticks(ticks, names, fontsize=7)


def _range(values: Array) -> tuple[float, float]:
    """The range of a scale: all values, or all except a thousandth at each end where these are far off."""
    known = values[np.isfinite(values)]
    low, high = float(known.min()), float(known.max())
    inner_low, inner_high = np.quantile(known, [0.001, 0.999])
    room = 0.5 * (inner_high - inner_low)
    low = low if low >= inner_low - room else float(inner_low)
    high = high if high <= inner_high + room else float(inner_high)
    return (low, high) if high > low else (low * 0.999, high * 1.001)


def _spectrum(found: Structure) -> Figure:
    factor, unit = _UNITS[found.series.unit]
    figure, axes = _page((7.4, 4.2))
    known = found.values[np.isfinite(found.values)] * factor
    low, high = _range(known)
    edges = histogram_edges(known, low, high)
    axes.hist(known, bins=edges.tolist(), color="#31688e", log=True)
    top = axes.get_ylim()[1]
    axes.set_ylim(0.7, top * 6)
    for number, peak in enumerate(found.peaks, 1):
        center = peak.center * factor
        axes.axvline(center, color="#c2410c", linestyle="--", linewidth=1)
        is_left = center < low + 0.7 * (high - low)
        axes.annotate(
            f"{number}: {center:.4g} {unit}\n± {peak.width * factor:.2g}, {peak.count:,} pairs",
            (center, top * (4.2 if number % 2 else 1.5)),
            xytext=(3 if is_left else -3, 0),
            textcoords="offset points",
            fontsize=7.5,
            va="top",
            ha="left" if is_left else "right",
        )
    out = int(((known < low) | (known > high)).sum())
    beyond = f"; {out:,} values are outside" if out else ""
    axes.set_xlabel(
        f"{found.series.what} [{unit}], {(edges[1] - edges[0]):.3g} {unit} a bar; n = {len(known):,} ordered pairs{beyond}"
    )
    axes.set_ylabel("ordered pairs (logarithmic)")
    kinds = count(len(found.peaks), "kind of pairs", "kinds of pairs")
    axes.set_title(f"{named(found)}: spectrum with {kinds}, measured", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def histogram_edges(values: Array, low: float, high: float, most: int = 120) -> Array:
    """Edges of equal bars from `low` to `high`; where values are rounded, whole steps of rounding."""
    width = (high - low) / most
    steps = np.diff(np.unique(values))
    if 2 * len(steps) < len(values) and len(steps):
        step = float(np.quantile(steps, 0.05))
        if step > 0:
            width = max(1, round(width / step)) * step
            low -= step / 2
    bars = max(1, int(np.ceil((high - low) / width + 1e-9)))
    return np.asarray(low + width * np.arange(bars + 1), dtype=np.float64)


def _hosts(found: Structure) -> Figure:
    figure, axes = _page((6.4, 5.6))
    sending, receiving = found.sending * 100, found.receiving * 100
    out = {host.host for host in found.outstanding}
    is_out = np.array([host in out for host in found.hosts])
    known = found.errors[np.isfinite(found.errors)] * 100
    has_bars = len(known) <= _MOST_BARS
    error = np.where(np.isfinite(found.errors), found.errors, 0) * 100 * has_bars
    errors = "bars: standard error" if has_bars else f"standard error {np.median(known):.2g} %"
    for mask, marker, color, label in (
        (~is_out, "o", "#31688e", "hosts"),
        (is_out, "D", "#c2410c", "stands out"),
    ):
        if mask.any():
            axes.errorbar(
                sending[mask], receiving[mask], error[mask], error[mask], fmt=marker, color=color, label=label,
                markersize=4 if marker == "o" else 6, linestyle="none", elinewidth=0.6,
            )  # fmt: skip
    for index in np.flatnonzero(is_out)[:_MOST_NAMES]:
        axes.annotate(
            found.hosts[index],
            (sending[index], receiving[index]),
            xytext=(6, 4),
            textcoords="offset points",
            fontsize=8,
        )
    axes.axhline(0, color="#808080", linewidth=0.6)
    axes.axvline(0, color="#808080", linewidth=0.6)
    axes.axline((0, 0), slope=1, color="#808080", linewidth=0.6, linestyle=":")
    axes.set_xlabel(f"sending: worse than the mean host by [% of the median pair]; {errors}")
    axes.set_ylabel("receiving: worse by [%]")
    axes.set_title(
        f"{named(found)}: what each of {len(found.hosts):,} hosts adds, measured\ndotted: as much sending as receiving",
        fontsize=10,
    )
    axes.margins(0.18)
    axes.grid(visible=True, alpha=0.3)
    if is_out.any():
        axes.legend(fontsize=8, frameon=False)
    return figure


def _page(size: tuple[float, float]) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots()


_FIGURES: dict[str, Callable[[Structure], Figure]] = {
    "values": _values,
    "rest": _rest,
    "spectrum": _spectrum,
    "hosts": _hosts,
}
