"""Tasks that are measured in separate processes: `python -m benchmarks.tasks NAME ARGUMENTS` prints JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

import lacis
from lacis import _core
from lacis.sm.engines import ENGINES

from .measure import clocked, peak_mb


def pipeline(spec: str) -> dict[str, Any]:
    """Generate, route by ftree, verify every pair: wall and CPU seconds of each, peak memory."""
    made: dict[str, Any] = {}
    steps = {
        "generate": lambda: made.update(fabric=lacis.read(spec)),
        "route": lambda: made.update(routes=lacis.route(made["fabric"], "ftree", fallback=False)),
        "verify": lambda: made.update(proof=lacis.verify(made["routes"])),
    }
    seconds = {name: clocked(step) for name, step in steps.items()}
    proof = made["proof"]
    return {
        "wall": {name: wall for name, (wall, _) in seconds.items()},
        "cpu": {name: cpu for name, (_, cpu) in seconds.items()},
        "peak_mb": peak_mb(),
        "nodes": made["fabric"].num_end_nodes,
        "pairs": proof.pairs,
        "good": proof.good,
    }


def file_pipeline(path: str, repeats: str) -> dict[str, Any]:
    """Read a file, examine it, route it with every engine: wall and CPU seconds of all steps together."""
    from lacis import health

    def once() -> None:
        fabric = lacis.read(path)
        health.examine(fabric)
        for engine in ENGINES:
            lacis.route(fabric, engine)

    return _seconds([clocked(once) for _ in range(int(repeats))])


def times(spec: str, traffic: str, patterns: str, repeats: str) -> dict[str, Any]:
    """Messages of 1 MB through the fluid model over ftree's tables, until all have arrived."""
    routes = lacis.route(lacis.read(spec), "ftree", fallback=False)
    hosts = _core.participants(routes)
    totals: dict[str, Any] = {}

    def once() -> None:
        result = _core.times(routes, hosts, traffic, 10**6, patterns=int(patterns))
        totals.update(messages=result.counts["messages"], seconds=result.total)

    return _seconds([clocked(once) for _ in range(int(repeats))]) | totals | {"nodes": len(hosts.hosts)}


def all_to_all(spec: str, repeats: str) -> dict[str, Any]:
    """All-to-all load under ftree's tables: on inter-switch links alone, and with every pair's contention."""
    routes = lacis.route(lacis.read(spec), "ftree", fallback=False)
    hosts = _core.participants(routes)
    pairs = len(hosts.hosts) * (len(hosts.hosts) - 1)
    assert _core.predict(routes, hosts, "alltoall").flows == pairs  # noqa: S101
    return {
        "pairs": pairs,
        "loads": _seconds([clocked(lambda: _core.all_to_all(routes)) for _ in range(int(repeats))]),
        "contention": _seconds(
            [clocked(lambda: _core.predict(routes, hosts, "alltoall")) for _ in range(int(repeats))]
        ),
    }


def prediction(spec: str, model: str, traffic: str, patterns: str, repeats: str) -> dict[str, Any]:
    """Random patterns under ftree's tables: CPU seconds, and the flows among them."""
    routes = lacis.route(lacis.read(spec), "ftree", fallback=False)
    hosts = _core.participants(routes)
    count = int(patterns)

    def run() -> Any:
        return _core.predict(routes, hosts, traffic, patterns=count, model=model, hottest=0)

    flows = run().flows  # the first run also warms the caches
    spent = [clocked(run) for _ in range(int(repeats))]
    return {
        "nodes": len(hosts.hosts),
        "patterns": count,
        "flows": flows,
        **_seconds(spent),
    }


def packet(spec: str, size: str, repeats: str) -> dict[str, Any]:
    """A random permutation under ftree's tables, packet by packet: CPU seconds, events, links crossed."""
    routes = lacis.route(lacis.read(spec), "ftree", fallback=False)
    hosts = _core.participants(routes)
    work = lacis.Workload(traffic="permutation", hosts=hosts, size=int(size))

    def run() -> Any:
        return lacis.simulate(routes, work, device="edr")

    events, hops = run().events  # the first run also warms the caches
    spent = [clocked(run) for _ in range(int(repeats))]
    return {"nodes": len(hosts.hosts), "events": events, "hops": hops, "peak": peak_mb(), **_seconds(spent)}


def _seconds(spent: list[tuple[float, float]]) -> dict[str, list[float]]:
    return {"wall": [wall for wall, _ in spent], "cpu": [cpu for _, cpu in spent]}


if __name__ == "__main__":
    tasks = {task.__name__: task for task in (pipeline, file_pipeline, all_to_all, prediction, times, packet)}
    json.dump(tasks[sys.argv[1]](*sys.argv[2:]), sys.stdout)
