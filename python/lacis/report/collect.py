"""The content of a report, gathered by calling the stages; the page and the terminal only show it."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from .. import _core, health
from ..advice.baseline import Baseline
from ..advice.compare import compare
from ..advice.make import Maker
from ..advice.outcome import without_pairs
from ..advice.variants import untried
from ..facts.steps import MendErrors
from ..facts.wording import text
from ..facts.words import count
from ..map.topology import topology
from ..ranks.participants import GROUPS, in_words, participants
from . import adaptive, failures, hot_links
from .changes import changes
from .content import Change, Report
from .heat import leaf_to_leaf
from .origin import origin
from .verdicts import verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric, Routes
    from ..advice.outcome import Outcome
    from ..explain import Explanation
    from ..explain.structure import Structure
    from ..facts.advice import Compared
    from ..facts.verdicts import OfMeasurement
    from ..health.examination import Health
    from ..map.shapes import Topology


def collect(
    fabric: Fabric,
    source: str,
    progress: Callable[[str], None],
    baseline: Baseline | None = None,
    groups: str = GROUPS,
    measured: Structure | None = None,
    explain: Callable[[Routes], Explanation | None] = lambda _: None,
    meanwhile: Callable[[], None] = lambda: None,
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
        meanwhile: called while the engines are busy.
    """
    baseline = baseline or Baseline()
    running = text(baseline.running)

    def beside_engines() -> tuple[Health, Topology, str, str]:
        from importlib.metadata import version

        found = health.examine(fabric)
        meanwhile()
        digest = hashlib.sha256(fabric.to_net().encode()).hexdigest()[:16]
        return found, topology(fabric, found), digest, version("lacis")

    progress("health")
    comparison, beside = compare(fabric, baseline, groups, progress, beside_engines)
    found, shown_topology, digest, version = beside
    engines, best, own, base = comparison.engines, comparison.best, comparison.own, comparison.base
    asked = [engine for engine in engines if not engine.variant.files]
    shown = [e for e in engines if e in asked or (e in (best, own) and not e.routes.refusals)]
    maker = Maker(fabric, base, baseline, groups, fails=False)
    senders = participants(base.routes, groups=groups)
    with ThreadPoolExecutor(1) as pool:
        changing = pool.submit(changes, fabric, found, comparison, maker, source)
        cutting = pool.submit(failures.cut_off, fabric)
        bounding = pool.submit(_core.shift_bound, senders)
        progress("leaf to leaf")
        heat = leaf_to_leaf(base, running, groups)
        progress("hottest links")
        hottest = hot_links.loaded_links(base)
        hot = hot_links.hot_links(fabric, base.routes)
        failing = failures.failures(fabric, base, own, comparison.ours, progress)
        sides = list({engine.label: engine for engine in (base, best, own)}.values())
        side_by_side = adaptive.compare(sides, _links_on_the_way(base), found, progress)
        progress("what to change")
        advised, cut_off, shifts = changing.result(), cutting.result(), bounding.result()
    explained = explain(base.routes)
    shown_by_values: list[OfMeasurement] = []
    if explained:
        from . import suspects

        # What is measured comes before what is modelled, and after what is plainly broken.
        broken = sum(isinstance(change.step, MendErrors) for change in advised)
        advised[broken:broken] = map(Change, suspects.steps(explained))
        shown_by_values += suspects.verdicts(explained)
    if measured:
        from . import measured as measurements

        shown_by_values += measurements.verdicts(measured)
    return Report(
        source=source,
        version=version,
        digest=digest,
        health=found,
        topology=shown_topology,
        engines=shown,
        best=best,
        own=own,
        also_tried=_also_tried([e for e in engines if e not in shown]),
        left_out=_said(untried(fabric)),
        patterns=base.bisection.patterns if base.bisection else 0,
        shift_words=base.shift.words if base.shift else "",
        heat=heat,
        hottest=hottest,
        hottest_words=(
            f"{running}; every host adapter to every other at once, on whatever rails: the pairs that `lacis verify` "
            "counts. A link's mean is over all directed links between switches."
        ),
        counted=in_words(senders),
        pairs_left_out=_said(without_pairs(base.bisection)),
        forced=base.verify.hosts.forced.why,
        shifts=shifts,
        changes=advised,
        verdicts=verdicts(fabric, found, len(senders.hosts), base, best, shown_by_values),
        cabling=found.cable_work,
        adaptive=side_by_side,
        failures=failing,
        cut_off=cut_off,
        hot=hot,
        origin=origin(source),
        taken=" ".join((fabric.taken or "").split()),
        baseline=running,
        measured=measured,
        explained=(base.routes, explained) if explained else None,
    )


def _said(fact: Compared | None) -> str:
    """A fact in words; empty where there is none."""
    return "" if fact is None else text(fact)


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
