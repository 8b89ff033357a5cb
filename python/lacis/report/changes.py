"""What to do: other tables, a search among OpenSM's inputs, missing cables."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .. import _core
from ..advice import choose
from ..advice.gains import gain
from ..advice.outcome import outcome
from ..facts.wording import text
from ..map.topology import GAP_CODES, names_of_switches, pairs
from .content import Change

if TYPE_CHECKING:
    from .. import health
    from .._core import Fabric
    from ..advice.compare import Comparison
    from ..advice.make import Maker


def changes(
    fabric: Fabric, found: health.Health, comparison: Comparison, maker: Maker, source: str
) -> list[Change]:
    """What to run instead of what runs now, the best first; then missing cables, which gain under any tables.

    Args:
        fabric: the fabric.
        found: its findings.
        comparison: what was tried.
        maker: makes bundles of what is better.
        source: what the user called the fabric.
    """
    base, best, groups = comparison.base, comparison.best, maker.groups
    advised = []
    write = choose.command(source, maker.baseline.typed)
    for advice in choose.advise(maker, comparison):
        bundle = advice.bundle
        if bundle.kind == "tables" and fabric.levels() is not None:
            advised.append(_search(choose.command(source, (*maker.baseline.typed, "--tune", "60"))))
        verb = "Load" if bundle.kind == "tables" else "Run"
        title = f"{verb} {bundle.title} instead of {base.label}"
        said = [advice.why, bundle.purpose]
        if bundle.failures is not None:
            said.append(f"{bundle.failures} (modelled)")
        if bundle.lanes is not None:
            said.append(f"It needs QoS and path records. {text(bundle.lanes)}")
        command = f"{write}\n{choose.loading(bundle)}"
        files = {} if bundle.kind == "tables" else advice.outcome.variant.files
        advised.append(Change(title, " ".join(said), advice.gain, command, files))
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
        advised.append(Change(f"Plug in the {cables}", why, gain(best, then), lines))
    return advised


def _search(command: str) -> Change:
    """A search among OpenSM's own inputs, by a command."""
    why = (
        "Engines, roots, compute nodes and orders are tried. Those that keep every pair without a credit loop go through "
        "single failures, and the best becomes a bundle like the others."
    )
    title = "Search what OpenSM can do with its own inputs, in about a minute"
    return Change(title, why, "", command)


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
