"""The page of the reports, with its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..io.figures import matplotlib
from ..io.files import writing
from .record import CLASSES, Bars

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from .record import HeatMaps, Report, Row

INTRODUCTION = """\
# Field reports, reproduced

Five public documents (A to E) describe, between them, much of what this field's measurements are about. `lacis reproduce` runs each one's test
on a fabric that Lacis generates, and prints our numbers beside those reported; F does the same with figures of others. `lacis reproduce --page docs/reproduction` writes this page.

Ours are *modelled* (or counted, or exact), none is measured. Nothing is fitted except what each report's assumptions name. The
verdicts:

| verdict | meaning |
|---|---|
| within | ours is within the tolerance, of a number that arithmetic, a count or a deterministic model decides |
| consistent with | the same of a number that depends on chance or on assumptions, of which several may fit: it is no validation |
| OUT | ours is beyond the tolerance; the command exits 1 |
| not claimed | ours is shown, but no tolerance is set |
| input | the report's number enters a model; nothing follows from it |
| protocol only | the number needs the hardware; the note says how to measure it |
| not modelled | the note says why |

"Reported" holds what the report says and nothing else. Where ours are held against another number (a count by hand, what was injected), it
stands beside the tolerance, with where it is from.

± is half of the 95 % interval of a mean over random draws; such a number is OUT where an end of that interval is.

Classes of numbers: {classes}.
"""


def shown(value: float) -> str:
    """A number with four digits at most, whole numbers whole."""
    if float(value).is_integer() or abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", "−")
    return f"{value:.4g}".replace("-", "−")


def _numbers(values: Iterable[float], unit: str) -> str:
    text = ", ".join(shown(value) for value in values)
    return f"{text} {unit}".strip() if text else ""


def reported_of(row: Row) -> str:
    """What the report says of a number."""
    return row.said or _numbers(row.reported, row.unit) or "–"


def tolerance_of(row: Row) -> str:
    """How far ours may be, and from what where that is not what the report says."""
    if row.tolerance is None:
        return "–"
    if not row.basis:
        return row.tolerance.text
    numbers = f": {_numbers(row.expected, row.unit)}" if row.expected else ""
    return f"{row.tolerance.text}{numbers} ({row.basis})"


def ours_of(row: Row) -> str:
    """What Lacis finds; means have their intervals."""
    if not row.interval:
        return _numbers(row.ours, row.unit) or "–"
    means = (
        f"{shown(value)} ± {shown(float(f'{half:.2g}'))}"
        for value, half in zip(row.ours, row.interval, strict=True)
    )
    return f"{', '.join(means)} {row.unit}".strip()


def write(reports: Sequence[Report], folder: Path) -> None:
    """Writes `index.md`, and a file for each figure.

    Raises:
        LacisError: without matplotlib.
    """
    folder.mkdir(parents=True, exist_ok=True)
    classes = "; ".join(f"**{kind}** {meaning}" for kind, meaning in CLASSES.items())
    sections = [INTRODUCTION.format(classes=classes)]
    for report in reports:
        sections.append(_section(report))
        for figure in report.figures:
            with writing(folder / f"{figure.name}.svg") as out:
                out.write(_drawn(figure))
    with writing(folder / "index.md") as out:
        out.write("\n".join(sections).encode())


def _section(report: Report) -> str:
    lines = [f"## {report.letter}. {report.title}", "", report.story, "", "Assumed:", ""]
    lines += [f"* {assumption}" for assumption in report.assumptions]
    lines += [
        "",
        "| number | | class | reported | ours | model | tolerance | verdict |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in report.rows:
        tolerance = tolerance_of(row)
        verdict = f"**{row.verdict}**" if row.is_out else row.verdict
        cells = (
            row.number,
            row.what,
            row.kind,
            reported_of(row),
            ours_of(row),
            row.model,
            tolerance,
            verdict,
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    notes = dict.fromkeys((row.number, row.note) for row in report.rows if row.note)
    if notes:
        lines += ["", *(f"* {number}: {note}." for number, note in notes)]
    for figure in report.figures:
        lines += ["", f"![{figure.caption}]({figure.name}.svg)", "", f"*{figure.caption}*"]
    return "\n".join([*lines, ""])


def _drawn(figure: HeatMaps | Bars) -> bytes:
    import io

    sink = io.BytesIO()
    with matplotlib().rc_context({"svg.hashsalt": "lacis", "font.size": 9}):
        drawn = _bars(figure) if isinstance(figure, Bars) else _heat_maps(figure)
        drawn.savefig(sink, format="svg", metadata={"Date": None})
    return sink.getvalue()


def _heat_maps(figure: HeatMaps) -> Figure:
    """Maps on one scale, lines between blocks."""
    from matplotlib.figure import Figure

    columns = min(3, len(figure.maps))
    rows = -(-len(figure.maps) // columns)
    page = Figure(figsize=(3.3 * columns + 0.8, 3.3 * rows + 0.5), layout="constrained")
    panels = page.subplots(rows, columns, squeeze=False)
    values = np.concatenate([found.ravel() for found in figure.maps.values()])
    scale = {"vmin": float(np.nanmin(values)), "vmax": float(np.nanmax(values))}
    for panel, (label, found) in zip(panels.flat, figure.maps.items(), strict=False):
        n = len(found)
        image = panel.imshow(found, cmap="viridis", interpolation="nearest", origin="lower", **scale)
        for at in range(figure.block, n, figure.block):
            panel.axhline(at - 0.5, color="white", linewidth=0.5)
            panel.axvline(at - 0.5, color="white", linewidth=0.5)
        panel.set_title(
            f"{label}\n{shown(float(np.nanmin(found)))} … {shown(float(np.nanmax(found)))} {figure.unit}",
            fontsize=9,
        )
        panel.set_xlabel(figure.axis)
        panel.set_ylabel(figure.axis)
    for panel in list(panels.flat)[len(figure.maps) :]:
        panel.set_axis_off()
    page.colorbar(image, ax=panels.ravel().tolist(), label=figure.unit, shrink=0.7)
    return page


def _bars(figure: Bars) -> Figure:
    """Groups of bars, and a line across a group at the reported number."""
    from matplotlib.figure import Figure

    page = Figure(figsize=(max(6.0, 1.5 * len(figure.labels)), 3.4), layout="constrained")
    axes = page.subplots()
    width = 0.8 / len(figure.series)
    for index, (name, values) in enumerate(figure.series.items()):
        centres = np.arange(len(values)) + (index - (len(figure.series) - 1) / 2) * width
        drawn = axes.bar(centres, values, width * 0.94, label=name)
        axes.bar_label(drawn, [shown(float(f"{value:.3g}")) for value in values], fontsize=7.5)
    for index, label in enumerate(figure.labels):
        if label in figure.reported:
            known = "reported" if label == next(iter(figure.reported)) else "_"  # one entry in the legend
            axes.hlines(
                figure.reported[label], index - 0.45, index + 0.45, color="black", linestyle="--", label=known
            )
    axes.set_xticks(range(len(figure.labels)), [label.replace(", ", ",\n") for label in figure.labels])
    axes.set_ylabel(figure.unit)
    axes.margins(y=0.2)
    axes.spines[["top", "right"]].set_visible(False)
    if len(figure.series) > 1 or figure.reported:
        page.legend(loc="outside upper right", ncols=4, frameon=False)
    return page
