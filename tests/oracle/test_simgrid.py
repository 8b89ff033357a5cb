"""Completion times are SimGrid's: same fabric, same tables (ftree: D-mod-K), same flows."""

from __future__ import annotations

import json
import os
import random
from typing import TYPE_CHECKING

import lacis as api
import pytest

from . import simgrid

if TYPE_CHECKING:
    from pathlib import Path

RATE = 12.5e9


@pytest.fixture(autouse=True, scope="module")
def simgrid_installed() -> None:
    """Skips where SimGrid is not installed; in CI that is a failure."""
    absent = simgrid.missing()
    if absent:
        reason = f"no {', '.join(absent)}: install the Debian packages {simgrid.PACKAGES}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


def _flows(kind: str, hosts: int, rng: random.Random) -> list[tuple[int, int, int]]:
    """Sender, receiver, bytes."""
    order = list(range(hosts))
    if kind == "permutation":
        rng.shuffle(order)
        return [(a, b, 10**6) for a, b in enumerate(order) if a != b]
    if kind == "sizes":
        rng.shuffle(order)
        return [(a, b, rng.randint(10**5, 10**7)) for a, b in enumerate(order) if a != b]
    if kind == "alltoall":
        return [(a, b, 10**6) for a in order for b in order if a != b]
    pairs = [rng.sample(order, 2) for _ in range(3 * hosts)]
    return [(a, b, rng.choice((10**6, 2 * 10**6, rng.randint(10**5, 10**7)))) for a, b in pairs]


@pytest.mark.parametrize("kind", ["permutation", "sizes", "alltoall", "random"])
@pytest.mark.parametrize("spec", ["fat-tree:8,2", "fat-tree:8,3", "fat-tree:12,2:taper=2", "itasca:6"])
def test_every_message_ends_when_simgrid_says(spec: str, kind: str, tmp_path: Path) -> None:
    rng = random.Random(f"{spec} {kind}")
    fabric = api.read(f"{spec}{',' if spec.count(':') > 1 else ':'}rate=4xEDR")
    routes = api.route(fabric, "ftree", fallback=False)
    hosts = api.participants(routes, host_order="topology", rail="each")
    names, count = hosts.hosts, len(hosts.hosts)
    if kind == "alltoall" and count > 64:
        count = 64
    sent = _flows(kind, count, rng)

    # Ours: every message is a phase of a trace that waits for nothing, so that the time of each is reported.
    trace = tmp_path / "trace.jsonl"
    lines = [
        {"phase": i, "source": a, "destination": b, "bytes": size, "after": []}
        for i, (a, b, size) in enumerate(sent)
    ]
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = api.times(routes, f"trace:{trace}", 1, hosts=hosts)
    ours = result.phases()["time"].tolist()
    assert result.counts["messages"] == len(sent)

    # SimGrid's, over the links of the traced routes.
    number: dict[tuple[str, int], int] = {}
    flows = []
    for a, b, size in sent:
        hops = api.trace(routes, names[a], names[b]).hops
        links = [(node, out) for node, _, _, _, out, _ in hops if out is not None]
        ids = tuple(number.setdefault(link, len(number)) for link in links)
        flows.append(simgrid.Flow(a, b, size, ids))
    theirs, _ = simgrid.run([RATE] * len(number), count, flows)
    assert ours == pytest.approx(theirs, rel=1e-6)  # 1 % is asked for
