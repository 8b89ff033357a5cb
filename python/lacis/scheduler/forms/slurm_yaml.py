"""`topology.yaml` of Slurm 25.05 and later with a tree, from `topology.yaml(5)`; blocks are read, too.

```yaml
- topology: fabric
  cluster_default: true
  tree:
    switches:
      - switch: root
        children: CSPINE[1-4]
      - switch: LG01
        nodes: luna-[0001-0020]
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...errors import LacisError
from .. import hostlists
from ..site import Site, SiteSwitch
from . import plain_yaml
from .form import PLAIN, Details, Form, head, listed, of_above, of_leaf
from .plain_yaml import Keys, Value

if TYPE_CHECKING:
    from ..topology import Topology

_TYPES = ("tree", "block", "flat", "ring", "torus3d")


def write(topology: Topology, _: Details) -> str:
    """The lines of a `topology.yaml`."""
    lines = list(head(topology, FORM))
    lines += ["- topology: fabric", "  cluster_default: true", "  tree:", "    switches:"]
    for one in reversed(topology.above):
        lines += [
            f"      {of_above(one)}",
            f"      - switch: {quoted(one.name)}",
            f"        children: {quoted(listed(one.children))}",
        ]
    for leaf in topology.leaves:
        lines += [
            f"      {of_leaf(leaf)}",
            f"      - switch: {quoted(leaf.name)}",
            f"        nodes: {quoted(listed(leaf.hosts))}",
        ]
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    """A text that no reader of YAML takes for a number, a date or a truth."""
    plain = re.fullmatch(r"[A-Za-z][A-Za-z0-9._\[\],-]*", text)
    words = text.lower() in {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
    return text if plain and not words else f'"{text}"'


def is_one(text: str) -> bool:
    """Whether a text is a list of topologies."""
    return bool(re.search(r"^\s*(?:- +)?[\"']?topology[\"']?\s*:", text, re.MULTILINE))


def read(text: str, _: Details) -> Site:
    """What a `topology.yaml` says of the topology that is the cluster's default.

    Raises:
        LacisError: when it is no YAML of this form, or the default is no tree and has no blocks.
    """
    documents = plain_yaml.read(text)
    found = [
        one for document in documents for one in (document if isinstance(document, list) else [document])
    ]
    topologies = [one for one in found if isinstance(one, Keys)]
    if not topologies or len(topologies) != len(found):
        raise LacisError("not a list of topologies, as `- topology: NAME` begins one")
    default = next((one for one in topologies if _is_true(one.get("cluster_default"))), topologies[0])
    kinds = [kind for kind in _TYPES if kind in default]
    unknown = [key for key in default if key not in (*_TYPES, "topology", "cluster_default")]
    if unknown:
        raise LacisError(f"{str(unknown[0])[:40]!r} is no key of a topology", default.line)
    if len(kinds) != 1:
        raise LacisError(f"a topology has one of {', '.join(_TYPES)}; here are {len(kinds)}", default.line)
    inside = default[kinds[0]]
    if kinds[0] not in ("tree", "block") or not isinstance(inside, Keys):
        raise LacisError(
            f"the cluster's default topology is {kinds[0]}: trees and blocks are read", default.line
        )
    return _tree(inside) if kinds[0] == "tree" else _blocks(inside)


def _tree(inside: Keys) -> Site:
    switches = []
    lists = hostlists.Lists()
    for one in _rows(inside, "switches"):
        _only(one, ("switch", "children", "nodes"))
        switches.append(
            SiteSwitch(
                _name(one, "switch"), one.line, _names(one, "nodes", lists), _names(one, "children", lists)
            )
        )
    return Site(switches)


def _blocks(inside: Keys) -> Site:
    switches = []
    lists = hostlists.Lists()
    for one in _rows(inside, "blocks"):
        _only(one, ("block", "nodes"))
        switches.append(SiteSwitch(_name(one, "block"), one.line, _names(one, "nodes", lists)))
    sizes = inside.get("block_sizes")
    words = sizes if isinstance(sizes, list) else [] if sizes is None else [sizes]
    if not all(isinstance(word, str) and word.isdigit() and 0 < int(word) < 1 << 31 for word in words):
        raise LacisError("block_sizes are no numbers", inside.line)
    return Site(switches, [int(str(word)) for word in words], has_tiers=False)


def _rows(inside: Keys, key: str) -> list[Keys]:
    rows = inside.get(key)
    if not isinstance(rows, list) or not rows:
        raise LacisError(f"no list `{key}`", inside.line)
    for row in rows:
        if not isinstance(row, Keys):
            raise LacisError(f"an item of `{key}` has no keys", inside.line, str(row)[:80])
    return [row for row in rows if isinstance(row, Keys)]


def _only(row: Keys, known: tuple[str, ...]) -> None:
    for key in row:
        if key not in known:
            raise LacisError(f"{key[:40]!r} is none of the keys {', '.join(known)}", row.line)


def _name(row: Keys, key: str) -> str:
    name = row.get(key)
    if not isinstance(name, str) or not name:
        raise LacisError(f"an item without `{key}`", row.line)
    return name


def _names(row: Keys, key: str, lists: hostlists.Lists) -> list[str]:
    value: Value = row.get(key)
    if value is None:
        return []
    parts = value if isinstance(value, list) else [value]
    if not all(isinstance(part, str) for part in parts):
        raise LacisError(f"`{key}` is no list of names", row.line)
    return [name for part in parts for name in lists.expand(str(part), row.line)]


def _is_true(value: Value) -> bool:
    return isinstance(value, str) and value.lower() in ("true", "yes", "on")


FORM = Form("slurm-yaml", "Slurm", "topology.yaml", write, read, is_one, PLAIN)
