"""A fabric with one thing changed that a scheduler does not care for: a lost cable, another adapter, another order of the dump."""

from __future__ import annotations

import json
import random
from typing import Any

from lacis import Fabric, _core

CHANGES = ("cable", "adapter", "order")


def changed(whole: str, kind: str, seed: int) -> Fabric:
    """A fabric, as `Fabric.to_json` has it, after a change of a kind.

    Args:
        whole: the fabric.
        kind: `cable`: one is lost; `adapter`: one has another GUID, as after an exchange; `order`: nodes, ports of cables
            and cables are listed in another order.
        seed: which one.
    """
    rng = random.Random(seed)
    content: dict[str, Any] = json.loads(whole)
    if kind == "cable":
        del content["cables"][rng.randrange(len(content["cables"]))]
    elif kind == "adapter":
        _exchange(content, rng)
    else:
        rng.shuffle(content["nodes"])
        rng.shuffle(content["cables"])
        content["cables"] = [
            [*cable[2:], *cable[:2]] if rng.random() < 0.5 else cable for cable in content["cables"]
        ]
    return _core.read_fabric(json.dumps(content).encode())


def _exchange(content: dict[str, Any], rng: random.Random) -> None:
    """Gives an adapter that names its host the GUIDs of another card."""
    named = [
        node
        for node in content["nodes"]
        if node["kind"] == "adapter" and len(node["description"].split()) == 2
    ]
    node = rng.choice(named)
    guid = f"0x{0xE09D7399 << 32 | rng.randrange(1 << 32):016x}"
    old, node["id"] = node["id"], f"H-{guid[2:]}"
    node["guid"] = node["system_guid"] = guid
    for port in node["ports"]:
        port["guid"] = guid
    content["cables"] = [[node["id"] if end == old else end for end in cable] for cable in content["cables"]]
