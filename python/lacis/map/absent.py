"""What is absent of a fabric, and the ports that would lead to it, as pages look them up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..facts.found.hosts import HostsAbsent
from ..facts.found.nodes import SwitchAbsent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..facts.found.ends import FindingEnd
    from ..facts.found.findings import Finding


class Absence(msgspec.Struct, frozen=True):
    """A switch or a host that is not there."""

    name: str
    """By the name that numbering implies."""
    kind: str
    """`switch` or `host`."""
    words: str
    """What is known of it."""
    ports: list[tuple[str, str, int]]
    """The empty ports that would lead to it: GUID and name of the switch, the port."""


def absent_switches(findings: Sequence[Finding]) -> list[str]:
    """The names of absent switches."""
    return [it.facts.switch.node for it in findings if isinstance(it.facts, SwitchAbsent)]


def absences(findings: Sequence[Finding]) -> Iterator[Absence]:
    """Each absent switch and host."""
    for finding in findings:
        match finding.facts:
            case SwitchAbsent(switch=switch, empty=empty):
                yield Absence(switch.node, "switch", finding.text, _ports(empty.ends if empty else []))
            case HostsAbsent(hosts=hosts):
                for absent in hosts:
                    yield Absence(absent.host.node, "host", finding.text, _ports(absent.ports))
            case _:
                pass


def _ports(ends: Sequence[FindingEnd]) -> list[tuple[str, str, int]]:
    return [(end.guid, end.node, end.port or 0) for end in ends]
