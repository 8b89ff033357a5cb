"""`topology.conf` of Slurm's `topology/tree`, the form that its 22.05.8 is asked about in the tests.

```text
SwitchName=LG01 Nodes=luna-[0001-0020]
SwitchName=CSPINE1 Switches=LG[01-07]
SwitchName=root Switches=CSPINE[1-4]
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import slurm_conf
from .form import PLAIN, Details, Form, head, listed, of_above, of_leaf

if TYPE_CHECKING:
    from ..site import Site
    from ..tiers import Uplink
    from ..topology import Topology


def write(topology: Topology, details: Details) -> str:
    """The lines of a `topology.conf`."""
    lines = list(head(topology, FORM))
    for leaf in topology.leaves:
        lines += [
            of_leaf(leaf),
            f"SwitchName={leaf.name} Nodes={listed(leaf.hosts)}{_speed(leaf.up, details)}",
        ]
    for one in topology.above:
        lines += [
            of_above(one),
            f"SwitchName={one.name} Switches={listed(one.children)}{_speed(one.up, details)}",
        ]
    return "\n".join(lines) + "\n"


def _speed(up: Uplink, details: Details) -> str:
    """Slurm does not use the speed yet, and leaves its unit to the site: GB/s."""
    known = details.link_speeds and up.cables and up.bandwidth is not None
    return f" LinkSpeed={round(up.bandwidth / 1e9)}" if known and up.bandwidth is not None else ""


def read(text: str, _: Details) -> Site:
    """What a `topology.conf` says."""
    return slurm_conf.read(text)


FORM = Form("slurm-tree", "Slurm", "topology.conf", write, read, slurm_conf.is_tree, PLAIN)
