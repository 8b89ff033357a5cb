"""Placement sets of OpenPBS and PBS Professional, as commands for `qmgr`, from the administrator's guide.

```text
create resource net_leaf type=string_array, flag=h
set server node_group_key = "net_leaf,net_spine"
set server node_group_enable = true
set node luna-0001 resources_available.net_leaf = LG01
```

Read are such lines, which `qmgr -c "print node @default"` prints, too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...errors import LacisError
from ..site import Site, of_labels
from .form import PLAIN, Details, Form, head, of_above, of_leaf, tier_names

if TYPE_CHECKING:
    from ..topology import Topology

_SET = re.compile(r"(?:set|s)\s+(?:node|n)\s+(\S+)\s+(.*)")
_RESOURCE = re.compile(r"resources_available\.([A-Za-z][A-Za-z0-9_-]*)\s*\+?=\s*\"?([^\",\s]*)\"?")


def _resources(count: int) -> list[str]:
    return [f"net_{name.replace('-', '_')}" for name in tier_names(count)]


def write(topology: Topology, _: Details) -> str:
    """Commands for `qmgr`."""
    names = _resources(topology.tiers + 1)
    lines = list(head(topology, FORM))
    lines += [of_above(one) for one in reversed(topology.above)]
    lines += [f"create resource {name} type=string_array, flag=h" for name in names]
    lines += [f'set server node_group_key = "{",".join(names)}"', "set server node_group_enable = true"]
    chains = topology.chains()
    for leaf in topology.leaves:
        lines.append(of_leaf(leaf))
        for host in leaf.hosts:
            lines += [
                f"set node {host} resources_available.{name} = {value}"
                for name, value in zip(names, chains[leaf.name], strict=True)
            ]
    return "\n".join(lines) + "\n"


def is_one(text: str) -> bool:
    """Whether a text sets resources of nodes."""
    return bool(re.search(r"^\s*s(?:et)?\s+n(?:ode)?\s+\S+\s+resources_available\.", text, re.MULTILINE))


def read(text: str, details: Details) -> Site:
    """What resources of nodes say: those called `net_…`, or those that a site names.

    Raises:
        LacisError: when no node has such a resource.
    """
    found: dict[str, tuple[int, dict[str, str]]] = {}
    for number, raw in enumerate(text.splitlines(), start=1):
        command = _SET.match(raw.strip())
        resource = _RESOURCE.match(command[2]) if command else None
        if command and resource:
            for host in command[1].split(","):
                found.setdefault(host, (number, {}))[1][resource[1]] = resource[2]
    there = {name for _, its in found.values() for name in its}
    names = list(details.labels) or [name for name in _resources(16) if name in there]
    chains = [(host, line, [its.get(name) or None for name in names]) for host, (line, its) in found.items()]
    labelled = [chain for chain in chains if any(chain[2])]
    if not labelled:
        raise LacisError(f"no node has a resource such as {names[0] if names else 'net_leaf'}")
    return of_labels(labelled)


FORM = Form("pbs", "PBS", "topology.qmgr", write, read, is_one, PLAIN)
