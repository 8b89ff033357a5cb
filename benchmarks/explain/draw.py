"""Tables and pictures of the results of `curves`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..measure import markdown
from .curves import COUNT, FACTOR, ROUNDS, figures

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

AXES = {
    "noise": "noise of a value, standard deviation [%]",
    "severity": "rate of a broken link [% of its full rate]",
    "rounds": "rounds measured",
    "faults": "slow links at once",
}
USUAL = 0.05
"""Noise of the other curves."""
STYLES = {"lacis": "C3o-", "Flock": "C0s--", "NetBouncer": "C2^-.", "007": "C1v:"}


def tables(found: Sequence[dict[str, Any]]) -> str:
    """All figures as tables in Markdown, a section for each axis."""
    out = []
    names = {"noise": "Noise", "severity": "Severity", "rounds": "Rounds", "faults": "Faults at once"}
    names |= {"kind": "Kinds of fault", "packet": "Values of the packet model", "clean": "Clean fabrics"}
    for axis, title in names.items():
        records = [
            {**one, "fabric": site["name"]}
            for site in found
            for one in site["records"]
            if one["axis"] == axis
        ]
        if not records:
            continue
        rows = [_row(one, clean=axis == "clean") for one in records]
        tail = (
            ("runs", "false alarms a run")
            if axis == "clean"
            else ("precision", "recall", "false alarms a run")
        )
        out.append(f"## {title}\n\n{markdown(('fabric', axis, 'estimator', *tail), rows)}")
    settings = [
        (
            one["name"],
            one["engine"],
            str(one["hosts"]),
            f"{one['drawn']:,} of {one['crossed']:,}",
            name,
            setting,
        )
        for one in found
        for name, setting in one["settings"].items()
    ]
    head = ("fabric", "tables", "hosts", "links drawn from", "estimator", "settings")
    return "\n\n".join([*out, f"## Settings\n\n{markdown(head, settings)}", found[0]["machine"]])


def summary(found: Sequence[dict[str, Any]]) -> str:
    """The tables of the documentation: precision / recall of each estimator, and false alarms of clean runs."""
    heads = {
        "usual": ("fabric", "points"),
        "kind": ("fabric", "kind"),
        "packet": ("fabric", "rate of broken cables"),
    }
    out = []
    for axis, head in heads.items():
        rows = []
        for site in found:
            points: dict[str, dict[str, str]] = {}
            for one in site["records"]:
                if axis == "usual" and _is_usual(one):
                    what = "clean" if one["axis"] == "clean" else f"{one['count']} slow links"
                    points.setdefault(what, {})[one["estimator"]] = _pair(one)
                elif one["axis"] == axis:
                    points.setdefault(str(one["at"]), {})[one["estimator"]] = _pair(one)
            rows += [[site["name"], at, *(by[name] for name in STYLES)] for at, by in points.items()]
        if rows:
            out.append(markdown((*head, *STYLES), rows))
    return "\n\n".join(out)


def _is_usual(record: dict[str, Any]) -> bool:
    return record["axis"] in ("noise", "clean") and record["at"] == USUAL


def _pair(record: dict[str, Any]) -> str:
    """Precision / recall; of clean runs false alarms in a hundred."""
    scores = figures(record)
    if record["axis"] == "clean" or record["at"] == "clean":
        return f"{100 * scores['alarms'][0]:.0f} in 100"
    return " / ".join(f"{scores[name][0]:.3f}" if name in scores else "–" for name in ("precision", "recall"))


def _row(record: dict[str, Any], *, clean: bool) -> list[str]:
    scores = figures(record)
    cells = [record["fabric"], str(record["at"]), record["estimator"]]
    if clean:
        return [*cells, str(len(record["runs"])), _text(scores.get("alarms"))]
    return [*cells, *(_text(scores.get(name)) for name in ("precision", "recall", "alarms"))]


def _text(value: tuple[float, float, float] | None) -> str:
    return "–" if value is None else f"{value[0]:.3f} ({value[1]:.3f} to {value[2]:.3f})"


def pictures(found: Sequence[dict[str, Any]], folder: Path) -> list[Path]:
    """A picture for each axis that was run, and one of clean fabrics."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "lacis"
    folder.mkdir(parents=True, exist_ok=True)
    there = {one["axis"] for one in found[0]["records"]}
    curves = [_curve(found, axis, label, folder) for axis, label in AXES.items() if axis in there]
    return curves + ([_clean(found, folder)] if "clean" in there else [])


