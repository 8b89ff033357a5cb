"""The content of a report, gathered by calling the stages; the page and the terminal only show it."""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from .. import _core, health
from ..advice import choose
from ..advice.baseline import Baseline
from ..advice.compare import compare
from ..advice.gains import gain
from ..advice.make import Maker
from ..advice.outcome import outcome
from ..advice.variants import left_out
from ..facts.words import count, natural, noun
from ..map.shapes import Topology
from ..map.topology import GAP_CODES, names_of_switches, pairs, topology
from ..ranks.participants import GROUPS, in_words, participants
from . import adaptive, cabling, charts, failures, hot_links, suspects
from . import measured as measurements
from .origin import origin
from .sections import LoadedLink
from .verdicts import Verdict, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core import Fabric, Routes
    from ..advice.compare import Comparison
    from ..advice.outcome import Outcome
    from ..explain import Explanation
    from ..explain.structure import Structure
    from .sections import Adaptive, CableJob, CutOff, FailureRow, HotLink

MOST_HEAT_LEAVES = 400
MOST_DRAWN = 6
"""Engines in one picture."""


@dataclass(frozen=True)
class Change:
    """Something to do, and what the models say it brings."""

    title: str
    why: str
    gain: str
    command: str = ""
    files: dict[str, list[int]] = field(default_factory=dict)


class HeatData(TypedDict):
    """Leaf × leaf bandwidth as the page's script and `lacis.report/1` have it."""

    leaves: list[str]
    max: list[float | None]
    """Row after row: shares of the link rate from one leaf to another; None where nothing was sent."""
    mean: list[float | None]
    min: list[float | None]


@dataclass(frozen=True)
class Heat:
    """Leaf × leaf bandwidth."""

    words: str
    """The method."""
    data: HeatData
    worst: list[tuple[str, str, tuple[float, float, float]]]
    """Pairs with the lowest mean: from, to, (max, mean, min)."""


@dataclass
class Report:
    """What the page and the terminal show."""

    source: str
    version: str
    digest: str
    health: health.Health
    topology: Topology
    engines: list[Outcome]
    best: Outcome
    also_tried: str
    """The variants that have no row, and what they bring, in words; empty where all have one."""
    left_out: str
    patterns: int
    shift_words: str
    heat: Heat | None
    hottest: list[LoadedLink]
    hottest_words: str
    counted: str
    """Whose bisections and shifts are predicted, in words."""
    forced: str
    """Why the fullest link must carry its forced load, in words."""
    changes: list[Change]
    verdicts: list[Verdict]
    cabling: list[CableJob] = field(default_factory=list)
    adaptive: Adaptive | None = None
    failures: list[FailureRow] = field(default_factory=list)
    cut_off: list[CutOff] = field(default_factory=list)
    """What cuts host adapters off when it fails alone, those with most first; exact."""
    hot: list[HotLink] = field(default_factory=list)
    origin: str = ""
    """Where the fabric comes from: `read from the file`, `generated`."""
    taken: str = ""
    """When the file was taken, as it says; empty where it does not."""
    baseline: str = ""
    """What runs now, and how that is known."""
    measured: Structure | None = None
    """The structure of a measurement, where one was given."""
    explained: tuple[Routes, Explanation] | None = None
    """The tables that run, and the measurement explained by them."""


