"""What a job that sends all to all puts on the links of a fabric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..ranks.participants import by_rail, participants_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .._core import Fabric, Routes
    from ..fabric.ports import Ports

_SEED = 1


@dataclass(frozen=True)
class JobLoad:
    """What a job puts on links when each of its ports sends as much to each other one.

    Attributes:
        flows: of each link the ordered pairs of ports whose packets cross it; parts of pairs where switches choose.
        sets: of each link the number of the set among whose links a switch may choose; 0 where it has no choice.
        unrouted: pairs that have no route.
    """

    flows: NDArray[np.float64]
    sets: NDArray[np.int64]
    unrouted: int


def load_of_job(routes: Routes, ports: Ports, hosts: Sequence[str], *, adaptive: bool) -> JobLoad:
    """The load of a job, rail by rail.

    Args:
        routes: the tables.
        ports: of their fabric.
        hosts: the job's.
        adaptive: whether switches choose among all ports that begin a shortest path, whatever the tables say.
    """
    fabric = routes.fabric
    flows, sets, unrouted = np.zeros(len(ports)), np.zeros(len(ports), np.int64), 0
    for rail, names in by_rail(fabric, hosts).items():
        if len(names) < 2:
            continue
        own = participants_of(fabric, names, str(rail))
        predicted = _core.predict(routes, own, "alltoall", hottest=0)
        unrouted += predicted.unrouted
        nodes, numbers, counts = predicted.loads()
        crossed = counts > 0
        there = np.zeros(len(ports))
        there[ports.rows_of_nodes(nodes[crossed], numbers[crossed])] = counts[crossed]
        if adaptive:
            there, chosen = _spread(fabric, ports, there)
            sets = np.where(chosen > 0, chosen, sets)
        flows += there
    return JobLoad(flows, sets, unrouted)


def _spread(
    fabric: Fabric, ports: Ports, static: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Flows spread evenly, switch by switch, over all links that begin a shortest path; and the sets of such links.

    Links of hosts keep what the tables put there: a host has no choice.
    """
    trunk = ports.between_switches
    spread = np.where(trunk, 0.0, static)
    first = np.flatnonzero(~ports.of_switch & (static > 0))
    leaves, senders = np.unique(ports.far_nodes[first], return_counts=True)
    rows = np.flatnonzero(trunk)
    near, far = ports.nodes[rows], ports.far_nodes[rows]
    labels = np.zeros(len(ports), np.int64)
    names = np.random.default_rng(_SEED).integers(1, 1 << 40, len(leaves))
    for at, leaf in enumerate(leaves.tolist()):
        hops = fabric.hops_from([leaf]).astype(np.int64)
        flow = np.zeros(fabric.num_switches)
        flow[leaves] = senders * senders[at]
        flow[hops[: fabric.num_switches] < 0] = 0
        nearer = (hops[far] >= 0) & (hops[near] == hops[far] + 1)
        choices = np.bincount(near[nearer], minlength=fabric.num_switches)
        for level in range(int(hops.max()), 0, -1):
            taken = nearer & (hops[near] == level) & (flow[near] > 0)
            part = flow[near[taken]] / choices[near[taken]]
            spread[rows[taken]] += part
            labels[rows[taken]] ^= names[at]
            np.add.at(flow, far[taken], part)
    # Links that leave one switch for the same leaves are a set; a link that is alone in its set leaves no choice.
    used = np.flatnonzero(labels)
    sets = np.zeros(len(ports), np.int64)
    if len(used):
        pairs = np.stack([ports.nodes[used], labels[used]], axis=1)
        _, which, sizes = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
        sets[used] = np.where(sizes[which] > 1, which + 1, 0)
    return spread, sets
