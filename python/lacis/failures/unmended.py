"""What single failures cost under tables that no manager mends: counted from the flows of all-to-all traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..ranks.participants import participants

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._core import Fabric, Participants, Routes


def lost_pairs(fabric: Fabric, routes: Routes) -> NDArray[np.int64]:
    """Pairs of hosts that each failure takes, in the order of `_core.failing`; with an LMC, of a host and a LID.

    A cable's failure takes the pairs whose path crosses it. A switch's takes those that cross it between hosts
    that are left: what enters it from switches, less what it hands to its own hosts from elsewhere.

    Args:
        fabric: as it is before each failure.
        routes: its tables, which lose no pair that cables join.
    """
    hosts = participants(routes, rail="each")
    cables = fabric.cables().reshape(-1, 2, 2).astype(np.int64)  # cable, end, (node, port)
    switches = fabric.num_switches
    is_switch = cables[:, :, 0] < switches
    between = is_switch.all(axis=1)
    if len(hosts.hosts) < 2:
        return np.zeros(np.count_nonzero(between) + switches, np.int64)
    load = np.zeros((len(fabric.kinds()), 256), np.int64)
    # To base LIDs alone; between switches to all.
    for nodes, ports, flows in (
        _core.predict(routes, hosts, "alltoall", hottest=0).loads(),
        _core.all_to_all(routes, "hosts"),
    ):
        load[nodes, ports] = flows
    out = load[cables[:, :, 0], cables[:, :, 1]]  # what each end of a cable sends

    by_cable = out[between].sum(axis=1)
    entering, handed, own = (np.zeros(switches, np.int64) for _ in range(3))
    for end in (0, 1):
        trunk, leaf = between, is_switch[:, end] & ~is_switch[:, 1 - end]
        np.add.at(entering, cables[trunk, end, 0], out[trunk, 1 - end])
        np.add.at(handed, cables[leaf, end, 0], out[leaf, end])
        np.add.at(own, cables[leaf, end, 0], out[leaf, end] > 0)
    by_switch = entering - (handed - own * (own - 1)) * _lids_of_a_host(routes, hosts)
    return np.concatenate([by_cable, by_switch])


def _lids_of_a_host(routes: Routes, hosts: Participants) -> int:
    """LIDs of each host adapter, 2 to the LMC, which a manager gives to all alike."""
    _, guids = routes.lids()
    return max(1, round(np.count_nonzero(np.isin(guids, hosts.guids())) / hosts.num_ports))