def collect(
    fabric: Fabric,
    source: str,
    progress: Callable[[str], None],
    baseline: Baseline | None = None,
    groups: str = GROUPS,
    measured: Structure | None = None,
    explain: Callable[[Routes], Explanation | None] = lambda _: None,
) -> Report:
    """Runs the whole pipeline on a fabric.

    Args:
        fabric: the fabric.
        source: what the user called it.
        progress: called with the current step, in words.
        baseline: what runs now; unless given minhop, which is assumed.
        groups: whose bisections, shifts and leaf-to-leaf bandwidth, as for `ranks.participants`.
        measured: the structure of a measurement of this fabric.
        explain: explains the measurement by the tables that run.
    """
    from importlib.metadata import version

    baseline = baseline or Baseline()
    progress("health")
    comparison, found = compare(fabric, baseline, groups, progress, lambda: health.examine(fabric))
    shown_topology = topology(fabric, found)
    engines, best, own, base = comparison.engines, comparison.best, comparison.own, comparison.base
    asked = [engine for engine in engines if not engine.variant.files]
    shown = [e for e in engines if e in asked or (e in (best, own) and not e.routes.refusals)]
    maker = Maker(fabric, base, baseline, groups, fails=False)
    with ThreadPoolExecutor(2) as pool:
        changing = pool.submit(_changes, fabric, found, comparison, maker, source)
        drawing = pool.submit(charts.load)
        progress("leaf to leaf")
        heat = _heat(base, baseline.words, groups)
        progress("hottest links")
        hottest = _hottest(base)
        hot = hot_links.hot_links(fabric, base.routes, found)
        failing = failures.failures(fabric, base, own, comparison.ours, progress)
        sides = list({engine.label: engine for engine in (base, best, own)}.values())
        side_by_side = adaptive.compare(sides, _links_on_the_way(base), found, progress)
        progress("what to change")
        drawing.result()
        changes = changing.result()
    explained = explain(base.routes)
    if explained:
        changes = [*(Change(*row, gain="") for row in suspects.changes(explained)), *changes]
    senders = participants(base.routes, groups=groups)
    return Report(
        source=source,
        version=version("lacis"),
        digest=hashlib.sha256(fabric.to_net().encode()).hexdigest()[:16],
        health=found,
        topology=shown_topology,
        engines=shown,
        best=best,
        also_tried=_also_tried([e for e in engines if e not in shown]),
        left_out=left_out(fabric),
        patterns=base.bisection.patterns if base.bisection else 0,
        shift_words=base.shift.words if base.shift else "",
        heat=heat,
        hottest=hottest,
        hottest_words=(
            f"{baseline.words}; every host adapter to every other at once. A link's mean is over all "
            "directed links between switches."
        ),
        counted=in_words(senders),
        forced=base.verify.hosts.forced.why,
        changes=changes,
        verdicts=verdicts(
            fabric,
            found,
            len(senders.hosts),
            base,
            best,
            [
                *(suspects.verdicts(explained) if explained else ()),
                *(measurements.verdicts(measured) if measured else ()),
            ],
        ),
        cabling=cabling.jobs(fabric, found, dict(zip(*names_of_switches(fabric), strict=True))),
        adaptive=side_by_side,
        failures=failing,
        cut_off=failures.cut_off(fabric),
        hot=hot,
        origin=origin(source),
        taken=" ".join((fabric.taken or "").split()),
        baseline=baseline.words,
        measured=measured,
        explained=(base.routes, explained) if explained else None,
    )


def _also_tried(hidden: list[Outcome]) -> str:
    """Variants with files that are not shown, as they are neither the best nor OpenSM's best."""
    tried = "; ".join(f"{e.label}: {', '.join([f'{e.mean:.3f}', *_faults(e)])}" for e in hidden)
    return f"Also tried with files for OpenSM, by the mean of random bisections: {tried}." if tried else ""


def _faults(tried: Outcome) -> list[str]:
    """What an outcome loses, and where traffic can stop, in words."""
    hosts, every = tried.verify
    faults = []
    if hosts.unrouted:
        faults.append(f"{count(hosts.unrouted, 'pair')} of hosts lost")
    elif every.unrouted:
        faults.append(f"{count(every.unrouted, 'pair')} of all end nodes lost")
    if hosts.credit_loops:
        faults.append("a credit loop among hosts")
    elif every.credit_loops:
        faults.append("a credit loop among all end nodes")
    return faults


def _links_on_the_way(engine: Outcome) -> float:
    """Mean number of links between switches on a path from host to host."""
    proof = engine.verify.hosts
    return proof.balance.mean * proof.balance.links / max(1, proof.pairs)


