"""HyperNodes of Volcano, `topology.volcano.sh/v1alpha1`, from its guide to network topology aware scheduling.

```yaml
apiVersion: topology.volcano.sh/v1alpha1
kind: HyperNode
metadata:
  name: lg01
spec:
  tier: 1
  members:
    - type: Node
      selector:
        exactMatch:
          name: luna-0001
```

Members are named one by one (`exactMatch`). Other selectors depend on labels of nodes, or on which nodes there are: they are
refused when a file is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...errors import LacisError
from ..site import Site, SiteSwitch
from . import plain_yaml
from .form import SUBDOMAIN, Details, Form, head, of_above, of_leaf
from .k8s_labels import objects
from .slurm_yaml import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..topology import Topology

_VERSION = "topology.volcano.sh/v1alpha1"


def write(topology: Topology, _: Details) -> str:
    """A document for each HyperNode."""
    lines = list(head(topology, FORM))
    for leaf in topology.leaves:
        lines += [of_leaf(leaf), *_hyper_node(leaf.name, 1, "Node", leaf.hosts)]
    for one in topology.above:
        lines += [of_above(one), *_hyper_node(one.name, one.tier + 1, "HyperNode", one.children)]
    return "\n".join(lines) + "\n"


def _hyper_node(name: str, tier: int, kind: str, members: Sequence[str]) -> Iterator[str]:
    yield from ("---", f"apiVersion: {_VERSION}", "kind: HyperNode", "metadata:", f"  name: {quoted(name)}")
    yield from ("spec:", f"  tier: {tier}", "  members:")
    for member in members:
        yield from (
            f"    - type: {kind}",
            "      selector:",
            "        exactMatch:",
            f"          name: {quoted(member)}",
        )


def is_one(text: str) -> bool:
    """Whether a text has HyperNodes."""
    return bool(re.search(r"\"?kind\"?\s*:\s*\"?HyperNode", text))


def read(text: str, _: Details) -> Site:
    """What HyperNodes say.

    Raises:
        LacisError: when one has no name, or members that are not named one by one.
    """
    if text.lstrip().startswith("{"):
        found: list[Any] = list(objects(text))
    else:
        found = []
        for document in plain_yaml.read(text):
            rows = document.get("items") if isinstance(document, dict) and "items" in document else [document]
            found += rows if isinstance(rows, list) else []
    switches = [_switch(one) for one in found if isinstance(one, dict) and one.get("kind") == "HyperNode"]
    if not switches:
        raise LacisError("no HyperNode")
    return Site(switches)


def _switch(one: dict[str, Any]) -> SiteSwitch:
    line = getattr(one, "line", 0)
    metadata, spec = one.get("metadata"), one.get("spec")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    members = spec.get("members") if isinstance(spec, dict) else None
    if not isinstance(name, str) or not name:
        raise LacisError("a HyperNode without a name", line or None)
    switch = SiteSwitch(name, line)
    for member in members if isinstance(members, list) else []:
        selector = member.get("selector") if isinstance(member, dict) else None
        exact = selector.get("exactMatch") if isinstance(selector, dict) else None
        named = exact.get("name") if isinstance(exact, dict) else None
        if not isinstance(named, str):
            raise LacisError(
                f"HyperNode {name[:63]}: a member without exactMatch; regexMatch and labelMatch depend on nodes that are not in the file",
                getattr(member, "line", 0) or line or None,
            )
        kind = member.get("type")
        if kind not in ("Node", "HyperNode"):
            raise LacisError(
                f"HyperNode {name[:63]}: a member that is neither a Node nor a HyperNode", line or None
            )
        (switch.hosts if kind == "Node" else switch.children).append(named)
    return switch


FORM = Form("volcano", "Volcano", "hypernodes.yaml", write, read, is_one, SUBDOMAIN, lower=True)
