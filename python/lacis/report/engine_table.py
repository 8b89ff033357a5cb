"""The report's table of engines; worse ones are folded away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..facts.wording import text
from ..facts.words import refusal
from ..sm.engines import OMNI_PATH, OURS
from .table import Cell, Group, Row, Table, columns, percent

if TYPE_CHECKING:
    from ..advice.outcome import Outcome
    from ..results import Balance
    from .content import Report

ENGINES = (
    "engine",
    "n:pairs without a route",
    "n:credit loops",
    "n:fullest link / forced",
    "n:fullest link / mean",
    "n:links used",
    "n:random bisections",
    "n:worst of them",
    "n:shifts",
    "n:worst of them",
    "n:most flows on a link in a shift",
)
OWN_ORDER = "n:shifts in its best order of hosts"
"""A further column, where some engine has another than the common one."""


@dataclass(frozen=True)
class Engines:
    """The comparison; worse engines are folded away."""

    shown: Table
    rest: Table | None
    rest_title: str
    loops: list[tuple[str, list[list[str]], int]]
    """Engine, its first credit loops, how many more."""


def engines(report: Report) -> Engines:
    """What runs, the best, and the best of OpenSM's own, in two groups: those that OpenSM has and Lacis' own."""
    kept = {id(e) for e in (report.engines[0], report.best, report.own)}
    kept |= {id(e) for e in report.engines if e.variant.label == "as configured"}
    shown = [e for e in report.engines if id(e) in kept]
    rest = [e for e in report.engines if id(e) not in kept]
    loops = [(e.label, e.verify.all.credit_loops) for e in report.engines]
    return Engines(
        _engines("engines", "Engines compared", shown, report),
        _engines("more-engines", "Other engines tried", rest, report) if rest else None,
        f"{len(rest)} more {'variant' if len(rest) == 1 else 'variants'} tried: lose more pairs, or get no more bandwidth",
        [(label, cycles[:5], len(cycles) - 5) for label, cycles in loops if cycles],
    )


def whose(report: Report) -> str:
    """Whose rules the tables follow, in words."""
    if any(e.variant.engine in OMNI_PATH for e in report.engines):
        return "The engines are those of Omni-Path's manager, by the rules of opa-fm 10.10.3."
    return f"{' and '.join(OURS)} are Lacis' own engines; the others are OpenSM's, entry by entry."


def _engines(name: str, label: str, engines: list[Outcome], report: Report) -> Table:
    is_omni_path = any(e.variant.engine in OMNI_PATH for e in engines)
    head = (*ENGINES, OWN_ORDER) if report.has_own_orders else ENGINES
    groups = [
        Group(
            title,
            [Row(_engine(e, report), e is report.best) for e in engines if (e.variant.engine in OURS) is own],
        )
        for title, own in (
            ("In Omni-Path's manager" if is_omni_path else "In OpenSM", False),
            ("Lacis only, inside OpenSM by the plugin or as a file of tables", True),
        )
    ]
    return Table(f"engines {name}", label, columns(head), [group for group in groups if group.rows])


def _engine(engine: Outcome, report: Report) -> list[Cell]:
    rates = [Cell(percent(value), sort=value) for value in engine.bandwidths]
    most = engine.shift.max_contention if engine.shift else None
    refused = [refusal(one.engine, one.reason) for one in engine.routes.refusals]
    note = "; ".join([*refused, *([text(engine.instead)] if engine.instead else [])])
    return [
        Cell(("★ " if engine is report.best else "") + engine.label, note=note, kind="said" if note else ""),
        _both(*(_lost(it.unrouted) for it in engine.verify)),
        _both(*(_loops(it.credit_loops) for it in engine.verify)),
        _both(*(_times(it.over_forced, it.forced.flows) for it in engine.verify)),
        _both(*(_times(it.over_mean, it.balance.mean) for it in engine.verify)),
        _both(*(_used(it.balance) for it in engine.verify)),
        *(rates or [Cell("–")] * 4),
        Cell("–" if most is None else str(most), sort=most),
        *([_own_order(engine)] if report.has_own_orders else []),
    ]


def _own_order(engine: Outcome) -> Cell:
    """Shifts in the order that suits the tables best, with its name; the common one is not repeated."""
    mean = engine.suited.mean if engine.suited else None
    if engine.other is None:
        return Cell("–" if mean is None else "the same", sort=mean)
    return Cell(percent(engine.other.shift.mean), note=engine.other.order, sort=mean)


def _both(hosts: Cell, every: Cell) -> Cell:
    """The value of hosts, and below it that of all end nodes where it differs."""
    if hosts.text == every.text:
        return hosts
    return Cell(hosts.text, note=f"{every.text} (all)", kind=hosts.kind, sort=hosts.sort)


def _lost(pairs: int) -> Cell:
    return Cell(f"{pairs:,}", kind="bad" if pairs else "", sort=pairs)


def _loops(cycles: list[list[str]]) -> Cell:
    if not cycles:
        return Cell("none", sort=0)
    return Cell(f"{len(cycles)}, shortest {min(map(len, cycles))} links", kind="bad", sort=len(cycles))


def _times(value: float, over: float) -> Cell:
    return Cell(f"{value:.2f}" if over else "–", sort=value)


def _used(balance: Balance) -> Cell:
    return Cell(f"{balance.used:,} of {balance.links:,}", sort=balance.used)
