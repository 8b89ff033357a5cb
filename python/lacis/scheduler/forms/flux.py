"""Properties of hosts in Flux, tables of `[resource]`'s `config`, from `flux-config-resource(5)`.

```toml
[[resource.config]]
hosts = "luna-[0001-0020]"
properties = ["leaf-LG01", "spine-CSPINE1", "core-root"]
```

Flux adds each table to what others say of the same hosts (cores, GPUs); a job asks for `--requires=leaf-LG01`.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

from ...errors import LacisError
from .. import hostlists
from ..site import Site, of_labels
from .form import PLAIN, Details, Form, head, listed, of_above, of_leaf, tier_names

if TYPE_CHECKING:
    from ..topology import Topology

_PROPERTY = re.compile(r"(leaf|spine|core|tier-(\d{1,3}))-(.+)")


def write(topology: Topology, _: Details) -> str:
    """A table for each leaf."""
    lines = list(head(topology, FORM))
    lines += [of_above(one) for one in reversed(topology.above)]
    chains = topology.chains()
    tiers = tier_names(topology.tiers + 1)
    for leaf in topology.leaves:
        properties = ", ".join(
            f'"{tier}-{name}"' for tier, name in zip(tiers, chains[leaf.name], strict=True)
        )
        lines += [
            of_leaf(leaf),
            "[[resource.config]]",
            f'hosts = "{listed(leaf.hosts)}"',
            f"properties = [{properties}]",
        ]
    return "\n".join(lines) + "\n"


def is_one(text: str) -> bool:
    """Whether a text has tables of resources."""
    return bool(re.search(r"^\s*\[\[?\s*resource\b", text, re.MULTILINE))


def read(text: str, _: Details) -> Site:
    """What properties say.

    Raises:
        LacisError: when it is no TOML, or no host has a property of the topology.
    """
    try:
        tables = tomllib.loads(text).get("resource", {}).get("config", [])
    except (tomllib.TOMLDecodeError, AttributeError, RecursionError) as error:
        raise LacisError(f"not TOML of Flux ({error})") from None
    properties: dict[str, dict[int, str]] = {}
    lists = hostlists.Lists()
    for table in tables if isinstance(tables, list) else []:
        if not isinstance(table, dict) or not isinstance(table.get("hosts"), str):
            raise LacisError("a table of resource.config without hosts")
        for word in table.get("properties", []):
            found = _PROPERTY.fullmatch(word) if isinstance(word, str) else None
            if found is None:
                continue
            tier = int(found[2]) - 1 if found[2] else tier_names(3).index(found[1])
            for host in lists.expand(table["hosts"]):
                properties.setdefault(host, {})[tier] = found[3]
    if not properties:
        raise LacisError('no host has a property such as "leaf-NAME"')
    count = max(max(its) for its in properties.values()) + 1
    return of_labels(
        [(host, 0, [its.get(tier) for tier in range(count)]) for host, its in properties.items()]
    )


FORM = Form("flux", "Flux", "resource.toml", write, read, is_one, PLAIN)
