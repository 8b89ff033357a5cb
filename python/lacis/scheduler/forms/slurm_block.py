"""`topology.conf` of Slurm's `topology/block`, from `topology.conf(5)` of Slurm 24.05 to 26.11.

```text
BlockName=LG01 Nodes=luna-[0001-0020]
BlockSizes=14
```

The base block size is the number of hosts of the smallest group: every block must have that many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import slurm_conf
from .form import PLAIN, Details, Form, head, listed, of_leaf

if TYPE_CHECKING:
    from ..site import Site
    from ..topology import Topology


def write(topology: Topology, _: Details) -> str:
    """The lines of a `topology.conf`."""
    lines = list(head(topology, FORM))
    for leaf in topology.leaves:
        lines += [of_leaf(leaf), f"BlockName={leaf.name} Nodes={listed(leaf.hosts)}"]
    lines.append(f"BlockSizes={min(len(leaf.hosts) for leaf in topology.leaves)}")
    return "\n".join(lines) + "\n"


def read(text: str, _: Details) -> Site:
    """What a `topology.conf` says."""
    return slurm_conf.read(text)


FORM = Form("slurm-block", "Slurm", "topology.conf", write, read, slurm_conf.is_block, PLAIN)
