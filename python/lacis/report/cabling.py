"""Findings as a work list for the machine room: which cable, which port at both ends, what to do with it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

from ..facts.words import natural
from .sections import CableEnd, CableJob

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from .._core import Fabric
    from ..health.examination import Finding, FindingEnd, Health

RACK = re.compile(r"(?:rack|r)[-_]?(\d+)[-_.]|([a-z]{1,2})(\d{2,3})[-_.]", re.IGNORECASE)
"""A name that begins with a rack: `rack12-…`, or a row of racks and a number, `A09-…`."""
AGREE = 2 / 3
"""Share of the hosts whose names must begin with a rack, as those of all switches must, before racks are read from names."""


def jobs(fabric: Fabric, found: Health, names: Mapping[str, str]) -> list[CableJob]:
    """What findings ask for, by rack, switch and port; findings that no cable mends are left out.

    Args:
        fabric: whose names are looked at for racks.
        found: the findings.
        names: by GUID, a distinct name for each switch.
    """
    racks = rack_of_name(fabric)
    work: list[CableJob] = []
    taken: set[tuple[str, int]] = set()
    for finding in found.findings:
        make = _MAKERS.get(finding.code)
        for action, here, there, why in make(finding) if make else ():
            first, second = _end(here, names), _end(there, names)
            if finding.code in _GAPS:
                first, second = _free(first, taken), _free(second, taken)
            work.append(CableJob(action, first, second, racks(first, second), finding.code, why))  # type: ignore[arg-type]
    return sorted(work, key=_by_cable)


def _by_cable(job: CableJob) -> tuple[Any, ...]:
    return (
        natural(job.rack.partition(" ")[0]),
        natural(job.here.node),
        job.here.guid,
        job.here.port or 0,
        job.code,
    )


def _end(end: FindingEnd | None, names: Mapping[str, str]) -> CableEnd | None:
    if end is None:
        return None
    name = f"{end.likely}?" if end.likely else names.get(end.guid, end.node)
    return CableEnd(name, end.guid, end.port)


def _free(end: CableEnd | None, taken: set[tuple[str, int]]) -> CableEnd | None:
    """The end; without its port where another missing cable already has it."""
    if end is None or end.port is None:
        return end
    if (end.guid, end.port) in taken:
        return CableEnd(end.node, end.guid, None)
    taken.add((end.guid, end.port))
    return end


# --- what each code asks for: action, an end, the other end, why -------------------------------

_GAPS = ("UPLINK_MISSING", "UPLINK_FEWER")
_Job: TypeAlias = "tuple[str, FindingEnd, FindingEnd | None, str]"


def _pairs(finding: Finding) -> list[tuple[FindingEnd, FindingEnd]]:
    return list(zip(finding.ends[::2], finding.ends[1::2], strict=True))


def _plug(finding: Finding) -> Iterator[_Job]:
    why = finding.text.partition(";")[0]
    return (("plug in", a, b, why) for a, b in _pairs(finding))


def _misplaced(finding: Finding) -> Iterator[_Job]:
    """Cables at another port than their peers', each with its own words; or one that joins the wrong switches."""
    pairs = _pairs(finding)
    if finding.text.startswith("joins "):
        yield from (("check", a, b, finding.text) for a, b in pairs)
        return
    for a, b in pairs:
        said = re.search(rf"port {a.port} leads to .+? where its peers' leads to [^,]+", finding.text)
        yield "move", a, b, said[0] if said else "leads elsewhere than the same port of its peers"


def _slow(finding: Finding) -> Iterator[_Job]:
    return (("replace", a, b, finding.text) for a, b in _pairs(finding))


def _uneven(finding: Finding) -> Iterator[_Job]:
    return (("check", a, b, finding.text) for a, b in _pairs(finding))


def _crossed(finding: Finding) -> Iterator[_Job]:
    said = finding.text.split("; ")
    pairs = _pairs(finding)
    for number, (adapter, leaf) in enumerate(pairs):
        why = said[number] if len(said) == len(pairs) else finding.text
        yield "move", leaf, adapter, f"{finding.where}: {why}"


def _odd_port(finding: Finding) -> Iterator[_Job]:
    return (("check", leaf, adapter, finding.text) for adapter, leaf in _pairs(finding))


def _absent_host(finding: Finding) -> Iterator[_Job]:
    """One job a host: its first leaf port, with the others in words."""
    groups: list[list[FindingEnd]] = []
    for end in finding.ends:
        if not end.guid:
            groups.append([end])
        elif groups:
            groups[-1].append(end)
    for host, *ports in groups:
        more = f" on {len(ports)} leaves" if len(ports) > 1 else ""
        others = ", ".join(map(str, ports[1:]))
        why = f"no cable where numbering implies {host.node}{more}" + (f"; also {others}" if others else "")
        yield "check", ports[0] if ports else host, host if ports else None, why


def _absent_switch(finding: Finding) -> Iterator[_Job]:
    return (("check", end, None, f"absent: {finding.text}") for end in finding.ends)


def _no_rail(finding: Finding) -> Iterator[_Job]:
    """Hosts without an adapter; none where the leaf itself is absent, which is another finding."""
    if not finding.advice.startswith("Bring "):
        yield from (("check", end, None, finding.text) for end in finding.ends)


def _island(finding: Finding) -> Iterator[_Job]:
    yield "check", finding.ends[0], None, f"{finding.where}: {finding.text}"


_MAKERS: dict[str, Callable[[Finding], Iterator[_Job]]] = {
    "UPLINK_MISSING": _plug,
    "UPLINK_FEWER": _plug,
    "CABLE_UNEXPECTED": _misplaced,
    "LINK_SPEED_LOW": _slow,
    "LINK_WIDTH_LOW": _slow,
    "RATE_ASYMMETRIC": _uneven,
    "LINK_ONE_SIDED": _uneven,
    "RAIL_CROSSED": _crossed,
    "RAIL_MISSING": _no_rail,
    "PORT_UNEXPECTED": _odd_port,
    "HOST_ABSENT": _absent_host,
    "SWITCH_ABSENT": _absent_switch,
    "ISLAND": _island,
}


# --- racks -------------------------------------------------------------------------------------


def rack_of_name(fabric: Fabric) -> Callable[[CableEnd | None, CableEnd | None], str]:
    """A function that reads the racks of a cable's ends from their names: `A09`, or `A09 – A10`.

    Names are believed where all switches' begin with a rack, two thirds of the hosts' do too, and the rows
    of the switches are rows of hosts. Elsewhere the function returns an empty text.
    """
    from .. import _core

    hosts = _core.hosts(fabric).names
    switches = [name for name, _ in fabric.switches()]
    at_host = Counter(_row(name) for name in hosts)
    rows = {_row(name) for name in switches}
    known = len(hosts) - at_host[None]
    believed = bool(rows) and rows <= set(at_host) - {None} and known >= AGREE * len(hosts)

    def racks(*ends: CableEnd | None) -> str:
        found = [_rack(end.node) for end in ends if end is not None] if believed else []
        return " – ".join(dict.fromkeys(rack for rack in found if rack))

    return racks


def _rack(name: str) -> str:
    match = RACK.match(name)
    return match[0].rstrip("-_.").upper() if match else ""


def _row(name: str) -> str | None:
    """The row of racks that a name begins with; `rack` where racks have numbers alone, none where there is none."""
    match = RACK.match(name)
    if match is None:
        return None
    return "rack" if match[1] else match[2].upper()
