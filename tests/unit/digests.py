"""SHA-256 of everything that the engine computes for a fabric; `run` does it in a process with n threads."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MOST_EXPLAINED = 256
"""Hosts among which rates of all pairs are explained: four times the flows that a thread takes at once. Those of 1,024 hosts take longer
than all else here."""


def run(spec: str, threads: int) -> dict[str, str]:
    """The digests of `digests`, computed by a process of its own."""
    env = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
    words = [sys.executable, "-m", "tests.unit.digests", spec]
    done = subprocess.run(words, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, str] = json.loads(done.stdout)
    return result


def digests(spec: str) -> dict[str, str]:
    """By engine: tables, LIDs, proof and predictions; and the fabric's health."""
    import lacis
    from lacis import _core

    fabric = lacis.read(spec)
    found: dict[str, Any] = {"fabric": fabric.to_json(), "health": _core.health_json(fabric)}
    for engine in [row.name for row in _core.engine_table()]:
        routes = lacis.route(fabric, engine)
        found[f"{engine} used"] = routes.engine_used
        found[f"{engine} table"] = routes.table()
        found[f"{engine} lids"] = routes.lids()
        proof = lacis.verify(routes, switches=True)
        counts = [proof.verdicts, proof.hops, proof.balance, proof.unreached, proof.failures]
        found[f"{engine} proof"] = repr([*counts, proof.credit_loops])
        found[f"{engine} loads"] = proof.loads()
        for model, traffic in (
            ("load", "bisection"),
            ("load", "alltoall"),
            ("load", "leaf-offset"),
            ("fluid", "permutation"),
            ("fluid", "shift:1,7"),
        ):
            matrix = "leaf" if traffic == "leaf-offset" else None
            result = lacis.predict(routes, traffic, patterns=30, model=model, matrix=matrix)
            name = f"{engine} {model} {traffic}"
            found[f"{name} distribution"] = result.distribution()
            found[f"{name} loads"] = result.loads()
            found[f"{name} phases"] = [*result.phases().values()]
            found[f"{name} sums"] = repr(
                [result.flows, result.relative_bandwidth, result.bandwidth, result.hottest]
            )
            if matrix:
                found[f"{name} matrix"] = [result.matrix(kind) for kind in ("mean", "min", "max")]
    apart: dict[str, Any] = {**_core.take_apart(*_latencies(200), is_rate=False)}
    arrays = ("values", "rest", "sending", "receiving", "errors")
    found["structure arrays"] = [apart.pop(name) for name in arrays]
    found["structure groups"] = [row[0] for row in apart["groupings"]]
    apart["groupings"] = [row[1:] for row in apart["groupings"]]
    found["structure"] = repr(apart)
    found["explained"] = explained(lacis.route(fabric, "minhop"))
    return {name: _sha256(value) for name, value in found.items()}


def _latencies(hosts: int) -> tuple[int, Any, Any, Any]:
    """Hosts, senders, receivers and latencies of all pairs: leaves of 10, hosts that differ, noise."""
    import numpy as np

    rng = np.random.default_rng(1)
    leaf, own = np.arange(hosts) // 10, 0.02 * rng.standard_normal(hosts)
    far = 0.1 * (leaf[:, None] != leaf)
    value = 1e-6 * (1 + far + own[:, None] + own + 0.01 * rng.standard_normal((hosts, hosts)))
    source, destination = np.nonzero(~np.eye(hosts, dtype=bool))
    return hosts, source.astype(np.uint32), destination.astype(np.uint32), value[source, destination]


def explained(routes: Any) -> str:
    """What rates at random say of the fabric, half of a leaf's senders slow."""
    import numpy as np
    from lacis import _core

    hosts = _core.participants(routes, groups="all", rail="1", order="topology")
    among = min(len(hosts.hosts), MOST_EXPLAINED)
    source, destination = (end.ravel().astype(np.uint32) for end in np.indices((among, among)))
    rates = np.exp(0.05 * np.random.default_rng(1).standard_normal(source.size)) * 1e10
    rates[source % 16 == 3] *= 0.6
    rounds = (source + destination) % among
    columns: dict[str, Any] = {"source": source, "destination": destination, "values": rates}
    columns["rounds"] = rounds.astype(np.uint32)
    found = _core.observe(routes, hosts, quantity="rate", **columns).locate()
    slow = found.unexplained.tolist()
    return repr((found.found, found.partly, found.links, found.visible, slow, found.differ))


def _sha256(value: Any) -> str:
    """Of a text, an array or a row of arrays: every byte, and the arrays' types and shapes."""
    digest = hashlib.sha256()
    for part in value if isinstance(value, tuple | list) else [value]:
        if isinstance(part, str):
            digest.update(part.encode())
        else:
            digest.update(f"{part.dtype} {part.shape} ".encode())
            digest.update(part.tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    json.dump(digests(sys.argv[1]), sys.stdout)
