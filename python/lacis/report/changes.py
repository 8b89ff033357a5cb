"""What to do: errors and missing cables first, then other tables and a search among OpenSM's inputs."""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import TYPE_CHECKING

from .. import _core
from ..advice import choose
from ..advice.gains import number_changes
from ..advice.outcome import outcome
from ..facts.advice import TablesFromFile
from ..facts.found.cables import UplinksFewer, UplinksMissing
from ..facts.found.groups import GroupCablesMissing
from ..facts.steps import MendErrors, MissingCable, PlugCables, RunInstead, SearchInputs
from ..facts.wording import cable_list
from ..map.topology import names_of_switches
from .content import Change

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .. import health
    from .._core import Fabric
    from ..advice.compare import Comparison
    from ..advice.make import Maker


def changes(
    fabric: Fabric, found: health.Health, comparison: Comparison, maker: Maker, source: str
) -> list[Change]:
    """What to do: errors to mend, missing cables to plug in, then what to run instead of what runs now, the best first.

    Args:
        fabric: the fabric.
        found: its findings.
        comparison: what was tried.
        maker: makes bundles of what is better.
        source: what the user called the fabric.
    """
    base, best, groups = comparison.base, comparison.best, maker.groups
    advised = [Change(step) for step in errors(found.findings)]
    cables = _missing(fabric, found)
    if cables:
        edits = [f"+{it.guid}[{it.port}]--{it.far_guid}[{it.far_port}]" for it in cables]
        mended = fabric.edit(edits)
        routes = _core.route(mended, best.variant.engine, **best.variant.options)
        then = outcome(mended, best.variant, routes, groups)
        plug = PlugCables(tuple(cables), best.label)
        advised.append(Change(plug, number_changes(best, then), cable_list(plug)))
    typed = maker.baseline.typed
    # One after another they find no folder that another has filled.
    folders = map("advice-{}".format, count(1))
    for advice in choose.advise(maker, comparison):
        bundle = advice.bundle
        is_file = isinstance(bundle.alternative, TablesFromFile)
        if is_file and fabric.levels() is not None:
            search = choose.command(source, (*typed, "--tune", "60"), next(folders))
            advised.append(Change(SearchInputs(), command=search))
        step = RunInstead(
            bundle.alternative, base.label, tuple(advice.reasons), bundle.failures, bundle.lanes, bundle.ranks
        )
        files = {} if is_file else advice.outcome.variant.files
        folder = next(folders)
        write = choose.command(source, typed, folder)
        place = choose.placing(bundle, source, groups)
        lines = [write, choose.loading(bundle, folder), *([place] if place else [])]
        advised.append(Change(step, advice.changes, "\n".join(lines), files))
    return advised


def errors(findings: Sequence[health.Finding]) -> Iterator[MendErrors]:
    """A step for each code of the errors, the worst first."""
    by_code: dict[str, list[health.Finding]] = {}
    for finding in findings:
        if finding.severity == "error":
            by_code.setdefault(finding.code, []).append(finding)
    for code, group in by_code.items():
        yield MendErrors(code, tuple(f.where for f in group), group[0].text, group[0].advice)


def _missing(fabric: Fabric, found: health.Health) -> list[MissingCable]:
    """The missing cables both of whose ports are known, each port once.

    A GUID that several nodes carry identifies none of them: their cables are known once that is mended.
    """
    nodes = Counter(f"0x{guid:016x}" for guid in fabric.guids().tolist())
    names = dict(zip(*names_of_switches(fabric), strict=True))
    used: set[tuple[str, int]] = set()
    cables = []
    for finding in found.findings:
        if not isinstance(finding.facts, UplinksMissing | UplinksFewer | GroupCablesMissing):
            continue
        for a, b in (cable for gap in finding.facts.gaps for cable in gap.ports):
            if a.port is None or b.port is None or not nodes[a.guid] == nodes[b.guid] == 1:
                continue
            ports = {(a.guid, a.port), (b.guid, b.port)}
            if not ports & used:
                used |= ports
                cables.append(MissingCable(names[a.guid], a.guid, a.port, names[b.guid], b.guid, b.port))
    return cables
