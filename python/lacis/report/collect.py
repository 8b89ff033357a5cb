"""Everything that a report says, gathered by calling the stages; the page and the terminal only show it."""

from __future__ import annotations

import hashlib
import math
import os
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeAlias, TypeVar

from .. import _core, health
from ..prediction import GROUPS, in_words, participants
from ..routing import undiscovered
from ..words import noun
from . import adaptive, cabling, charts, failures, hot_links
from .drawing import Topology, natural
from .origin import origin
from .variants import OURS, SLOW, Variant, left_out, variants

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core import Fabric, Prediction, Routes
    from .sections import Adaptive, CableJob, FailureRow, HotLink

# Work per engine is bounded by flows, so that a report on 10,000 nodes still takes seconds.
FLOWS = 2_000_000
"""Of shifts; random bisections are fewer, as hundreds of them already give a mean to three digits."""
MOST_PATTERNS = 1000
MOST_SHIFTS = 4096
MOST_HEAT_LEAVES = 400
SEED = 1
MOST_DRAWN = 6
"""Engines in one picture."""
POPULATIONS = ("hosts", "all")

Proofs: TypeAlias = "dict[str, dict[str, Any]]"
Predictions: TypeAlias = "tuple[dict[str, Any] | None, dict[str, Any] | None]"
Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass
class Outcome:
    """What a variant does with this fabric."""

    variant: Variant
    routes: Routes
    verify: dict[str, dict[str, Any]]
    bisection: dict[str, Any] | None
    shift: dict[str, Any] | None

    @property
    def label(self) -> str:
        """The variant's name, and the engine that runs where another was asked for."""
        return f"{self.variant.label} → {self.used}" if self.routes.refusals else self.variant.label

    @property
    def used(self) -> str:
        """The engine that made the tables."""
        return self.routes.engine_used

    @property
    def words(self) -> list[str]:
        """Refusals and fall-back in words."""
        said = [f"{engine} refuses: {reason}" for engine, reason in self.routes.refusals]
        if said and self.variant.engine not in OURS:
            said.append(f"OpenSM would run {self.used} instead and say so only in its log")
        return said

    @property
    def mean(self) -> float:
        """Mean relative bandwidth of random bisections, 0 where there are no flows."""
        return float(self.bisection["relative_bandwidth"]["mean"]) if self.bisection else 0.0

    @property
    def bandwidths(self) -> list[float]:
        """Random bisections, their mean and the worst of them, and shifts in the same manner."""
        found = [self.bisection, self.shift]
        return [value for it in found if it for value in (it["relative_bandwidth"]["mean"], it["worst"])]

    def rank(self) -> tuple[float, ...]:
        """Smaller is better: nothing lost, no credit loop, then bandwidth to a hundredth of the link rate, then the fullest link."""
        hosts, every = (self.verify[population] for population in POPULATIONS)
        lost = (hosts["lost"], len(hosts["credit_loops"]), len(every["credit_loops"]), every["lost"])
        return (*lost, -round(self.mean, 2), over_forced(hosts["balance"]), -self.mean)


@dataclass(frozen=True)
class Verdict:
    """One sentence for the top of the page."""

    severity: str
    text: str


