"""The report as one self-contained HTML page: no script, font or style from anywhere else."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from ..advice.orders import OTHERS
from ..advice.outcome import SEED
from ..facts.wording import text
from ..map import layout, still, wiring
from ..map.absent import absences, absent_switches
from ..map.scripts import script
from ..ranks.participants import HOST_ORDER
from . import charts, engine_table, opening, views
from .failures import cut_off_words
from .views import Section

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from ..map.shapes import Drawing
    from .content import Report

STYLES = ("map/assets/map.css", "report/page.css")
SCRIPTS = ("report/tables.js", "report/fabric.js", "report/heat.js")
"""Inside the package, in the order in which the page has them."""


def render(report: Report, serve_at: str = "") -> str:
    """The whole page.

    Args:
        report: what it shows.
        serve_at: the address of `lacis serve`, where links, findings and work lead to; without it nothing leads elsewhere.
    """
    fabric = report.best.routes.fabric
    absent = absent_switches(report.health.findings)
    picture = layout.draw(report.topology, absent, fabric.systems().tolist())
    package = files("lacis")
    return (
        _environment()
        .get_template("page.html")
        .render(
            report=report,
            serve_at=serve_at.partition("#")[0],
            # Only the page's own style, scripts and plots are markup, no text of a user or a file.
            style=_markup("".join(package.joinpath(name).read_text("utf-8") for name in STYLES)),
            scripts=[_markup(script(name)) for name in SCRIPTS],
            summary=opening.summary(report),
            facts=opening.facts(report.health.summary),
            changes=opening.advice(report.changes),
            data=_data(report, picture),
            sections=[section for section in _sections(report, picture) if section.view],
        )
    )


def prepare() -> None:
    """Loads what pages are made of, which takes a tenth of a second: while something else is waited for."""
    environment = _environment()
    for name in environment.list_templates():
        environment.get_template(name)
    still.prepare()


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("lacis", "report/templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["inline"] = _inline
    environment.filters["markup"] = _markup
    return environment


def _markup(text: str) -> Markup:
    """Markup that is not escaped: the page's own style and scripts, plots (which escape names), JSON."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


def _inline(data: object) -> Markup:
    """Data for a script element: JSON in which no tag can begin."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return _markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def _data(report: Report, picture: Drawing | None) -> dict[str, object]:
    likely = {
        end.guid: end.likely
        for finding in report.health.findings
        for end in finding.ends
        if end.guid and end.likely
    }
    tables = [(engine.label, engine.routes) for engine in report.drawn]
    return wiring.data(
        report.best.routes.fabric,
        report.topology.names,
        likely,
        picture,
        tables,
        list(absences(report.health.findings)),
    )


def _sections(report: Report, picture: Drawing | None) -> list[Section]:
    """The sections in the order of the page; those without a view are left out."""
    cabling, kinds = views.cabling(report), views.findings_by_code(report)
    adaptive, failures, rails = views.adaptive(report), views.failures(report), views.rails(report)
    hottest, worst = views.hottest(report), views.worst_leaves(report)
    plots = _plots(report)
    return [
        Section(
            "findings",
            "Cables and findings",
            "Cables, findings",
            {"cabling": cabling, "kinds": kinds} if cabling or kinds else {},
        ),
        Section(
            "fabric",
            "The fabric",
            "Fabric",
            {
                "drawing": picture,
                "still": _markup(still.svg(picture)) if picture else "",
                "rates": views.rates(report.health.summary),
            },
        ),
        Section(
            "measured",
            "What was measured",
            "Measured",
            _measured(report),
        ),
        Section(
            "engines", "What each engine would do", "Engines", _engines(report) if report.patterns else {}
        ),
        Section("bandwidth", "Predicted bandwidth", "Bandwidth", {"plots": plots} if plots else {}),
        Section(
            "adaptive",
            "Adaptive routing",
            "Adaptive",
            {"table": adaptive, "words": report.adaptive.words} if adaptive and report.adaptive else {},
        ),
        Section(
            "failures",
            "Single failures",
            "Failures",
            {"table": failures, "cut_off": cut_off_words(report.cut_off)} if failures else {},
        ),
        Section("hottest", "The hottest links", "Hot links", {"table": hottest} if hottest else {}),
        Section(
            "rails", "Per rail", "Rails", {"table": rails, "tags": views.rail_tags(report)} if rails else {}
        ),
        Section(
            "leaves",
            "Leaf to leaf",
            "Leaves",
            {"heat": report.heat, "worst": worst} if _is_uneven(report) else {},
        ),
        Section("method", "Where these numbers come from", "Method", {"seed": SEED}),
    ]


def _measured(report: Report) -> dict[str, object]:
    """A measurement, and its map where the fabric has a drawing."""
    if report.measured is None and report.explained is None:
        return {}
    from . import measured, suspects
    from .residual_map import residual_map

    drawn = residual_map(*report.explained, ink=charts.INK) if report.explained else None
    found = suspects.view(report.explained[1]) if report.explained else None
    alone = measured.view(report.measured) if report.measured else None
    return {"suspects": found, "alone": alone, "map": _markup(drawn or "")}


def _is_uneven(report: Report) -> bool:
    """Whether leaves get more from some leaves than from others."""
    if report.heat is None:
        return False
    values = {*report.heat.data["max"], *report.heat.data["min"]} - {None}
    return len(values) > 1


def _engines(report: Report) -> dict[str, object]:
    caption = (
        "Pairs, loops and loads are exact counts over all ordered pairs of host adapters, one virtual lane; where all end "
        "nodes (SHARP aggregation nodes too) give another number, it is below. Forced: what the fullest "
        f"link carries at least, whatever the tables: {report.forced}. Random bisections: mean share of the link rate over "
        f"{report.patterns:,} random bisections, the effective bisection bandwidth, and that of the worst. Shifts: the same, and the "
        f"most flows on one link, over {report.shift_words}. The row with a star is the best of these. "
        f"These shifts are of hosts leaf by leaf (order {HOST_ORDER}) under all engines. "
    ) + engine_table.whose(report)
    if report.shifts is not None:
        caption += f" In that order {text(report.shifts)}."
    if report.has_own_orders:
        caption += (
            f" The last column has the mean of shifts in the order of hosts that suits each engine best, of {HOST_ORDER}, "
            f"{' and '.join(OTHERS)} (`lacis order`), by which engines are ranked; it is the same where that is {HOST_ORDER}."
        )
    if report.pairs_left_out:
        caption += f" {report.pairs_left_out}."
    return {
        "engines": engine_table.engines(report),
        "caption": caption,
        "left_out": " ".join(filter(None, (report.also_tried, report.left_out))),
    }


def _plots(report: Report) -> list[Markup]:
    """How full links are, and what flows get; no distribution where every flow gets its whole link under all tables."""
    plots = []
    if any(e.verify.hosts.over_forced for e in report.engines):
        loads = {e.label: e.verify.hosts.over_forced for e in report.drawn}
        plot = charts.bars(
            loads,
            xlabel="fullest link / what some link must carry, all pairs of hosts",
            title="All-to-all: no tables come below 1, shorter is better",
        )
        plots.append(_markup(plot))
    for key, title in (("bisection", "Random bisections"), ("shift", "Shifts")):
        series = {e.label: getattr(e, key).distribution for e in report.drawn if getattr(e, key)}
        if any(value < 1 for values in series.values() for value, _ in values):
            name = f"{title}: what share of the link rate a flow gets"
            plots.append(
                _markup(charts.distribution(series, xlabel="share of the link rate [1]", title=name))
            )
    return plots