def _heat(engine: Outcome, named: str, groups: str) -> Heat | None:
    import numpy as np

    hosts = participants(engine.routes, groups=groups)
    leaves = hosts.leaves
    if not 2 <= len(leaves) <= MOST_HEAT_LEAVES:
        return None
    result = _core.predict(engine.routes, hosts, "leaf-offset", matrix="leaf", hottest=0)
    labels = result.matrix_labels
    if labels is None:
        return None
    layers = {kind: result.matrix(kind) for kind in ("max", "mean", "min")}
    order = sorted(range(len(leaves)), key=lambda i: natural(labels[1][i]))
    cells: dict[str, list[float | None]] = {}
    for kind, matrix in layers.items():
        flat = matrix[order][:, order].ravel().round(3) if matrix is not None else np.empty(0)
        with_none = flat.astype(object)
        with_none[np.isnan(flat)] = None
        cells[kind] = with_none.tolist()
    names = [labels[1][i] for i in order]
    data = HeatData(leaves=names, max=cells["max"], mean=cells["mean"], min=cells["min"])
    size = len(order)
    known = [
        (mean, k, most, least)
        for k, (most, mean, least) in enumerate(zip(data["max"], data["mean"], data["min"], strict=True))
        if most is not None and mean is not None and least is not None
    ]
    worst = [
        (names[k // size], names[k % size], (most, mean, least))
        for mean, k, most, least in heapq.nsmallest(10, known)
    ]
    words = (
        f"{named}. The N-th adapter of one leaf and the N-th of another exchange data, all leaves "
        "paired at once, once for every offset (XOR pairing). A cell is the share of the link rate that its flows get: the "
        "best, the average, the worst of them."
    )
    return Heat(words, data, worst)


def _hottest(engine: Outcome) -> list[LoadedLink]:
    hosts = participants(engine.routes, rail="each")
    mean = engine.verify.hosts.balance.mean
    if len(hosts.hosts) < 2:
        return []
    result = _core.verify(engine.routes, "hosts")
    pairs = _core.predict(engine.routes, hosts, "alltoall", hottest=10, flows_listed=4).hottest
    examples = {link.egress: [f"{a} → {b}" for a, b in link.flows] for link in pairs}
    return [
        LoadedLink(f"{egress} → {ingress}", flows, flows / mean if mean else 0.0, examples.get(egress, []))
        for egress, ingress, flows in result.busiest(10)
    ]


def drawn(report: Report) -> list[Outcome]:
    """The engines that pictures show: OpenSM's default and those with most bandwidth."""
    default, *others = report.engines
    best = sorted(others, key=lambda e: (e.verify.hosts.unrouted, -e.mean))[: MOST_DRAWN - 1]
    return [default, *(e for e in others if e in best)]


def _changes(
    fabric: Fabric, found: health.Health, comparison: Comparison, maker: Maker, source: str
) -> list[Change]:
    base, best, groups = comparison.base, comparison.best, maker.groups
    changes = []
    write = choose.command(source, maker.baseline.typed)
    for advice in choose.advise(maker, comparison):
        bundle = advice.bundle
        if bundle.kind == "tables" and fabric.levels() is not None:
            changes.append(_search(write))
        verb = "Load" if bundle.kind == "tables" else "Run"
        title = f"{verb} {bundle.title} instead of {base.label}"
        said = [advice.why, bundle.purpose]
        if bundle.failures is not None:
            said.append(f"{bundle.failures} (modelled)")
        if len(bundle.applications) > 1:
            said.append(f"It needs QoS and path records. {bundle.applications[-1].removeprefix('* ')}")
        command = f"{write}\n{choose.loading(bundle)}"
        files = {} if bundle.kind == "tables" else advice.outcome.variant.files
        changes.append(Change(title, " ".join(said), advice.gain, command, files))
    ports = _missing(fabric, found)
    if ports:
        mended = fabric.edit([f"+{a.guid}[{a.port}]--{b.guid}[{b.port}]" for a, b in ports])
        routes = _core.route(mended, best.variant.engine, **best.variant.options)
        then = outcome(mended, best.variant, routes, groups)
        cables = "1 missing cable" if len(ports) == 1 else f"{len(ports)} missing cables"
        names = dict(zip(*names_of_switches(fabric), strict=True))
        lines = "\n".join(
            f"{names[a.guid]} port {a.port}  –  {names[b.guid]} port {b.port}" for a, b in ports
        )
        why = f"The pattern of their peers says where they belong. Compared under {best.label}."
        changes.append(Change(f"Plug in the {cables}", why, gain(best, then), lines))
    return changes


def _search(write: str) -> Change:
    """A search among OpenSM's own inputs."""
    why = (
        "Engines, roots, compute nodes and orders are tried. Those that keep every pair without a credit loop go through "
        "single failures, and the best becomes a bundle like the others."
    )
    command, _, folder = write.rpartition(" -o ")
    title = "Search what OpenSM can do with its own inputs, in about a minute"
    return Change(title, why, "", f"{command} --tune 60 -o {folder}")


def _missing(fabric: Fabric, found: health.Health) -> list[tuple[health.FindingEnd, health.FindingEnd]]:
    """The missing cables both of whose ports are known, each port once.

    A GUID that several nodes carry identifies none of them: their cables are known once that is mended.
    """
    nodes = Counter(f"0x{guid:016x}" for guid in fabric.guids().tolist())
    taken: set[tuple[str, int | None]] = set()
    cables = []
    for finding in found.findings:
        for a, b in pairs(finding) if finding.code in GAP_CODES else []:
            known = a.port is not None and b.port is not None and nodes[a.guid] == nodes[b.guid] == 1
            ports = {(a.guid, a.port), (b.guid, b.port)}
            if known and not ports & taken:
                taken |= ports
                cables.append((a, b))
    return cables


def tiles(summary: health.Summary) -> Sequence[tuple[str, str]]:
    """The fabric in a few numbers: what, how much."""
    kinds = summary["kinds"]
    out = [
        _tile(summary["switches"], "switch", "switches"),
        _tile(kinds["adapters"], "host adapter"),
        _tile(summary["hosts"], "host"),
        _tile(len(summary["rails"]), "rail"),
        _tile(summary["planes"], "plane"),
        _tile(summary["levels"] or 0, "level"),
        _tile(summary["trunks"], "cable between switches", "cables between switches"),
    ]
    if kinds["aggregation"]:
        out.append(_tile(kinds["aggregation"], "aggregation node"))
    tapered = [level for level in summary["by_level"] if level["taper"] is not None]
    out += [(f"down : up at level {level['level']}", f"{level['taper']:.2f}") for level in tapered]
    if summary["bisection"]:
        bounded = "" if summary["bisection"]["exact"] else ", at most"
        value = f"{summary['bisection']['bytes_per_second'] / 1e12:.4g} TB/s"
        out.append((f"bisection each way{bounded} (modelled)", value))
    return out


def _tile(number: int, one: str, many: str | None = None) -> tuple[str, str]:
    return noun(number, one, many), f"{number:,}" if number else "no"
