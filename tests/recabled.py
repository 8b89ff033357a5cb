"""Fabrics with their cables at other ports."""

from __future__ import annotations

import json
import random

from lacis import Fabric, _core, read


def recabled(spec: str, seed: int) -> Fabric:
    """The graph of a synthetic fabric, with the cables of each switch at other ports of it."""
    rng = random.Random(seed)
    whole = json.loads(read(spec).to_json())
    numbers = {
        node["id"]: dict(enumerate(rng.sample(range(1, node["radix"] + 1), node["radix"]), 1))
        for node in whole["nodes"]
        if node["kind"] == "switch"
    }

    def moved(node: str, port: int) -> tuple[str, int]:
        return node, numbers[node][port] if node in numbers else port

    whole["cables"] = [[*moved(a, p), *moved(b, q)] for a, p, b, q in whole["cables"]]
    return _core.read_fabric(json.dumps(whole).encode())