@dataclass(frozen=True)
class Change:
    """Something to do, and what the models say it brings."""

    title: str
    why: str
    gain: str
    command: str = ""
    files: dict[str, list[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Heat:
    """Leaf × leaf bandwidth: `data` for the page's script, the worst pairs, and the method in words."""

    words: str
    data: dict[str, Any]
    worst: list[tuple[str, str, tuple[float, float, float]]]


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
    hottest: list[dict[str, Any]]
    hottest_words: str
    counted: str
    """Whose bisections and shifts are predicted, in words."""
    forced: str
    """What forces the fullest link to carry what it must, in words."""
    changes: list[Change]
    verdicts: list[Verdict]
    cabling: list[CableJob] = field(default_factory=list)
    adaptive: Adaptive | None = None
    failures: list[FailureRow] = field(default_factory=list)
    hot: list[HotLink] = field(default_factory=list)
    origin: str = ""
    """How the fabric came about: `read from the file`, `generated`."""
    taken: str = ""
    """When the file was taken, as it says; empty where it does not."""
    baseline: str = ""


def collect(
    fabric: Fabric,
    source: str,
    progress: Callable[[str], None],
    configured: tuple[Variant, Routes] | None = None,
    groups: str = GROUPS,
) -> Report:
    """Runs the whole pipeline on a fabric.

    Args:
        fabric: the fabric.
        source: what the user called it.
        progress: told what is under way, in words.
        configured: how a site runs OpenSM, and the tables that it has.
        groups: whose bisections, shifts and leaf-to-leaf bandwidth, as for `prediction.participants`.
    """
    from importlib.metadata import version

    progress("health")
    with _Trials(fabric, groups) as trials:
        trials.begin(variants(fabric, None, source))
        found = health.examine(fabric)
        topology = _topology(fabric, found)
        ways = variants(fabric, topology, source)
        trials.begin(ways)
        engines = trials.outcomes(ways, progress)
    if configured is not None:
        progress(f"engine {configured[0].label}")
        engines.append(outcome(fabric, *configured, groups))
    asked = [engine for engine in engines if not engine.variant.files]
    best = min(engines, key=Outcome.rank)
    own = min((e for e in engines if e.variant.engine not in OURS), key=Outcome.rank)
    shown = [e for e in engines if e in asked or (e in (best, own) and not e.routes.refusals)]
    default = engines[0]
    with ThreadPoolExecutor(2) as pool:
        changing = pool.submit(_changes, fabric, found, default, best, own, groups)
        drawing = pool.submit(charts.load)
        progress("leaf to leaf")
        heat = _heat(default, groups)
        progress("hottest links")
        hottest = _hottest(default)
        hot = hot_links.hot_links(fabric, default.routes, found)
        ours = min((e for e in engines if _is_ours(e)), key=Outcome.rank, default=None)
        failing = failures.failures(fabric, default, own, ours, progress)
        sides = list({engine.label: engine for engine in (default, best, own)}.values())
        side_by_side = adaptive.compare(sides, _links_on_the_way(default), found, progress)
        progress("what to change")
        drawing.result()
        changes = changing.result()
    return Report(
        source=source,
        version=version("lacis"),
        digest=hashlib.sha256(fabric.to_net().encode()).hexdigest()[:16],
        health=found,
        topology=topology,
        engines=shown,
        best=best,
        also_tried=_also_tried([e for e in engines if e not in shown]),
        left_out=left_out(fabric),
        patterns=default.bisection["patterns"] if default.bisection else 0,
        shift_words=default.shift["words"] if default.shift else "",
        heat=heat,
        hottest=hottest,
        hottest_words=(
            f"{default.label} (OpenSM's default), every host adapter to every other at once. A link's mean is over all "
            "directed links between switches."
        ),
        counted=in_words(participants(default.routes, groups=groups)),
        forced=default.verify["hosts"]["balance"]["forced"]["why"],
        changes=changes,
        verdicts=_verdicts(found, default, best),
        cabling=cabling.jobs(fabric, found, dict(zip(*_switches(fabric), strict=True))),
        adaptive=side_by_side,
        failures=failing,
        hot=hot,
        origin=origin(source),
        taken=fabric.taken or "",
    )


def _also_tried(hidden: list[Outcome]) -> str:
    """Variants with files that are not shown, for they are neither the best nor OpenSM's best."""
    told = "; ".join(f"{e.label}: {', '.join([f'{e.mean:.3f}', *_faults(e)])}" for e in hidden)
    return f"Also tried with files for OpenSM, by the mean of random bisections: {told}." if told else ""


def _faults(tried: Outcome) -> list[str]:
    """What an outcome loses, and where traffic can stop, in words."""
    hosts, every = (tried.verify[population] for population in POPULATIONS)
    faults = []
    if hosts["lost"]:
        faults.append(f"{hosts['lost']:,} {'pair' if hosts['lost'] == 1 else 'pairs'} of hosts lost")
    elif every["lost"]:
        faults.append(f"{every['lost']:,} {'pair' if every['lost'] == 1 else 'pairs'} of all end nodes lost")
    if hosts["credit_loops"]:
        faults.append("a credit loop among hosts")
    elif every["credit_loops"]:
        faults.append("a credit loop among all end nodes")
    return faults


def _is_ours(engine: Outcome) -> bool:
    """Whether a Lacis engine made the tables."""
    return engine.variant.engine in OURS and not engine.routes.refusals


def _links_on_the_way(engine: Outcome) -> float:
    """Links between switches on the way from host to host, in the mean."""
    proof = engine.verify["hosts"]
    return float(proof["balance"]["mean"] * proof["balance"]["links"] / max(1, proof["pairs"]))


class _Once(Generic[Key, Value]):
    """Values that are computed once each, also where several threads ask at once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._values: dict[Key, Future[Value]] = {}

    def get(self, key: Key, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed by the first that asks; the others wait for it."""
        with self._lock:
            is_mine = key not in self._values
            value = self._values.setdefault(key, Future())
        if is_mine:
            try:
                value.set_result(compute())
            except BaseException as error:
                value.set_exception(error)
                raise
        return value.result()


class _Trials:
    """Variants that are tried side by side, for most engines use one core: the slow ones first.

    Where an engine falls back, or a fabric leaves no choice, several variants have the same tables: these are
    proved and predicted once.
    """

    def __init__(self, fabric: Fabric, groups: str) -> None:
        self._fabric = fabric
        self._groups = groups
        self._pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
        self._begun: dict[str, Future[Outcome]] = {}
        self._proofs: _Once[tuple[bytes, str], Proofs] = _Once()
        self._predictions: _Once[bytes, Predictions] = _Once()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def begin(self, ways: list[Variant]) -> None:
        """Begins to try those of which no namesake is under way."""
        for variant in sorted(ways, key=lambda variant: variant.engine not in (*SLOW, *OURS)):
            if variant.label not in self._begun:
                self._begun[variant.label] = self._pool.submit(self._try, variant)

    def _try(self, variant: Variant) -> Outcome:
        routes = _core.route(self._fabric, variant.engine, **variant.options)  # type: ignore[arg-type]
        tables = hashlib.blake2b(routes.table().tobytes()).digest()
        # Lanes are made by the engine; they matter for credit loops alone.
        engine = "" if routes.lane_census() is None else routes.engine_used
        proofs = self._proofs.get((tables, engine), lambda: _proofs(self._fabric, routes))
        predictions = self._predictions.get(tables, lambda: _predictions(routes, self._groups))
        return Outcome(variant, routes, proofs, *predictions)

    def outcomes(self, ways: list[Variant], progress: Callable[[str], None]) -> list[Outcome]:
        """The outcomes of what was begun, in the order given."""
        found = []
        for variant in ways:
            progress(f"engine {variant.label}")
            found.append(self._begun[variant.label].result())
        return found


def outcome(fabric: Fabric, variant: Variant, routes: Routes, groups: str) -> Outcome:
    """What a variant's tables do: proves them and predicts bandwidth."""
    return Outcome(variant, routes, _proofs(fabric, routes), *_predictions(routes, groups))


def _proofs(fabric: Fabric, routes: Routes) -> Proofs:
    """By population, what the tables do for its pairs."""
    return {population: _proof(fabric, routes, population) for population in POPULATIONS}


def _predictions(routes: Routes, groups: str) -> Predictions:
    """Bisections and shifts; none where there are no two hosts."""
    hosts = participants(routes, groups=groups)
    count, ports = len(hosts.hosts), hosts.num_ports
    if count < 2:
        return None, None
    patterns = max(20, min(MOST_PATTERNS, FLOWS // 2 // ports))
    step = max(1, math.ceil((count - 1) / max(16, min(MOST_SHIFTS, FLOWS // ports))))
    distances = range(1, count, step)
    spec = "shift" if step == 1 else "shift:" + ",".join(map(str, distances))
    both = _core.predict_each(routes, hosts, ["bisection", spec], patterns=patterns, seed=SEED)
    bisection, shift = map(summary, both)
    shift["words"] = (
        f"all {count - 1:,} shifts" if step == 1 else f"{len(distances):,} of {count - 1:,} shifts"
    )
    return bisection, shift


@lru_cache(maxsize=4)
def _forced(fabric: Fabric, population: str) -> dict[str, Any]:
    """What some link must carry, which is the same whatever the tables."""
    return _core.forced(_core.route(fabric, "minhop"), population)


def _proof(fabric: Fabric, routes: Routes, population: str) -> dict[str, Any]:
    result = _core.verify(routes, population)
    most, mean, links, used = result.balance
    return {
        "pairs": result.pairs,
        "lost": result.pairs - result.verdicts["delivered"],
        "verdicts": result.verdicts,
        "credit_loops": [cycle for cycle, _ in result.credit_loops],
        "balance": {
            "max": most,
            "mean": mean,
            "links": links,
            "used": used,
            "forced": _forced(fabric, population),
        },
    }


def summary(prediction: Prediction) -> dict[str, Any]:
    """A prediction's numbers."""
    values, flows = prediction.distribution()
    return {
        "patterns": prediction.num_phases,
        "flows": prediction.flows,
        "unrouted": prediction.unrouted,
        "relative_bandwidth": prediction.relative_bandwidth,
        "max_contention": prediction.max_contention,
        "worst": float(prediction.phases()["mean"].min()),
        "mean_max_contention": prediction.mean_max_contention,
        "distribution": list(zip(values.tolist(), flows.tolist(), strict=True)),
    }


def over_mean(balance: dict[str, Any]) -> float:
    """The fullest link over the mean; 0 where no link carries anything."""
    return float(balance["max"] / balance["mean"]) if balance["mean"] else 0.0


def over_forced(balance: dict[str, Any]) -> float:
    """The fullest link over what some link must carry whatever the tables; 0 where none must carry anything."""
    least = balance["forced"]["flows"]
    return float(balance["max"] / least) if least else 0.0


def _topology(fabric: Fabric, found: health.Health) -> Topology:
    switches = fabric.switches()
    guids, names = _switches(fabric)
    index: dict[str, int] = {guid: s for s, guid in enumerate(guids)}
    bundles = fabric.bundles().reshape(-1, 3).tolist()
    levels, pods = fabric.levels() or ([], [])
    if any(level < 0 for level in levels):
        top = max(levels)
        levels = [level if level >= 0 else top for level in levels]
    deviations = []
    for finding in found.findings:
        if finding.code in GAP_CODES:
            for a, b in dict.fromkeys((a.guid, b.guid) for a, b in _pairs(finding)):
                if a in index and b in index:
                    count = "no" if finding.code == GAP_CODES[0] else "too few"
                    text = f"{names[index[a]]} – {names[index[b]]}: {count} cables"
                    deviations.append((index[a], index[b], text))
    return Topology(
        names, levels, pods, [hosts for _, hosts in switches], [(a, b, n) for a, b, n in bundles], deviations
    )


GAP_CODES = ("UPLINK_MISSING", "UPLINK_FEWER")


class End(NamedTuple):
    """An end of a cable that a finding is about; a port where that is known."""

    guid: str
    port: int | None


def _pairs(finding: health.Finding) -> list[tuple[End, End]]:
    """The cables that a finding about cables is about, by their two ends."""
    ends = [End(end["guid"], end.get("port")) for end in finding.ends]
    return list(zip(ends[::2], ends[1::2], strict=True))


def _switches(fabric: Fabric) -> tuple[list[str], list[str]]:
    """GUIDs and names of the switches; a name that several of them share has its GUID with it."""
    names = [name for name, _ in fabric.switches()]
    guids = [f"0x{guid:016x}" for guid in fabric.guids()[: len(names)].tolist()]
    count = Counter(names)
    told = [name if count[name] == 1 else f"{name} {guid}" for name, guid in zip(names, guids, strict=True)]
    return guids, told


def _heat(engine: Outcome, groups: str) -> Heat | None:
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
    data: dict[str, Any] = {"leaves": [labels[1][i] for i in order]}
    for kind, matrix in layers.items():
        flat = matrix[order][:, order].ravel().tolist() if matrix is not None else []
        data[kind] = [None if math.isnan(value) else round(value, 3) for value in flat]
    size = len(order)
    cells = [(data["mean"][k], k) for k in range(size * size) if data["mean"][k] is not None]
    worst = [
        (
            data["leaves"][k // size],
            data["leaves"][k % size],
            (data["max"][k], data["mean"][k], data["min"][k]),
        )
        for _, k in sorted(cells)[:10]
    ]
    words = (
        f"{engine.label} (OpenSM's default). The N-th adapter of one leaf and the N-th of another exchange data, all leaves "
        "paired at once, once for every offset (XOR pairing). A cell is the share of the link rate that its flows get: the "
        "best, the average, the worst of them."
    )
    return Heat(words, data, worst)


def _hottest(engine: Outcome) -> list[dict[str, Any]]:
    hosts = participants(engine.routes, rail="each")
    mean = engine.verify["hosts"]["balance"]["mean"]
    if len(hosts.hosts) < 2:
        return []
    result = _core.verify(engine.routes, "hosts")
    pairs = _core.predict(engine.routes, hosts, "alltoall", hottest=10, flows_listed=4).hottest
    examples = {link["egress"]: [f"{a} → {b}" for a, b in link["flows"]] for link in pairs}
    return [
        {
            "link": f"{egress} → {ingress}",
            "flows": flows,
            "of_mean": flows / mean if mean else 0.0,
            "pairs": examples.get(egress, []),
        }
        for egress, ingress, flows in result.busiest(10)
    ]


def drawn(report: Report) -> list[Outcome]:
    """The engines that pictures show: OpenSM's default and those with most bandwidth."""
    default, *others = report.engines
    best = sorted(others, key=lambda e: (e.verify["hosts"]["lost"], -e.mean))[: MOST_DRAWN - 1]
    return [default, *(e for e in others if e in best)]


def _changes(
    fabric: Fabric, found: health.Health, default: Outcome, best: Outcome, own: Outcome, groups: str
) -> list[Change]:
    changes = []
    for engine in dict.fromkeys((best.label, own.label)):
        to = best if engine == best.label else own
        if to is default or to.rank() >= default.rank():
            continue
        title = f"Run {to.label} instead of {default.label}"
        why = _why(default, to)
        if to.variant.engine in OURS:
            why += (
                " These are Lacis' own tables, made for the fabric as it is: OpenSM loads them and finds each "
                "port by its GUID, but does not mend them. Write and load new ones when a cable or switch dies."
            )
        elif to is not best:
            title = f"Or, to leave routing to OpenSM, run {to.label} instead of {default.label}"
        changes.append(Change(title, why, _gain(default, to), to.variant.command, to.variant.files))
    ports = _missing(found)
    if ports:
        mended = fabric.edit([f"+{a.guid}[{a.port}]--{b.guid}[{b.port}]" for a, b in ports])
        routes = _core.route(mended, best.variant.engine, **best.variant.options)  # type: ignore[arg-type]
        then = outcome(mended, best.variant, routes, groups)
        cables = "1 missing cable" if len(ports) == 1 else f"{len(ports)} missing cables"
        names = dict(zip(*_switches(fabric), strict=True))
        lines = "\n".join(
            f"{names[a.guid]} port {a.port}  –  {names[b.guid]} port {b.port}" for a, b in ports
        )
        why = f"The pattern of their peers says where they belong. Compared under {best.label}."
        changes.append(Change(f"Plug in the {cables}", why, _gain(best, then), lines))
    return changes


def _missing(found: health.Health) -> list[tuple[End, End]]:
    """The missing cables both of whose ports are known, each port once."""
    taken: set[End] = set()
    cables = []
    for finding in found.findings:
        for a, b in _pairs(finding) if finding.code in GAP_CODES else []:
            if a.port is not None and b.port is not None and not {a, b} & taken:
                taken |= {a, b}
                cables.append((a, b))
    return cables


def _why(default: Outcome, best: Outcome) -> str:
    reasons = []
    for population, who in (("hosts", "hosts"), ("all", "end nodes")):
        before, after = default.verify[population], best.verify[population]
        if before["lost"] > after["lost"]:
            reasons.append(
                f"{before['lost'] - after['lost']:,} pairs of {who} get a route that they lack now"
            )
        if before["credit_loops"] and not after["credit_loops"]:
            reasons.append(f"the credit loops among {who} go")
    if best.mean > default.mean * 1.005:
        reasons.append("random traffic gets more bandwidth")
    if over_forced(best.verify["hosts"]["balance"]) < 0.98 * over_forced(default.verify["hosts"]["balance"]):
        reasons.append("all-to-all is spread more evenly")
    text = "; ".join(reasons) or "It is no worse in anything counted here"
    lost = best.verify["all"]["lost"] - default.verify["all"]["lost"]
    if lost > 0:
        text += f". The price: {lost:,} pairs with an aggregation node or router as one end lose their route"
    return text[:1].upper() + text[1:] + "."


def _gain(before: Outcome, after: Outcome) -> str:
    parts = []
    if before.mean and after.mean:
        change = 100 * (after.mean / before.mean - 1)
        parts.append(
            f"random bisections {before.mean:.3f} → {after.mean:.3f} of the link rate ({change:+.1f} %)"
        )
    old, new = (over_forced(e.verify["hosts"]["balance"]) for e in (before, after))
    parts.append(f"fullest link {old:.2f} → {new:.2f} × what some link must carry")
    if before.shift and after.shift:
        worst = f"{before.shift['max_contention']} → {after.shift['max_contention']}"
        parts.append(f"worst shift {worst} flows on a link")
    return "; ".join(parts)


def _verdicts(found: health.Health, default: Outcome, best: Outcome) -> list[Verdict]:
    verdicts = []
    for severity in health.SEVERITIES:
        count = found.count(severity)
        if count:
            codes = list(dict.fromkeys(f.code for f in found.findings if f.severity == severity))
            verdicts.append(Verdict(severity, f"{count} {noun(count, severity)}: {', '.join(codes)}"))
    if not found.findings:
        verdicts.append(Verdict("good", "The fabric follows its own pattern: no findings"))
    if unseen := undiscovered(default.routes):
        verdicts.append(Verdict("warning", unseen))
    hosts, every = default.verify["hosts"], default.verify["all"]
    if hosts["lost"]:
        verdicts.append(Verdict("error", f"{default.label}: {hosts['lost']:,} pairs of hosts have no route"))
    elif every["lost"]:
        verdicts.append(
            Verdict("warning", f"{default.label}: {every['lost']:,} pairs of end nodes have no route")
        )
    for population, who in ((hosts, "hosts"), (every, "all end nodes, not of hosts alone")):
        if population["credit_loops"]:
            text = f"{default.label} leaves a credit loop among pairs of {who}: traffic on one lane can stop for good"
            verdicts.append(Verdict("error" if population is hosts else "warning", text))
            break
    uneven = over_forced(hosts["balance"])
    if uneven > 1.5:
        text = f"{default.label}, OpenSM's default, puts {uneven:.1f} × what some link must carry on the fullest link (all-to-all)"
        verdicts.append(Verdict("warning", text))
    if best is not default and best.rank() < default.rank():
        verdicts.append(Verdict("good", f"Best of the engines tried: {best.label}"))
    return verdicts


def tiles(summary: dict[str, Any]) -> Sequence[tuple[str, str]]:
    """The fabric in a few numbers: what, how much."""
    kinds = summary["kinds"]
    out = [
        _tile(summary["switches"], "switch", "switches"),
        _tile(kinds["adapters"], "host adapter"),
        _tile(summary["hosts"], "host by name", "hosts by name"),
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
