"""Labels of nodes in Kubernetes, as `kubectl label` sets them; with the keys that NVIDIA's topograph documents.

```sh
kubectl label --overwrite node luna-0001 network.topology.nvidia.com/leaf=LG01 network.topology.nvidia.com/spine=CSPINE1 …
```

Kueue, KAI and others take any keys, of which they are given the list from the root down. Read are these lines, what
`kubectl get nodes --show-labels` prints, and `kubectl get nodes -o json`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...errors import LacisError
from ..site import Site, of_labels
from .form import SUBDOMAIN, Details, Form, head, of_above, of_leaf, tier_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..topology import Topology

PREFIX = "network.topology.nvidia.com/"
_FAMILIES = (
    re.compile(r"network\.topology\.nvidia\.com/(leaf|spine|core|tier-(\d{1,3}))"),
    re.compile(r"fabric\.topograph\.run/tier-(\d{1,3})"),
)
_ORDER = {"leaf": 0, "spine": 1, "core": 2}
_LINE = re.compile(r"kubectl\s+label\s+(.*)")
_LABEL = re.compile(r"([A-Za-z0-9./_-]+)=([A-Za-z0-9._-]*)")


def keys(topology: Topology, details: Details) -> tuple[str, ...]:
    """The keys of labels, from the leaf up.

    Raises:
        LacisError: when a site's own are fewer than tiers.
    """
    count = topology.tiers + 1
    if not details.labels:
        return tuple(PREFIX + name for name in tier_names(count))
    if len(details.labels) < count:
        raise LacisError(f"`labels`: {len(details.labels)} keys for {count} tiers, from the leaf up")
    return details.labels[:count]


def write(topology: Topology, details: Details) -> str:
    """A line for each node, as a shell runs it."""
    its = keys(topology, details)
    lines = list(head(topology, FORM))
    lines += [of_above(one) for one in reversed(topology.above)]
    chains = topology.chains()
    for leaf in topology.leaves:
        lines.append(of_leaf(leaf))
        labels = " ".join(f"{key}={value}" for key, value in zip(its, chains[leaf.name], strict=True))
        lines += [f"kubectl label --overwrite node {host} {labels}" for host in leaf.hosts]
    return "\n".join(lines) + "\n"


def is_one(text: str) -> bool:
    """Whether a text has labels of nodes."""
    start = text.lstrip()[:1]
    if start == "{":
        return bool(re.search(r'"kind"\s*:\s*"(?:Node|NodeList)"', text))
    return bool(re.search(r"^\s*kubectl\s+label\b|^NAME\s.*\bLABELS\s*$", text, re.MULTILINE))


def read(text: str, details: Details) -> Site:
    """What labels say.

    Raises:
        LacisError: when no node has a label of the topology.
    """
    nodes = list(_of_json(text) if text.lstrip().startswith("{") else _of_lines(text))
    its = details.labels or _known({key for _, _, labels in nodes for key in labels})
    chains = [(host, line, [labels.get(key) or None for key in its]) for host, line, labels in nodes]
    labelled = [chain for chain in chains if any(chain[2])]
    if not labelled:
        raise LacisError(f"no node has a label such as {its[0] if its else PREFIX + 'leaf'}")
    return of_labels(labelled)


def _known(found: set[str]) -> tuple[str, ...]:
    """The keys of the topology among those of all labels, from the leaf up."""
    for family in _FAMILIES:
        its = {key: match for key in found if (match := family.fullmatch(key))}
        if its:
            number = {
                key: _ORDER[match[1]]
                if match[1] in _ORDER
                else int(match[match.lastindex or 1]) - (family is _FAMILIES[0])
                for key, match in its.items()
            }
            return tuple(sorted(its, key=number.__getitem__))
    return ()


def _of_lines(text: str) -> Iterator[tuple[str, int, dict[str, str]]]:
    """Nodes with their lines and labels, of `kubectl label` or of the table with labels."""
    merged: dict[str, tuple[int, dict[str, str]]] = {}
    is_table = False
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("NAME") and line.endswith("LABELS"):
            is_table = True
            continue
        command = _LINE.match(line)
        if command:
            words = [word for word in command[1].split() if not word.startswith("-")]
            words = words[1:] if words[:1] and words[0] in ("node", "nodes", "no") else words
            hosts = [
                word.split("/", 1)[1] if word.startswith(("node/", "nodes/")) else word
                for word in words
                if "=" not in word
            ]
            labels = _labels([word for word in words if "=" in word], number, line)
        elif is_table:
            hosts, labels = line.split()[:1], _labels(line.split()[-1].split(","), number, line, strict=False)
        else:
            raise LacisError(
                "neither `kubectl label` nor a row of the table of nodes with their labels", number, line[:80]
            )
        if not hosts:
            raise LacisError("no node in the line", number, line[:80])
        for host in hosts:
            merged.setdefault(host, (number, {}))[1].update(labels)
    yield from ((host, number, labels) for host, (number, labels) in merged.items())


def _labels(words: Sequence[str], number: int, line: str, *, strict: bool = True) -> dict[str, str]:
    found = {}
    for word in words:
        label = _LABEL.fullmatch(word)
        if label:
            found[label[1]] = label[2]
        elif strict:
            raise LacisError(f"{word[:60]!r} is no label", number, line[:80])
    return found


def _of_json(text: str) -> Iterator[tuple[str, int, dict[str, str]]]:
    for one in objects(text):
        metadata = one.get("metadata")
        labels = metadata.get("labels") if isinstance(metadata, dict) else None
        if isinstance(metadata, dict) and isinstance(metadata.get("name"), str) and isinstance(labels, dict):
            yield metadata["name"], 0, {key: value for key, value in labels.items() if isinstance(value, str)}


def objects(text: str) -> list[Mapping[str, Any]]:
    """The objects of what `kubectl get -o json` prints.

    Raises:
        LacisError: when it is no such JSON.
    """
    import msgspec

    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise LacisError(f"not JSON ({error})") from None
    rows = found.get("items", [found]) if isinstance(found, dict) else None
    if not isinstance(rows, list):
        raise LacisError("not a list of objects, as `kubectl get -o json` prints it")
    return [row for row in rows if isinstance(row, dict)]


FORM = Form("k8s-labels", "Kubernetes", "labels.sh", write, read, is_one, SUBDOMAIN, lower=True)