def _points(fabric: dict[str, Any], axis: str, name: str, what: str) -> list[tuple[float, ...]]:
    scale = 100 if axis in ("noise", "severity", "clean") else 1
    rows = [
        (one["at"] * scale, *scores[what])
        for one in fabric["records"]
        if one["axis"] == axis and one["estimator"] == name
        if what in (scores := figures(one))
    ]
    return sorted(rows)


def _plot(panel: Any, points: list[tuple[float, ...]], name: str) -> None:
    if not points:
        return
    x, y, low, high = (list(column) for column in zip(*points, strict=True))
    style = STYLES.get(name, "k.-")
    panel.plot(x, y, style, markersize=3.5, linewidth=1.2, label=name)
    panel.fill_between(x, low, high, color=style[:2], alpha=0.15, linewidth=0)


def _curve(found: Sequence[dict[str, Any]], axis: str, label: str, folder: Path) -> Path:
    from matplotlib import pyplot as plt

    size = (2.6 * len(found) + 0.6, 4.6)
    figure, panels = plt.subplots(
        2, len(found), figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained"
    )
    for column, fabric in enumerate(found):
        for row, what in enumerate(("precision", "recall")):
            panel = panels[row][column]
            for name in STYLES:
                _plot(panel, _points(fabric, axis, name, what), name)
            panel.set(ylim=(-0.02, 1.02))
            panel.grid(alpha=0.3)
            if row == 0:
                panel.set_title(fabric["name"], fontsize="medium")
            if column == 0:
                panel.set_ylabel(what)
            if axis == "faults":
                panel.set_xscale("log", base=2)
                panel.xaxis.set_major_formatter("{x:g}")
    figure.supxlabel(label, fontsize="medium")
    panels[0][0].legend(fontsize="small", loc="lower left")
    runs = len(next(one["runs"] for one in found[0]["records"] if one["axis"] == axis))
    usual = {
        "noise": "5 % noise",
        "severity": f"slow links at {FACTOR:.0%}",
        "rounds": f"{ROUNDS} rounds",
        "faults": f"{COUNT} faults",
    }
    others = ", ".join(text for name, text in usual.items() if name != axis)
    title = f"Modelled (ideal sharing): {others}; {runs} runs a point, 95 % intervals"
    figure.suptitle(title, x=0.01, ha="left", fontsize="small")
    return _save(figure, folder / f"explain-{axis}.svg")


def _clean(found: Sequence[dict[str, Any]], folder: Path) -> Path:
    from matplotlib import pyplot as plt

    size = (2.6 * len(found) + 0.6, 2.7)
    figure, panels = plt.subplots(
        1, len(found), figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained"
    )
    for panel, fabric in zip(panels[0], found, strict=True):
        for name in STYLES:
            _plot(panel, _points(fabric, "clean", name, "alarms"), name)
        panel.set_yscale("symlog", linthresh=0.01)
        panel.set(ylim=(0, None))
        panel.set_title(fabric["name"], fontsize="medium")
        panel.grid(alpha=0.3)
    panels[0][0].set_ylabel("false alarms a run")
    panels[0][0].legend(fontsize="small")
    figure.supxlabel(AXES["noise"], fontsize="medium")
    runs = len(next(one["runs"] for one in found[0]["records"] if one["axis"] == "clean"))
    title = f"Modelled (ideal sharing), nothing broken: {ROUNDS} rounds, {runs} runs a point, 95 % intervals"
    figure.suptitle(title, x=0.01, ha="left", fontsize="small")
    return _save(figure, folder / "explain-clean.svg")


def _save(figure: Any, path: Path) -> Path:
    from matplotlib import pyplot as plt

    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    return path
