"""What is drawn of a fabric: its switches, the cables between them, and what findings say about these."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..fabric.levels import levels_of
from ..facts.found.cables import UplinksFewer, UplinksMissing
from ..facts.found.groups import GroupCablesMissing
from .shapes import Topology

if TYPE_CHECKING:
    from .. import health
    from .._core import Fabric


def topology(fabric: Fabric, found: health.Health) -> Topology:
    """What is drawn of a fabric, with the findings about its cables."""
    switches = fabric.switches()
    guids, names = names_of_switches(fabric)
    index: dict[str, int] = {guid: s for s, guid in enumerate(guids)}
    bundles = fabric.bundles().reshape(-1, 3).tolist()
    levels, pods = levels_of(fabric), (fabric.levels() or ([], []))[1]
    deviations = []
    for finding in found.findings:
        match finding.facts:
            case UplinksMissing(gaps=gaps) | UplinksFewer(gaps=gaps):
                short = [(gap.lower.guid, gap.upper.guid, gap.have) for gap in gaps]
            case GroupCablesMissing(gaps=gaps):
                short = [(gap.ends[0].guid, gap.ends[1].guid, gap.have) for gap in gaps]
            case _:
                continue
        for a, b, have in short:
            if a in index and b in index:
                few = "too few" if have else "no"
                text = f"{names[index[a]]} – {names[index[b]]}: {few} cables"
                deviations.append((index[a], index[b], text))
    return Topology(
        names, levels, pods, [hosts for _, hosts in switches], [(a, b, n) for a, b, n in bundles], deviations
    )


def names_of_switches(fabric: Fabric) -> tuple[list[str], list[str]]:
    """GUIDs and names of the switches; a name that several of them share has its GUID with it."""
    names = [name for name, _ in fabric.switches()]
    guids = [f"0x{guid:016x}" for guid in fabric.guids()[: len(names)].tolist()]
    shared = Counter(names)
    unique = [
        name if shared[name] == 1 else f"{name} {guid}" for name, guid in zip(names, guids, strict=True)
    ]
    return guids, unique
