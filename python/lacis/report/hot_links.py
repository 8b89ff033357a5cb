"""The links that carry most when all send to all, rail by rail, and the hosts behind their traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from ..documents.report import HotLink, LoadedLink
from ..ranks.participants import participants

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .._core import Fabric, Participants, Routes
    from ..advice.outcome import Outcome

OVER_MEAN = 1.2
"""A link is hot when it carries more than this times the mean of the links that the rail's traffic uses."""
LINKS = 5
"""Most links that are listed of one rail."""
HOSTS = 4
"""Most hosts that are named for one link."""
_FLOWS = 20_000
"""Flows of a link that are searched for hosts."""


def hot_links(fabric: Fabric, routes: Routes) -> list[HotLink]:
    """Links between switches that are hot when every adapter of a rail sends to every other; none where all is even.

    A link that carries no more flows than an adapter's own link does is not hot: it slows no host.
    """
    every = participants(routes)
    named = inferred(fabric)
    hot = []
    for rail, count in enumerate(every.hosts_by_rail, start=1):
        if count < 2:  # one host alone has no traffic
            continue
        if every.rails == 1:
            return _of_rail(fabric, routes, every, "", named)
        hot += _of_rail(fabric, routes, participants(routes, rail=f"{rail}"), f"{rail}", named)
    return hot


def _of_rail(
    fabric: Fabric, routes: Routes, hosts: Participants, rail: str, named: dict[str, str]
) -> list[HotLink]:
    result = _core.predict(routes, hosts, "alltoall", hottest=0)
    nodes, ports, flows = result.loads()
    between = _between_switches(fabric, nodes, ports)
    used = flows[between & (flows > 0)]
    if not used.size:
        return []
    mean = float(used.mean())
    least = max(OVER_MEAN * mean, hosts.num_ports - 1)
    count = min(LINKS, int((used > least).sum()))
    if not count:
        return []
    hottest = _core.predict(routes, hosts, "alltoall", hottest=count, flows_listed=_FLOWS).hottest
    return [
        HotLink(
            rail,
            link.egress,
            link.ingress,
            link.total,
            link.total / mean,
            _hosts(link.flows, named),
        )
        for link in hottest
    ]


def _between_switches(
    fabric: Fabric, nodes: NDArray[np.uint32], ports: NDArray[np.uint8]
) -> NDArray[np.bool_]:
    """Which of the links that leave these ports join two switches."""
    import numpy as np

    cables = fabric.cables().reshape(-1, 2, 2).astype(np.int64)  # cable, end, (node, port)
    trunks = cables[(cables[:, :, 0] < fabric.num_switches).all(axis=1)]
    return np.isin(nodes.astype(np.int64) << 8 | ports, trunks[..., 0] << 8 | trunks[..., 1])


def _hosts(flows: list[tuple[str, str]], named: dict[str, str]) -> list[str]:
    """The hosts that a link serves: its senders or its receivers, whichever are fewer; the first few of them."""
    ends = [list(dict.fromkeys(end)) for end in zip(*flows, strict=True)]
    few = min(ends, key=len, default=[])
    return [named.get(name, name) for name in few[:HOSTS]]


def inferred(fabric: Fabric) -> dict[str, str]:
    """Name of a host that no description names → the same, marked `?`."""
    hosts = _core.hosts(fabric)
    return {
        name: f"{name}?" for name, is_inferred in zip(hosts.names, hosts.inferred, strict=True) if is_inferred
    }


def loaded_links(engine: Outcome) -> list[LoadedLink]:
    """The fullest links when every host adapter sends to every other at once, with pairs behind their traffic."""
    hosts = participants(engine.routes, rail="each")
    mean = engine.verify.hosts.balance.mean
    if len(hosts.hosts) < 2:
        return []
    result = _core.verify(engine.routes, "hosts")
    pairs = _core.predict(engine.routes, hosts, "alltoall", hottest=10, flows_listed=4).hottest
    examples = {link.egress: [f"{a} → {b}" for a, b in link.flows] for link in pairs}
    return [
        LoadedLink(
            f"{egress} → {ingress}", egress, flows, flows / mean if mean else 0.0, examples.get(egress, [])
        )
        for egress, ingress, flows in result.busiest(10)
    ]
